package mapdraw

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/twmap"
)

func pngOf(t testing.TB, p image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func plain(side int, c color.Color) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, side, side))
	for i := range side * side {
		p.Set(i%side, i/side, c)
	}
	return p
}

// tilesOf returns a map with a tile of each of the given images.
func tilesOf(ids []uint8, images ...*twmap.Image) *twmap.Map {
	var layers []twmap.Layer
	for i, id := range ids {
		l := twmap.NewTileLayer(twmap.KindTiles, len(ids), 1)
		l.Image, l.Color = i, twmap.Color{R: 255, G: 255, B: 255, A: 255}
		l.Tiles().Set(i, 0, twmap.Tile{ID: id})
		layers = append(layers, l)
	}
	m := withLayer(len(ids), 1, layers...)
	m.Images = images
	return m
}

// missing returns the report of missing parts, one per line.
func missing(t *testing.T, m *twmap.Map, o Options) []string {
	t.Helper()
	r, err := New(m, o)
	if err != nil {
		t.Fatal(err)
	}
	dst := image.NewRGBA(image.Rect(0, 0, 8, 8))
	if err := r.Render(context.Background(), dst, Whole(m).At(8)); err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, miss := range r.Missing() {
		list = append(list, fmt.Sprintf("%s %s %d %t: %s", miss.Kind, miss.Name, miss.Layers, miss.Loss, miss.What))
	}
	return list
}

func TestExternalImages(t *testing.T) {
	dir, second := t.TempDir(), t.TempDir()
	write := func(dir, name string, data []byte) {
		judge.Write(t, filepath.Join(dir, name), data)
	}
	write(dir, "one.png", pngOf(t, plain(16, color.NRGBA{255, 0, 0, 255})))
	write(second, "one.png", pngOf(t, plain(16, color.NRGBA{0, 255, 0, 255})))
	write(second, "gray.png", pngOf(t, image.NewGray(image.Rect(0, 0, 16, 16)))) // black
	write(second, "broken.png", []byte("\x89PNG and so on"))
	write(filepath.Dir(dir), filepath.Base(dir)+".png", pngOf(t, plain(16, color.White)))
	external := func(name string) *twmap.Image { return twmap.NewExternalImage(name, 16, 16) }
	m := tilesOf([]uint8{1, 1, 1, 15, 1, 1},
		external("one"), external("gray"), external("none"), external("broken"), external("../"+filepath.Base(dir)), external(""))
	o := Options{Mapres: []string{filepath.Join(dir, "nowhere"), dir, second}}
	if got, want := letters(draws(t, m, o, 1.0/TileSize, 0)), "r.rgrw"; got != want { // tile 1 of the null texture is red, 15 green
		t.Errorf("%q, want %q", got, want)
	}
	got := missing(t, m, o)
	want := []string{
		"image  1 false: the image is external and has no name: drawn in plain colour, as the game does",
		"image ../" + filepath.Base(dir) + " 1 false: ../" + filepath.Base(dir) +
			".png: not found: drawn in red, green, blue and yellow, as the game does",
		"image broken 1 false: broken.png: png: invalid format: not a PNG file: drawn in red, green, blue and yellow, as the game does",
		"image none 1 false: none.png: not found: drawn in red, green, blue and yellow, as the game does",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	o.Hatch = true // one tone, and the missing picture is still reported
	if got := draws(t, m, o, 1, 0).RGBAAt(2*32+8, 4); got.R == 0 || got.R > got.B || got.B-got.R > 8 {
		t.Errorf("the hatch is %v", got)
	}
	if got := missing(t, m, o); len(got) != len(want) || !strings.HasSuffix(got[3], "drawn as a grey hatch") {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	o.Checker = true
	p := draws(t, m, o, 1, 0)
	if a, b := p.RGBAAt(2*32+4, 4), p.RGBAAt(2*32+12, 4); a != (color.RGBA{255, 0, 255, 255}) || b == a {
		t.Errorf("no checker: %v, %v", a, b)
	}
	if _, err := New(m, Options{Entities: 101}); err == nil {
		t.Error("entities of 101 percent")
	}
}

// TestVariants tests which picture is drawn if Teeworlds 0.7 has another one with the same name.
func TestVariants(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		color color.NRGBA
		cell  int // the cell that has content in addition to cell 1
	}{"grass_main": {color.NRGBA{255, 0, 0, 255}, 2}, "grass_main_0.7": {color.NRGBA{0, 255, 0, 255}, 3}} {
		p := image.NewNRGBA(image.Rect(0, 0, 16, 16))
		p.SetNRGBA(1, 0, c.color)
		p.SetNRGBA(c.cell, 0, c.color)
		judge.Write(t, filepath.Join(dir, name+".png"), pngOf(t, p))
	}
	for _, c := range []struct {
		ids  []uint8
		new  bool // the format of the map
		game Game
		want string
	}{
		{[]uint8{1}, false, GameAuto, "r"},
		{[]uint8{1}, true, GameAuto, "r"}, // fits both: the map may have been converted
		{[]uint8{3}, true, GameAuto, "g"},
		{[]uint8{3}, false, GameAuto, "."},
		{[]uint8{2}, true, GameAuto, "r"},
		{[]uint8{1}, false, Game07, "g"},
		{[]uint8{3}, true, Game06, "."},
	} {
		m := tilesOf(c.ids, twmap.NewExternalImage("grass_main", 16, 16))
		if c.new {
			m.To07()
		}
		if got := letters(draws(t, m, Options{Mapres: []string{dir}, Game: c.game}, 1.0/TileSize, 0)); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// TestPicturesOf07 tests that, with only Teeworlds 0.7 installed, its pictures are drawn for its own maps and are
// missing for all others.
func TestPicturesOf07(t *testing.T) {
	of07, of06 := t.TempDir(), t.TempDir()
	put := func(dir, name string, c color.Color) {
		judge.Write(t, filepath.Join(dir, name+".png"), pngOf(t, plain(16, c)))
	}
	for _, name := range []string{"easter", "generic_shadows", "grass_main", "sun"} {
		put(of07, name, color.NRGBA{0, 255, 0, 255})
	}
	put(of06, "grass_main", color.NRGBA{0, 0, 255, 255})
	for _, c := range []struct {
		dirs []string
		new  bool // the format of the map
		game Game
		want string
	}{
		{[]string{of07}, false, GameAuto, "rr"}, // as the null texture
		{[]string{of07}, false, Game06, "rr"},
		{[]string{of07}, true, Game06, "rr"},
		{[]string{of07}, true, GameAuto, "gg"},
		{[]string{of07}, false, Game07, "gg"},
		{[]string{of07, of06}, false, GameAuto, "br"},
		{[]string{of06, of07}, true, Game07, "gg"},
		{[]string{of06}, true, GameAuto, "br"}, // as DDNet does
	} {
		m := tilesOf([]uint8{3, 3}, twmap.NewExternalImage("grass_main", 16, 16), twmap.NewExternalImage("sun", 16, 16))
		if c.new {
			m.To07()
		}
		if got := letters(draws(t, m, Options{Mapres: c.dirs, Game: c.game}, 1.0/TileSize, 0)); got != c.want {
			t.Errorf("%d folders, %t, %d: %q, want %q", len(c.dirs), c.new, c.game, got, c.want)
		}
	}
	m := tilesOf([]uint8{1}, twmap.NewExternalImage("sun", 16, 16))
	if got := missing(t, m, Options{Mapres: []string{of07}}); len(got) != 1 ||
		!strings.Contains(got[0], "only the different picture of Teeworlds 0.7") {
		t.Errorf("%q", got)
	}
}

func TestEmbeddedImages(t *testing.T) {
	good := func() *twmap.Image { return twmap.NewImage("good", plain(16, color.NRGBA{255, 0, 0, 255})) }
	variant := good()
	variant.Version, variant.Variant = 2, 0
	m := tilesOf([]uint8{1, 1, 1}, good(), variant, twmap.NewMissingImage("gone", 16, 16))
	if got := letters(draws(t, m, Options{}, 1.0/TileSize, 0)); got != "rww" {
		t.Errorf("%q", got)
	}
	if got := missing(t, m, Options{}); len(got) != 2 || !strings.Contains(got[0], "gone 1 true: ") ||
		!strings.Contains(got[1], "good 1 true: the game does not support its variant 0") {
		t.Errorf("%q", got)
	}

	// The game loads 64.
	var images []*twmap.Image
	for range 66 {
		images = append(images, good())
	}
	m = tilesOf([]uint8{1, 1, 1, 1}, images...)
	for i, n := range []int{0, 63, 64, 66} {
		m.Groups[1].Layers[i].(*twmap.TileLayer).Image = n
	}
	if got := letters(draws(t, m, Options{}, 1.0/TileSize, 0)); got != "rrww" {
		t.Errorf("%q", got)
	}
	if got := missing(t, m, Options{}); len(got) != 1 || !strings.Contains(got[0], "loads 64 images only") {
		t.Errorf("%q", got)
	}
}

// TestDecodePNG tests that every kind of PNG is read, and that stated sizes are checked.
func TestDecodePNG(t *testing.T) {
	half := color.NRGBA{200, 100, 50, 128}
	deep := image.NewNRGBA64(image.Rect(0, 0, 1, 1))
	deep.Set(0, 0, half)
	for _, p := range []image.Image{plain(1, half), deep,
		&image.Paletted{Pix: []byte{1}, Stride: 1, Rect: image.Rect(0, 0, 1, 1), Palette: color.Palette{color.White, half}}} {
		got, err := DecodePNG(pngOf(t, p))
		if err != nil || got.NRGBAAt(0, 0) != half {
			t.Errorf("%T: %v, %v", p, got, err)
		}
	}
	lie := pngOf(t, plain(1, half))
	lie[18], lie[22] = 0x40, 0x40 // 16385 x 16385
	if _, err := DecodePNG(lie); err == nil {
		t.Error("a lie is believed")
	}
	if got := within(plain(40, half), 16); got.Rect.Dx() != 10 || got.NRGBAAt(3, 3) != half {
		t.Errorf("halved to %v: %v", got.Rect, got.NRGBAAt(3, 3))
	}
}

// damaged returns a map with one changed integer in an item, such as a layer that states a larger size than it has.
func damaged(t testing.TB, m *twmap.Map, typ int32, at int, value int32) *twmap.Map {
	t.Helper()
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	f, err := datafile.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range f.Items {
		if it.Type == 5 && it.Data[1] == typ {
			it.Data[at] = value
		}
	}
	if data, err = f.Encode(); err != nil {
		t.Fatal(err)
	}
	if m, err = twmap.Decode(data); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestBrokenLayers(t *testing.T) {
	tiles := func() *twmap.TileLayer {
		l := twmap.NewTileLayer(twmap.KindTiles, 4, 4)
		for i := range 16 {
			l.Tiles().Set(i%4, i/4, twmap.Tile{ID: 1})
		}
		return l
	}
	_, quads := quadMap(twmap.NewQuad(0, 0, 64, 64))
	for name, c := range map[string]struct {
		m    *twmap.Map
		want string
	}{
		"tiles": {damaged(t, withLayer(4, 4, tiles()), 2, 5, 60000), "the layer does not have the stated 4 x 60000 tiles"},
		"huge":  {damaged(t, withLayer(4, 4, tiles()), 2, 4, 60000), "the stated 60000 x 4 tiles"},
		"quads": {damaged(t, withLayer(4, 4, quads), 3, 4, 99), "15,048 bytes for 99"},
		"other": {withLayer(4, 4, &twmap.UnknownLayer{Type: 42}), "a layer of type 42"},
	} {
		got := missing(t, c.m, Options{})
		if len(got) != 1 || !strings.HasPrefix(got[0], "layer groups[1].layers[0]") || !strings.Contains(got[0], c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestCancelled(t *testing.T) {
	m := tilesOf([]uint8{1}, twmap.NewImage("", plain(16, color.White)))
	r, err := New(m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Render(ctx, image.NewRGBA(image.Rect(0, 0, 8, 8)), Whole(m).At(8)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	whole := Whole(m)
	spent := whole.At(8)
	spent.Spent = new(atomic.Int64)
	for want, p := range map[string]Picture{
		"without a place": {Camera: whole, Scale: 0.1}, "too large or too small": whole.Part(0, 0, -1), "needs the Size": spent,
	} {
		if err := r.Render(t.Context(), image.NewRGBA(image.Rect(0, 0, 8, 8)), p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", p, err, want)
		}
	}
}

// TestLetGo tests that a map whose parts are not kept between pictures is drawn the same.
func TestLetGo(t *testing.T) {
	m := tilesOf([]uint8{1, 1, 1}, twmap.NewImage("a", quarters()), twmap.NewImage("b", quarters()), twmap.NewExternalImage("none", 1, 1))
	q := twmap.NewQuadLayer(twmap.NewQuad(0, 0, 40, 20))
	q.Image = 1
	m.Groups[1].Layers = append(m.Groups[1].Layers, q)
	want := draws(t, m, Options{}, 1, 0)
	r, err := New(m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !r.keeps {
		t.Error("a small map is read again for each picture")
	}
	r.keeps = false
	for i := range 3 {
		if i == 1 { // the first picture leaves its smaller sizes, here only those that are too small
			small := r.pictures[0].small.Load()
			if small == nil || small.detail(64).level != 0 {
				t.Fatalf("%+v", small)
			}
			if small = small.small(len(small.levels[0].pix) - 1); small.levels[0].pix != nil || small.levels[1].pix == nil {
				t.Fatalf("%+v", small)
			}
			r.pictures[0].small.Store(small)
		}
		dst := image.NewRGBA(want.Rect)
		for i := 3; i < len(dst.Pix); i += 4 {
			dst.Pix[i] = 255
		}
		p := Whole(m).At(1)
		p.Scale = 1
		if err := r.Render(t.Context(), dst, p); err != nil || !bytes.Equal(dst.Pix, want.Pix) {
			t.Errorf("it looks different, %v", err)
		}
	}
	runtime.GC()
	for _, kept := range r.scaled.list {
		s := kept.key.sheet.Value()
		if s != nil && !slices.ContainsFunc(r.pictures, func(p *picture) bool { return p.small.Load() == s }) {
			t.Error("a sheet stays in memory after the picture")
		}
	}
	if len(r.scaled.list) == 0 {
		t.Error("no cells were scaled")
	}
}
