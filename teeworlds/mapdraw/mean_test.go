package mapdraw_test

import (
	"bytes"
	"image"
	"math/rand/v2"
	"testing"

	"trowel.example/internal/picture/pixel"
	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/twmap"
)

// TestMean tests that a pixel with several tiles is their mean: a picture equals one of double size that was halved,
// and no pixel depends on the part that it is drawn with.
func TestMean(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	m := twmap.New(300, 200)
	l := twmap.NewTileLayer(twmap.KindTiles, 300, 200)
	for i := range 300 * 200 {
		l.Tiles().Set(i%300, i/300, twmap.Tile{ID: uint8(r.IntN(2))})
	}
	l.Color = twmap.Color{R: 255, A: 255}
	quads := twmap.NewQuadLayer(twmap.NewQuad(100, 100, 3000, 2000))
	far := twmap.NewGroup("", quads)
	far.ParallaxX, far.ParallaxY = 70, 70
	m.Groups = append(m.Groups, far, twmap.NewGroup("", l))
	renderer, err := mapdraw.New(m, mapdraw.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at := func(scale float64, mean bool) mapdraw.Picture {
		p := mapdraw.Whole(m).At(1)
		p.Scale, p.Mean = scale/mapdraw.TileSize, mean
		return p
	}
	for _, scale := range []float64{0.25, 0.5, 1} {
		rect := image.Rect(-10, -6, 90, 70)
		one := render(t, renderer, rect, at(scale, true))
		double := render(t, renderer, image.Rectangle{Min: rect.Min.Mul(2), Max: rect.Max.Mul(2)}, at(2*scale, true))
		if half := pixel.Half(double); !bytes.Equal(half.Pix, one.Pix) {
			t.Errorf("at %g: not the half of what is twice as large", scale)
		}
		if game := render(t, renderer, rect, at(scale, false)); scale < 1 && bytes.Equal(game.Pix, one.Pix) {
			t.Errorf("at %g: nothing was averaged", scale)
		}
		seams(t, "mean", renderer, at(scale, true), rect)
	}
	rect := image.Rect(0, 0, 100, 100)
	if a, b := render(t, renderer, rect, at(2, true)), render(t, renderer, rect, at(2, false)); !bytes.Equal(a.Pix, b.Pix) {
		t.Error("tiles of two pixels are drawn in another way")
	}
	// Very small pictures can be drawn as well.
	for _, scale := range []float64{1e-3, 1e-6} {
		render(t, renderer, image.Rect(0, 0, 40, 40), at(scale, true))
	}
}
