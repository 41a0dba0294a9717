package texture

import (
	"image"
	"image/color"
)

// blend returns a pixel s over a pixel d, as the engine computes it: if both are translucent, that differs from true
// alpha blending.
func (j *job) blend(d, s color.NRGBA) color.NRGBA {
	switch {
	case s.A == 0:
		return d
	case s.A == 255 || d.A == 0:
		return s
	}
	round := 0
	if j.engine.before(9) {
		round = 127
	}
	a := int(s.A)
	mix := func(d, s uint8) uint8 { return uint8((int(d)*(255-a) + int(s)*a + round) / 255) }
	return color.NRGBA{mix(d.R, s.R), mix(d.G, s.G), mix(d.B, s.B), d.A + uint8(int(255-d.A)*a*a/65025)}
}

// mixOver returns a pixel s over a pixel d as the engine computes it where it copies parts of images: the alpha is that of s. So a
// translucent pixel over a transparent one, which is black, becomes darker.
func mixOver(d, s color.NRGBA) color.NRGBA {
	switch s.A {
	case 0:
		return d
	case 255:
		return s
	}
	a := int(s.A) + int(s.A>>7)
	mix := func(d, s uint8) uint8 { return uint8(int(d) + (int(s)-int(d))*a>>8) }
	return color.NRGBA{mix(d.R, s.R), mix(d.G, s.G), mix(d.B, s.B), s.A}
}

// pixelAt returns the pixel at an offset of Pix.
func pixelAt(pix []byte, i int) color.NRGBA {
	p := pix[i : i+4 : i+4]
	return color.NRGBA{p[0], p[1], p[2], p[3]}
}

func setPixel(pix []byte, i int, c color.NRGBA) {
	p := pix[i : i+4 : i+4]
	p[0], p[1], p[2], p[3] = c.R, c.G, c.B, c.A
}

// lay lays the part of m from (0,0) to size on the base at a position. Pixels outside of the base are ignored.
func (j *job) lay(base, m layer, at image.Point, size image.Point) layer {
	return j.combine(base, m, at, image.Rectangle{Max: size}, j.blend)
}

// combine replaces each pixel d of the base by mix(d, s), with the pixel s of a part of m, whose (0,0) is at a position.
func (j *job) combine(base, m layer, at image.Point, from image.Rectangle, mix func(d, s color.NRGBA) color.NRGBA) layer {
	if base = j.owned(base); base.none() {
		return base
	}
	area := from.Intersect(m.Rect).Add(at).Intersect(base.Rect)
	if area.Empty() || !j.spend(area.Dx()*area.Dy()) {
		return base
	}
	for y := area.Min.Y; y < area.Max.Y; y++ {
		d, s := base.PixOffset(area.Min.X, y), m.PixOffset(area.Min.X-at.X, y-at.Y)
		for range area.Dx() {
			setPixel(base.Pix, d, mix(pixelAt(base.Pix, d), pixelAt(m.Pix, s)))
			d, s = d+4, s+4
		}
	}
	return base
}

// each replaces all pixels of the base.
func (j *job) each(base layer, change func(c color.NRGBA) color.NRGBA) layer {
	if base = j.owned(base); base.none() || !j.spend(len(base.Pix)/4) {
		return base
	}
	for i := 0; i < len(base.Pix); i += 4 {
		setPixel(base.Pix, i, change(pixelAt(base.Pix, i)))
	}
	return base
}

// match brings the smaller image to the size of the larger one. If both have the same area, the second changes.
func (j *job) match(a, b layer) (layer, layer) {
	switch s, t := a.size(), b.size(); {
	case s == t:
	case s.X*s.Y < t.X*t.Y:
		a = j.scale(a, t)
	default:
		b = j.scale(b, s)
	}
	return a, b
}

// scale returns the image in another size, with the nearest pixels.
func (j *job) scale(m layer, size image.Point) layer {
	if m.none() || m.size() == size {
		return m
	}
	dst := j.blank(size)
	if dst.none() {
		return dst
	}
	columns, rows := nearest(m.Rect.Dx(), size.X), nearest(m.Rect.Dy(), size.Y)
	for y, from := range rows {
		row := m.Pix[from*m.Stride:]
		to := dst.Pix[y*dst.Stride:]
		for x, column := range columns {
			*(*[4]byte)(to[4*x:]) = *(*[4]byte)(row[4*column:])
		}
	}
	return dst
}

// nearest returns the source of each of to pixels that are scaled from from pixels.
func nearest(from, to int) []int {
	list := make([]int, to)
	for i := range list {
		switch {
		case to%from == 0:
			list[i] = i / (to / from)
		case to > 1:
			step := float32(from-1) / float32(to-1)
			list[i] = min(int(float32(0.5)+float32(i)*step), from-1)
		}
	}
	return list
}

// crop returns a part of an image. Pixels outside of the image are transparent.
func (j *job) crop(m layer, area image.Rectangle) layer {
	return j.combine(j.blank(area.Size()), m, area.Min.Mul(-1), area, mixOver)
}

// Mean returns the mean color of an image, in which transparent pixels count by their alpha.
func Mean(m *image.NRGBA) color.NRGBA {
	var sum [3]uint64
	var alpha, n uint64
	for y := m.Rect.Min.Y; y < m.Rect.Max.Y; y++ {
		row := m.Pix[m.PixOffset(m.Rect.Min.X, y):][:4*m.Rect.Dx()]
		for ; len(row) > 0; row = row[4:] {
			a := uint64(row[3])
			for i := range sum {
				sum[i] += uint64(row[i]) * a
			}
			alpha += a
			n++
		}
	}
	if alpha == 0 {
		return color.NRGBA{}
	}
	mean := func(s uint64) uint8 { return uint8((s + alpha/2) / alpha) }
	return color.NRGBA{mean(sum[0]), mean(sum[1]), mean(sum[2]), uint8((alpha + n/2) / n)}
}
