package mapdraw

import (
	"context"
	"image"
	"image/color"
	"image/draw"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"trowel.example/teeworlds/twmap"
)

func TestCamera(t *testing.T) {
	for _, c := range []struct {
		size image.Point
		zoom float64
		w, h float64
	}{
		{image.Pt(1280, 720), 1, 1429.8, 804.3},
		{image.Pt(800, 600), 1, 1238.3, 928.7},
		{image.Pt(500, 500), 1, 1050, 1050}, // the largest height
		{image.Pt(300, 100), 1, 1500, 500},  // the largest width
		{image.Pt(100, 300), 2, 700, 2100},  // twice 350 x 1050
		{image.Pt(1280, 720), 2, 2859.6, 1608.5},
	} {
		got := NewCamera(10, 20, c.zoom, c.size)
		if math.Abs(got.Width-c.w) > 0.1 || math.Abs(got.Height-c.h) > 0.1 {
			t.Errorf("%v at %v: %v x %v, want %v x %v", c.size, c.zoom, got.Width, got.Height, c.w, c.h)
		}
		if math.Abs(got.zoom()-c.zoom) > 1e-9 {
			t.Errorf("%v: the zoom is %v, not %v", c.size, got.zoom(), c.zoom)
		}
	}
}

// TestParallax tests the position of groups in a picture of 1500 x 1000 units, about 100 x 66 pixels, at zooms 1 and
// 2, with the formulas of the game.
func TestParallax(t *testing.T) {
	for _, c := range []struct {
		px, py, ox, oy  int32
		game            bool
		zoom            float64
		left, top, wide float64 // the rectangle that fills the picture
	}{
		{100, 100, 0, 0, false, 1, 3000 - 750, 2000 - 250, 1500},
		{100, 100, 50, -60, false, 1, 3000 - 750 + 50, 2000 - 250 - 60, 1500},
		{0, 0, 7, 8, false, 1, 7 - 750, 8 - 250, 1500},
		{50, 50, 0, 0, false, 1, 1500 - 750, 1000 - 250, 1500},
		{100, 100, 0, 0, false, 2, 3000 - 1500, 2000 - 500, 3000},
		{0, 0, 0, 0, false, 2, -750, -250, 1500},                  // does not zoom
		{50, 20, 0, 0, false, 2, 1500 - 1125, 400 - 375, 2250},    // (50*(2-1)+100)/100/2 of 3000
		{-30, -10, 0, 0, false, 2, -900 - 750, -200 - 250, 1500},  // against the camera, does not zoom
		{200, 100, 0, 0, false, 2, 6000 - 1500, 2000 - 500, 3000}, // at most as much as the camera
		{0, 0, 999, 999, true, 2, 3000 - 1500, 2000 - 500, 3000},  // the game's own group
	} {
		m := twmap.New(2, 2)
		g := twmap.NewGroup("", twmap.NewTileLayer(twmap.KindTiles, 2, 2))
		if c.game {
			g = m.Groups[0]
		} else {
			m.Groups = append([]*twmap.Group{g}, m.Groups...)
		}
		g.ParallaxX, g.ParallaxY, g.OffsetX, g.OffsetY = c.px, c.py, c.ox, c.oy
		r, err := New(m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		camera := NewCamera(3000, 2000, c.zoom, image.Pt(300, 100)) // 1500 x 500 at zoom 1
		canvas := canvas{Renderer: r, dst: image.NewRGBA(image.Rect(0, 0, 300, 100)), picture: camera.At(300)}
		f := canvas.frame(0)
		if wide := f.step * 300; math.Abs(f.left-c.left) > 1e-6 || math.Abs(f.top-c.top) > 1e-6 || math.Abs(wide-c.wide) > 1e-6 {
			t.Errorf("%+v: %v,%v and %v units wide", c, f.left, f.top, wide)
		}
	}
}

func TestClip(t *testing.T) {
	// 300 x 100 pixels of 5 units each; the first begins at 0,0.
	p := Camera{750, 250, 1500, 500}.At(300)
	for _, c := range []struct {
		clip twmap.Clip
		want image.Rectangle
	}{
		{twmap.Clip{X: 10, Y: 20, Width: 100, Height: 50}, image.Rect(2, 4, 22, 14)},
		{twmap.Clip{X: 12, Y: 13, Width: 100, Height: 50}, image.Rect(2, 3, 22, 13)}, // 2.4, 2.6, 22.4, 12.6
		{twmap.Clip{X: -12, Y: 0, Width: 100, Height: 50}, image.Rect(-2, 0, 18, 10)},
		{twmap.Clip{X: 1501, Y: 0, Width: 100, Height: 50}, image.Rectangle{}},
		{twmap.Clip{X: -101, Y: 0, Width: 100, Height: 50}, image.Rectangle{}},
		{twmap.Clip{X: 10, Y: 10, Width: -5, Height: 5}, image.Rectangle{image.Pt(2, 2), image.Pt(1, 3)}}, // an empty rectangle
	} {
		if got := p.clip(&c.clip); got != c.want {
			t.Errorf("%+v: %v, want %v", c.clip, got, c.want)
		}
	}
	if got := p.clip(&twmap.Clip{X: math.MinInt32, Width: math.MaxInt32, Height: math.MaxInt32}); !got.Empty() {
		t.Errorf("a clip far away: %v", got)
	}
}

// draws renders a map, with a pixel per unit at scale 1.
func draws(t *testing.T, m *twmap.Map, o Options, scale float64, at time.Duration) *image.RGBA {
	t.Helper()
	r, err := New(m, o)
	if err != nil {
		t.Fatal(err)
	}
	whole := Whole(m)
	p := whole.At(1)
	p.Scale, p.Time = scale, at
	dst := image.NewRGBA(image.Rect(0, 0, int(whole.Width*scale), int(whole.Height*scale)))
	draw.Draw(dst, dst.Rect, image.NewUniform(color.Black), image.Point{}, draw.Src)
	if err := r.Render(context.Background(), dst, p); err != nil {
		t.Fatal(err)
	}
	return dst
}

// withLayer returns a map of some tiles with layers in front of the game layer.
func withLayer(width, height int, layers ...twmap.Layer) *twmap.Map {
	m := twmap.New(width, height)
	m.Groups = append(m.Groups, twmap.NewGroup("", layers...))
	return m
}

// quarters returns a picture whose tile 1 has a red, a green, a blue and a white pixel in its corners.
func quarters() *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, 32, 32))
	for i, c := range []color.NRGBA{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {255, 255, 255, 255}} {
		p.SetNRGBA(2+i%2, i/2, c)
	}
	return p
}

// letters returns the colours of pixels as letters.
func letters(p *image.RGBA) (s string) {
	for y := range p.Rect.Dy() {
		for x := range p.Rect.Dx() {
			switch p.RGBAAt(x, y) {
			case color.RGBA{255, 0, 0, 255}:
				s += "r"
			case color.RGBA{0, 255, 0, 255}:
				s += "g"
			case color.RGBA{0, 0, 255, 255}:
				s += "b"
			case color.RGBA{255, 255, 255, 255}:
				s += "w"
			case color.RGBA{0, 0, 0, 255}:
				s += "."
			default:
				s += "?"
			}
		}
		s += " "
	}
	return s[:len(s)-1]
}

func TestFlags(t *testing.T) {
	for flags, want := range map[twmap.TileFlags]string{
		0:                                        "rg bw",
		twmap.FlipX:                              "gr wb",
		twmap.FlipY:                              "bw rg",
		twmap.Rotate:                             "br wg", // a quarter clockwise
		twmap.FlipX | twmap.FlipY:                "wb gr",
		twmap.FlipX | twmap.Rotate:               "wg br", // flipped, then rotated
		twmap.FlipY | twmap.Rotate:               "rb gw",
		twmap.FlipX | twmap.FlipY | twmap.Rotate: "gw rb",
		twmap.Opaque | 0xf0:                      "rg bw", // without meaning here
	} {
		l := twmap.NewTileLayer(twmap.KindTiles, 1, 1)
		l.Image = 0
		l.Tiles().Set(0, 0, twmap.Tile{ID: 1, Flags: flags})
		m := withLayer(1, 1, l)
		m.Images = []*twmap.Image{twmap.NewImage("q", quarters())}
		if got := letters(draws(t, m, Options{}, 2.0/TileSize, 0)); got != want {
			t.Errorf("%v: %q, want %q", flags, got, want)
		}
	}
}

// TestEdge tests that the tiles at the edge repeat beyond it, with their flags, and that the picture is the same
// whether tiles are scaled once or for each position.
func TestEdge(t *testing.T) {
	l := twmap.NewTileLayer(twmap.KindTiles, 2, 2)
	l.Image = 0
	l.Tiles().Set(0, 0, twmap.Tile{ID: 1})
	l.Tiles().Set(1, 1, twmap.Tile{ID: 1, Flags: twmap.FlipX})
	m := withLayer(4, 3, l)
	m.Groups[1].OffsetX, m.Groups[1].OffsetY = -TileSize, -TileSize
	m.Images = []*twmap.Image{twmap.NewImage("q", quarters())}
	want := "rgrg.... bwbw.... rgrg.... bwbw.... ....grgr ....wbwb"
	if got := letters(draws(t, m, Options{}, 2.0/TileSize, 0)); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTileColor(t *testing.T) {
	l := twmap.NewTileLayer(twmap.KindTiles, 1, 1)
	l.Color = twmap.Color{R: 510, G: 100, B: -5, A: 128}
	l.ColorEnv, l.ColorEnvOffset = 0, 500
	l.Tiles().Set(0, 0, twmap.Tile{ID: 255})
	m := withLayer(1, 1, l)
	m.Envelopes = []*twmap.Envelope{twmap.NewEnvelope("", 2,
		twmap.EnvPoint{Curve: twmap.CurveLinear, Values: [4]int32{0, 0, 0, 0}},
		twmap.EnvPoint{Time: 1000, Values: [4]int32{1024, 2048, 0, 0}})}
	// Without an image a tile has a plain colour. At 0.25 s the envelope is at 0.75, and has two channels only.
	got := draws(t, m, Options{}, 1.0/TileSize, 250*time.Millisecond).RGBAAt(0, 0)
	if want := (color.RGBA{128, 75, 0, 255}); got != want { // 1.5 clamped to 1, times 128/255; 100*1.5*128/255
		t.Errorf("%v, want %v", got, want)
	}
	// Tiles below entities are dimmed.
	got = draws(t, m, Options{Entities: 50}, 1.0/TileSize, 250*time.Millisecond).RGBAAt(0, 0)
	if want := (color.RGBA{64, 38, 0, 255}); got != want {
		t.Errorf("half covered: %v, want %v", got, want)
	}
	if got := draws(t, m, Options{Entities: 100}, 1.0/TileSize, 0).RGBAAt(0, 0); got != (color.RGBA{0, 0, 0, 255}) {
		t.Errorf("covered: %v", got)
	}
}

func TestSizes(t *testing.T) {
	p := image.NewNRGBA(image.Rect(0, 0, 4, 2))
	for i, v := range []byte{0, 10, 20, 30, 40, 50, 60, 71} {
		copy(p.Pix[4*i:], []byte{v, 255 - v, 200, byte(16 * i)})
	}
	tex := newTexture(p)
	if len(tex) != 3 || tex[1].w != 2 || tex[1].h != 1 || tex[2].w != 1 {
		t.Fatalf("%d sizes", len(tex))
	}
	// Colours are not premultiplied: transparent pixels have the same weight.
	if got := [4]byte(tex[1].pix[:4]); got != [4]byte{25, 230, 200, 40} {
		t.Errorf("half: %v", got)
	}
	if got := [4]byte(tex[2].pix); got != [4]byte{35, 220, 200, 56} { // of 25 and 45.25 rounded, 40 and 72
		t.Errorf("quarter: %v", got)
	}
	if got := middles(2, 5); got[0] != (middle{0, 1, 192}) || got[1] != (middle{3, 4, 64}) {
		t.Errorf("2 of 5: %v", got)
	}
	if got := middles(1, 3); got[0] != (middle{1, 2, 0}) {
		t.Errorf("1 of 3: %v", got)
	}
	// Cells do not affect each other.
	big := image.NewNRGBA(image.Rect(0, 0, 64, 64))
	for y := range 4 {
		for x := range 4 {
			big.SetNRGBA(4+x, y, color.NRGBA{200, 100, 50, 255})
		}
	}
	s := newSheet(big)
	if len(s.levels) != 3 || s.empty[1] || !s.empty[0] || !s.empty[2] {
		t.Fatalf("%d sizes of a cell, %v", len(s.levels), s.empty[:3])
	}
	for _, l := range s.levels {
		if got := [4]byte(l.pix[l.cell(1):][:4]); got != [4]byte{200, 100, 50, 255} {
			t.Errorf("a cell of %d: %v", l.w, got)
		}
	}
}

func TestDetail(t *testing.T) {
	for _, c := range []struct {
		texels float64
		levels int
		want   detail
	}{
		{1, 7, detail{}}, {1.4, 7, detail{}}, {2 * math.Sqrt2, 7, detail{level: 1}},
		{64 / 28.6447, 7, detail{0, 676}}, // 34 % of the first, 66 % of the second
		{1e9, 7, detail{level: 6}}, {1e9, 1, detail{}}, {0, 7, detail{}},
	} {
		if got := detailOf(c.texels, c.levels); got != c.want {
			t.Errorf("%v texels: %v, want %v", c.texels, got, c.want)
		}
	}
}

// TestResizeAll compares resized pictures of random sizes with the interpolation of each pixel separately.
func TestResizeAll(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 16))
	for range 20 {
		p := image.NewNRGBA(image.Rect(0, 0, 1+r.IntN(90), 1+r.IntN(90)))
		for i := range p.Pix {
			p.Pix[i] = byte(r.Uint32())
		}
		w, h := 16<<r.IntN(3), 16<<r.IntN(3)
		got := resize(p, w, h)
		xs, ys := cubicTaps(w, p.Rect.Dx()), cubicTaps(h, p.Rect.Dy())
		for i := range got.Pix {
			x, y, c := xs[i/4%w], ys[i/4/w], i%4
			var rows [4]float32
			for j, sy := range y.at {
				at := func(n int) float32 { return float32(p.Pix[sy*p.Stride+4*x.at[n]+c]) }
				rows[j] = cubic(at(0), at(1), at(2), at(3), x.t)
			}
			if want := byte(min(max(cubic(rows[0], rows[1], rows[2], rows[3], y.t), 0), 255)); got.Pix[i] != want {
				t.Fatalf("%v to %d x %d: byte %d is %d, want %d", p.Rect, w, h, i, got.Pix[i], want)
			}
		}
	}
}

// BenchmarkResize measures what a picture costs whose sides are not multiples of 16.
func BenchmarkResize(b *testing.B) {
	p := image.NewNRGBA(image.Rect(0, 0, 1025, 1025))
	b.SetBytes(int64(len(p.Pix)))
	for b.Loop() {
		tileable(p)
	}
}

// TestResize compares the results with independently computed values.
func TestResize(t *testing.T) {
	p := image.NewNRGBA(image.Rect(0, 0, 18, 20))
	for y := range 20 {
		for x := range 18 {
			p.SetNRGBA(x, y, color.NRGBA{uint8(x*x*7 + 13*x), 77, uint8(10 * y), 255})
		}
	}
	got := tileable(p)
	if got.Rect != image.Rect(0, 0, 16, 16) {
		t.Fatalf("the size is %v", got.Rect)
	}
	want := [16]int{7, 12, 49, 107, 193, 155, 156, 43, 169, 97, 195, 90, 12, 241, 202, 195}
	for x, v := range want {
		if c := got.NRGBAAt(x, 7); int(c.R) != v || c.G != 77 || c.A != 255 {
			t.Errorf("%d: %v, want %d", x, c, v)
		}
	}
	for _, c := range [][3]int{{32, 48, 0}, {100, 33, 64}, {7, 40, 16}} { // width to width
		if n := max(highestBit(c[0]), cellsInRow); c[2] != 0 && n != c[2] {
			t.Errorf("%d becomes %d", c[0], n)
		}
	}
	if tileable(quarters()).Rect.Dx() != 32 || tileable(image.NewNRGBA(image.Rect(0, 0, 48, 80))).Rect.Dx() != 48 {
		t.Error("a picture that divides by 16 got another size")
	}
}
