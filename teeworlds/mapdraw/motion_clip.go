package mapdraw

import (
	"image"
	"math"
)

// Drawing triangles inside one more rectangle costs as much as this many blocks, and another one for each so many corners.
const (
	clipBlocks     = 2
	cornersOfBlock = 256
)

// clips returns the rectangles in pixels in which the triangles of a part can be visible: some blocks are not reached,
// others are behind opaque blocks.
func (m *motion) clips(part int) (all []image.Rectangle) {
	v := &m.movers[part/2]
	if v.part.Corners == 0 {
		return nil
	}
	cost := clipBlocks + v.part.Corners/cornersOfBlock
	seen := func(x, y int) bool {
		b := y*m.size.X + x
		stack := m.stack[b]
		return v.reach[b] && (len(stack) == 0 || !stack[0].opaque || stack[0].part < part)
	}
	for todo := []image.Rectangle{{Max: m.size}}; len(todo) > 0; {
		r, rest := tighten(todo[len(todo)-1], seen)
		todo = todo[:len(todo)-1]
		if least := area(r) - cost; least < 0 || area(rest[0])+area(rest[1]) > least {
			rest = [2]image.Rectangle{}
			r = image.Rectangle{r.Min.Mul(MotionBlockSide), r.Max.Mul(MotionBlockSide)}.Intersect(v.clip)
			if !r.Empty() {
				all = append(all, r)
			}
			continue
		}
		todo = append(todo, rest[:]...)
	}
	return all
}

func area(r image.Rectangle) int { return r.Dx() * r.Dy() }

// tighten returns the smallest rectangle with all points of r that are seen, and the two smallest ones after the best cut
// through it.
func tighten(r image.Rectangle, seen func(x, y int) bool) (all image.Rectangle, best [2]image.Rectangle) {
	rows, columns := make([]image.Rectangle, r.Dy()), make([]image.Rectangle, r.Dx())
	for y := range rows {
		for x := range columns {
			if at := r.Min.Add(image.Pt(x, y)); seen(at.X, at.Y) {
				dot := image.Rectangle{at, at.Add(image.Pt(1, 1))}
				rows[y], columns[x], all = rows[y].Union(dot), columns[x].Union(dot), all.Union(dot)
			}
		}
	}
	least := math.MaxInt
	for _, lines := range [2][]image.Rectangle{rows, columns} {
		after := make([]image.Rectangle, len(lines)+1) // unions of the lines from each one
		for i := len(lines) - 1; i >= 0; i-- {
			after[i] = after[i+1].Union(lines[i])
		}
		before := image.Rectangle{}
		for i, line := range lines {
			if n := area(before) + area(after[i]); n < least {
				least, best = n, [2]image.Rectangle{before, after[i]}
			}
			before = before.Union(line)
		}
	}
	return all, best
}
