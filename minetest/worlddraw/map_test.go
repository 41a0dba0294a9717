package worlddraw_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodecolor"
	"trowel.example/minetest/worlddraw"
)

var testColors = nodecolor.List{
	"stone": {R: 90, G: 90, B: 90, A: 255}, "grass": {R: 70, G: 120, B: 50, A: 255},
	"water": {R: 30, G: 60, B: 110, A: 128, T: 100}, "clear": {R: 1, G: 2, B: 3},
}

// hills returns a world of stone and grass with water between them, rows without blocks, holes, and a few nodes
// without a colour.
func hills(t testing.TB) *mapdb.Memory {
	db := mapdb.NewMemory()
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(1, 2))
	for bz := -6; bz < 6; bz++ {
		if bz == 2 || bz == -3 || bz == -4 {
			continue
		}
		for bx := -5; bx < 5; bx++ {
			if rng.IntN(8) == 0 {
				continue
			}
			for by := -1; by < 2; by++ {
				b := mapblock.New(29)
				b.Names = []mapblock.NameID{{ID: 0, Name: "air"}, {ID: 1, Name: "stone"}, {ID: 2, Name: "grass"},
					{ID: 3, Name: "water"}, {ID: 4, Name: "clear"}, {ID: 5, Name: "mod:thing"}}
				for i := range b.Param0 {
					x, y, z := mapblock.Coordinates(i)
					wx, wy, wz := bx*16+x, by*16+y, bz*16+z
					h := (wx*wx/40+wz*wz/30)%21 - 4
					switch {
					case wy < h:
						b.Param0[i] = 1
					case wy == h:
						b.Param0[i] = 2
					case wy < 3:
						b.Param0[i] = 3
					case wy == 5 && wx%7 == 0:
						b.Param0[i] = 4
					case wy == 6 && wx%11 == 0 && wz%5 == 0:
						b.Param0[i] = 5
					}
					b.Param1[i] = uint8(wx&15 | (wz&15)<<4)
				}
				data, err := b.EncodeFresh()
				if err != nil {
					t.Fatal(err)
				}
				if err := db.Store(ctx, []mapdb.Block{{Pos: mapdb.Pos{X: int16(bx), Y: int16(by), Z: int16(bz)}, Data: data}}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return db
}

func whole(t testing.TB, m *worlddraw.Map) *image.RGBA {
	t.Helper()
	img := image.NewRGBA(m.Bounds())
	if err := m.Render(context.Background(), img); err != nil {
		t.Fatal(err)
	}
	return img
}

func newMap(t testing.TB, db mapdb.DB, o worlddraw.Options) *worlddraw.Map {
	t.Helper()
	if o.Colors == nil {
		o.Colors = testColors
	}
	if o.Box == (worlddraw.Box{}) {
		o.Box = worlddraw.Everything()
	}
	m, err := worlddraw.New(context.Background(), db, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestParts tests that no pixel depends on the rectangle with which it is drawn.
func TestParts(t *testing.T) {
	db := hills(t)
	for _, o := range []worlddraw.Options{
		{View: worlddraw.Top}, {View: worlddraw.Top, Alpha: true}, {View: worlddraw.Top, Gaps: true},
		{View: worlddraw.Top, Flat: true, Light: worlddraw.Night},
		{View: worlddraw.North}, {View: worlddraw.South, Alpha: true}, {View: worlddraw.West}, {View: worlddraw.East},
	} {
		want := whole(t, newMap(t, db, o))
		rng := rand.New(rand.NewPCG(3, 4))
		seen := false
		for range 15 {
			m := newMap(t, db, o)
			x, y := want.Rect.Min.X+rng.IntN(want.Rect.Dx()), want.Rect.Min.Y+rng.IntN(want.Rect.Dy())
			if rng.IntN(2) == 0 {
				x, y = x&^15, y&^15
			}
			img := image.NewRGBA(image.Rect(x, y, x+1+rng.IntN(70), y+1+rng.IntN(70)))
			if err := m.Render(context.Background(), img); err != nil {
				t.Fatal(err)
			}
			for y := img.Rect.Min.Y; y < img.Rect.Max.Y; y++ {
				for x := img.Rect.Min.X; x < img.Rect.Max.X; x++ {
					if img.RGBAAt(x, y) != want.RGBAAt(x, y) {
						t.Fatalf("%s: %d,%d is %v in %v, and %v in the whole", o.View, x, y, img.RGBAAt(x, y), img.Rect, want.RGBAAt(x, y))
					}
					seen = seen || img.RGBAAt(x, y).A > 0
				}
			}
		}
		if !seen {
			t.Errorf("%s: nothing is to be seen", o.View)
		}
	}
}

// TestStores tests that every store and every version of blocks gives the same picture.
func TestStores(t *testing.T) {
	ctx := context.Background()
	from := hills(t)
	want := whole(t, newMap(t, from, worlddraw.Options{View: worlddraw.Top, Alpha: true}))
	side := whole(t, newMap(t, from, worlddraw.Options{View: worlddraw.South, Alpha: true}))
	for i, name := range slices.Sorted(maps.Keys(worldtest.Backends)) {
		t.Run(name, func(t *testing.T) {
			c, dir := worldtest.Backends[name](t), t.TempDir()
			w, err := mapdb.Create(ctx, dir, c)
			if err != nil {
				t.Fatal(err)
			}
			var blocks []mapdb.Block
			for b, err := range from.Blocks(ctx, mapdb.All()) {
				if err != nil {
					t.Fatal(err)
				}
				versions := []int{22, 25, 28, 29}
				block, err := mapblock.Decode(b.Data)
				if err == nil {
					block, _, err = block.Convert(versions[(i+int(b.Pos.X)+20)%4], mapblock.ConvertOptions{})
				}
				if err == nil {
					b.Data, err = block.Encode()
				}
				if err != nil {
					t.Fatal(err)
				}
				blocks = append(blocks, b)
			}
			if err := w.Store(ctx, blocks); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			db, err := mapdb.Open(ctx, dir, c)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if got := whole(t, newMap(t, db, worlddraw.Options{View: worlddraw.Top, Alpha: true})); !bytes.Equal(got.Pix, want.Pix) {
				t.Errorf("%v: another picture from above", db)
			}
			if got := whole(t, newMap(t, db, worlddraw.Options{View: worlddraw.South, Alpha: true})); !bytes.Equal(got.Pix, side.Pix) {
				t.Errorf("%v: another picture from the south", db)
			}
		})
	}
}

// TestWidths tests that the width of ids does not affect the picture.
func TestWidths(t *testing.T) {
	colors := nodecolor.List{"default:stone": {R: 100, A: 255}, "default:cobble": {R: 50, A: 255},
		"default:sand": {G: 100, A: 255}, "default:tree": {B: 100, A: 255}}
	picture := func(version, width int) *image.RGBA {
		m := mapdb.NewMemory()
		if err := m.Store(t.Context(), []mapdb.Block{{Data: worldtest.BlockOf(24, version, width)}}); err != nil {
			t.Fatal(err)
		}
		return whole(t, newMap(t, m, worlddraw.Options{View: worlddraw.Top, Colors: colors}))
	}
	want := picture(mapblock.Newest, 2)
	if !bytes.ContainsRune(want.Pix, 50) || !bytes.ContainsRune(want.Pix, 100) {
		t.Error("nothing is to be seen")
	}
	for version := 21; version <= mapblock.Newest; version++ {
		for _, width := range worldtest.Widths(version) {
			if got := picture(version, width); !bytes.Equal(got.Pix, want.Pix) {
				t.Errorf("version %d, %d bytes: another picture", version, width)
			}
		}
	}
}

// TestIsoEnds tests that drawing an isometric picture stops when the context ends, even if no blocks have to be read.
func TestIsoEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	iso, err := worlddraw.NewIso(ctx, hills(t), worlddraw.Options{Colors: painted{}})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	nowhere := image.NewRGBA(image.Rect(100_000, 100_000, 100_010, 100_010))
	if err := iso.RenderScaled(ctx, nowhere, worlddraw.Scaled{Scale: 4}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestFar tests that blocks that are far away from all others do not affect other parts of the picture.
func TestFar(t *testing.T) {
	b := mapblock.New(29)
	b.Names = []mapblock.NameID{{ID: 0, Name: "stone"}, {ID: 1, Name: "grass"}, {ID: 2, Name: "air"}}
	for i := range b.Param0 {
		x, y, z := mapblock.Coordinates(i)
		b.Param0[i] = uint16((x/3 + y/5 + z/4) % 3)
	}
	data, err := b.EncodeFresh()
	if err != nil {
		t.Fatal(err)
	}
	db := mapdb.NewMemory()
	places := []mapdb.Pos{{}, {X: 2047, Y: 1, Z: 2046}, {X: -2048, Z: -2048}, {X: 2047, Z: -2048}, {X: -2047, Z: 2047}}
	for _, pos := range places {
		if err := db.Store(t.Context(), []mapdb.Block{{Pos: pos, Data: data}}); err != nil {
			t.Fatal(err)
		}
	}
	o := worlddraw.Options{Colors: testColors, Box: worlddraw.Everything(), Alpha: true}
	iso, err := worlddraw.NewIso(t.Context(), db, o)
	if err != nil {
		t.Fatal(err)
	}
	for scale, size := range map[float64]int{4: 64, 1.5: 24, 0.25: 5, 0.01: 1} {
		var first *image.RGBA
		for _, pos := range places {
			x, y, z := int(pos.X)*16, int(pos.Y)*16, int(pos.Z)*16
			at := worlddraw.Scaled{Origin: [2]float64{float64(x-z) - 16, float64(-y) - float64(x+z)/2 - 32}, Scale: scale}
			img := image.NewRGBA(image.Rect(0, 0, 2*size, 2*size))
			if err := iso.RenderScaled(t.Context(), img, at); err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = img
			}
			if n := differing(t, img, first, nil); n != 0 {
				t.Errorf("%v at scale %v: %d pixels differ", pos, scale, n)
			}
		}
		if scale > 1 && bytes.Count(first.Pix, []byte{0}) > len(first.Pix)/2 {
			t.Errorf("scale %v: the block is not to be seen", scale)
		}
	}
	for _, view := range []worlddraw.View{worlddraw.Top, worlddraw.South} {
		m := newMap(t, db, worlddraw.Options{View: view})
		all := image.NewRGBA(image.Rect(0, 0, 200, 200))
		b := m.Bounds()
		at := worlddraw.Scaled{Origin: [2]float64{float64(b.Min.X), float64(b.Min.Y)}, Scale: 200 / float64(b.Dx())}
		if err := m.RenderScaled(t.Context(), all, at); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDamagedBlock tests that a block that cannot be read is a hole, and is reported once per picture.
func TestDamagedBlock(t *testing.T) {
	ctx := context.Background()
	db := mapdb.NewMemory()
	b := mapblock.New(29)
	b.Names[0].Name = "stone"
	data, err := b.EncodeFresh()
	if err != nil {
		t.Fatal(err)
	}
	for x := range int16(3) {
		block := mapdb.Block{Pos: mapdb.Pos{X: x}, Data: data}
		if x == 1 {
			block.Data = data[:len(data)/2]
		}
		if err := db.Store(ctx, []mapdb.Block{block}); err != nil {
			t.Fatal(err)
		}
	}
	var lost []error
	img := whole(t, newMap(t, db, worlddraw.Options{View: worlddraw.Top, Lost: func(err error) { lost = append(lost, err) }}))
	for x := range 48 {
		if hole := img.RGBAAt(x, -5).A == 0; hole != (x/16 == 1) {
			t.Errorf("at %d: hole %v", x, hole)
		}
	}
	var bad *worlddraw.BlockError
	if len(lost) != 1 || !errors.As(lost[0], &bad) || bad.Pos != (mapdb.Pos{X: 1}) {
		t.Errorf("reported %v", lost)
	}
}

// TestHidden tests that nodes without a colour do not hide what is behind them, and are counted.
func TestHidden(t *testing.T) {
	m := newMap(t, hills(t), worlddraw.Options{View: worlddraw.Top})
	whole(t, m)
	n := m.Hidden()["mod:thing"]
	if n == 0 || len(m.Hidden()) != 1 {
		t.Errorf("hidden: %v", m.Hidden())
	}
}

// TestHiddenOnce tests that cells that are drawn again, because they are no longer cached, are not counted again.
func TestHiddenOnce(t *testing.T) {
	db := mapdb.NewMemory()
	b := mapblock.New(29)
	b.Names[0].Name = "mod:thing"
	data, err := b.EncodeFresh()
	if err != nil {
		t.Fatal(err)
	}
	var blocks []mapdb.Block
	for i := range 3600 {
		blocks = append(blocks, mapdb.Block{Pos: mapdb.Pos{X: int16(i % 60), Z: int16(i / 60)}, Data: data})
	}
	if err := db.Store(context.Background(), blocks); err != nil {
		t.Fatal(err)
	}
	m := newMap(t, db, worlddraw.Options{View: worlddraw.Top})
	whole(t, m)
	whole(t, m)
	if n := m.Hidden()["mod:thing"]; n != 3600*256 {
		t.Errorf("%d pixels are hidden, not %d", n, 3600*256)
	}
}

// painted is a Coloring in which param2 is the amount of red.
type painted struct{ nodecolor.List }

func (painted) Palette(string) *[256]nodecolor.Color {
	p := new([256]nodecolor.Color)
	for i := range p {
		p[i] = nodecolor.Color{R: uint8(i), A: 255}
	}
	return p
}

// TestPaletteAndLight tests that colours depend on param2, if selected, and on the light.
func TestPaletteAndLight(t *testing.T) {
	db := mapdb.NewMemory()
	b := mapblock.New(29)
	b.Names = []mapblock.NameID{{ID: 0, Name: "air"}, {ID: 1, Name: "stone"}}
	for i := range b.Param0 {
		if x, y, _ := mapblock.Coordinates(i); y == 4 {
			b.Param0[i], b.Param2[i] = 1, uint8(100+x)
		} else if b.Param1[i] = 0x0f; x < 8 {
			b.Param1[i] = 0xf0
		}
	}
	data, err := b.EncodeFresh()
	if err == nil {
		err = db.Store(context.Background(), []mapdb.Block{{Data: data}})
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, light := range []worlddraw.Light{worlddraw.Full, worlddraw.Day, worlddraw.Night} {
		img := whole(t, newMap(t, db, worlddraw.Options{View: worlddraw.Top, Colors: painted{testColors}, Light: light}))
		for x := range 16 {
			want := 100 + x
			if light == worlddraw.Day && x < 8 || light == worlddraw.Night && x >= 8 {
				want = want * 30 / 255
			}
			if got := int(img.RGBAAt(x, -1).R); got != want {
				t.Errorf("light %d: at %d the red is %d, not %d", light, x, got, want)
			}
		}
	}
}

// TestSheetParts tests that a sheet does not depend on the parts in which it is drawn, and contains everything that
// is requested.
func TestSheetParts(t *testing.T) {
	ctx := context.Background()
	m := newMap(t, hills(t), worlddraw.Options{View: worlddraw.Top})
	for _, zoom := range []int{1, 3} {
		s := &worlddraw.Sheet{
			Map: m, Area: m.Bounds(), Zoom: zoom, Background: color.NRGBA{255, 255, 255, 255},
			Scales: worlddraw.Edges{Top: true, Bottom: true, Left: true, Right: true}, ScaleColor: color.NRGBA{1, 2, 3, 255},
			Origin: true, OriginColor: color.NRGBA{4, 5, 6, 255},
			Players: []worlddraw.Player{{Name: "somebody", X: 20, Z: 30}}, PlayerColor: color.NRGBA{7, 8, 9, 255},
		}
		want := image.NewRGBA(image.Rectangle{Max: s.Size()})
		if err := s.Render(ctx, want); err != nil {
			t.Fatal(err)
		}
		colors := make(map[color.RGBA]bool)
		for y := 0; y < want.Rect.Max.Y; y += 37 {
			for x := 0; x < want.Rect.Max.X; x += 53 {
				part := image.NewRGBA(image.Rect(x, y, x+53, y+37).Intersect(want.Rect))
				if err := s.Render(ctx, part); err != nil {
					t.Fatal(err)
				}
				for py := part.Rect.Min.Y; py < part.Rect.Max.Y; py++ {
					for px := part.Rect.Min.X; px < part.Rect.Max.X; px++ {
						if part.RGBAAt(px, py) != want.RGBAAt(px, py) {
							t.Fatalf("zoom %d: %d,%d is %v and %v", zoom, px, py, part.RGBAAt(px, py), want.RGBAAt(px, py))
						}
						colors[part.RGBAAt(px, py)] = true
					}
				}
			}
		}
		for _, c := range []color.RGBA{{1, 2, 3, 255}, {4, 5, 6, 255}, {7, 8, 9, 255}, {255, 255, 255, 255}} {
			if !colors[c] {
				t.Errorf("zoom %d: there is no %v", zoom, c)
			}
		}
	}
}

// TestDepth tests that distant nodes are invisible in a cut.
func TestDepth(t *testing.T) {
	box := worlddraw.Everything()
	box.Max[1] = 16
	cut := whole(t, newMap(t, hills(t), worlddraw.Options{View: worlddraw.Top, Box: box, Depth: 10}))
	all := whole(t, newMap(t, hills(t), worlddraw.Options{View: worlddraw.Top, Box: box}))
	less := 0
	for i := 3; i < len(all.Pix); i += 4 {
		if cut.Pix[i] > all.Pix[i] {
			t.Fatal("the cut shows more than there is")
		}
		if cut.Pix[i] < all.Pix[i] {
			less++
		}
	}
	if less == 0 {
		t.Error("the cut shows all")
	}
}

func ExampleMap() {
	ctx := context.Background()
	db := mapdb.NewMemory()
	b := mapblock.New(29)
	b.Names[0].Name = "default:stone"
	data, _ := b.EncodeFresh()
	_ = db.Store(ctx, []mapdb.Block{{Data: data}})

	m, err := worlddraw.New(ctx, db, worlddraw.Options{
		View: worlddraw.Top, Box: worlddraw.Everything(),
		Colors: nodecolor.List{"default:stone": {R: 97, G: 94, B: 93, A: 255}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	img := image.NewRGBA(m.Bounds())
	err = m.Render(ctx, img)
	fmt.Println(img.Rect, img.RGBAAt(3, -4), err)
	// Output: (0,-16)-(16,0) {97 94 93 255} <nil>
}
