package picture

import (
	"image"
	"math"
)

// Draw draws a picture over the pixels of dst.Rect. Its left top stands at x,y, and a pixel
// of it is as wide as a unit; the pixel (px,py) of dst is the square from
// origin + (px,py)/scale on, as long as 1/scale units. Where pixels are smaller than those
// of the picture, each is the one in its middle; where they are larger, it is the mean.
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
				over(to, mean(m, right, down))
			}
		}
	}
}

// span is what a pixel covers of a picture along one side: pixels from first to last, these
// two with less weight; all weights are 1 together if nothing of it lies beside the picture.
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

// mean returns the mean colour of a part of a picture, alpha multiplied in, each from 0 to 255.
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

// overOne lays a pixel, alpha not multiplied in, over another.
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

// over lays a colour over a pixel.
func over(dst []byte, c [4]float64) {
	rest := 1 - c[3]/255
	for i := range 4 {
		dst[i] = uint8(min(255, math.Floor(c[i]+float64(dst[i])*rest+0.5)))
	}
	for i := range 3 {
		dst[i] = min(dst[i], dst[3])
	}
}
