package review

import (
	"context"
	"image"
	"image/color"
	"image/draw"
	"io"
	"math"
	"slices"

	"trowel.example/internal/format"
	"trowel.example/internal/picture/pixel"
)

const (
	maxAreas   = 4    // pairs of pictures of a scene
	maxSide    = 1280 // longer side of a picture in pixels
	leastSide  = 640  // pictures that have less than half of it are enlarged
	leastScale = 8    // pixels per unit
	// The smallest area of a picture has this size in pixels.
	leastWidth, leastHeight = 640, 400
	manyMarks               = 1000 // more marks are shown in one picture
)

// Mark is a rectangle of a view that differs.
type Mark struct {
	format.Rect
	Decides bool // the game
}

// Areas returns the areas of a view whose pictures show all marks. Bounds is everything that can be drawn. A mark of more than half of
// it is ignored if there are others.
func Areas(view format.View, bounds format.Rect, marks []Mark) []format.Rect {
	if bounds.Empty() || math.IsInf(bounds.Dx()+bounds.Dy(), 0) {
		return nil
	}
	var areas []format.Rect
	limit := bounds // nothing is outside
	for _, m := range marks {
		if m.Dx()*m.Dy() <= bounds.Dx()*bounds.Dy()/2 {
			areas = append(areas, padded(m.Rect, scaleOf(view)))
			limit = union(limit, m.Rect)
		}
	}
	for i := range areas {
		for k := range 2 {
			areas[i].Min[k], areas[i].Max[k] = max(areas[i].Min[k], limit.Min[k]), min(areas[i].Max[k], limit.Max[k])
		}
	}
	if len(areas) == 0 {
		return []format.Rect{bounds}
	}
	if len(areas) <= manyMarks {
		areas = merged(areas)
	}
	if len(areas) > maxAreas {
		all := areas[0]
		for _, a := range areas[1:] {
			all = union(all, a)
		}
		areas = []format.Rect{all}
	}
	slices.SortFunc(areas, func(a, b format.Rect) int { return slices.Compare(a.Min[:], b.Min[:]) })
	return areas
}

// scaleOf returns the scale of pictures of small areas, in pixels per unit.
func scaleOf(view format.View) float64 { return max(view.Scale, leastScale) }

// padded returns an area around a mark.
func padded(r format.Rect, scale float64) format.Rect {
	for i, least := range []float64{leastWidth / scale, leastHeight / scale} {
		margin := max(least/8, (least-(r.Max[i]-r.Min[i]))/2)
		r.Min[i], r.Max[i] = math.Floor(r.Min[i]-margin), math.Ceil(r.Max[i]+margin)
	}
	return r
}

func union(a, b format.Rect) format.Rect {
	for i := range 2 {
		a.Min[i], a.Max[i] = min(a.Min[i], b.Min[i]), max(a.Max[i], b.Max[i])
	}
	return a
}

// merged replaces rectangles that overlap by their union.
func merged(list []format.Rect) []format.Rect {
	var out []format.Rect
	for _, r := range list {
		for i := 0; i < len(out); i++ {
			if o := out[i]; r.Min[0] < o.Max[0] && o.Min[0] < r.Max[0] && r.Min[1] < o.Max[1] && o.Min[1] < r.Max[1] {
				r = union(r, o)
				out = slices.Delete(out, i, i+1)
				i = -1 // the union may overlap others
			}
		}
		out = append(out, r)
	}
	return out
}

// Shot writes a picture of an area of a view as PNG, with marks. Layers are those to draw, nil for those that are shown by default.
func Shot(ctx context.Context, w io.Writer, view format.View, area format.Rect, layers []string, marks []Mark) error {
	longer := max(area.Dx(), area.Dy())
	scale := min(scaleOf(view), maxSide/longer)
	for scale*longer*2 <= leastSide {
		scale *= 2
	}
	side := func(units float64) int { return max(1, int(math.Ceil(units*scale-1e-6))) }
	look := format.Look{View: view.Name, Origin: area.Min, Scale: scale, Size: image.Pt(side(area.Dx()), side(area.Dy())), Layers: layers}
	png, err := pixel.NewPNG(w, look.Size, pixel.RGBA)
	if err != nil {
		return err
	}
	err = format.Draw(ctx, view, look, view.Background, func(band *image.RGBA) error {
		for _, m := range marks {
			outline(band, m, look)
		}
		return png.Add(band)
	})
	if err == nil {
		err = png.Close()
	}
	return err
}

var (
	red  = color.RGBA{0xe5, 0x00, 0x3b, 0xff}
	blue = color.RGBA{0x0b, 0x7d, 0xda, 0xff}
)

// outline draws the outline of a mark around its pixels, with a light line on both sides.
func outline(band *image.RGBA, m Mark, look format.Look) {
	at := func(v float64, axis int) int {
		v = (v - look.Origin[axis]) * look.Scale
		return int(math.Round(max(-10, min(v, float64(max(look.Size.X, look.Size.Y)+10))))) // outside of the picture
	}
	r := image.Rect(at(m.Min[0], 0), at(m.Min[1], 1), at(m.Max[0], 0), at(m.Max[1], 1))
	line := blue
	if m.Decides {
		line = red
	}
	ring(band, r.Inset(-4), 4, color.RGBA{0xff, 0xff, 0xff, 0xff})
	ring(band, r.Inset(-3), 2, line)
}

// ring draws the inner border of a rectangle.
func ring(band *image.RGBA, r image.Rectangle, width int, c color.RGBA) {
	in := r.Inset(width)
	for _, part := range []image.Rectangle{
		image.Rect(r.Min.X, r.Min.Y, r.Max.X, in.Min.Y), image.Rect(r.Min.X, in.Max.Y, r.Max.X, r.Max.Y),
		image.Rect(r.Min.X, in.Min.Y, in.Min.X, in.Max.Y), image.Rect(in.Max.X, in.Min.Y, r.Max.X, in.Max.Y),
	} {
		draw.Draw(band, part, image.NewUniform(c), image.Point{}, draw.Src)
	}
}
