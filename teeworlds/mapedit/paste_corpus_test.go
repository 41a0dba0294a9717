package mapedit_test

import (
	"context"
	"image"
	"image/draw"
	"slices"
	"testing"

	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// TestPasteAreaLooksSame tests that an area of a map of the corpus looks the same in a map that had none of its groups
// and layers, and that nothing breaks.
func TestPasteAreaLooksSame(t *testing.T) {
	pasted := 0
	eachMap(t, func(t *testing.T, name string, m *twmap.Map) {
		game := m.Physics(twmap.KindGame)
		if game == nil || game.Width() < 40 || game.Height() < 30 {
			return
		}
		from := m.Clone()
		if from.Load() != nil {
			return // layers in damaged or old forms are drawn in other ways
		}
		for _, g := range from.Groups { // quads are copied by their pivots, and other groups by whole tiles
			g.Layers = slices.DeleteFunc(g.Layers, func(l twmap.Layer) bool {
				tiles, ok := l.(*twmap.TileLayer)
				return !ok || !tiles.Kind().Physics() && (g.ParallaxX != 100 || g.ParallaxY != 100 || g.OffsetX%32 != 0 || g.OffsetY%32 != 0)
			})
		}
		from.Envelopes = nil
		area := mapedit.Area{X: game.Width()/2 - 15, Y: game.Height()/2 - 10, Width: 30, Height: 20}
		into := twmap.New(60, 50)
		if err := mapedit.New(into, nil).PasteArea(from, area, 7, 9, mapedit.Across{Drop: true}); err != nil {
			t.Logf("%s: %v", name, err)
			return
		}
		if mapedit.Is07(m) {
			return // tiles have become others
		}
		pasted++
		want, got := drawnArea(t, from, area), drawnArea(t, into, mapedit.Area{X: 7, Y: 9, Width: 30, Height: 20})
		if d := difference(t, want, got); d > 0 {
			t.Errorf("%s: the picture differs by %.3f", name, d)
			save(t, "paste-want", want)
			save(t, "paste-got", got)
		}
		if data, err := into.Encode(); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if back, err := twmap.Decode(data); err != nil || !back.Equal(into) {
			t.Errorf("%s: the file is another map: %v", name, err)
		}
	})
	if pasted == 0 {
		t.Error("nothing was pasted")
	}
}

// drawnArea draws an area with 8 pixels for a tile, including physics layers.
func drawnArea(t *testing.T, m *twmap.Map, a mapedit.Area) *image.RGBA {
	r, err := mapdraw.New(m, mapdraw.Options{Mapres: mapres})
	if err != nil {
		t.Fatal(err)
	}
	dst := image.NewRGBA(image.Rect(0, 0, a.Width*8, a.Height*8))
	draw.Draw(dst, dst.Rect, image.NewUniform(mapdraw.Background), image.Point{}, draw.Src)
	c := mapdraw.Camera{X: float64(a.X)*32 + float64(a.Width)*16, Y: float64(a.Y)*32 + float64(a.Height)*16,
		Width: float64(a.Width) * 32, Height: float64(a.Height) * 32}
	p := c.At(dst.Rect.Dx())
	p.Draws = func(group, layer int) bool { return true }
	if err := r.Render(context.Background(), dst, p); err != nil {
		t.Error(err)
	}
	return dst
}
