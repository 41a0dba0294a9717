package worldedit

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"trowel.example/check"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/nodedef"
	"trowel.example/minetest/turn"
)

// Counts counts the changes of a step.
type Counts struct {
	Nodes    atomic.Int64 // nodes that were changed
	Metadata atomic.Int64 // metadata and timers that were changed or removed
	Objects  atomic.Int64 // objects that were removed
	Items    atomic.Int64 // inventory slots that were changed
	Blocks   atomic.Int64 // blocks that were removed or replaced

	mu      sync.Mutex
	notes   map[string]int64
	changes []check.Change
	box     Box // of the changed nodes, if bounded
	bounded bool
}

// addNodes counts n changed nodes of a block, and extends the box by the nodes of m.
func (t *Counts) addNodes(b *Block, m *Mask, n int64) {
	if t.Nodes.Add(n); n == 0 {
		return
	}
	const last = mapblock.Side - 1
	box, origin := Box{Vec{last, last, last}, Vec{}}, b.Origin()
	if now, bounded := t.Box(); bounded && now.extend(Box{Vec{}, Vec{last, last, last}}.Move(origin)) == now {
		return // the whole block is in it
	}
	for i := range m.All {
		x, y, z := mapblock.Coordinates(i)
		box = box.extend(Box{Vec{x, y, z}, Vec{x, y, z}})
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if box = box.Move(origin); t.bounded {
		box = box.extend(t.box)
	}
	t.box, t.bounded = box, true
}

// Box returns the box of the changed nodes, and whether there are any.
func (t *Counts) Box() (Box, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.box, t.bounded
}

// Note counts something that the user should know.
func (t *Counts) Note(what string, n int64) {
	if t == nil || n == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.notes == nil {
		t.notes = make(map[string]int64)
	}
	t.notes[what] += n
}

// Notes returns the notes as lines of text.
func (t *Counts) Notes() (lines []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for what, n := range t.notes {
		lines = append(lines, fmt.Sprintf("%s: %d", what, n))
	}
	slices.Sort(lines)
	return lines
}

// Add adds a change of another kind.
func (t *Counts) Add(c check.Change) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.changes = append(t.changes, c)
}

// Changed reports whether the step changed anything.
func (t *Counts) Changed() bool {
	return t.Nodes.Load()+t.Metadata.Load()+t.Items.Load()+t.Objects.Load()+t.Blocks.Load() > 0 || len(t.changes) > 0
}

// Changes returns the changes of other kinds, in the order in which they were added.
func (t *Counts) Changes() []check.Change { return t.changes }

// Setting controls how nodes are changed.
type Setting struct {
	// Param2 is the param2 of new nodes; KeepParam2 keeps the existing param2.
	Param2     uint8
	KeepParam2 bool
	// KeepMetadata keeps metadata and timers where the name of the node changes.
	KeepMetadata bool
	// Create creates missing blocks, and also changes blocks that the map generator has not finished. The map
	// generator will not change these blocks any more.
	Create bool
	// Orient makes [Turn] also rotate nodes with a direction, if their definitions are known: see [World.Nodes].
	Orient bool

	Counts *Counts // may be nil
}

// generated reports whether nodes of a block may be set. They may not be set if the map generator would generate the
// block again.
func (s *Setting) generated(b *Block) bool {
	if b.IsGenerated() {
		return true
	}
	if !s.Create {
		s.Counts.Note("blocks that are not generated yet, unchanged", 1)
		return false
	}
	b.Flags &^= mapblock.NotGenerated
	b.Mark()
	return true
}

// set changes nodes of a block to the names that pick returns.
func (s *Setting) set(b *Block, m *Mask, pick func(index int) string) error {
	var renamed, touched Mask
	n := int64(0)
	for i := range m.All {
		param2 := s.Param2
		if s.KeepParam2 {
			param2 = b.Param2[i]
		}
		was := b.Param2[i]
		ok, err := b.SetNode(i, pick(i), param2)
		if err != nil {
			return err
		}
		if ok {
			renamed.Set(i)
		}
		if ok || was != param2 {
			touched.Set(i)
			n++
		}
	}
	if !s.KeepMetadata {
		s.forget(b, &renamed)
	}
	if s.Counts != nil {
		s.Counts.addNodes(b, &touched, n)
	}
	return nil
}

// rename changes all nodes of an id by changing the name of the id. Up to version 28, this leaves the compressed data
// unchanged.
func (s *Setting) rename(b *Block, m *Mask, id uint16, to string) {
	n := m.Count()
	if n == 0 {
		return
	}
	b.Names = slices.Clone(b.Names)
	for i := range b.Names {
		if b.Names[i].ID == id {
			b.Names[i].Name = to
		}
	}
	b.ids = nil
	b.MarkNodes()
	if !s.KeepMetadata {
		s.forget(b, m)
	}
	if s.Counts != nil {
		s.Counts.addNodes(b, m, int64(n))
	}
}

// forget removes the metadata and timers of nodes.
func (s *Setting) forget(b *Block, m *Mask) {
	n := len(b.Metadata.List) + len(b.Timers.List)
	if b.ForgetIf(func(i int) bool { return i < mapblock.NodeCount && m.Has(i) }) && s.Counts != nil {
		s.Counts.Metadata.Add(int64(n - len(b.Metadata.List) - len(b.Timers.List)))
	}
}

// Set is a step that fills a region with nodes of one name.
func Set(r Region, name string, s Setting) Step {
	return r.each(s, func(b *Block, m *Mask) error {
		return s.set(b, m, func(int) string { return name })
	})
}

// each is a step that calls do with the selected nodes of each block of the region that may be changed.
func (r Region) each(s Setting, do func(b *Block, m *Mask) error) Step {
	selected := r.Selector()
	return Each{Area: r.Area(), Create: s.Create, Edit: func(b *Block) error {
		m, any := selected(b)
		if !any || !s.generated(b) {
			return nil
		}
		return do(b, &m)
	}}
}

// Replace is a step that replaces nodes by name in a region. The old names need not be known to any game.
func Replace(r Region, from Names, to string, s Setting) Step {
	return replace(r, from, false, to, s)
}

// ReplaceOthers is a step that replaces all nodes except air and those in keep.
func ReplaceOthers(r Region, keep Names, to string, s Setting) Step {
	return replace(r, keep, true, to, s)
}

func replace(r Region, from Names, inverse bool, to string, s Setting) Step {
	match := from.Match()
	selected := r.Selector()
	step := Each{Area: r.Area(), Edit: func(b *Block) error {
		ids := b.Select(func(name string) bool {
			return match(name) != inverse && !(inverse && name == mapblock.Air) && !(name == to && s.KeepParam2)
		})
		if ids == nil {
			return nil
		}
		m, any := selected(b)
		if !any {
			return nil
		}
		whole := m == all
		b.keep(&m, ids)
		if id, ok := b.renamable(ids, to); ok && whole && s.KeepParam2 {
			s.rename(b, &m, id, to)
			return nil
		}
		return s.set(b, &m, func(int) string { return to })
	}}
	if !inverse {
		step.May = from.may()
	}
	return step
}

// Weighted is a name and its relative frequency.
type Weighted struct {
	Name   string
	Weight int
}

// Mix is a step that fills a region with nodes of several names at random. The same seed gives the same nodes.
func Mix(r Region, names []Weighted, seed uint64, s Setting) (Step, error) {
	total := uint64(0)
	for _, n := range names {
		if n.Weight < 0 || n.Weight > 1<<30 {
			return nil, fmt.Errorf("%s: expected a weight from 0 to %d, not %d", n.Name, 1<<30, n.Weight)
		}
		total += uint64(n.Weight)
	}
	if total == 0 {
		return nil, fmt.Errorf("expected names with weights")
	}
	return r.each(s, func(b *Block, m *Mask) error {
		origin := b.Origin()
		return s.set(b, m, func(i int) string {
			x, y, z := mapblock.Coordinates(i)
			chance := random(seed, origin.Add(Vec{x, y, z})) % total
			for _, n := range names {
				if chance < uint64(n.Weight) {
					return n.Name
				}
				chance -= uint64(n.Weight)
			}
			return "" // unreachable
		})
	}), nil
}

// random returns the random number of a seed at a position.
func random(seed uint64, v Vec) uint64 {
	h := seed
	for _, c := range v {
		h += uint64(c) + 0x9e3779b97f4a7c15
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return h
}

// SetParam2 is a step that sets the param2 of the nodes of a region.
func SetParam2(r Region, param2 uint8, s Setting) Step {
	return r.turnStep(s, func(string) func(uint8) uint8 { return func(uint8) uint8 { return param2 } })
}

// turnStep is a step that changes the param2 of the nodes of a region. way returns the change for a name, or nil for
// none.
func (r Region) turnStep(s Setting, way func(name string) func(param2 uint8) uint8) Step {
	selected := r.Selector()
	return Each{Area: r.Area(), Edit: func(b *Block) error {
		m, any := selected(b)
		if !any {
			return nil
		}
		table := b.Table()
		ways := make([]func(uint8) uint8, len(table))
		for id, name := range table {
			ways[id] = way(name)
		}
		n := int64(0)
		var touched Mask
		for i := range m.All {
			if id := b.Param0[i]; int(id) < len(ways) && ways[id] != nil {
				if p := ways[id](b.Param2[i]); p != b.Param2[i] {
					b.Param2[i] = p
					touched.Set(i)
					n++
				}
			}
		}
		if n > 0 {
			b.Mark()
		}
		if s.Counts != nil {
			s.Counts.addNodes(b, &touched, n)
		}
		return nil
	}}
}

// Orient is a step that rotates the nodes of a region in place: chests, stairs and torches face another direction.
// The node definitions determine which nodes rotate; see [World.Nodes].
func Orient(r Region, m turn.Motion, s Setting) Step {
	return stepOf(func(w *World) Step {
		o := orienter{m, w.definitions(), s.Counts}
		return r.turnStep(s, o.way)
	})
}

// orienter rotates the param2 of nodes.
type orienter struct {
	motion turn.Motion
	nodes  nodedef.List
	counts *Counts
}

// way returns the rotation of param2 for nodes of a name, or nil if they do not rotate.
func (o orienter) way(name string) func(uint8) uint8 {
	def, ok := o.nodes[name]
	if !ok || def.ParamType2 == "" || def.ParamType2 == "none" {
		return nil
	}
	return func(p uint8) uint8 {
		p, exact := o.motion.Param2(def.ParamType2, p)
		if !exact {
			o.counts.Note("nodes "+name+" that cannot be turned this way", 1)
		}
		return p
	}
}

// stepOf is a step that depends on the world. It needs a separate pass.
func stepOf(step func(w *World) Step) Step {
	return StepFunc(func(ctx context.Context, w *World) error { return step(w).Do(ctx, w) })
}

// definitions returns the node definitions of the world or, without them, those of Minetest Game.
func (w *World) definitions() nodedef.List {
	if w.opts.Nodes != nil {
		return w.opts.Nodes
	}
	return nodedef.MinetestGame()
}

// Drain is a step that replaces the liquids of a region by air. The node definitions determine which nodes are
// liquids; without definitions, also names such as mod:water_source are liquids.
func Drain(r Region, s Setting) Step {
	return stepOf(func(w *World) Step {
		nodes := w.definitions()
		liquid := func(name string) bool {
			if def, ok := nodes[name]; ok {
				return def.LiquidType != "" && def.LiquidType != "none"
			}
			_, base, _ := strings.Cut(name, ":")
			return w.opts.Nodes == nil && (strings.HasSuffix(base, "water_source") || strings.HasSuffix(base, "water_flowing") ||
				strings.HasSuffix(base, "lava_source") || strings.HasSuffix(base, "lava_flowing"))
		}
		selected := r.Selector()
		return Each{Area: r.Area(), Edit: func(b *Block) error {
			ids := b.Select(liquid)
			if ids == nil {
				return nil
			}
			m, any := selected(b)
			if !any {
				return nil
			}
			b.keep(&m, ids)
			return s.set(b, &m, func(int) string { return mapblock.Air })
		}}
	})
}
