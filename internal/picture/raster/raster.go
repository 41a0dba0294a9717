// Package raster draws textured triangles into a picture with a depth buffer.
package raster

import (
	"image"
	"math"
)

// Mode is how the alpha of a texture is used.
type Mode uint8

const (
	Opaque Mode = iota // not at all
	Clip               // texels below one half are not drawn
	Blend              // texels are mixed with what is behind them, which must be drawn before
)

// Texture is an image on triangles, drawn without filters.
type Texture struct {
	Image            *image.NRGBA // not empty
	Mode             Mode
	RepeatU, RepeatV bool // otherwise the texels at the edge are extended
}

// Vertex is a corner of a triangle. X/W and Y/W are the coordinates of a pixel's corner in the picture. The greater Z/W, the
// nearer it is. W is its distance for a perspective, and 1 without one.
type Vertex struct {
	X, Y, Z, W float32
	U, V       float32    // of the texture: (0, 0) is its top left corner, (1, 1) its bottom right one
	Color      [3]float32 // texels are multiplied by it: 0 to 255
}

// Canvas is a part of a picture that is drawn. No pixel depends on the choice of the part.
type Canvas struct {
	Image *image.RGBA

	// Near is the smallest W that is drawn. It is greater than 0.
	Near float32

	// Pixels is the number of pixels of all triangles so far, visible or not. It measures the work.
	Pixels int64

	depth []float32
}

// NewCanvas returns a canvas over a picture. Nothing in the picture hides what is drawn.
func NewCanvas(img *image.RGBA) *Canvas {
	c := &Canvas{Image: img, Near: 1e-3, depth: make([]float32, img.Rect.Dx()*img.Rect.Dy())}
	for i := range c.depth {
		c.depth[i] = float32(math.Inf(-1))
	}
	return c
}

// Hides reports whether everything in a rectangle of pixels is nearer than a depth, Z/W. Pixels outside of the picture do not count.
func (c *Canvas) Hides(r image.Rectangle, depth float32) bool {
	all := c.Image.Rect
	r = r.Intersect(all)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := c.depth[(y-all.Min.Y)*all.Dx():]
		for _, z := range row[r.Min.X-all.Min.X : r.Max.X-all.Min.X] {
			if !(z > depth) {
				return false
			}
		}
	}
	return true
}

// Triangle draws a triangle over what is farther than it or equally far. With culling, it is drawn if its corners
// are clockwise in the picture.
func (c *Canvas) Triangle(t *Texture, corners *[3]Vertex, culling bool) {
	var near [4]Vertex
	n := 0
	for i := range corners {
		a, b := &corners[i], &corners[(i+1)%3]
		if a.W >= c.Near {
			near[n] = *a
			n++
		}
		if (a.W >= c.Near) != (b.W >= c.Near) {
			near[n] = between(a, b, (c.Near-a.W)/(b.W-a.W))
			n++
		}
	}
	for i := 2; i < n; i++ {
		c.fill(t, &near[0], &near[i-1], &near[i], culling)
	}
}

func between(a, b *Vertex, part float32) Vertex {
	mix := func(a, b float32) float32 { return a + (b-a)*part }
	v := Vertex{mix(a.X, b.X), mix(a.Y, b.Y), mix(a.Z, b.Z), mix(a.W, b.W), mix(a.U, b.U), mix(a.V, b.V), a.Color}
	for i := range v.Color {
		v.Color[i] = mix(a.Color[i], b.Color[i])
	}
	return v
}

// steps are the places between two pixels at which a corner can be, as in graphics hardware.
const steps = 256

// point is a corner in the picture, in steps.
type point struct{ x, y int64 }

// place returns where a corner is in the picture.
func (v *Vertex) place() (x, y float64) {
	return float64(v.X) / float64(v.W), float64(v.Y) / float64(v.W)
}

func (v *Vertex) point() (point, bool) {
	x, y := v.place()
	x, y = x*steps, y*steps
	if !(math.Abs(x) < 1<<30 && math.Abs(y) < 1<<30) {
		return point{}, false
	}
	return point{int64(math.Round(x)), int64(math.Round(y))}, true
}

// edge is the function that is not negative on the inner side of the line from a to b, if it belongs to a triangle
// whose corners are clockwise. Pixels on an edge belong to the triangle below it or to its right.
type edge struct{ dx, dy, at int64 }

func newEdge(a, b point, from point) edge {
	e := edge{dx: -(b.y - a.y), dy: b.x - a.x}
	e.at = e.dx*(from.x-a.x) + e.dy*(from.y-a.y)
	if !(a.y == b.y && b.x > a.x || b.y < a.y) { // neither a top edge nor a left one
		e.at--
	}
	e.dx *= steps
	e.dy *= steps
	return e
}

// linear is a value that changes evenly over the picture.
type linear struct{ at, dx, dy float64 }

func (c *Canvas) fill(t *Texture, v0, v1, v2 *Vertex, culling bool) {
	var p [3]point
	for i, v := range [3]*Vertex{v0, v1, v2} {
		var ok bool
		if p[i], ok = v.point(); !ok {
			return
		}
	}
	area := (p[1].x-p[0].x)*(p[2].y-p[0].y) - (p[1].y-p[0].y)*(p[2].x-p[0].x)
	if area == 0 || area < 0 && culling {
		return
	}
	if area < 0 {
		v1, v2, p[1], p[2] = v2, v1, p[2], p[1]
	}
	const half = steps / 2
	pixel := func(n int64) int { return int((n - half + steps - 1) >> 8) } // the first whose centre is at n or after it
	r := c.Image.Rect
	x0, x1 := max(r.Min.X, pixel(min(p[0].x, p[1].x, p[2].x))), min(r.Max.X, pixel(max(p[0].x, p[1].x, p[2].x)+1))
	y0, y1 := max(r.Min.Y, pixel(min(p[0].y, p[1].y, p[2].y))), min(r.Max.Y, pixel(max(p[0].y, p[1].y, p[2].y)+1))
	if x0 >= x1 || y0 >= y1 {
		return
	}
	from := point{int64(x0)*steps + half, int64(y0)*steps + half}
	e := [3]edge{newEdge(p[1], p[2], from), newEdge(p[2], p[0], from), newEdge(p[0], p[1], from)}

	// Values divided by W change evenly. They are computed from the first corner, whatever the part of the picture is.
	var all [7]linear // depth, 1/W, U, V, colour
	values := func(v *Vertex) (all [7]float64) {
		w := 1 / float64(v.W)
		return [7]float64{float64(v.Z) * w, w, float64(v.U) * w, float64(v.V) * w, float64(v.Color[0]) * w,
			float64(v.Color[1]) * w, float64(v.Color[2]) * w}
	}
	a, b, d := values(v0), values(v1), values(v2)
	x, y := v0.place()
	bx, by := v1.place()
	dx, dy := v2.place()
	bx, by, dx, dy = bx-x, by-y, dx-x, dy-y
	inverse := 1 / (bx*dy - by*dx)
	anchor := image.Pt(int(p[0].x>>8), int(p[0].y>>8))
	px, py := float64(anchor.X)+.5-x, float64(anchor.Y)+.5-y
	for i := range all {
		l := &all[i]
		l.dx = ((b[i]-a[i])*dy - (d[i]-a[i])*by) * inverse
		l.dy = ((d[i]-a[i])*bx - (b[i]-a[i])*dx) * inverse
		l.at = a[i] + l.dx*px + l.dy*py
	}
	c.Pixels += int64(y1 - y0)
	for y := y0; y < y1; y++ {
		row := all
		for i := range row {
			row[i].at += float64(y-anchor.Y) * row[i].dy
		}
		c.row(t, y, x0, x1, anchor.X, &e, &row)
		for i := range e {
			e[i].at += e[i].dy
		}
	}
}

// row draws the pixels of a triangle in a row, of those from x0 to x1. The values are those at the pixel anchor.
func (c *Canvas) row(t *Texture, y, x0, x1, anchor int, edges *[3]edge, v *[7]linear) {
	first, last := int64(0), int64(x1-x0-1)
	for _, e := range edges {
		switch {
		case e.dx > 0 && e.at < 0:
			first = max(first, (-e.at+e.dx-1)/e.dx)
		case e.dx < 0 && e.at >= 0:
			last = min(last, e.at/-e.dx)
		case e.at < 0:
			return
		}
	}
	if first > last {
		return
	}
	img := t.Image
	width, height := img.Rect.Dx(), img.Rect.Dy()
	c.Pixels += last - first + 1
	x0 += int(first)
	r := c.Image.Rect
	depth := c.depth[(y-r.Min.Y)*r.Dx()+x0-r.Min.X:][:last-first+1]
	pix := c.Image.Pix[c.Image.PixOffset(x0, y):]
	const part = 1. / 255
	for n := range depth {
		right := float64(x0 + n - anchor)
		z := float32(v[0].at + right*v[0].dx)
		if z < depth[n] {
			continue
		}
		w := v[1].at
		if v[1].dx != 0 {
			w += right * v[1].dx
		}
		if w != 1 {
			w = 1 / w
		}
		tx := texel((v[2].at+right*v[2].dx)*w, width, t.RepeatU)
		ty := texel((v[3].at+right*v[3].dx)*w, height, t.RepeatV)
		texel := img.Pix[ty*img.Stride+4*tx:][:4:4]
		alpha := texel[3]
		if t.Mode != Opaque && alpha < 128 && (t.Mode == Clip || alpha == 0) {
			continue
		}
		w *= part
		var rgb [3]uint32
		for i := range rgb {
			rgb[i] = uint32(float64(texel[i])*(v[4+i].at+right*v[4+i].dx)*w + .5)
		}
		to := pix[4*n:][:4:4]
		if t.Mode == Blend && alpha < 255 {
			over := uint32(alpha)
			for i := range rgb {
				to[i] = uint8((rgb[i]*over + uint32(to[i])*(255-over) + 127) / 255)
			}
			to[3] = uint8(over + (uint32(to[3])*(255-over)+127)/255)
		} else {
			to[0], to[1], to[2], to[3] = uint8(rgb[0]), uint8(rgb[1]), uint8(rgb[2]), 255
		}
		if t.Mode != Blend {
			depth[n] = z
		}
	}
}

// texel returns the texel at a place on a texture: 0 to n-1.
func texel(at float64, n int, repeat bool) int {
	at *= float64(n)
	if at >= 0 && at < float64(n) {
		return int(at)
	}
	i := int(math.Floor(at))
	if repeat {
		i %= n
		if i < 0 {
			i += n
		}
		return i
	}
	return max(0, min(n-1, i))
}
