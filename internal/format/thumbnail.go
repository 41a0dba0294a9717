package format

import (
	"image"
	"math"
)

// Thumbnail returns the look of a small picture of an area whose longer side has at most side pixels. The picture
// shows the whole area, or its middle if the scale would be below one eighth of the natural size. For a view with a
// Frame it shows the Frame. Thumbnail returns false if there is nothing to show, or if the area is unbounded.
func (v View) Thumbnail(area Rect, side int) (Look, bool) {
	look := Look{View: v.Name}
	if v.Frame != nil {
		k := float64(side) / float64(max(v.Size.X, v.Size.Y))
		look.Size = image.Pt(wholePixels(float64(v.Size.X)*k), wholePixels(float64(v.Size.Y)*k))
		frame := v.Frame(look.Size)
		look.Origin, look.Scale = frame.Min, float64(look.Size.X)/frame.Dx()
		return look, true
	}
	longer := max(area.Dx(), area.Dy())
	if area.Empty() || math.IsInf(longer, 0) {
		return look, false
	}
	look.Scale = max(float64(side)/longer, v.Scale/8)
	look.Size = image.Pt(min(side, wholePixels(area.Dx()*look.Scale)), min(side, wholePixels(area.Dy()*look.Scale)))
	if look.Origin = area.Min; longer*look.Scale > float64(side) {
		for i, n := range []int{look.Size.X, look.Size.Y} {
			look.Origin[i] = (area.Min[i]+area.Max[i])/2 - float64(n)/2/look.Scale
		}
	}
	return look, true
}

// wholePixels rounds a length up to whole pixels, with a tolerance for rounding errors.
func wholePixels(length float64) int {
	return int(max(1, min(math.Ceil(length-1e-6), 1<<30)))
}
