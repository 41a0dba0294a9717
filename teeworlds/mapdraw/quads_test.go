package mapdraw

import (
	"image"
	"image/color"
	"math"
	"testing"
	"time"

	"trowel.example/teeworlds/twmap"
)

func quadMap(quads ...twmap.Quad) (*twmap.Map, *twmap.QuadLayer) {
	l := twmap.NewQuadLayer(quads...)
	return withLayer(2, 2, l), l
}

// TestDiagonal tests that a quad is two triangles with a common edge from its top left to its bottom right, and that
// colours are interpolated within a triangle, not between all four corners.
func TestDiagonal(t *testing.T) {
	q := twmap.NewQuad(0, 0, 64, 64)
	black := twmap.Color{A: 255}
	q.Colors = [4]twmap.Color{black, twmap.White, twmap.White, black}
	m, _ := quadMap(q)
	p := draws(t, m, Options{}, 1, 0)
	for i := range 64 {
		if c := p.RGBAAt(i, i); c.R != 0 {
			t.Fatalf("on the edge at %d: %v", i, c)
		}
	}
	if c := p.RGBAAt(63, 0); c.R < 245 {
		t.Errorf("at the right top: %v", c)
	}
	if c, want := p.RGBAAt(40, 8), uint8(math.Round(255*32.0/64)); c.R != want {
		t.Errorf("40,8: %v, want %d", c, want)
	}
}

// TestNoGap tests that each pixel of adjacent quads is drawn exactly once, wherever their edges are; half-transparent
// quads would show any error.
func TestNoGap(t *testing.T) {
	half := twmap.Color{R: 255, G: 255, B: 255, A: 128}
	var quads []twmap.Quad
	for y := range int32(4) {
		for x := range int32(4) {
			q := twmap.NewQuad(0, 0, 1, 1)
			for i := range q.Points { // slanted lines, and edges on the middles of pixels
				dx, dy := x+int32(i%2), y+int32(i/2)
				q.Points[i] = twmap.Point{X: dx*16*1024 + dy*dy*512, Y: dy*16*1024 - dx*dx*300}
				q.Colors[i] = half
			}
			quads = append(quads, q)
		}
	}
	m, _ := quadMap(quads...)
	for _, scale := range []float64{1, 0.5, 1.37} {
		counts := make(map[uint8]int)
		p := draws(t, m, Options{}, scale, 0)
		for i := 0; i < len(p.Pix); i += 4 {
			counts[p.Pix[i]]++
		}
		if len(counts) != 2 || counts[128] == 0 {
			t.Errorf("at %v: %v", scale, counts)
		}
	}
}

func TestQuadMoves(t *testing.T) {
	q := twmap.NewQuad(0, 0, 16, 16)
	q.PosEnv, q.ColorEnv, q.PosEnvOffset = 0, 1, 100
	m, l := quadMap(q)
	l.Image = 0
	p := image.NewNRGBA(image.Rect(0, 0, 2, 2))
	for i, c := range []color.NRGBA{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {255, 255, 255, 255}} {
		p.SetNRGBA(i%2, i/2, c)
	}
	m.Images = []*twmap.Image{twmap.NewImage("q", p)}
	m.Envelopes = []*twmap.Envelope{
		twmap.NewEnvelope("", 3,
			twmap.EnvPoint{Curve: twmap.CurveStep},
			twmap.EnvPoint{Time: 1000, Curve: twmap.CurveStep, Values: [4]int32{32 * 1024, 16 * 1024, 90 * 1024}},
			twmap.EnvPoint{Time: 2000}),
		twmap.NewEnvelope("", 4,
			twmap.EnvPoint{Curve: twmap.CurveStep, Values: [4]int32{1024, 1024, 1024, 1024}},
			twmap.EnvPoint{Time: 1500, Curve: twmap.CurveStep, Values: [4]int32{1024, 1024, 1024, -1024}},
			twmap.EnvPoint{Time: 3000}),
	}
	for _, c := range []struct {
		at   time.Duration
		want string // 2 pixels for each of 8 units; the texels of the texture are in their middles
	}{
		{0, "rg...... bw...... ........ ........ ........ ........ ........ ........"},
		{900 * time.Millisecond, "........ ........ ....br.. ....wg.. ........ ........ ........ ........"}, // the offset is 100 ms
		{1600 * time.Millisecond, "........ ........ ........ ........ ........ ........ ........ ........"},
	} {
		if got := letters(draws(t, m, Options{}, 1.0/8, c.at)); got != c.want {
			t.Errorf("at %v: %q, want %q", c.at, got, c.want)
		}
	}
}

// TestRepeat tests that the texture of a quad repeats, and that the game keeps a byte of each colour.
func TestRepeat(t *testing.T) {
	q := twmap.NewQuad(0, 0, 64, 16)
	for i := range q.Texture {
		q.Texture[i].X, q.Texture[i].Y = q.Texture[i].X*4-1024*3, q.Texture[i].Y+1024*70000
		q.Colors[i] = twmap.Color{R: 255 + 256, G: -1, B: 255, A: 511}
	}
	m, l := quadMap(q)
	l.Image = 0
	p := image.NewNRGBA(image.Rect(0, 0, 2, 2))
	for i, c := range []color.NRGBA{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {255, 255, 255, 255}} {
		p.SetNRGBA(i%2, i/2, c)
	}
	m.Images = []*twmap.Image{twmap.NewImage("q", p)}
	want := "rgrgrgrg bwbwbwbw ........ ........ ........ ........ ........ ........"
	if got := letters(draws(t, m, Options{}, 1.0/8, 0)); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestFarQuads tests that quads with a very distant corner are drawn fast, and correctly where they are visible.
func TestFarQuads(t *testing.T) {
	var quads []twmap.Quad
	for i := range 2000 {
		q := twmap.NewQuad(0, 0, 64, 64)
		far := int32(math.MaxInt32)
		q.Points = [4]twmap.Point{{X: -far, Y: -far}, {X: far, Y: -far}, {X: -far, Y: far}, {X: far, Y: far}}
		switch i % 4 {
		case 1:
			q.Points[3] = twmap.Point{X: int32(i), Y: int32(i)}
		case 2:
			q.Points[1] = q.Points[0]
		case 3:
			q.Pivot = twmap.Point{X: far, Y: -far}
			q.PosEnv, q.ColorEnv = 0, 1
		}
		for j := range q.Texture {
			q.Texture[j] = twmap.Point{X: far, Y: int32(j) * -far}
		}
		quads = append(quads, q)
	}
	last := twmap.NewQuad(-1<<20, -1<<20, 1<<21-1, 1<<21-1)
	m, l := quadMap(append(quads, last)...)
	l.Image = 0
	m.Images = []*twmap.Image{twmap.NewImage("q", quarters())}
	most := int32(math.MaxInt32)
	m.Envelopes = []*twmap.Envelope{
		twmap.NewEnvelope("", 3, twmap.EnvPoint{Values: [4]int32{most, -most, most}}),
		twmap.NewEnvelope("", 4, twmap.EnvPoint{Values: [4]int32{most, -most, most, most}}),
	}
	for _, scale := range []float64{1, 1e-3, 1e6} {
		r, err := New(m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		dst := image.NewRGBA(image.Rect(0, 0, 16, 16))
		p := Whole(m).At(64)
		p.Scale = scale
		if err := r.Render(t.Context(), dst, p); err != nil {
			t.Error(err)
		}
	}
}
