package worlddraw

import (
	"context"
	"errors"
	"image"

	"trowel.example/minetest/mapdb"
)

// Changed reports whether a part of a picture may have changed since an earlier time: whether it shows a block that
// was added, removed or changed, or whose relief depends on one. then is the map of the old blocks, and other the map
// of the changed blocks; both come from [PlacesOf] and have the same options.
func (m *Map) Changed(then, other *Map, r image.Rectangle, s Scaled) bool {
	n := s.nodes(r)
	wide := n
	if !m.o.Flat {
		wide.Min.X-- // the relief depends on the left neighbour
	}
	if other.shows(wide) {
		return true
	}
	if m.o.Flat {
		return false
	}
	// It also depends on the row above, skipping rows without any blocks.
	u0, u1 := floorDiv(n.Min.X, side), floorDiv(n.Max.X-1, side)
	some := func(m *Map, v int, ok bool) bool { return ok && len(m.source.index.among(v, u0, u1)) > 0 }
	for v := floorDiv(n.Min.Y, side); v*side < n.Max.Y; v++ {
		if v*side < n.Min.Y || !some(m, v, true) {
			continue
		}
		now, ok := m.above(v)
		was, had := then.above(v)
		if now == was && ok == had && some(other, now, ok) || (now != was || ok != had) && (some(m, now, ok) || some(then, was, had)) {
			return true
		}
	}
	return false
}

// Shows reports whether a part of the picture contains a block. A block affects nothing outside of its outline.
func (s *Iso) Shows(ctx context.Context, r image.Rectangle, at Scaled) (bool, error) {
	found := errors.New("found")
	err := s.Within(ctx, r, at, func(mapdb.Pos) error { return found })
	if err == found {
		return true, nil
	}
	return false, err
}
