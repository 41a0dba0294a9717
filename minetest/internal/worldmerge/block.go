package worldmerge

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"

	"trowel.example/check"
	"trowel.example/internal/text/words"
	"trowel.example/internal/values/merge3"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/item"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// blockMerge merges three versions of a block into ours.
type blockMerge struct {
	*merger
	p       mapdb.Pos
	here    spot
	b, o, t *mapblock.Block
	taken   int // number of nodes taken from theirs
	changed bool
	unread  bool // metadata of ours or theirs cannot be read
}

func (m *merger) mergeBlock(p mapdb.Pos, b, o, t *mapblock.Block) ([]byte, error) {
	if b == nil {
		return o.Encode()
	}
	stored, was := o, o.Today()
	now := *was
	x := &blockMerge{merger: m, p: p, here: spotOf(p), b: b.Today(), o: &now, t: t.Today(), unread: unread(o) || unread(t)}
	if err := x.nodes(); err != nil {
		return nil, err
	}
	x.metadata()
	x.timers()
	x.objects()
	x.head()
	if x.taken > 0 {
		m.took(x.here, "%s changed", words.Count(x.taken, "node"))
	}
	data, _, err := stored.EncodeWith(was, x.o, nil)
	return data, err
}

// unread reports whether metadata of a block cannot be read.
func unread(b *mapblock.Block) bool { return len(b.Metadata.Raw) > 0 || b.Metadata.Missing > 0 }

// node returns a node of the block.
func (x *blockMerge) node(index int) spot {
	nx, ny, nz := mapblock.Coordinates(index)
	path := fmt.Sprintf("%s: node %d,%d,%d", x.here.path, int(x.p.X)*16+nx, int(x.p.Y)*16+ny, int(x.p.Z)*16+nz)
	return spot{path, []check.Place{place.InBlock(index).In(x.p.X, x.p.Y, x.p.Z)}}
}

func (x *blockMerge) nodes() error {
	type node struct {
		name   string
		param2 uint8
	}
	text := func(n node) string { return fmt.Sprintf("%s %d", n.name, n.param2) }
	b, o, t := x.b.Nodes(), x.o.Nodes(), x.t.Nodes()
	for i := range mapblock.NodeCount {
		nb, no, nt := node{b.At(i), b.Param2[i]}, node{o.At(i), o.Param2[i]}, node{t.At(i), t.Param2[i]}
		is := merge3.Value(nb, no, nt, func() { x.taken++ }, func() merge3.Side {
			b, o, t := text(nb), text(no), text(nt)
			return x.conflictOf(x.node(i), fmt.Sprintf("%s became %s and %s", b, o, t), b, o, t)
		})
		light := o.Param1[i]
		if is != no || b.Param1[i] == light {
			light = t.Param1[i] // no conflict for light alone
		}
		if is == no && light == o.Param1[i] {
			continue
		}
		if err := x.o.SetNode(i, is.name, light, is.param2); err != nil {
			return err
		}
	}
	return nil
}

// metadata merges the metadata of nodes.
func (x *blockMerge) metadata() {
	if x.unread {
		x.conflict(x.here, "metadata of a side cannot be read: ours is kept")
		return
	}
	var list []mapblock.NodeMeta
	positions := merge3.Union(positionsOf(x.b), positionsOf(x.o), positionsOf(x.t))
	slices.Sort(positions)
	for _, i := range positions {
		b, o, t := x.b.Metadata.At(i), x.o.Metadata.At(i), x.t.Metadata.At(i)
		kept := merge3.Of(merge3.Pick(b, o, t, (*mapblock.NodeMeta).Equal, func() {
			x.took(x.node(i), "metadata")
			x.changed = true
		}, func() merge3.Side {
			x.changed = true
			if o == nil || t == nil {
				return x.conflict(x.node(i), "one side changed the metadata, and the other side removed it")
			}
			o = x.meta(i, b, *o, *t)
			return merge3.Ours
		}), o, t)
		if kept != nil {
			list = append(list, *kept)
		}
	}
	if x.changed {
		x.o.Metadata.List = list
	}
}

// positionsOf yields the indexes of the nodes of a block that have metadata.
func positionsOf(b *mapblock.Block) iter.Seq[int] {
	return func(yield func(int) bool) {
		for _, m := range b.Metadata.List {
			if !yield(int(m.Pos)) {
				return
			}
		}
	}
}

// meta merges the metadata of a node that both sides changed.
func (x *blockMerge) meta(i int, b *mapblock.NodeMeta, o, t mapblock.NodeMeta) *mapblock.NodeMeta {
	if b == nil {
		b = &mapblock.NodeMeta{}
	}
	here := x.node(i)
	o.Vars = merge3.Store[string, mapblock.Var]{
		Key: func(v mapblock.Var) string { return v.Key },
		Conflict: func(key string, b, o, t merge3.Maybe[mapblock.Var]) merge3.Side {
			was, mine, yours := describeVar(b), describeVar(o), describeVar(t)
			return x.conflictOf(here, fmt.Sprintf("metadata %q: %s became %s and %s", key, was, mine, yours), was, mine, yours)
		},
	}.Merge(b.Vars, o.Vars, t.Vars)
	o.Inventory = x.inventory(here, func(list string, slot int) check.Place {
		where := place.InBlock(i).In(x.p.X, x.p.Y, x.p.Z)
		return place.Slot{Node: &where, List: list, Slot: slot}
	}, b.Inventory, o.Inventory, t.Inventory)
	return &o
}

func describeVar(v merge3.Maybe[mapblock.Var]) string {
	const most = 60
	switch {
	case !v.There:
		return "nothing"
	case len(v.Item.Value) > most:
		return fmt.Sprintf("%.*q...", most, v.Item.Value)
	}
	return fmt.Sprintf("%q", v.Item.Value)
}

// inventory merges the texts of inventories, slot by slot.
func (m *merger) inventory(of spot, at func(list string, slot int) check.Place, b, o, t []byte) []byte {
	return merge3.Of(merge3.Pick(b, o, t, bytes.Equal, nil, func() (side merge3.Side) {
		o, side = m.inventories(of, at, b, o, t)
		return side
	}), o, t)
}

// inventories merges inventories that both sides changed. If they cannot be read, it returns the side to take.
func (m *merger) inventories(of spot, at func(list string, slot int) check.Place, b, o, t []byte) ([]byte, merge3.Side) {
	ib, _, err1 := item.ParseInventory(b)
	if len(b) == 0 {
		ib, err1 = new(item.Inventory), nil
	}
	io, _, err2 := item.ParseInventory(o)
	it, _, err3 := item.ParseInventory(t)
	if err1 != nil || err2 != nil || err3 != nil {
		return o, m.conflict(spot{path: of.path}, "both changed the inventory, and it cannot be read")
	}
	for _, theirs := range it.Lists {
		ours, base := io.List(theirs.Name), ib.List(theirs.Name)
		if base == nil {
			base = &item.List{Name: theirs.Name}
		}
		if ours == nil {
			if len(base.Items) == 0 {
				io.Lists = append(io.Lists, theirs)
			}
			continue
		}
		if ours.Width != theirs.Width || ours.Size != theirs.Size {
			here := spot{of.path, []check.Place{at(theirs.Name, -1)}}
			*ours = merge3.Of(m.conflict(here, fmt.Sprintf("both changed list %q, and one its size", theirs.Name)), *ours, theirs)
			continue
		}
		var merged []item.Slot
		for slot := range max(len(base.Items), len(ours.Items), len(theirs.Items)) {
			in := func(l *item.List) item.Slot {
				if slot < len(l.Items) {
					return l.Items[slot]
				}
				return item.Slot{}
			}
			was, mine, yours := in(base), in(ours), in(&theirs)
			equal := func(x, y item.Slot) bool { return x.Stack.Equal(y.Stack) }
			merged = append(merged, merge3.Of(merge3.Pick(was, mine, yours, equal, nil, func() merge3.Side {
				b, o, t := was.Stack.String(), mine.Stack.String(), yours.Stack.String()
				here := spot{of.path, []check.Place{at(theirs.Name, slot)}}
				return m.conflictOf(here, fmt.Sprintf("slot %d of list %q: %q became %q and %q", slot, theirs.Name, b, o, t), b, o, t)
			}), mine, yours))
		}
		ours.Items = merged
	}
	return io.Append(nil), merge3.Ours
}

func (x *blockMerge) timers() {
	store := merge3.Store[uint16, mapblock.Timer]{
		Key:     func(t mapblock.Timer) uint16 { return t.Pos },
		Compare: cmp.Compare[uint16],
		Conflict: func(pos uint16, _, o, t merge3.Maybe[mapblock.Timer]) merge3.Side {
			if o.There && t.There && o.Item.Timeout == t.Item.Timeout { // both timers only ran
				return merge3.Ours
			}
			return x.conflict(x.node(int(pos)), "both changed the timer")
		},
	}
	o := x.o.Timers.List
	if merged := store.Merge(x.b.Timers.List, o, x.t.Timers.List); !slices.Equal(merged, store.Merge(o, o, o)) {
		x.o.Timers.List = merged
	}
}

// objects merges the static objects. Objects are identified by type, position and data; equal objects are counted.
func (x *blockMerge) objects() {
	key := func(o mapblock.Object) string { return fmt.Sprint(o.Type, o.Pos, string(o.Data)) }
	counts := func(list []mapblock.Object) map[string]int {
		n := make(map[string]int)
		for _, o := range list {
			n[key(o)]++
		}
		return n
	}
	was, mine, yours := counts(x.b.Objects.List), counts(x.o.Objects.List), counts(x.t.Objects.List)
	left := make(map[string]int) // how many of each are still to be added
	for _, k := range merge3.Union(maps.Keys(mine), maps.Keys(yours)) {
		left[k] = merge3.Count(was[k], mine[k], yours[k])
	}
	var list, moved []mapblock.Object // moved: new objects of ours
	for _, o := range x.o.Objects.List {
		k := key(o)
		if was[k] == 0 {
			moved = append(moved, o)
		}
		if left[k] > 0 {
			left[k]--
			list = append(list, o)
		}
	}
	var gone []mapblock.Object // objects of base that neither side has
	for _, o := range x.b.Objects.List {
		if k := key(o); mine[k] == 0 && yours[k] == 0 {
			gone = append(gone, o)
		}
	}
	for _, o := range x.t.Objects.List {
		k := key(o)
		if left[k] == 0 {
			continue
		}
		left[k]--
		// An object that both sides moved must not be duplicated.
		i := slices.IndexFunc(moved, func(m mapblock.Object) bool { return alike(m, o) })
		j := slices.IndexFunc(gone, func(g mapblock.Object) bool { return alike(g, o) })
		if i < 0 || j < 0 {
			list = append(list, o)
			continue
		}
		if x.conflict(x.here, "both moved or changed an object: "+nameOf(o)) == merge3.Theirs {
			at := slices.IndexFunc(list, func(l mapblock.Object) bool { return key(l) == key(moved[i]) })
			list[at] = o
		}
		moved, gone = slices.Delete(moved, i, i+1), slices.Delete(gone, j, j+1)
	}
	x.o.Objects.List = list
}

// alike reports whether two objects can be the same object, moved.
func alike(a, b mapblock.Object) bool {
	if a.Type != b.Type {
		return false
	}
	p, err1 := a.LuaEntity()
	q, err2 := b.LuaEntity()
	if err1 != nil || err2 != nil {
		return err1 != nil && err2 != nil
	}
	return p.Name == q.Name && (p.Version2 < 2 || q.Version2 < 2 || p.GUID == q.GUID)
}

func nameOf(o mapblock.Object) string {
	if e, err := o.LuaEntity(); err == nil {
		return e.Name
	}
	return o.Type.String()
}

// head merges the fields of the block as a whole.
func (x *blockMerge) head() {
	b, o, t := x.b, x.o, x.t
	if t.Timestamp != mapblock.NoTimestamp && (o.Timestamp == mapblock.NoTimestamp || t.Timestamp > o.Timestamp) {
		o.Timestamp = t.Timestamp
	}
	o.Flags |= t.Flags &^ b.Flags
	o.Flags &^= b.Flags &^ t.Flags
	if o.LightingComplete != t.LightingComplete {
		o.LightingComplete &= t.LightingComplete
	}
}
