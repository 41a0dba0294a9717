package mapdraw

import (
	"encoding/binary"
	"image"
	"math"
	"math/bits"
	"slices"
)

// Textures have the form that graphics cards use: pixels of four bytes whose colour is not multiplied by their alpha,
// and the same picture in half the size, repeatedly, down to one pixel. The colours of transparent pixels have full
// weight when it is halved.

// level is a picture, or 16 x 16 independent cells of the same size.
type level struct {
	w, h   int // of the picture, or of a cell
	stride int // bytes from one row to the next
	pix    []byte
}

// texture holds all sizes of a picture, the largest first.
type texture []level

// sheet holds all sizes of a picture of tiles.
type sheet struct {
	levels []level
	empty  [256]bool // cells that are completely transparent
}

const cellsInRow = 16

// small returns the picture without its sizes of more than n bytes, to be kept without the others.
func (s *sheet) small(n int) *sheet {
	small := &sheet{levels: slices.Clone(s.levels), empty: s.empty}
	for i := range small.levels {
		if len(small.levels[i].pix) > n {
			small.levels[i].pix = nil
		}
	}
	return small
}

// detail returns the sizes of the picture for tiles of the given size in pixels.
func (s *sheet) detail(size float64) detail {
	return detailOf(float64(max(s.levels[0].w, s.levels[0].h))/size, len(s.levels))
}

// cell returns the offset of a cell.
func (l *level) cell(index int) int {
	return index/cellsInRow*l.h*l.stride + index%cellsInRow*l.w*4
}

// newTexture makes the smaller sizes of a picture. It keeps the picture; nil gives nil.
func newTexture(p *image.NRGBA) texture {
	if p == nil {
		return nil
	}
	t := texture{{p.Rect.Dx(), p.Rect.Dy(), p.Stride, p.Pix}}
	for {
		last := t[len(t)-1]
		if last.w == 1 && last.h == 1 {
			return t
		}
		next := newLevel(max(last.w/2, 1), max(last.h/2, 1), 1)
		halve(next.pix, next, last.pix, last)
		t = append(t, next)
	}
}

func newLevel(w, h, cells int) level {
	return level{w, h, 4 * w * cells, make([]byte, 4*w*h*cells*cells)}
}

// newSheet divides a picture into tiles. Its width and height must be multiples of 16; nil gives nil.
func newSheet(p *image.NRGBA) *sheet {
	if p == nil {
		return nil
	}
	s := &sheet{levels: []level{{p.Rect.Dx() / cellsInRow, p.Rect.Dy() / cellsInRow, p.Stride, p.Pix}}}
	first := s.levels[0]
	for i := range s.empty {
		most := byte(0)
		for y := range first.h {
			row := first.pix[first.cell(i)+y*first.stride:]
			for x := range first.w {
				most = max(most, row[4*x+3])
			}
		}
		s.empty[i] = most == 0
	}
	for {
		last := s.levels[len(s.levels)-1]
		if last.w == 1 && last.h == 1 {
			return s
		}
		next := newLevel(max(last.w/2, 1), max(last.h/2, 1), cellsInRow)
		for i := range s.empty {
			if !s.empty[i] {
				halve(next.pix[next.cell(i):], next, last.pix[last.cell(i):], last)
			}
		}
		s.levels = append(s.levels, next)
	}
}

// halve makes the next smaller size of a picture: each pixel is interpolated at the middle of the pixels that it
// replaces.
func halve(dst []byte, to level, src []byte, from level) {
	xs, ys := middles(to.w, from.w), middles(to.h, from.h)
	for y, my := range ys {
		top, bottom := src[my.first*from.stride:], src[my.second*from.stride:]
		for x, mx := range xs {
			for c := range 4 {
				a, b := 4*mx.first+c, 4*mx.second+c
				up := int(top[a])*(256-mx.weight) + int(top[b])*mx.weight
				down := int(bottom[a])*(256-mx.weight) + int(bottom[b])*mx.weight
				dst[y*to.stride+4*x+c] = byte((up*(256-my.weight) + down*my.weight + 1<<15) >> 16)
			}
		}
	}
}

// middle is a position between two pixels; weight, of 256, is that of the second.
type middle struct{ first, second, weight int }

// middles divides a line of from pixels into to equal parts and returns their middles.
func middles(to, from int) []middle {
	all := make([]middle, to)
	for i := range all {
		at := ((2*i+1)*from*256/to - 256) / 2 // from the middle of the first pixel, in 1/256
		at = max(at, 0)
		all[i] = middle{at / 256, min(at/256+1, from-1), at % 256}
	}
	return all
}

// tileable returns a picture that can be divided into tiles. If its width or height is not a multiple of 16, it is
// resized as the game does.
func tileable(p *image.NRGBA) *image.NRGBA {
	if p == nil {
		return nil
	}
	w, h := p.Rect.Dx(), p.Rect.Dy()
	if w%cellsInRow == 0 && h%cellsInRow == 0 {
		return p
	}
	return resize(p, max(highestBit(w), cellsInRow), max(highestBit(h), cellsInRow))
}

// highestBit returns the largest power of two that is at most n.
func highestBit(n int) int { return 1 << (bits.Len(uint(n)) - 1) }

// resize changes the size of a picture as the game does: with bicubic interpolation (Catmull-Rom) that aligns the
// corners.
func resize(p *image.NRGBA, w, h int) *image.NRGBA {
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	xs := cubicTaps(w, p.Rect.Dx())
	var wide [4][]float32 // source rows in the new width, each at its number modulo 4
	numbers := [4]int{-1, -1, -1, -1}
	for y, tap := range cubicTaps(h, p.Rect.Dy()) {
		var rows [4][]float32
		for j, sy := range tap.at {
			k := sy % 4
			if numbers[k] != sy {
				numbers[k], wide[k] = sy, widen(wide[k][:0], p.Pix[sy*p.Stride:], xs)
			}
			rows[j] = wide[k]
		}
		line := out.Pix[y*out.Stride:][:4*w]
		a, b, c, d := rows[0][:len(line)], rows[1][:len(line)], rows[2][:len(line)], rows[3][:len(line)]
		for i := range line {
			line[i] = byte(min(max(int(cubic(a[i], b[i], c[i], d[i], tap.t)), 0), 255))
		}
	}
	return out
}

// widen appends the interpolated pixels of a row to dst.
func widen(dst []float32, row []byte, xs []taps) []float32 {
	for _, x := range xs {
		a, b, c, d := row[4*x.at[0]:][:4], row[4*x.at[1]:][:4], row[4*x.at[2]:][:4], row[4*x.at[3]:][:4]
		for i := range 4 {
			dst = append(dst, cubic(float32(a[i]), float32(b[i]), float32(c[i]), float32(d[i]), x.t))
		}
	}
	return dst
}

// taps holds four source pixels, and the position between the two in the middle.
type taps struct {
	at [4]int
	t  float32
}

func cubicTaps(to, from int) []taps {
	all := make([]taps, to)
	for i := range all {
		at := float32(i)/float32(to-1)*float32(from) - 0.5
		first := int(at) // rounds towards zero, while the fraction is that of the floor, as in the game
		all[i].t = at - float32(math.Floor(float64(at)))
		for j := range all[i].at {
			all[i].at[j] = min(max(first+j-1, 0), from-1)
		}
	}
	return all
}

// cubic evaluates the Catmull-Rom curve through v1 and v2.
func cubic(v0, v1, v2, v3, t float32) float32 {
	a := -v0/2 + 3*v1/2 - 3*v2/2 + v3/2
	b := v0 - 5*v1/2 + 2*v2 - v3/2
	c := -v0/2 + v2/2
	return a*t*t*t + b*t*t + c*t + v1
}

// within halves a picture until its sides fit the limit of graphics cards.
func within(p *image.NRGBA, side int) *image.NRGBA {
	for p.Rect.Dx() > side || p.Rect.Dy() > side {
		from := level{p.Rect.Dx(), p.Rect.Dy(), p.Stride, p.Pix}
		to := newLevel(max(from.w/2, 1), max(from.h/2, 1), 1)
		halve(to.pix, to, from.pix, from)
		p = &image.NRGBA{Pix: to.pix, Stride: to.stride, Rect: image.Rect(0, 0, to.w, to.h)}
	}
	return p
}

// nullPicture returns the picture that the game shows for unreadable pictures: quarters of red, green, blue and
// yellow.
func nullPicture() *image.NRGBA {
	return painted(16, func(x, y int) uint32 {
		return [4]uint32{0xff0000ff, 0x00ff00ff, 0x0000ffff, 0xffff00ff}[y/8*2+x/8]
	})
}

// checkerPicture returns a checkerboard that cannot be mistaken for a part of a map, the same in each tile.
func checkerPicture() *image.NRGBA {
	return painted(256, func(x, y int) uint32 {
		if (x/4+y/4)%2 == 0 {
			return 0xff00ffff
		}
		return 0x201020ff
	})
}

// hatchPicture returns one tone with a light hatch, which has no seams between tiles.
func hatchPicture() *image.NRGBA {
	return painted(256, func(x, y int) uint32 {
		if (x+y)%8 < 2 {
			return 0xa4a6aaff
		}
		return 0x8e9095ff
	})
}

// painted returns a square picture of colours 0xrrggbbaa.
func painted(side int, color func(x, y int) uint32) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, side, side))
	for i := range side * side {
		binary.BigEndian.PutUint32(p.Pix[4*i:], color(i%side, i/side))
	}
	return p
}
