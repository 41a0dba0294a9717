package plan

import (
	"image"
	"image/color"
	"math"

	"trowel.example/torchlight/internal/sheet"
)

type form uint8

const (
	disc    form = iota // around at, with the radius r
	box                 // around at, with half of its perpendicular axes u and v
	stroke              // from at to at+u
	writing             // to the right of at, which is on the baseline; r is the font size
)

// shape is a part of a mark or of the legend. Lengths are in units.
type shape struct {
	form         form
	at, u, v     [2]float64
	r            float64
	fill, stroke color.NRGBA // none if alpha is 0
	width        float64     // width of the stroke
	text         string
}

func (s *shape) extend(e *extent) {
	w := s.width / 2
	switch s.form {
	case disc:
		e.add(s.at, s.r+w)
	case stroke:
		e.add(s.at, w)
		e.add(plus(s.at, s.u), w)
	case box:
		for _, k := range [4][2]float64{{1, 1}, {1, -1}, {-1, 1}, {-1, -1}} {
			e.add(plus(s.at, plus(times(s.u, k[0]), times(s.v, k[1]))), w)
		}
	case writing:
		e.add([2]float64{s.at[0], s.at[1] - s.r}, 0)
		e.add([2]float64{s.at[0] + sheet.TextWidth(s.text)*s.r, s.at[1] + s.r/3}, 0)
	}
}

// canvas is a part of a picture to draw on.
type canvas struct {
	*image.RGBA
	origin [2]float64
	scale  float64
}

// pixels returns the pixels of the canvas that a rectangle touches.
func (c canvas) pixels(e extent) image.Rectangle {
	within := func(v float64, low, high int) int { // avoids an overflow
		return int(min(max(v, float64(low)), float64(high)))
	}
	r := c.Rect
	for i, b := range [2][2]int{{r.Min.X, r.Max.X}, {r.Min.Y, r.Max.Y}} {
		low := within(math.Floor((e.min[i]-c.origin[i])*c.scale-1), b[0], b[1])
		high := within(math.Ceil((e.max[i]-c.origin[i])*c.scale+1), b[0], b[1])
		if i == 0 {
			r.Min.X, r.Max.X = low, high
		} else {
			r.Min.Y, r.Max.Y = low, high
		}
	}
	return r
}

// draw draws a shape. The coverage of a pixel is computed from the distance of its center to the edge, so that it is
// the same in any part of the picture.
func (c canvas) draw(s *shape) {
	if s.form == writing {
		c.write(s)
		return
	}
	e := nowhere
	s.extend(&e)
	r := c.pixels(e)
	half := s.width / 2 * c.scale
	distance := s.distance()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := c.Pix[c.PixOffset(r.Min.X, y):]
		for x := r.Min.X; x < r.Max.X; x++ {
			p := [2]float64{c.origin[0] + (float64(x)+0.5)/c.scale - s.at[0], c.origin[1] + (float64(y)+0.5)/c.scale - s.at[1]}
			d := distance(p) * c.scale
			if s.fill.A > 0 {
				sheet.Blend(row, s.fill, 0.5-d)
			}
			if s.stroke.A > 0 {
				sheet.Blend(row, s.stroke, min(0.5+half-math.Abs(d), 2*half)) // a line thinner than a pixel is faint
			}
			row = row[4:]
		}
	}
}

// distance returns a function for the distance of a position, relative to at, from the edge of the shape; it is
// negative inside.
func (s *shape) distance() func(p [2]float64) float64 {
	dot := func(v, w [2]float64) float64 { return v[0]*w[0] + v[1]*w[1] }
	switch s.form {
	case disc:
		return func(p [2]float64) float64 { return math.Sqrt(dot(p, p)) - s.r }
	case box:
		lu, lv := math.Sqrt(dot(s.u, s.u)), math.Sqrt(dot(s.v, s.v))
		u, v := times(s.u, 1/lu), times(s.v, 1/lv)
		return func(p [2]float64) float64 { return max(math.Abs(dot(p, u))-lu, math.Abs(dot(p, v))-lv) }
	}
	square := dot(s.u, s.u)
	return func(p [2]float64) float64 {
		t := min(1, max(0, dot(p, s.u)/square))
		q := [2]float64{p[0] - t*s.u[0], p[1] - t*s.u[1]}
		return math.Sqrt(dot(q, q))
	}
}

// write draws letters.
func (c canvas) write(s *shape) {
	sheet.Line{Text: s.text, At: s.at, Size: s.r, Color: s.fill}.Draw(c.RGBA, c.origin, c.scale)
}
