package plan

import (
	"image"
	"image/color"
	"math"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

type form uint8

const (
	disc    form = iota // around at, with the radius r
	box                 // around at, with half of its perpendicular axes u and v
	stroke              // from at to at+u
	letters             // to the right of at, which is on the baseline; r is the font size
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
	case letters:
		e.add([2]float64{s.at[0], s.at[1] - s.r}, 0)
		e.add([2]float64{s.at[0] + textWidth(s.text)*s.r, s.at[1] + s.r/3}, 0)
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
	if s.form == letters {
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
				blend(row, s.fill, 0.5-d)
			}
			if s.stroke.A > 0 {
				blend(row, s.stroke, min(0.5+half-math.Abs(d), 2*half)) // a line thinner than a pixel is faint
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

// blend draws a color over the first pixel, weighted by its coverage.
func blend(pix []byte, c color.NRGBA, covered float64) {
	if covered <= 0 {
		return
	}
	a := min(covered, 1) * float64(c.A) / 255
	for i, v := range [4]uint8{c.R, c.G, c.B, 255} {
		pix[i] = uint8(float64(v)*a + float64(pix[i])*(1-a) + 0.5)
	}
}

var regular = sync.OnceValue(func() *opentype.Font {
	f, err := opentype.Parse(goregular.TTF)
	if err != nil {
		panic(err) // the font is embedded in the program
	}
	return f
})

// newFace returns the font in a size. Goroutines must not share it.
func newFace(size float64) font.Face {
	face, err := opentype.NewFace(regular(), &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		panic(err)
	}
	return face
}

// textWidth returns the width of a text in a font of size 1.
func textWidth(text string) float64 {
	const size = 64
	return float64(font.MeasureString(newFace(size), text)) / 64 / size
}

// Larger letters are scaled up from this size, and smaller ones are unreadable.
const (
	maxLetter = 200.0
	minLetter = 3.0
)

// write draws letters. The mask contains the whole text, whatever part is drawn.
func (c canvas) write(s *shape) {
	e := nowhere
	s.extend(&e)
	r := c.pixels(e)
	size := s.r * c.scale
	if r.Empty() || size < minLetter {
		return
	}
	coarse := max(1, size/maxLetter)
	face := newFace(size / coarse)
	left, base := (s.at[0]-c.origin[0])*c.scale, (s.at[1]-c.origin[1])*c.scale
	x0, y0 := math.Floor(left), math.Floor(base)
	mask := image.NewAlpha(image.Rect(-2, int(-1.2*size/coarse)-2, int(textWidth(s.text)*size/coarse)+4, int(size/coarse/2)+2))
	d := font.Drawer{Dst: mask, Src: image.Opaque, Face: face,
		Dot: fixed.Point26_6{X: fixed.Int26_6((left - x0) / coarse * 64), Y: fixed.Int26_6((base - y0) / coarse * 64)}}
	d.DrawString(s.text)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			mx, my := math.Floor((float64(x)-x0)/coarse), math.Floor((float64(y)-y0)/coarse)
			blend(c.Pix[c.PixOffset(x, y):], s.fill, float64(mask.AlphaAt(int(mx), int(my)).A)/255)
		}
	}
}
