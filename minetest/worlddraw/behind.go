package worlddraw

import (
	"context"
	"iter"
	"math"
)

// Behind yields the nodes behind a point of the picture, from the nearest to the farthest: those in the box of the
// options and in existing blocks.
func (m *Map) Behind(at [2]float64) iter.Seq[[3]int] {
	u, v := int(math.Floor(at[0])), int(math.Floor(at[1]))
	return func(yield func([3]int) bool) {
		if u < m.box.Min[0] || u > m.box.Max[0] || v < m.box.Min[1] || v > m.box.Max[1] {
			return
		}
		more := true
		m.source.index.column(floorDiv(u, side), floorDiv(v, side), func(low, high int) {
			for d := max(low*side, m.box.Min[2]); more && d <= min(high*side+side-1, m.box.Max[2]); d++ {
				more = yield(m.frame.out([3]int{u, v, d}))
			}
		})
	}
}

// NodeAt returns the node whose face is visible at a point of the picture, or false if there is none.
func (s *Iso) NodeAt(ctx context.Context, at [2]float64) (pos [3]int, ok bool, err error) {
	c := &cubes[len(cubes)-1]
	half := float64(c.half)
	t := &tracer{s: s, ctx: ctx, hit: func(p [3]int) { pos, ok = p, true }}
	if s.box.Min[0] > s.box.Max[0] {
		return pos, false, nil
	}
	_, err = t.trace(c.lines(int(math.Floor(at[0]*half)), int(math.Floor(at[1]*half))))
	return pos, ok, err
}
