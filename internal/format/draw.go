package format

import (
	"cmp"
	"context"
	"image"
	"image/color"
	stddraw "image/draw"
	"math"
	"sync/atomic"

	"trowel.example/internal/limits/parallel"
)

// The size of a band: about bandPixels pixels and at least bandRows rows, but at most maxBandPixels pixels.
const (
	bandPixels    = 1 << 20
	bandRows      = 64
	maxBandPixels = 1 << 24
	bandParts     = 16 // minimum number of parts of a band, if it is large enough
)

// Bands divides a picture of a view into bands of its full width, from top to bottom, with edges at multiples of the
// view's Grain where possible, else of a half of it, a quarter, and so on. Two bands fit well into memory. The bands
// depend on the view and the look only.
func (v View) Bands(look Look) []image.Rectangle {
	rows := max(1, min(max(bandRows, bandPixels/look.Size.X), maxBandPixels/look.Size.X))
	first := rows
	grain := v.Grain * look.Scale
	for grain*float64(look.Size.X) > maxBandPixels {
		grain /= 2
	}
	if grain >= 1 {
		whole := grain * max(1, math.Floor(float64(rows)/grain))
		above := math.Mod((look.Origin[1]-v.Bounds.Min[1])*look.Scale, whole)
		if above < 0 {
			above += whole
		}
		rows = int(math.Round(whole))
		first = min(max(1, int(math.Round(whole-above))), rows)
	}
	var bands []image.Rectangle
	for y, next := 0, first; y < look.Size.Y; y, next = next, next+rows {
		bands = append(bands, image.Rect(0, y, look.Size.X, min(next, look.Size.Y)))
	}
	return bands
}

// parts divides a band into parts for all cores: into rows as high as the Grain if possible, since data stored in rows
// is then read least often, and the rows into columns that are at least as wide as high. The parts do not depend on
// the number of cores: a scene may limit what a picture costs, and the cost of a part may depend on its size, so
// otherwise a picture could be drawn on some machines only.
func (v View) parts(band image.Rectangle, look Look) []image.Rectangle {
	height := max(int(math.Round(v.Grain*look.Scale)), 16)
	rows := (band.Dy() + height - 1) / height
	columns := min((bandParts+rows-1)/rows, max(1, band.Dx()/max(256, height)))
	width := (band.Dx() + columns - 1) / columns
	var parts []image.Rectangle
	for y := band.Min.Y; y < band.Max.Y; y += height {
		for x := band.Min.X; x < band.Max.X; x += width {
			parts = append(parts, image.Rect(x, y, x+width, y+height).Intersect(band))
		}
	}
	return parts
}

// Draw draws a picture of a view band by band, on all cores, and calls emit with the bands from top to bottom. Emit
// must not keep a band.
func Draw(ctx context.Context, view View, look Look, background color.NRGBA, emit func(*image.RGBA) error) error {
	ctx = context.WithValue(ctx, spentKey{}, new(atomic.Int64))
	uniform := image.NewUniform(background)
	return draw(view, look, image.NewRGBA,
		func(m *image.RGBA, r image.Rectangle) { m.Rect = r },
		func(m *image.RGBA, part image.Rectangle) error {
			dst := m.SubImage(part).(*image.RGBA)
			stddraw.Draw(dst, part, uniform, image.Point{}, stddraw.Src)
			return errOr(ctx, view.Render(ctx, dst, look))
		}, emit)
}

type spentKey struct{}

// SpentOf returns the cost so far of all parts of the picture that [Draw] draws, for scenes that limit the cost of a
// picture. Nil: the part is a separate picture.
func SpentOf(ctx context.Context) *atomic.Int64 {
	spent, _ := ctx.Value(spentKey{}).(*atomic.Int64)
	return spent
}

// DrawGray16 is Draw for a view of 16 bits.
func DrawGray16(ctx context.Context, view View, look Look, emit func(*image.Gray16) error) error {
	return draw(view, look, image.NewGray16,
		func(m *image.Gray16, r image.Rectangle) { m.Rect = r },
		func(m *image.Gray16, part image.Rectangle) error {
			for y := part.Min.Y; y < part.Max.Y; y++ {
				clear(m.Pix[m.PixOffset(part.Min.X, y):][:2*part.Dx()])
			}
			return errOr(ctx, view.RenderGray16(ctx, m.SubImage(part).(*image.Gray16), look))
		}, emit)
}

// errOr returns err, or the error of the context if err is nil.
func errOr(ctx context.Context, err error) error {
	if err == nil {
		err = ctx.Err()
	}
	return err
}

// draw renders each band while emit handles the one above it.
func draw[T any](view View, look Look, make func(image.Rectangle) T, move func(T, image.Rectangle),
	render func(T, image.Rectangle) error, emit func(T) error) error {
	bands := view.Bands(look)
	highest := image.Rectangle{}
	for _, b := range bands {
		if b.Dy() > highest.Dy() {
			highest = b
		}
	}
	var both [2]T
	for i := range min(2, len(bands)) {
		both[i] = make(highest)
	}
	for i := -1; i < len(bands); i++ {
		var drawn, emitted error
		parallel.Each(2, func(k int) {
			switch {
			case k == 0 && i+1 < len(bands):
				m := both[(i+1)%2]
				move(m, bands[i+1])
				drawn = each(view.parts(bands[i+1], look), func(part image.Rectangle) error { return render(m, part) })
			case k == 1 && i >= 0:
				emitted = emit(both[i%2])
			}
		})
		if err := cmp.Or(drawn, emitted); err != nil {
			return err
		}
	}
	return nil
}

// each renders all parts in parallel and returns the error of the first failed part.
func each(parts []image.Rectangle, render func(image.Rectangle) error) error {
	errs := make([]error, len(parts))
	parallel.Each(len(parts), func(i int) { errs[i] = render(parts[i]) })
	return cmp.Or(errs...)
}
