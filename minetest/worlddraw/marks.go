package worlddraw

import (
	"cmp"
	"image"
	"image/color"
	"maps"
	"math"
	"slices"

	"golang.org/x/image/font/basicfont"
)

// IsoView is the view that [Iso] draws.
const IsoView View = "iso"

// Point returns the position of a point of the world in the picture of a view. Centers of nodes are at integers.
func (v View) Point(p [3]float64) [2]float64 {
	if v == IsoView {
		return [2]float64{p[0] - p[2] + 1, 1 - p[1] - (p[0]+p[2])/2}
	}
	f := frames[v]
	var at [2]float64
	for i := range at {
		at[i] = p[f.axis[i]] + 0.5
		if f.mirror[i] {
			at[i] = -at[i]
		}
	}
	return at
}

// North returns the direction of north, towards larger z, in the picture of a view; zero if the view looks along it.
func (v View) North() (to [2]float64) {
	from := v.Point([3]float64{})
	for i, at := range v.Point([3]float64{2: 1}) {
		to[i] = at - from[i]
	}
	return to
}

// Where returns the rectangle of the picture that shows a box of nodes.
func (v View) Where(b Box) (low, high [2]float64) {
	if v == IsoView {
		return IsoBounds(b)
	}
	r := v.Bounds(b)
	return [2]float64{float64(r.Min.X), float64(r.Min.Y)}, [2]float64{float64(r.Max.X), float64(r.Max.Y)}
}

// Outline returns the corners of the outline of a box of nodes in the picture of a view.
func (v View) Outline(b Box) [][2]float64 {
	low, high := v.Where(b)
	if v != IsoView {
		return [][2]float64{low, {high[0], low[1]}, high, {low[0], high[1]}}
	}
	corner := func(x, y, z int) [2]float64 { // 0: low, 1: high
		at := func(i, k int) float64 { return float64([]int{b.Min[i], b.Max[i] + 1}[k]) - 0.5 }
		return v.Point([3]float64{at(0, x), at(1, y), at(2, z)})
	}
	return [][2]float64{corner(0, 0, 0), corner(1, 0, 0), corner(1, 1, 0), corner(1, 1, 1), corner(0, 1, 1), corner(0, 0, 1)}
}

// Marks are markers that are prepared for drawing on a part of a picture.
type Marks []mark

type mark struct {
	at    [2]float64
	color color.NRGBA
	label string
}

// The extent of a mark around its position, and the distance below which marks cannot be distinguished, in pixels.
const (
	markRadius = 3
	markAbove  = 7 // half the height of a character, and the shadow
	markRight  = markRadius + 3 + maxLabel*7 + 1
	markGrid   = 4
)

// markReach returns the rectangle in which marks may have labels that extend into a part of a picture.
func markReach(r image.Rectangle) image.Rectangle {
	return image.Rect(r.Min.X-markRight, r.Min.Y-markAbove-1, r.Max.X+markRadius+1, r.Max.Y+markAbove+1)
}

// Reach returns the rectangle that contains all marks that are visible in a part of a picture.
func Reach(part image.Rectangle) image.Rectangle { return markReach(part).Inset(-markGrid) }

// Marks returns the marks to draw for the markers of a box on a part of a picture. Of several marks that would
// overlap, it returns the lowest.
func (v View) Marks(markers []Marker, box Box, part image.Rectangle, at Scaled) Marks {
	// The grid depends only on the scale of the picture, not on its origin.
	cellOf := func(p [2]float64) [2]int {
		return [2]int{int(math.Floor(p[0] * at.Scale / markGrid)), int(math.Floor(p[1] * at.Scale / markGrid))}
	}
	reach := markReach(part)
	low, high := cellOf(at.place(reach.Min)), cellOf(at.place(reach.Max))
	kept := make(map[[2]int]mark)
	for i := range markers {
		m := &markers[i]
		p := v.Point(m.Pos)
		cell := cellOf(p)
		if cell[0] < low[0] || cell[0] > high[0] || cell[1] < low[1] || cell[1] > high[1] || !box.near(m.Pos) {
			continue
		}
		one := mark{p, m.Color, m.Label}
		if other, ok := kept[cell]; !ok || other.compare(one) < 0 {
			kept[cell] = one
		}
	}
	return slices.SortedFunc(maps.Values(kept), mark.compare)
}

// compare returns the drawing order of two marks.
func (m mark) compare(o mark) int {
	return cmp.Or(cmp.Compare(m.at[1], o.at[1]), cmp.Compare(m.at[0], o.at[0]), cmp.Compare(m.label, o.label))
}

// near reports whether a point is in the box, or in the upper half of one of its nodes.
func (b Box) near(p [3]float64) bool {
	for i := range p {
		if p[i] < float64(b.Min[i]) || p[i] > float64(b.Max[i])+1 {
			return false
		}
	}
	return true
}

// place returns the position of the corner of a pixel.
func (s Scaled) place(p image.Point) [2]float64 {
	return [2]float64{s.Origin[0] + float64(p.X)/s.Scale, s.Origin[1] + float64(p.Y)/s.Scale}
}

// pixel returns the pixel of a position, along an axis.
func (s Scaled) pixel(axis int, at [2]float64) int {
	return int(math.Floor((at[axis] - s.Origin[axis]) * s.Scale))
}

// Draw draws marks on a part of a picture: a dot for each, with its label to the right.
func (m Marks) Draw(dst *image.RGBA, at Scaled) {
	dark := color.NRGBA{A: 255}
	for _, a := range m {
		p := image.Pt(at.pixel(0, a.at), at.pixel(1, a.at))
		fill(dst, image.Rect(p.X-markRadius, p.Y-markRadius, p.X+markRadius+1, p.Y+markRadius+1), dark)
		fill(dst, image.Rect(p.X-markRadius+1, p.Y-markRadius+1, p.X+markRadius, p.Y+markRadius), a.color)
		corner := p.Add(image.Pt(markRadius+3, -basicfont.Face7x13.Height/2))
		text(dst, corner.Add(image.Pt(1, 1)), a.label, dark)
		text(dst, corner, a.label, a.color)
	}
}
