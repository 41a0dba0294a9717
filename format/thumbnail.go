package format

import (
	"image"
	"math"
)

// Thumbnail returns the look of a small picture of an area, whose longer side has so many
// pixels at most: of all of the area, or of its middle if a unit had less than an eighth of
// its natural size else. A view with a Frame shows what that shows. It is false if there is
// nothing to be seen, or no end of it.
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

// wholePixels is a length in whole pixels: all that it touches by more than a rounding error.
func wholePixels(length float64) int {
	return int(max(1, min(math.Ceil(length-1e-6), 1<<30)))
}
