package raster

import (
	"image"
	"math"
)

// Rectangle draws two triangles that are a rectangle whose corners are in order, and reports whether they are one: its edges
// are along those of the picture, there is no perspective, and all values change evenly. Otherwise it draws nothing.
func (c *Canvas) Rectangle(t *Texture, v *[4]Vertex, culling bool) bool {
	var p [4]point
	for i := range v {
		var ok bool
		if p[i], ok = v[i].point(); !ok || v[i].W != 1 {
			return false
		}
	}
	if !(p[0].y == p[1].y && p[1].x == p[2].x && p[2].y == p[3].y && p[3].x == p[0].x) &&
		!(p[0].x == p[1].x && p[1].y == p[2].y && p[2].x == p[3].x && p[3].y == p[0].y) || !isEven(v) || c.Near > 1 {
		return false
	}
	if area := twice(p[0], p[1], p[2]); area == 0 || area < 0 && culling {
		return true
	}
	r := image.Rect(centre(p[0].x), centre(p[0].y), centre(p[2].x), centre(p[2].y)).Intersect(c.Image.Rect)
	if r.Empty() {
		return true
	}
	anchor := image.Pt(int(p[0].x>>8), int(p[0].y>>8))
	all := newPlane(&v[0], &v[1], &v[2], anchor)
	c.Pixels += int64(r.Dy()) * int64(1+r.Dx())
	if all[0].dx == 0 && all[3].dx == 0 && v[0].Color == v[1].Color && v[0].Color == v[2].Color {
		tints := [3]*tint{c.tint(0, v[0].Color[0]), c.tint(1, v[0].Color[1]), c.tint(2, v[0].Color[2])}
		for y := r.Min.Y; y < r.Max.Y; y++ {
			c.tinted(t, y, r.Min.X, r.Dx(), anchor, &all, &tints)
		}
		return true
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		c.span(t, y, r.Min.X, r.Dx(), anchor, &all)
	}
	return true
}

// isEven reports whether the values of the corners are those of a plane.
func isEven(v *[4]Vertex) bool {
	even := func(a, b, c, d float32) bool { return a+c == b+d }
	return even(v[0].Z, v[1].Z, v[2].Z, v[3].Z) && even(v[0].U, v[1].U, v[2].U, v[3].U) && even(v[0].V, v[1].V, v[2].V, v[3].V) &&
		even(v[0].Color[0], v[1].Color[0], v[2].Color[0], v[3].Color[0]) &&
		even(v[0].Color[1], v[1].Color[1], v[2].Color[1], v[3].Color[1]) &&
		even(v[0].Color[2], v[1].Color[2], v[2].Color[2], v[3].Color[2])
}

// tint is what the values of texels become under a colour.
type tint struct {
	by float32
	of [256]uint8 // 0 for a tint that was not made
}

// tint returns what the values of texels become in a channel, from those that were used last.
func (c *Canvas) tint(channel int, by float32) *tint {
	t := &c.tints[channel][math.Float32bits(by)*0x9e3779b1>>27]
	if t.by != by {
		t.by = by
		for i := range t.of {
			t.of[i] = uint8(multiply(uint8(i), float64(by), 1))
		}
	}
	return t
}

// tinted draws pixels of a row, all of one depth, of one row of texels, and of one colour.
func (c *Canvas) tinted(t *Texture, y, x0, n int, anchor image.Point, all *plane, tints *[3]*tint) {
	img := t.Image
	width := img.Rect.Dx()
	down := float64(y - anchor.Y)
	z := float32(all[0].at + down*all[0].dy)
	u, du := all[2].at+down*all[2].dy, all[2].dx
	ty := texel(all[3].at+down*all[3].dy, img.Rect.Dy(), t.RepeatV)
	row := img.Pix[ty*img.Stride:][:4*width]
	r := c.Image.Rect
	depth := c.depth[(y-r.Min.Y)*r.Dx()+x0-r.Min.X:][:n]
	pix := c.Image.Pix[c.Image.PixOffset(x0, y):][:4*n]
	for i := range depth {
		if z < depth[i] {
			continue
		}
		from := row[4*texel(u+float64(x0+i-anchor.X)*du, width, t.RepeatU):][:4:4]
		alpha := from[3]
		if t.Mode != Opaque && alpha < 128 && (t.Mode == Clip || alpha == 0) {
			continue
		}
		to := pix[4*i:][:4:4]
		if t.Mode == Blend {
			blend(to, [3]uint32{uint32(tints[0].of[from[0]]), uint32(tints[1].of[from[1]]), uint32(tints[2].of[from[2]])}, uint32(alpha))
			continue
		}
		to[0], to[1], to[2], to[3] = tints[0].of[from[0]], tints[1].of[from[1]], tints[2].of[from[2]], 255
		depth[i] = z
	}
}
