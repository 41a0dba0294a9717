package worldedit

import (
	"errors"
	"fmt"
	"iter"
)

// Stretch is a step that enlarges a region by a factor along each axis, at least 1. Each node becomes a box of equal nodes, which
// all have its metadata and its timer. The corner with the least coordinates keeps its position. Nodes of the region that do not
// fill their old position become air there, like those of [Move].
func Stretch(r Region, by Vec, s Setting) (Step, error) {
	if r.Invert {
		return nil, errors.New("the outside of a region cannot be stretched")
	}
	size := r.Box.Size()
	for i := range by {
		if by[i] < 1 || size[i] > (MaxNode-r.Box.Min[i]+1)/by[i] {
			return nil, fmt.Errorf("%d nodes from %d on cannot be stretched by %d: expected a factor of 1 or more, and a result inside of the world",
				size[i], r.Box.Min[i], by[i])
		}
	}
	least := r.Box.Min
	scaled := func(v Vec) Vec { return Vec{v[0] * by[0], v[1] * by[1], v[2] * by[2]} }
	box := Box{least, least.Add(scaled(size)).Sub(Vec{1, 1, 1})}
	return transfer{
		region: r, targets: []Box{box}, s: s,
		vacate: func(from Vec) Vec { return least.Add(scaled(from.Sub(least))) },
		from: func(to Vec) iter.Seq[Vec] {
			return func(yield func(Vec) bool) {
				if d := to.Sub(least); box.Contains(to) {
					yield(least.Add(Vec{d[0] / by[0], d[1] / by[1], d[2] / by[2]}))
				}
			}
		},
	}, nil
}
