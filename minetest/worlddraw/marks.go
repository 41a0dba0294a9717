package worlddraw

import (
	"cmp"
	"image"
	"image/color"
	"iter"
	"maps"
	"math"
	"slices"

	"golang.org/x/image/font/basicfont"
)

// IsoView is the name of the view that an [Iso] draws.
const IsoView View = "iso"

// Point returns where a place of the world is in the picture of a view: the middle of a node
// is at whole numbers of the world.
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

// Where returns the rectangle of the picture in which a box of nodes is visible.
func (v View) Where(b Box) (low, high [2]float64) {
	if v == IsoView {
		return IsoBounds(b)
	}
	r := v.Bounds(b)
	return [2]float64{float64(r.Min.X), float64(r.Min.Y)}, [2]float64{float64(r.Max.X), float64(r.Max.Y)}
}

// Marks are markers that can be drawn on a part of a picture.
type Marks []mark

type mark struct {
	at    [2]float64
	color color.NRGBA
	label string
}

// How far a mark reaches from its place, in pixels, and in how many nobody can tell two
// marks apart.
const (
	markRadius = 3
	markAbove  = 7 // half a letter's height, and a shadow
	markRight  = markRadius + 3 + maxLabel*7 + 1
	markGrid   = 4
)

// markReach returns the rectangle around a part of a picture in which marks may be whose
// labels reach into it.
func markReach(r image.Rectangle) image.Rectangle {
	return image.Rect(r.Min.X-markRight, r.Min.Y-markAbove-1, r.Max.X+markRadius+1, r.Max.Y+markAbove+1)
}

// Reach returns the pixels in which whatever is marked that is to be seen in a part of a picture.
func Reach(part image.Rectangle) image.Rectangle { return markReach(part).Inset(-markGrid) }

// Marks returns what is to be drawn of the markers of a box on a part of a picture: of many
// that would be on top of each other, the one that is lowest.
func (v View) Marks(markers []Marker, box Box, part image.Rectangle, at Scaled) Marks {
	// Where a cell is depends on the size of the picture only, not on its corner.
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

// compare tells which of two marks is drawn first.
func (m mark) compare(o mark) int {
	return cmp.Or(cmp.Compare(m.at[1], o.at[1]), cmp.Compare(m.at[0], o.at[0]), cmp.Compare(m.label, o.label))
}

// near reports whether a place is in the box, or in the upper half of a node that is.
func (b Box) near(p [3]float64) bool {
	for i := range p {
		if p[i] < float64(b.Min[i]) || p[i] > float64(b.Max[i])+1 {
			return false
		}
	}
	return true
}

// place returns the place of a corner of a pixel.
func (s Scaled) place(p image.Point) [2]float64 {
	return [2]float64{s.Origin[0] + float64(p.X)/s.Scale, s.Origin[1] + float64(p.Y)/s.Scale}
}

// pixel returns the pixel of a place, along an axis.
func (s Scaled) pixel(axis int, at [2]float64) int {
	return int(math.Floor((at[axis] - s.Origin[axis]) * s.Scale))
}

// Labels calls yield for each mark: where it is in the picture, with its label and color.
func (m Marks) Labels() iter.Seq2[[2]float64, Marker] {
	return func(yield func([2]float64, Marker) bool) {
		for _, a := range m {
			if !yield(a.at, Marker{Label: a.label, Color: a.color}) {
				return
			}
		}
	}
}

// Draw draws marks on a part of a picture: a dot for each, and what it says to the right.
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
