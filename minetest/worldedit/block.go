package worldedit

import (
	"slices"

	"trowel.example/check"
	"trowel.example/internal/values/deep"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// A Block is a block that a step may change. It has the form of [mapblock.Block.Today]. A block that a step does not
// change keeps its version and its bytes. A changed block keeps its version if that version can store it, and the bytes of
// all parts that no step changed. The zero value is not usable: a step receives its blocks.
type Block struct {
	*mapblock.Block
	Pos     mapdb.Pos
	Created bool // the block does not exist in the world yet

	version int             // version of the block in the world
	stored  *mapblock.Block // the block in the world
	was     *mapblock.Block // its form before all changes
	changed bool
	nodes   bool              // whether nodes were changed
	ids     map[string]uint16 // ids by name, filled on demand
}

// read decodes a stored block.
func read(p mapdb.Pos, data []byte) (*Block, error) {
	stored, err := mapblock.Decode(data)
	if err != nil {
		return nil, err
	}
	b := &Block{Pos: p}
	b.hold(stored)
	return b, nil
}

// create returns a new block of air.
func create(p mapdb.Pos, version int) *Block {
	stored := mapblock.New(version)
	if p.Y < 0 {
		stored.Flags |= mapblock.Underground
	}
	b := &Block{Pos: p, Created: true}
	b.hold(stored)
	return b
}

// Replace replaces the whole block by a stored one of any version.
func (b *Block) Replace(stored *mapblock.Block) {
	same := !b.Created && deep.Equal(b.Nodes(), stored.Nodes())
	b.hold(stored)
	if b.Mark(); !same {
		b.MarkNodes()
	}
}

// hold makes stored the block, without changes.
func (b *Block) hold(stored *mapblock.Block) {
	was := stored.Today()
	now := *was
	b.stored, b.was, b.Block, b.version, b.ids = stored, was, &now, stored.Version, nil
}

// Origin returns the coordinates of the first node of the block in the world.
func (b *Block) Origin() Vec {
	return Vec{int(b.Pos.X) * mapblock.Side, int(b.Pos.Y) * mapblock.Side, int(b.Pos.Z) * mapblock.Side}
}

// Mark records that something other than nodes was changed.
func (b *Block) Mark() { b.changed = true }

// MarkNodes records that nodes or their light were changed.
func (b *Block) MarkNodes() { b.changed, b.nodes = true, true }

// Table returns the names of the nodes, indexed by id. The name of an id without a name is "". Ids beyond the table
// have no name.
func (b *Block) Table() []string {
	n := 0
	for _, e := range b.Names {
		n = max(n, int(e.ID)+1)
	}
	table := make([]string, n)
	for _, e := range b.Names {
		table[e.ID] = e.Name // of duplicate entries, the last one counts
	}
	return table
}

// Select returns, indexed by id, whether ok reports true for the name. It returns nil if there is no such id. The
// names need not occur in the block.
func (b *Block) Select(ok func(name string) bool) (ids []bool) {
	table := b.Table()
	for id, name := range table {
		if name != "" && ok(name) {
			if ids == nil {
				ids = make([]bool, len(table))
			}
			ids[id] = true
		}
	}
	return ids
}

// keep removes nodes from a set whose ids are not among the given ones: see [Block.Select].
func (b *Block) keep(m *Mask, ids []bool) {
	for i := range m.All {
		if id := b.Param0[i]; int(id) >= len(ids) || !ids[id] {
			m.Clear(i)
		}
	}
}

// renamable returns the only id in ids, and true if there is exactly one and name is not in use yet.
func (b *Block) renamable(ids []bool, name string) (id uint16, ok bool) {
	for i, is := range ids {
		if is {
			if ok {
				return 0, false
			}
			id, ok = uint16(i), true
		}
	}
	return id, ok && !slices.ContainsFunc(b.Names, func(e mapblock.NameID) bool { return e.Name == name })
}

// Node returns the name, param1 and param2 of the node at an index. The name is "" if the id has no name.
func (b *Block) Node(index int) (name string, param1, param2 uint8) {
	id := b.Param0[index]
	for _, e := range slices.Backward(b.Names) {
		if e.ID == id {
			name = e.Name
			break
		}
	}
	return name, b.Param1[index], b.Param2[index]
}

// SetNode sets the name and param2 of the node at an index. Its light stays. It reports whether the name has changed.
// The metadata and timers of the node stay: see [Block.Forget].
func (b *Block) SetNode(index int, name string, param2 uint8) (renamed bool, err error) {
	id, ok := b.ids[name]
	if !ok {
		old := b.Param0[index]
		if err := b.Block.SetNode(index, name, b.Param1[index], b.Param2[index]); err != nil {
			return false, err
		}
		if id, b.Param0[index] = b.Param0[index], old; b.ids == nil {
			b.ids = make(map[string]uint16)
		}
		b.ids[name] = id
	}
	if renamed = b.Param0[index] != id; renamed {
		b.MarkNodes()
	} else if b.Param2[index] != param2 {
		b.Mark()
	}
	b.Param0[index], b.Param2[index] = id, param2
	return renamed, nil
}

// Forget removes the metadata and the timer of a node, and reports whether there were any.
func (b *Block) Forget(index int) bool {
	return b.ForgetIf(func(i int) bool { return i == index })
}

// ForgetIf removes the metadata and timers of the nodes for which drop reports true.
func (b *Block) ForgetIf(drop func(index int) bool) bool {
	n := len(b.Metadata.List) + len(b.Timers.List)
	if n == 0 {
		return false
	}
	b.Metadata.List = slices.DeleteFunc(slices.Clone(b.Metadata.List), func(m mapblock.NodeMeta) bool { return drop(int(m.Pos)) })
	b.Timers.List = slices.DeleteFunc(slices.Clone(b.Timers.List), func(t mapblock.Timer) bool { return drop(int(t.Pos)) })
	if len(b.Metadata.List)+len(b.Timers.List) == n {
		return false
	}
	b.Mark()
	return true
}

// finish encodes a changed block. Its version is that of the block in the world or, if that cannot store the changes,
// the next one that can, which is reported.
func (b *Block) finish(lifted check.Sink) (data []byte, version int, err error) {
	if b.nodes {
		b.flag()
	}
	return b.stored.EncodeWith(b.was, b.Block, lifted)
}

// flag updates the flags after nodes were changed.
func (b *Block) flag() {
	table := b.Table()
	air := !slices.ContainsFunc(b.Param0[:], func(id uint16) bool { return int(id) >= len(table) || table[id] != mapblock.Air })
	switch {
	case !air:
		b.Flags |= mapblock.NotAllAir
	case b.version >= 29: // in earlier versions, the flag has additional meanings
		b.Flags &^= mapblock.NotAllAir
	}
	// The light on the border to the neighbours must be recomputed.
	if b.version >= 27 {
		b.LightingComplete &^= sides
	} else {
		b.Flags |= mapblock.LightingExpired
	}
}

// sides are the bits of LightingComplete for the six directions, by day and by night.
const sides = 0x0fff
