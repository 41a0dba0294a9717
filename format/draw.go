package format

import (
	"context"
	"image"
	"image/color"
	"math"
	"sync"

	"trowel.example/internal/parallel"
	"trowel.example/internal/pixel"
)

// bandPixels is how many pixels a band has, about.
const bandPixels = 1 << 20

// Bands cuts a picture of a view into bands as wide as it is, from top to bottom: of about
// as many pixels as may be in memory several times, and with edges where the view's Grain
// wants them. They depend on nothing but the view and the look.
func (v View) Bands(look Look) []image.Rectangle {
	rows := max(1, bandPixels/look.Size.X)
	first := rows
	if grain := v.Grain * look.Scale; grain >= 1 && grain*float64(look.Size.X) <= 16*bandPixels {
		whole := max(1, math.Floor(float64(rows)/grain))
		above := math.Mod((look.Origin[1]-v.Bounds.Min[1])*look.Scale, grain*whole)
		if above < 0 {
			above += grain * whole
		}
		rows = int(math.Round(grain * whole))
		first = min(max(1, int(math.Round(grain*whole-above))), rows)
	}
	var bands []image.Rectangle
	for y, next := 0, first; y < look.Size.Y; y, next = next, next+rows {
		bands = append(bands, image.Rect(0, y, look.Size.X, min(next, look.Size.Y)))
	}
	return bands
}

// Draw draws a picture of a scene band by band, on all cores, and hands the bands to emit
// from top to bottom. Emit must not keep them.
func Draw(ctx context.Context, scene Scene, look Look, background color.NRGBA, emit func(*image.RGBA) error) error {
	return draw(ctx, scene, look, image.NewRGBA, func(dst *image.RGBA) error {
		pixel.Fill(dst, background)
		return scene.Render(ctx, dst, look)
	}, emit)
}

// DrawGray16 is Draw for a view of 16 bits.
func DrawGray16(ctx context.Context, scene Gray16Scene, look Look, emit func(*image.Gray16) error) error {
	return draw(ctx, scene, look, image.NewGray16, func(dst *image.Gray16) error {
		clear(dst.Pix)
		return scene.RenderGray16(ctx, dst, look)
	}, emit)
}

func draw[T interface {
	*image.RGBA | *image.Gray16
	Bounds() image.Rectangle
}](ctx context.Context, scene Scene, look Look, make func(image.Rectangle) T, render, emit func(T) error) error {
	view, _ := ViewOf(scene, look.View)
	type drawn struct {
		band T
		err  error
	}
	var free sync.Pool
	return parallel.Ordered(ctx, func(yield func(image.Rectangle) error) error {
		for _, r := range view.Bands(look) {
			if err := yield(r); err != nil {
				return err
			}
		}
		return nil
	}, func(r image.Rectangle) drawn {
		band, ok := free.Get().(T)
		if !ok || band.Bounds().Dy() != r.Dy() {
			band = make(r)
		}
		move(band, r)
		return drawn{band, render(band)}
	}, func(d drawn) error {
		if d.err != nil {
			return d.err
		}
		defer free.Put(d.band)
		return emit(d.band)
	})
}

// move makes a picture the part r of a larger one.
func move(m any, r image.Rectangle) {
	switch m := m.(type) {
	case *image.RGBA:
		m.Rect = r
	case *image.Gray16:
		m.Rect = r
	}
}
