package worldmerge

import (
	"fmt"
	"slices"

	"trowel.example/check"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/item"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// blockMerge merges three versions of a block into ours.
type blockMerge struct {
	*merger
	p       mapdb.Pos
	b, o, t *mapblock.Block
	taken   int // number of nodes taken from theirs
	changed bool
}

func (m *merger) mergeBlock(p mapdb.Pos, b, o, t *mapblock.Block) ([]byte, error) {
	version := max(o.Version, t.Version, 24)
	was := o.Version
	for _, one := range []**mapblock.Block{&b, &o, &t} {
		if *one == nil || (*one).Version == version && (*one).ContentWidth != 1 {
			continue
		}
		converted, _, err := (*one).Convert(version, mapblock.ConvertOptions{})
		if err != nil {
			return nil, err
		}
		*one = converted.Today()
	}
	if b == nil {
		return o.Encode()
	}
	x := &blockMerge{merger: m, p: p, b: b, o: o, t: t}
	if err := x.nodes(); err != nil {
		return nil, err
	}
	if err := x.metadata(); err != nil {
		return nil, err
	}
	x.timers()
	x.objects()
	x.head()
	if x.taken > 0 {
		m.took(place.Block(p.X, p.Y, p.Z).String(), []check.Place{place.Block(p.X, p.Y, p.Z)}, "%d nodes changed", x.taken)
	}
	if version > was && was >= 24 {
		if back, _, err := o.Convert(was, mapblock.ConvertOptions{}); err == nil {
			o = back
		}
	}
	return o.Encode()
}

func (x *blockMerge) at(index int) []check.Place {
	return []check.Place{place.InBlock(index).In(x.p.X, x.p.Y, x.p.Z)}
}

func (x *blockMerge) path(index int) string {
	nx, ny, nz := mapblock.Coordinates(index)
	return fmt.Sprintf("%s: node %d,%d,%d", place.Block(x.p.X, x.p.Y, x.p.Z), int(x.p.X)*16+nx, int(x.p.Y)*16+ny, int(x.p.Z)*16+nz)
}

func (x *blockMerge) nodes() error {
	b, o, t := x.b.Nodes(), x.o.Nodes(), x.t.Nodes()
	for i := range mapblock.NodeCount {
		type node struct {
			name   string
			param2 uint8
		}
		nb, no, nt := node{b.At(i), b.Param2[i]}, node{o.At(i), o.Param2[i]}, node{t.At(i), t.Param2[i]}
		is := no
		switch {
		case nb == nt || no == nt:
		case nb == no:
			is = nt
			x.taken++
		default:
			text := func(n node) string { return fmt.Sprintf("%s %d", n.name, n.param2) }
			if x.conflict(x.path(i), x.at(i), fmt.Sprintf("%s became %s and %s", text(nb), text(no), text(nt)), text(nb), text(no), text(nt)) {
				is = nt
			}
		}
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
func (x *blockMerge) metadata() error {
	if len(x.t.Metadata.Raw)+len(x.o.Metadata.Raw)+x.t.Metadata.Missing+x.o.Metadata.Missing > 0 {
		x.conflict(place.Block(x.p.X, x.p.Y, x.p.Z).String(), []check.Place{place.Block(x.p.X, x.p.Y, x.p.Z)}, "metadata of a side cannot be read: that of ours stays", nil, nil, nil)
		return nil
	}
	var list []mapblock.NodeMeta
	for _, i := range positionsOf(x.b.Metadata.List, x.o.Metadata.List, x.t.Metadata.List) {
		b, o, t := x.b.Metadata.At(i), x.o.Metadata.At(i), x.t.Metadata.At(i)
		switch {
		case b.Equal(t) || o.Equal(t):
			if o != nil {
				list = append(list, *o)
			}
		case b.Equal(o):
			x.took(x.path(i), x.at(i), "metadata")
			x.changed = true
			if t != nil {
				list = append(list, *t)
			}
		case o == nil || t == nil:
			kept := o
			if x.conflict(x.path(i), x.at(i), "one side changed the metadata, and the other one removed it", nil, nil, nil) {
				kept = t
			}
			if kept != nil {
				list = append(list, *kept)
			}
			x.changed = true
		default:
			list = append(list, x.meta(i, b, *o, *t))
			x.changed = true
		}
	}
	if x.changed {
		x.o.Metadata.List = list
		x.o.Metadata.Version = 0
		if x.o.Version >= 28 && len(list) > 0 {
			x.o.Metadata.Version = 2
		} else if len(list) > 0 {
			x.o.Metadata.Version = 1
		}
	}
	return nil
}

// positionsOf returns the indexes of the nodes that have metadata, in order.
func positionsOf(lists ...[]mapblock.NodeMeta) []int {
	var all []int
	for _, list := range lists {
		for _, m := range list {
			all = append(all, int(m.Pos))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func varOf(list []mapblock.Var, key string) (mapblock.Var, bool) {
	i := slices.IndexFunc(list, func(v mapblock.Var) bool { return v.Key == key })
	if i < 0 {
		return mapblock.Var{}, false
	}
	return list[i], true
}

// meta merges the metadata of a node that both sides changed.
func (x *blockMerge) meta(i int, b *mapblock.NodeMeta, o, t mapblock.NodeMeta) mapblock.NodeMeta {
	if b == nil {
		b = &mapblock.NodeMeta{}
	}
	var vars []mapblock.Var
	for _, v := range append(slices.Clone(o.Vars), t.Vars...) {
		if _, done := varOf(vars, v.Key); done {
			continue
		}
		was, inB := varOf(b.Vars, v.Key)
		mine, inO := varOf(o.Vars, v.Key)
		yours, inT := varOf(t.Vars, v.Key)
		switch {
		case inO == inT && mine == yours, inB == inT && was == yours:
			if inO {
				vars = append(vars, mine)
			}
		case inB == inO && was == mine:
			if inT {
				vars = append(vars, yours)
			}
		case x.conflict(x.path(i), x.at(i), fmt.Sprintf("metadata %q: %s became %s and %s", v.Key, told(was, inB), told(mine, inO), told(yours, inT)), told(was, inB), told(mine, inO), told(yours, inT)):
			if inT {
				vars = append(vars, yours)
			}
		default:
			if inO {
				vars = append(vars, mine)
			}
		}
	}
	o.Vars = vars
	o.Inventory = x.inventory(x.path(i), func(list string, slot int) []check.Place {
		where := place.InBlock(i).In(x.p.X, x.p.Y, x.p.Z)
		return []check.Place{place.Slot{Node: &where, List: list, Slot: slot}}
	}, b.Inventory, o.Inventory, t.Inventory)
	return o
}

func told(v mapblock.Var, there bool) string {
	if !there {
		return "nothing"
	}
	const most = 60
	if len(v.Value) > most {
		return fmt.Sprintf("%.*q...", most, v.Value)
	}
	return fmt.Sprintf("%q", v.Value)
}

// inventory merges the texts of inventories, slot by slot.
func (m *merger) inventory(path string, at func(list string, slot int) []check.Place, b, o, t []byte) []byte {
	switch {
	case string(b) == string(t) || string(o) == string(t):
		return o
	case string(b) == string(o):
		return t
	}
	ib, _, err1 := item.ParseInventory(b)
	if len(b) == 0 {
		ib, err1 = new(item.Inventory), nil
	}
	io, _, err2 := item.ParseInventory(o)
	it, _, err3 := item.ParseInventory(t)
	if err1 != nil || err2 != nil || err3 != nil {
		if m.conflict(path, nil, "both changed the inventory, and it cannot be read", nil, nil, nil) {
			return t
		}
		return o
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
			if m.conflict(path, at(theirs.Name, -1), fmt.Sprintf("both changed list %q, and one its size", theirs.Name), nil, nil, nil) {
				*ours = theirs
			}
			continue
		}
		slots := max(len(base.Items), len(ours.Items), len(theirs.Items))
		var merged []item.Slot
		for slot := range slots {
			of := func(l *item.List) item.Slot {
				if slot < len(l.Items) {
					return l.Items[slot]
				}
				return item.Slot{}
			}
			was, mine, yours := of(base), of(ours), of(&theirs)
			switch {
			case was.Stack.Equal(yours.Stack) || mine.Stack.Equal(yours.Stack):
			case was.Stack.Equal(mine.Stack), m.conflict(path, at(theirs.Name, slot), fmt.Sprintf("slot %d of list %q: %q became %q and %q", slot, theirs.Name, was.Stack, mine.Stack, yours.Stack), was.Stack.String(), mine.Stack.String(), yours.Stack.String()):
				mine = yours
			}
			merged = append(merged, mine)
		}
		ours.Items = merged
	}
	return io.Append(nil)
}

func (x *blockMerge) timers() {
	of := func(list []mapblock.Timer) map[uint16]mapblock.Timer {
		all := make(map[uint16]mapblock.Timer)
		for _, t := range list {
			all[t.Pos] = t
		}
		return all
	}
	b, o, t := of(x.b.Timers.List), of(x.o.Timers.List), of(x.t.Timers.List)
	changed := false
	for pos := range mapblock.NodeCount {
		i := uint16(pos)
		was, inB := b[i]
		mine, inO := o[i]
		yours, inT := t[i]
		switch {
		case inB == inT && was == yours, inO == inT && mine == yours:
			continue
		case inB == inO && was == mine:
		case inO && inT && mine.Timeout == yours.Timeout: // both timers only ran
			continue
		case !x.conflict(x.path(pos), x.at(pos), "both changed the timer", nil, nil, nil):
			continue
		}
		changed = true
		if inT {
			o[i] = yours
		} else {
			delete(o, i)
		}
	}
	if !changed {
		return
	}
	x.o.Timers.List = nil
	for pos := range mapblock.NodeCount {
		if timer, there := o[uint16(pos)]; there {
			x.o.Timers.List = append(x.o.Timers.List, timer)
		}
	}
	if x.o.Version == 24 {
		x.o.Timers.Version = 1
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
	for _, n := range []map[string]int{mine, yours} {
		for k := range n {
			if left[k] = mine[k]; mine[k] != yours[k] {
				left[k] = max(0, mine[k]+yours[k]-was[k])
			}
		}
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
		if x.conflict(place.Block(x.p.X, x.p.Y, x.p.Z).String(), []check.Place{place.Block(x.p.X, x.p.Y, x.p.Z)}, "both moved or changed an object: "+nameOf(o), nil, nil, nil) {
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
