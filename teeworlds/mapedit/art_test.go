package mapedit

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/automap"
	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/twmap"
)

// patches returns a picture of rectangles, some of them transparent.
func patches(random *rand.Rand, w, h, colors int) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, w, h))
	palette := make([]color.NRGBA, colors)
	for i := range palette {
		palette[i] = color.NRGBA{byte(random.IntN(256)), byte(random.IntN(256)), byte(random.IntN(256)), 255}
	}
	for range 3 * max(w, h) {
		left, top := random.IntN(w), random.IntN(h)
		c := palette[random.IntN(colors)]
		if random.IntN(4) == 0 {
			c.A = 0
		}
		for y := top; y < min(h, top+1+random.IntN(4)); y++ {
			for x := left; x < min(w, left+1+random.IntN(6)); x++ {
				p.SetNRGBA(x, y, c)
			}
		}
	}
	return p
}

// seen returns the picture on a black background, enlarged by a factor.
func seen(p *image.NRGBA, times int) *image.RGBA {
	b := p.Rect
	dst := image.NewRGBA(image.Rect(0, 0, b.Dx()*times, b.Dy()*times))
	for y := range dst.Rect.Dy() {
		for x := range dst.Rect.Dx() {
			c := p.NRGBAAt(b.Min.X+x/times, b.Min.Y+y/times)
			if c.A == 0 {
				c = color.NRGBA{}
			}
			dst.SetRGBA(x, y, color.RGBA{c.R, c.G, c.B, 255})
		}
	}
	return dst
}

func sameRGBA(t *testing.T, got, want *image.RGBA) {
	t.Helper()
	for y := range want.Rect.Dy() {
		for x := range want.Rect.Dx() {
			if got.RGBAAt(x, y) != want.RGBAAt(x, y) {
				t.Fatalf("at %d,%d %v, want %v", x, y, got.RGBAAt(x, y), want.RGBAAt(x, y))
			}
		}
	}
}

// TestTileArt tests that a drawing of tile art shows the picture.
func TestTileArt(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	for _, colors := range []int{1, 255, 256, 700} {
		p := patches(random, 23, 31, colors)
		for i := range colors { // all of them
			p.SetNRGBA(i%23, i/23, color.NRGBA{byte(i), byte(i >> 8), 7, 255})
		}
		whole := image.NewNRGBA(image.Rect(-5, -7, 40, 40)) // a part of a larger picture
		for y := range 31 {
			for x := range 23 {
				whole.SetNRGBA(x, y, p.NRGBAAt(x, y))
			}
		}
		m := twmap.New(23, 31)
		var changes []check.Change
		e := New(m, func(c check.Change) { changes = append(changes, c) })
		if err := e.AddTileArt("a picture of it", whole.SubImage(p.Rect).(*image.NRGBA)); err != nil {
			t.Fatal(err)
		}
		all := make(map[color.NRGBA]bool)
		for y := range 31 {
			for x := range 23 {
				if c := p.NRGBAAt(x, y); c.A > 0 {
					all[c] = true
				}
			}
		}
		g, sheets := m.Groups[1], (len(all)+254)/255
		if g.Name != "a picture o" || len(m.Images) != sheets || len(g.Layers) != sheets ||
			m.Images[0].Name != "a picture of it 1" || m.Images[0].Width() != 1024 {
			t.Errorf("%d colours: group %q, %d images, %d layers", len(all), g.Name, len(m.Images), len(g.Layers))
		}
		if len(changes) != 1 || changes[0].Path != "groups/a picture o" || changes[0].Count != int64(sheets) {
			t.Errorf("%+v", changes)
		}
		sameRGBA(t, drawn(t, m, 23*32, 31*32), seen(p, 32))

		// The colours are in ascending order.
		var last uint32
		for i := range m.Images {
			sheet, _ := m.Images[i].Picture()
			for n := range 256 {
				x, y := n%16*64, n/16*64
				c := colorOf(sheet.Pix[sheet.PixOffset(x+63, y+63):])
				if c != colorOf(sheet.Pix[sheet.PixOffset(x, y):]) || n == 0 && c != 0 || n > 0 && c <= last && c != 0 {
					t.Fatalf("sheet %d: tile %d is %08x after %08x", i, n, c, last)
				}
				last = max(last, c)
			}
		}
	}
}

func TestArtRefused(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	colorful := image.NewNRGBA(image.Rect(0, 0, 200, 200))
	for i := range 200 * 200 {
		copy(colorful.Pix[4*i:], []byte{byte(i), byte(i >> 8), 0, 255})
	}
	some, nothing := patches(random, 20, 20, 9), image.NewNRGBA(image.Rect(0, 0, 9, 9))
	e := New(twmap.New(20, 20), func(c check.Change) { t.Errorf("%+v", c) })
	for want, err := range map[string]error{
		"the 40000 colours of the picture take 157 images: the map has 0 already": e.AddTileArt("a", colorful),
		"the picture shows nothing": e.AddTileArt("a", nothing),
		"a/b":                       e.AddTileArt("a/b", some),
		"0 x 0 pixels":              e.AddTileArt("a", &image.NRGBA{}),
		"nothing":                   e.AddQuadArt("a", 0, 0, nothing, QuadArt{}),
		"pixels of 1 and 2000":      e.AddQuadArt("a", 0, 0, some, QuadArt{QuadPixel: 2000}),
		"pixels of -1":              e.AddQuadArt("a", 0, 0, some, QuadArt{ImagePixel: -1, QuadPixel: 1}),
		"exceed the coordinates": e.AddQuadArt("a", 0, 0, image.NewNRGBA(image.Rect(0, 0, 3000, 1)),
			QuadArt{ImagePixel: 1, QuadPixel: 1024}),
		"has no quads": e.AddQuadArtTo(LayerAt{0, 0}, 0, 0, some, QuadArt{}),
		"no layer 1":   e.AddQuadArtTo(LayerAt{0, 1}, 0, 0, some, QuadArt{}),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	m, _ := quadsMap()
	if err := New(m, nil).AddQuadArtTo(LayerAt{1, 0}, 65530, 0, some, QuadArt{QuadPixel: 32}); err == nil {
		t.Error("quads outside of the coordinates of a map")
	}
}

// TestQuadArt tests that a drawing of quad art shows the picture, however many pixels become one quad.
func TestQuadArt(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	for n := range 40 {
		w, h := 1+random.IntN(30), 1+random.IntN(30)
		p := patches(random, w, h, 1+random.IntN(5))
		p.SetNRGBA(0, 0, color.NRGBA{1, 2, 3, 255})
		o := QuadArt{ImagePixel: 1, QuadPixel: 1 + n%5, Optimize: n%2 == 0, OnePivot: n%3 == 0}
		m := twmap.New(30, 30)
		if err := New(m, nil).AddQuadArt("art", 0, 0, p, o); err != nil {
			t.Fatal(err)
		}
		l := m.Groups[1].Layers[0].(*twmap.QuadLayer)
		quads, _ := l.Quads()
		if want := (twmap.Clip{X: -1, Y: -1, Width: int32(w*o.QuadPixel + 2),
			Height: int32(h*o.QuadPixel + 2)}); *m.Groups[1].Clip != want || l.Flags != twmap.Detail || l.Image != -1 ||
			l.Name != "art" {
			t.Errorf("clipped to %v, want %v; flags %v", *m.Groups[1].Clip, want, l.Flags)
		}
		for _, q := range quads {
			pivot := twmap.Point{X: (q.Points[0].X + q.Points[3].X) / 2, Y: (q.Points[0].Y + q.Points[3].Y) / 2}
			if o.OnePivot {
				pivot = twmap.Point{X: -1024, Y: -1024}
			}
			if q.Pivot != pivot {
				t.Fatalf("%+v", q)
			}
		}
		sameRGBA(t, drawn(t, m, w*o.QuadPixel, h*o.QuadPixel), seen(p, o.QuadPixel))

		// The same picture with each pixel enlarged to three by three.
		large := image.NewNRGBA(image.Rect(0, 0, 3*w, 3*h))
		for y := range 3 * h {
			for x := range 3 * w {
				large.SetNRGBA(x, y, p.NRGBAAt(x/3, y/3))
			}
		}
		o.ImagePixel = 3
		m = twmap.New(30, 30)
		if err := New(m, nil).AddQuadArt("art", 0, 0, large, o); err != nil {
			t.Fatal(err)
		}
		if again, _ := m.Groups[1].Layers[0].(*twmap.QuadLayer).Quads(); !slices.Equal(again, quads) {
			t.Errorf("%d quads of %d x %d pixels, want %d", len(again), 3*w, 3*h, len(quads))
		}
		if err := New(m, nil).AddQuadArt("art", 3, -2, large, o); err != nil {
			t.Fatal(err)
		}
		at := func(p twmap.Point) twmap.Point { return twmap.Point{X: p.X - 3<<15, Y: p.Y + 2<<15} }
		moved, _ := m.Groups[2].Layers[0].(*twmap.QuadLayer).Quads()
		if len(moved) != len(quads) || at(moved[0].Points[0]) != quads[0].Points[0] || at(moved[0].Pivot) != quads[0].Pivot ||
			m.Groups[2].Clip.X != 3*32-1 || m.Groups[2].Clip.Y != -2*32-1 {
			t.Errorf("at 3,-2: %d quads, the first %v, clipped to %v", len(moved), moved[0], m.Groups[2].Clip)
		}
	}
}

// TestMerge tests merging of small pictures.
func TestMerge(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	for picture, want := range map[string]string{
		"aaa/aaa/aaa": "0,0 3x3",
		"aab/aab/aaa": "0,0 2x3 2,0 1x2 2,2 1x1",
		"aaa/abb/abb": "0,0 3x1 0,1 1x2 1,1 2x2", // as high as the shortest column
		"a.a/aaa":     "0,0 1x2 2,0 1x2 1,1 1x1",
	} {
		rows := strings.Split(picture, "/")
		p := image.NewNRGBA(image.Rect(0, 0, len(rows[0]), len(rows)))
		for y, row := range rows {
			for x, c := range []byte(row) {
				if c != '.' {
					p.SetNRGBA(x, y, color.NRGBA{c, c, c, 99})
				}
			}
		}
		quads, _, err := quadArt(p, QuadArt{ImagePixel: 1, QuadPixel: 1, Optimize: true}, twmap.Point{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, q := range quads {
			got = append(got, fmt.Sprintf("%d,%d %dx%d", q.Points[0].X/1024, q.Points[0].Y/1024,
				(q.Points[3].X-q.Points[0].X)/1024, (q.Points[3].Y-q.Points[0].Y)/1024))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %s, want %s", picture, strings.Join(got, " "), want)
		}
	}
}

// TestPixelArt compares the quads with those of DDNet's tool on which quad art is based.
func TestPixelArt(t *testing.T) {
	tool := judge.Find(t, "map_create_pixelart")
	random := rand.New(rand.NewPCG(6, 6))
	dir := t.TempDir()
	for n := range 12 {
		old := twmap.NewQuad(3, 4, 5, 6)
		m, _ := quadsMap(old)
		data, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		before, after, file := filepath.Join(dir, "a.map"), filepath.Join(dir, fmt.Sprint(n, ".map")), filepath.Join(dir, "a.png")
		step := 1 + n%3
		small := patches(random, 3+random.IntN(20), 3+random.IntN(20), 3)
		p := image.NewNRGBA(image.Rect(0, 0, small.Rect.Dx()*step, small.Rect.Dy()*step))
		for y := range p.Rect.Dy() {
			for x := range p.Rect.Dx() {
				p.SetNRGBA(x, y, small.NRGBAAt(x/step, y/step))
			}
		}
		judge.Write(t, before, data)
		f, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := png.Encode(f, p); err != nil {
			t.Fatal(err)
		}
		f.Close()
		if p, err = mapdraw.ReadPNG(file); err != nil {
			t.Fatal(err)
		}
		o := QuadArt{ImagePixel: []int{0, step, step, 1}[n%4], QuadPixel: 2 * (n % 5), Optimize: n%2 == 0, OnePivot: n%3 == 1}
		number := func(on bool) string { return map[bool]string{true: "1", false: "0"}[on] }
		cmd := exec.Command(tool, file, fmt.Sprint(o.ImagePixel), before, "1", "0", fmt.Sprint(n-3), "5",
			fmt.Sprint(o.QuadPixel), after, number(o.Optimize), number(o.OnePivot))
		cmd.Dir = dir
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		theirs, err := twmap.Decode(judge.Read(t, after))
		if err != nil {
			t.Fatal(err)
		}
		want, err := theirs.Groups[1].Layers[0].(*twmap.QuadLayer).Quads()
		if err != nil {
			t.Fatal(err)
		}
		if err := New(m, nil).AddQuadArtTo(LayerAt{1, 0}, n-3, 5, p, o); err != nil {
			t.Fatal(err)
		}
		got, _ := m.Groups[1].Layers[0].(*twmap.QuadLayer).Quads()
		if len(got) != len(want) || len(got) < 3 {
			t.Fatalf("%+v: %d quads, theirs are %d", o, len(got), len(want))
		}
		for i := range got {
			w := want[i]
			w.Texture = got[i].Texture // the tool writes uninitialized memory
			if got[i] != w {
				t.Fatalf("%+v: quad %d is %+v, theirs %+v", o, i, got[i], w)
			}
		}
	}
}

// TestJudges tests that the games' own programs load the results of tile art, quad art and automapping.
func TestJudges(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	m, _ := quadsMap(twmap.NewQuad(100, 100, 200, 100))
	m.Physics(twmap.KindGame).Tiles().Set(10, 10, twmap.Tile{ID: uint8(twmap.EntitySpawn)})
	l := twmap.NewTileLayer(twmap.KindTiles, 20, 20)
	l.Image = 1
	m.Images = append(m.Images, twmap.NewImage("ground", sheetOf([]uint32{0xff0000ff})))
	m.Groups[1].Layers = append(m.Groups[1].Layers, l)
	e := New(m, nil)
	rules := func(string) (*automap.Rules, error) {
		return automap.ParseRules([]byte("[a]\nIndex 1\nNoDefaultRule"), nil), nil
	}
	for _, err := range []error{
		e.Automap(context.Background(), LayerAt{1, 1}, Automapping{Rules: rules, Section: "a"}),
		e.SetAutomapper(LayerAt{1, 1}, &twmap.AutoMapper{Seed: 7, Automatic: true}),
		e.AddTileArt("tile art", patches(random, 40, 30, 600)),
		e.AddQuadArt("quad art", 0, 0, patches(random, 40, 30, 9), QuadArt{QuadPixel: 5, Optimize: true}),
		e.AddQuadArtTo(LayerAt{1, 0}, 3, 4, patches(random, 40, 30, 9), QuadArt{Optimize: true, OnePivot: true}),
		e.SliceQuad(LayerAt{1, 0}, 0, [4]twmap.Point{{X: 110 << 10, Y: 110 << 10}, {X: 150 << 10, Y: 110 << 10},
			{X: 150 << 10, Y: 150 << 10}, {X: 110 << 10, Y: 150 << 10}}),
		e.AlignQuads(LayerAt{1, 0}, nil), e.AspectQuads(LayerAt{1, 0}, []int{0}), e.CenterPivots(LayerAt{1, 0}, nil),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, server := range []string{judge.DDNetServer, judge.TeeworldsServer} {
		if log, err := judge.Load(t, server, data); err != nil {
			t.Errorf("%s: %v\n%s", server, err, log)
		}
	}
	dir := judge.Dir(t)
	judge.Write(t, filepath.Join(dir, "a.map"), data)
	if said, err := judge.Run(t, dir, "map_resave", "a.map", "b.map"); err != nil {
		t.Errorf("map_resave: %v\n%s", err, said)
	}
	back, err := twmap.Decode(judge.Read(t, filepath.Join(dir, "b.map")))
	if err != nil || !back.Equal(m) {
		t.Errorf("map_resave gives another map: %v", err)
	}
	for _, f := range check.Collect(m.Check) {
		if f.Severity == check.Error {
			t.Error(f)
		}
	}
}
