package mapdraw

import (
	"bytes"
	"context"
	"errors"
	"image"
	"strings"
	"sync/atomic"
	"testing"

	"trowel.example/fault"
	"trowel.example/teeworlds/twmap"
)

// pile returns a map of n quads on top of each other, all with the same colour.
func pile(n int, color twmap.Color) *twmap.Map {
	quads := make([]twmap.Quad, n)
	for i := range quads {
		quads[i] = twmap.NewQuad(-1000, -1000, 4000, 4000)
		quads[i].Colors = [4]twmap.Color{color, color, color, color}
	}
	m, _ := quadMap(quads...)
	return m
}

// TestEffort tests that many layers on top of each other give an error that names the layer, at a limit that depends
// on Effort, and that a cancelled context stops rendering.
func TestEffort(t *testing.T) {
	veil := twmap.Color{R: 255, A: 1}
	render := func(ctx context.Context, m *twmap.Map, o Options) error {
		r, err := New(m, o)
		if err != nil {
			t.Fatal(err)
		}
		return r.Render(ctx, image.NewRGBA(image.Rect(0, 0, 128, 128)), Whole(m).At(128))
	}
	m := pile(4000, veil)
	err := render(t.Context(), m, Options{})
	if !errors.Is(err, fault.ErrLimit) || !strings.HasPrefix(err.Error(), "groups[") {
		t.Errorf("4000 quads over all: %v", err)
	}
	if err := render(t.Context(), m, Options{Effort: 2}); err != nil {
		t.Errorf("with twice the effort: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := render(ctx, m, Options{Effort: 1 << 20}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := render(t.Context(), pile(1000, twmap.Color{}), Options{}); err != nil {
		t.Errorf("quads that nobody sees: %v", err)
	}
	if err := render(t.Context(), pile(1000, twmap.White), Options{}); err != nil {
		t.Errorf("quads that hide each other: %v", err)
	}
}

// TestForeseen tests that a picture of too many layers of tiles is refused before any is drawn, and that empty layers do not count.
func TestForeseen(t *testing.T) {
	for layers, refused := range map[int]bool{1000: false, 1100: true} {
		m := twmap.New(2, 2)
		for i := range layers {
			l := twmap.NewTileLayer(twmap.KindTiles, 2, 2)
			if i%2 == 0 {
				l.Tiles().Set(0, 0, twmap.Tile{ID: 1})
			}
			m.Groups[0].Layers = append(m.Groups[0].Layers, l)
		}
		r, err := New(m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		p := Whole(m).At(1024)
		p.Size, p.Spent = image.Pt(1024, 1024), new(atomic.Int64)
		err = r.Render(t.Context(), image.NewRGBA(image.Rect(0, 0, 8, 8)), p)
		if errors.Is(err, fault.ErrLimit) != refused || refused == (p.Spent.Load() > 0) {
			t.Errorf("%d layers: %v, %d pixels drawn", layers, err, p.Spent.Load())
		}
	}
}

// TestHides tests that hidden parts below a quad are not drawn and that the picture is the same, and that a quad that
// leaves a corner free, is bent, or is not opaque hides nothing.
func TestHides(t *testing.T) {
	for name, bend := range map[string]func(*twmap.Quad){
		"all":         func(*twmap.Quad) {},
		"a corner":    func(q *twmap.Quad) { q.Points[3] = twmap.Point{X: 32 << 10, Y: 32 << 10} },
		"crossed":     func(q *twmap.Quad) { q.Points[2], q.Points[3] = q.Points[3], q.Points[2] },
		"transparent": func(q *twmap.Quad) { q.Colors[3].A = 254 },
	} {
		below, above := twmap.NewQuad(0, 0, 64, 64), twmap.NewQuad(-100, -100, 300, 300)
		below.Colors[0] = twmap.Color{R: 255, A: 255}
		bend(&above)
		both, l := quadMap(below, above)
		got := draws(t, both, Options{}, 1, 0)
		r, err := New(both, Options{})
		if err != nil {
			t.Fatal(err)
		}
		f := &frame{Rectangle: got.Rect, step: 1}
		c := canvas{Renderer: r, envelopes: r.at(0)}
		quads, err := l.Quads()
		if err != nil {
			t.Fatal(err)
		}
		if first := c.firstSeen(f, nil, quads); (first == 1) != (name == "all") {
			t.Errorf("%s: drawn from quad %d on", name, first)
		}
		// With the quads in two layers, everything in the first is drawn.
		one, first := quadMap(below)
		second := twmap.NewQuadLayer(above)
		for _, g := range one.Groups {
			for i, l := range g.Layers {
				if l == twmap.Layer(first) {
					g.Layers = append(g.Layers[:i+1], second)
				}
			}
		}
		if want := draws(t, one, Options{}, 1, 0); !bytes.Equal(got.Pix, want.Pix) {
			t.Errorf("%s: another picture", name)
		}
	}
}
