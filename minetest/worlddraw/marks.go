package worlddraw

import (
	"image"
	"image/color"
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

// Marks are markers that can be drawn on a picture of a view.
type Marks []mark

type mark struct {
	at    [2]float64
	color color.NRGBA
	label string
}

// NewMarks returns the marks of a view. Those with an equal place keep their order.
func NewMarks(v View, markers []Marker) Marks {
	all := make(Marks, len(markers))
	for i, m := range markers {
		all[i] = mark{v.Point(m.Pos), m.Color, m.Label}
	}
	slices.SortStableFunc(all, func(a, b mark) int {
		switch {
		case a.at[1] < b.at[1]:
			return -1
		case a.at[1] > b.at[1]:
			return 1
		}
		return 0
	})
	return all
}

// How far a mark reaches from its place, in pixels.
const (
	markRadius = 3
	markAbove  = 7 // half a letter's height, and a shadow
	markRight  = markRadius + 3 + maxLabel*7 + 1
)

// MarkReach returns the rectangle around a part of a picture in which marks may be whose
// labels reach into it.
func MarkReach(r image.Rectangle) image.Rectangle {
	return image.Rect(r.Min.X-markRight, r.Min.Y-markAbove-1, r.Max.X+markRadius+1, r.Max.Y+markAbove+1)
}

// Near returns the marks that may reach into a part of a picture.
func (m Marks) Near(r image.Rectangle, at Scaled) Marks {
	r = MarkReach(r)
	v := func(y int) float64 { return at.Origin[1] + float64(y)/at.Scale }
	first, _ := slices.BinarySearchFunc(m, v(r.Min.Y), func(a mark, v float64) int { return compare(a.at[1], v) })
	last, _ := slices.BinarySearchFunc(m, v(r.Max.Y), func(a mark, v float64) int { return compare(a.at[1], v) })
	var near Marks
	for _, a := range m[first:last] {
		if x := at.pixel(0, a.at); r.Min.X <= x && x < r.Max.X {
			near = append(near, a)
		}
	}
	return near
}

func compare(a, b float64) int {
	if a < b {
		return -1
	}
	return 1
}

// pixel returns the pixel of a place, along an axis.
func (s Scaled) pixel(axis int, at [2]float64) int {
	return int(math.Floor((at[axis] - s.Origin[axis]) * s.Scale))
}

// Draw draws marks on a part of a picture: a dot for each, and what it says to the right.
func (m Marks) Draw(dst *image.RGBA, at Scaled) {
	dark := color.NRGBA{A: 255}
	for _, a := range m.Near(dst.Rect, at) {
		p := image.Pt(at.pixel(0, a.at), at.pixel(1, a.at))
		fill(dst, image.Rect(p.X-markRadius, p.Y-markRadius, p.X+markRadius+1, p.Y+markRadius+1), dark)
		fill(dst, image.Rect(p.X-markRadius+1, p.Y-markRadius+1, p.X+markRadius, p.Y+markRadius), a.color)
		corner := p.Add(image.Pt(markRadius+3, -basicfont.Face7x13.Height/2))
		text(dst, corner.Add(image.Pt(1, 1)), a.label, dark)
		text(dst, corner, a.label, a.color)
	}
}
