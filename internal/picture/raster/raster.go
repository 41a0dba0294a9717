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

	depth    []float32
	farthest []float32   // of cells: none of their pixels is farther
	tints    [3][32]tint // of red, green and blue
}

// cell is the edge of the squares of pixels whose farthest depth is kept.
const cell = 16

// NewCanvas returns a canvas over a picture. Nothing in the picture hides what is drawn.
func NewCanvas(img *image.RGBA) *Canvas {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	c := &Canvas{Image: img, Near: 1e-3, depth: make([]float32, w*h), farthest: make([]float32, (w+cell-1)/cell*((h+cell-1)/cell))}
	for _, all := range [][]float32{c.depth, c.farthest} {
		for i := range all {
			all[i] = float32(math.Inf(-1))
		}
	}
	return c
}

// Hides reports whether everything in a rectangle of pixels is nearer than a depth, Z/W. Pixels outside of the picture do not count.
func (c *Canvas) Hides(r image.Rectangle, depth float32) bool {
	all := c.Image.Rect
	if r = r.Intersect(all); r.Empty() {
		return true
	}
	r = r.Sub(all.Min)
	across := (all.Dx() + cell - 1) / cell
	for y := r.Min.Y / cell; y*cell < r.Max.Y; y++ {
		for x := r.Min.X / cell; x*cell < r.Max.X; x++ {
			farthest := &c.farthest[y*across+x]
			if *farthest > depth { // pixels only come nearer
				continue
			}
			whole := image.Rect(x*cell, y*cell, (x+1)*cell, (y+1)*cell).Intersect(all.Sub(all.Min))
			part := whole.Intersect(r)
			least := float32(math.Inf(1))
			for y := part.Min.Y; y < part.Max.Y; y++ {
				for _, z := range c.depth[y*all.Dx()+part.Min.X : y*all.Dx()+part.Max.X] {
					if !(z > depth) {
						return false
					}
					least = min(least, z)
				}
			}
			if part == whole {
				*farthest = least
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
const (
	steps = 256
	half  = steps / 2
)

// centre returns the first pixel whose centre is at a step or after it.
func centre(n int64) int { return int((n - half + steps - 1) >> 8) }

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

// twice returns twice the area of a triangle: positive if its corners are clockwise.
func twice(a, b, c point) int64 { return (b.x-a.x)*(c.y-a.y) - (b.y-a.y)*(c.x-a.x) }

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
	area := twice(p[0], p[1], p[2])
	if area == 0 || area < 0 && culling {
		return
	}
	if area < 0 {
		v1, v2, p[1], p[2] = v2, v1, p[2], p[1]
	}
	r := c.Image.Rect
	x0, x1 := max(r.Min.X, centre(min(p[0].x, p[1].x, p[2].x))), min(r.Max.X, centre(max(p[0].x, p[1].x, p[2].x)+1))
	y0, y1 := max(r.Min.Y, centre(min(p[0].y, p[1].y, p[2].y))), min(r.Max.Y, centre(max(p[0].y, p[1].y, p[2].y)+1))
	if x0 >= x1 || y0 >= y1 {
		return
	}
	from := point{int64(x0)*steps + half, int64(y0)*steps + half}
	e := [3]edge{newEdge(p[1], p[2], from), newEdge(p[2], p[0], from), newEdge(p[0], p[1], from)}
	anchor := image.Pt(int(p[0].x>>8), int(p[0].y>>8))
	all := newPlane(v0, v1, v2, anchor)
	c.Pixels += int64(y1 - y0)
	for y := y0; y < y1; y++ {
		c.row(t, y, x0, x1, anchor, &e, &all)
		for i := range e {
			e[i].at += e[i].dy
		}
	}
}

// plane are the values in a triangle that change evenly over the picture: depth, 1/W, U, V and colour, all but 1/W divided by W.
type plane [7]linear

// newPlane returns the values at a pixel. They are computed from the first corner, whatever the part of the picture is.
func newPlane(v0, v1, v2 *Vertex, anchor image.Point) (all plane) {
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
	px, py := float64(anchor.X)+.5-x, float64(anchor.Y)+.5-y
	for i := range all {
		l := &all[i]
		l.dx = ((b[i]-a[i])*dy - (d[i]-a[i])*by) * inverse
		l.dy = ((d[i]-a[i])*bx - (b[i]-a[i])*dx) * inverse
		l.at = a[i] + l.dx*px + l.dy*py
	}
	return all
}

// row draws the pixels of a triangle in a row, of those from x0 to x1. The values are those at the pixel anchor.
func (c *Canvas) row(t *Texture, y, x0, x1 int, anchor image.Point, edges *[3]edge, all *plane) {
	first, last := int64(0), int64(x1-x0-1)
	for i := range edges {
		e := &edges[i]
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
	c.Pixels += last - first + 1
	c.span(t, y, x0+int(first), int(last-first)+1, anchor, all)
}

// span draws pixels of a row.
func (c *Canvas) span(t *Texture, y, x0, count int, anchor image.Point, all *plane) {
	img := t.Image
	width, height := img.Rect.Dx(), img.Rect.Dy()
	r := c.Image.Rect
	depth := c.depth[(y-r.Min.Y)*r.Dx()+x0-r.Min.X:][:count]
	pix := c.Image.Pix[c.Image.PixOffset(x0, y):]
	down := float64(y - anchor.Y)
	deep := all[0].at + down*all[0].dy
	n := 0
	for n < len(depth) && float32(deep+float64(x0+n-anchor.X)*all[0].dx) < depth[n] {
		n++
	}
	if n == len(depth) {
		return
	}
	var v [7]struct{ at, dx float64 } // at the anchor's column of this row
	for i := range v {
		v[i].at, v[i].dx = all[i].at+down*all[i].dy, all[i].dx
	}
	for ; n < len(depth); n++ {
		right := float64(x0 + n - anchor.X)
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
		var rgb [3]uint32
		for i := range rgb {
			rgb[i] = multiply(texel[i], v[4+i].at+right*v[4+i].dx, w)
		}
		to := pix[4*n:][:4:4]
		if t.Mode == Blend {
			blend(to, rgb, uint32(alpha))
			continue
		}
		to[0], to[1], to[2], to[3] = uint8(rgb[0]), uint8(rgb[1]), uint8(rgb[2]), 255
		depth[n] = z
	}
}

// multiply returns what the value of a texel becomes under a colour, which is divided by W.
func multiply(texel uint8, by, w float64) uint32 {
	const part = 1. / 255
	return uint32(float64(texel)*by*(w*part) + .5)
}

// blend lays a colour over a pixel.
func blend(to []uint8, rgb [3]uint32, over uint32) {
	for i := range rgb {
		to[i] = uint8((rgb[i]*over + uint32(to[i])*(255-over) + 127) / 255)
	}
	to[3] = uint8(over + (uint32(to[3])*(255-over)+127)/255)
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
