package picture

import (
	"image"
	"math"
)

// Draw draws a picture over the pixels of dst.Rect. The top left corner of the picture is at x,y, and each of its
// pixels is one unit wide. The pixel (px,py) of dst is a square at origin + (px,py)/scale with sides of 1/scale units.
// If it is smaller than a pixel of the picture, it gets the color at its center, otherwise the mean of the pixels that
// it covers.
func Draw(dst *image.RGBA, m *image.NRGBA, x, y float64, origin [2]float64, scale float64) {
	if m.Rect.Empty() || !(scale > 0) {
		return
	}
	across := spans(dst.Rect.Min.X, dst.Rect.Max.X, m.Rect.Dx(), x, origin[0], scale)
	for py := dst.Rect.Min.Y; py < dst.Rect.Max.Y; py++ {
		down := spanOf(py, m.Rect.Dy(), y, origin[1], scale)
		if down.empty() {
			continue
		}
		for i, right := range across {
			if right.empty() {
				continue
			}
			to := dst.Pix[dst.PixOffset(dst.Rect.Min.X+i, py):][:4:4]
			if scale >= 1 {
				overOne(to, m.Pix[m.PixOffset(m.Rect.Min.X+right.first, m.Rect.Min.Y+down.first):][:4:4])
			} else {
				blendOver(to, mean(m, right, down))
			}
		}
	}
}

// span is the part of a picture that a pixel covers along one axis: pixels from first to last, the outer two with lower
// weight. The sum of all weights is 1 if the pixel is completely on the picture.
type span struct {
	first, last        int
	head, middle, tail float64
}

func (s span) empty() bool { return s.last < s.first }

func (s span) weight(i int) float64 {
	switch i {
	case s.first:
		return s.head
	case s.last:
		return s.tail
	}
	return s.middle
}

func spans(from, to, length int, at, origin, scale float64) []span {
	list := make([]span, to-from)
	for i := range list {
		list[i] = spanOf(from+i, length, at, origin, scale)
	}
	return list
}

func spanOf(p, length int, at, origin, scale float64) span {
	nothing := span{first: 0, last: -1}
	if scale >= 1 {
		i := math.Floor(origin + (float64(p)+0.5)/scale - at)
		if i < 0 || i >= float64(length) {
			return nothing
		}
		return span{first: int(i), last: int(i), head: 1}
	}
	from, to := origin+float64(p)/scale-at, origin+float64(p+1)/scale-at
	from, to = max(0, from), min(float64(length), to)
	if !(to-from > 1e-9) {
		return nothing
	}
	s := span{first: int(math.Floor(from)), last: min(int(math.Ceil(to)), length) - 1, middle: scale}
	if s.first >= s.last {
		s.last = s.first
		s.head = (to - from) * scale
		return s
	}
	s.head = (float64(s.first+1) - from) * scale
	s.tail = (to - float64(s.last)) * scale
	return s
}

// mean returns the mean color of a part of a picture, premultiplied with alpha, each component from 0 to 255.
func mean(m *image.NRGBA, right, down span) (c [4]float64) {
	for y := down.first; y <= down.last; y++ {
		wy := down.weight(y)
		p := m.Pix[m.PixOffset(m.Rect.Min.X+right.first, m.Rect.Min.Y+y):]
		for x := right.first; x <= right.last; x++ {
			w := wy * right.weight(x)
			a := w * float64(p[3]) / 255
			c[0] += a * float64(p[0])
			c[1] += a * float64(p[1])
			c[2] += a * float64(p[2])
			c[3] += a * 255
			if p = p[4:]; len(p) == 0 {
				break
			}
		}
	}
	return c
}

// overOne draws a pixel, not premultiplied with alpha, over another.
func overOne(dst, p []byte) {
	switch a := uint32(p[3]); a {
	case 0:
	case 255:
		copy(dst, p)
	default:
		for i := range 3 {
			dst[i] = uint8((uint32(p[i])*a + uint32(dst[i])*(255-a) + 127) / 255)
		}
		dst[3] = uint8((255*a + uint32(dst[3])*(255-a) + 127) / 255)
	}
}

// blendOver draws a color over a pixel.
func blendOver(dst []byte, c [4]float64) {
	rest := 1 - c[3]/255
	for i := range 4 {
		dst[i] = uint8(min(255, math.Floor(c[i]+float64(dst[i])*rest+0.5)))
	}
	for i := range 3 {
		dst[i] = min(dst[i], dst[3])
	}
}
