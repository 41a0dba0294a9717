package worldedit

import (
	"sync/atomic"

	"trowel.example/minetest/mapblock"
)

// A Tally counts what a step does, or would do.
type Tally struct {
	Nodes    atomic.Int64 // that became others
	Metadata atomic.Int64 // metadata and timers of places that were changed or dropped
	Objects  atomic.Int64 // that are gone
	Blocks   atomic.Int64 // in which something was changed
}

// Setting says how nodes become others.
type Setting struct {
	// Param2 is that of what is new, 0 to 255; KeepParam2 leaves what is there.
	Param2     uint8
	KeepParam2 bool
	// KeepMetadata leaves metadata and timers at places where the name of the node changes.
	KeepMetadata bool
	// Create changes blocks, too, that the map generator has not made yet, as far as the
	// region has an end.
	Create bool

	Tally *Tally // may be nil
}

// set makes nodes of a block others, whose names pick tells.
func (s *Setting) set(b *Block, m *Mask, pick func(index int) string) error {
	var renamed Mask
	n := int64(0)
	for i := range m.All {
		param2 := s.Param2
		if s.KeepParam2 {
			param2 = b.Param2[i]
		}
		before := b.Param0[i]
		is, err := b.SetNode(i, pick(i), param2)
		if err != nil {
			return err
		}
		if is {
			renamed.Set(i)
		}
		if is || before == b.Param0[i] && b.nodes {
			n++
		}
	}
	s.forget(b, &renamed)
	if s.Tally != nil && n > 0 {
		s.Tally.Nodes.Add(n)
		s.Tally.Blocks.Add(1)
	}
	return nil
}

// forget drops what belonged to nodes that are others now.
func (s *Setting) forget(b *Block, renamed *Mask) {
	if s.KeepMetadata {
		return
	}
	n := len(b.Metadata.List) + len(b.Timers.List)
	if n > 0 && b.ForgetIf(func(i int) bool { return i < mapblock.NodeCount && renamed.Has(i) }) && s.Tally != nil {
		s.Tally.Metadata.Add(int64(n - len(b.Metadata.List) - len(b.Timers.List)))
	}
}

// Replace is a step that makes the nodes of some names in a region others. It is about nodes
// that no game knows any more, too.
func Replace(r Region, from Names, to string, s Setting) Step {
	match := from.Match()
	selected := r.Selector()
	step := Each{Area: r.Area(), May: from.may(), Edit: func(b *Block) error {
		ids := b.Select(func(name string) bool { return match(name) && (name != to || !s.KeepParam2) })
		if ids == nil {
			return nil
		}
		m, any := selected(b)
		if !any {
			return nil
		}
		for i := range m.All {
			if id := b.Param0[i]; int(id) >= len(ids) || !ids[id] {
				m.Clear(i)
			}
		}
		return s.set(b, &m, func(int) string { return to })
	}}
	return step
}
