package worlddraw

import (
	"context"
	"image"
	"image/color"
	"math"

	"trowel.example/minetest/mapdb"
)

// coverColor is the colour of blocks whose content is unknown.
var coverColor = color.RGBA{R: 128, G: 132, B: 140, A: 255}

// Cover draws the pixels that contain a part of a block, in one colour. It reads no blocks, so the blocks may contain
// only air.
func (m *Map) Cover(_ context.Context, dst *image.RGBA, s Scaled) error {
	w := m.source.index
	width := dst.Rect.Dx()
	if width <= 0 || !w.any {
		return nil
	}
	first, last := make([]int, width), make([]int, width) // first and last column of blocks, by pixel
	for i := range first {
		from, to := s.span(0, dst.Rect.Min.X+i)
		first[i], last[i] = floorDiv(from, side), floorDiv(to-1, side)
	}
	line, left := make([]bool, width), 0
	v0, v1 := math.MaxInt, math.MinInt // the range of v that line covers
	for y := dst.Rect.Min.Y; y < dst.Rect.Max.Y; y++ {
		from, to := s.span(1, y)
		if a, b := floorDiv(from, side), floorDiv(to-1, side); a != v0 || b != v1 {
			v0, v1 = a, b
			clear(line)
			left = width
			for v := max(v0, w.box.Min[1]); v <= min(v1, w.box.Max[1]) && left > 0; v++ {
				left -= w.mark(v, first, last, line)
			}
		}
		if left == width {
			continue
		}
		for i, is := range line {
			if is {
				dst.SetRGBA(dst.Rect.Min.X+i, y, coverColor)
			}
		}
	}
	return nil
}

// mark marks the pixels of a line whose columns, from first to last of each pixel, contain a block in row v. It
// returns the number of newly marked pixels.
func (w *window) mark(v int, first, last []int, line []bool) (more int) {
	if !w.row(v) {
		return 0
	}
	i := 0
	for _, r := range w.runs(first[0], v) {
		u := r.u()
		if u > w.box.Max[0] {
			break
		}
		if r.d() > w.box.Max[2] || r.last() < w.box.Min[2] {
			continue
		}
		for i < len(line) && last[i] < u {
			i++
		}
		if i == len(line) {
			break
		}
		for j := i; j < len(line) && first[j] <= u; j++ {
			if !line[j] {
				line[j] = true
				more++
			}
		}
	}
	return more
}

// Cover is [Map.Cover] for the isometric picture: it draws the outlines of blocks.
func (s *Iso) Cover(ctx context.Context, dst *image.RGBA, at Scaled) error {
	return s.piles(ctx, at, dst.Rect, func(_ []mapdb.Pos, from, to [2]float64) error {
		at.hexagon(dst, from, to)
		return nil
	})
}

// piles calls do for stacks of adjacent blocks that may be visible in a part of a picture, with the corners of their
// outline in the isometric picture.
func (s *Iso) piles(ctx context.Context, at Scaled, part image.Rectangle, do func(all []mapdb.Pos, from, to [2]float64) error) error {
	low, high := at.place(part.Min), at.place(part.Max)
	f := frames[Top]
	var all []mapdb.Pos
	for v := s.has.box.Min[1]; v <= s.has.box.Max[1]; v++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		z := f.out([3]int{0, v, 0})[2]
		left := int(math.Floor(low[0]/side)) + z - 1 // no block before it is wide enough
		for _, r := range s.has.runs(max(left, s.has.box.Min[0]), v) {
			if float64((r.u()-z-1)*side) >= high[0] {
				break
			}
			first, last := max(r.d(), s.has.box.Min[2]), min(r.last(), s.has.box.Max[2])
			if first > last || r.u() > s.has.box.Max[0] {
				continue
			}
			top, bottom := f.out([3]int{r.u(), v, first}), f.out([3]int{r.u(), v, last})
			box := Box{[3]int{top[0] * side, bottom[1] * side, top[2] * side},
				[3]int{top[0]*side + side - 1, top[1]*side + side - 1, top[2]*side + side - 1}}
			from, to := IsoBounds(box)
			if from[0] >= high[0] || to[0] <= low[0] || from[1] >= high[1] || to[1] <= low[1] {
				continue
			}
			all = all[:0]
			for y := top[1]; y >= bottom[1]; y-- {
				all = append(all, mapdb.Pos{X: int16(top[0]), Y: int16(y), Z: int16(top[2])})
			}
			if err := do(all, from, to); err != nil {
				return err
			}
		}
	}
	return nil
}

// hexagon fills the outline of a stack of blocks between two corners.
func (s Scaled) hexagon(dst *image.RGBA, from, to [2]float64) {
	pixel := func(axis int, v float64) int { return int(math.Floor((v - s.Origin[axis]) * s.Scale)) }
	middle := (from[0] + to[0]) / 2
	for x := max(dst.Rect.Min.X, pixel(0, from[0])); x <= min(dst.Rect.Max.X-1, pixel(0, to[0])); x++ {
		// The height is that at the point of the pixel nearest to the middle; the edges rise by one half.
		left := s.Origin[0] + float64(x)/s.Scale
		off := max(0, left-middle, middle-left-1/s.Scale) / 2
		for y := max(dst.Rect.Min.Y, pixel(1, from[1]+off)); y <= min(dst.Rect.Max.Y-1, pixel(1, to[1]-off)); y++ {
			dst.SetRGBA(x, y, coverColor)
		}
	}
}
