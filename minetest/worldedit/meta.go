package worldedit

import (
	"context"
	"slices"

	"trowel.example/minetest/item"
	"trowel.example/minetest/mapblock"
)

// metadata is a step that changes the metadata of the nodes of a region. The function do returns the number of
// changes.
func (r Region) metadata(t *Counts, do func(b *Block, in func(index uint16) bool) int) Step {
	selected := r.Selector()
	return Each{Area: r.Area(), Edit: func(b *Block) error {
		m, any := selected(b)
		if !any {
			return nil
		}
		if n := do(b, func(i uint16) bool { return i < mapblock.NodeCount && m.Has(int(i)) }); n > 0 {
			b.Mark()
			if t != nil {
				t.Metadata.Add(int64(n))
			}
		}
		return nil
	}}
}

// DeleteMetadata is a step that deletes the metadata of the nodes of a region: variables and inventories or, if key
// is not "", only one variable.
func DeleteMetadata(r Region, key string, t *Counts) Step {
	return r.metadata(t, func(b *Block, in func(uint16) bool) (n int) {
		if key == "" {
			before := len(b.Metadata.List)
			b.Metadata.List = slices.DeleteFunc(slices.Clone(b.Metadata.List), func(e mapblock.NodeMeta) bool { return in(e.Pos) })
			return before - len(b.Metadata.List)
		}
		return b.eachMeta(in, func(e *mapblock.NodeMeta) int {
			before := len(e.Vars)
			e.Vars = slices.DeleteFunc(slices.Clone(e.Vars), func(v mapblock.Var) bool { return v.Key == key })
			return before - len(e.Vars)
		})
	})
}

// eachMeta calls change with copies of metadata, which replace those of the block.
func (b *Block) eachMeta(in func(uint16) bool, change func(e *mapblock.NodeMeta) int) (n int) {
	for i := range b.Metadata.List {
		if !in(b.Metadata.List[i].Pos) {
			continue
		}
		e := b.Metadata.List[i]
		if done := change(&e); done > 0 {
			if n == 0 {
				b.Metadata.List = slices.Clone(b.Metadata.List)
			}
			b.Metadata.List[i] = e
			n += done
		}
	}
	return n
}

// MetadataOptions are the options of [SetMetadata].
type MetadataOptions struct {
	// All also sets the variable in metadata without it, and in nodes without metadata whose names the region selects.
	All bool
}

// SetMetadata is a step that sets a variable in the metadata of the nodes of a region, where the variable exists.
func SetMetadata(r Region, key, value string, o MetadataOptions, t *Counts) Step {
	return r.metadata(t, func(b *Block, in func(uint16) bool) int {
		have := make(map[uint16]bool)
		n := b.eachMeta(in, func(e *mapblock.NodeMeta) int {
			if have[e.Pos] {
				return 0 // of duplicate entries of a node, the first one counts
			}
			have[e.Pos] = true
			i := slices.IndexFunc(e.Vars, func(v mapblock.Var) bool { return v.Key == key })
			switch {
			case i >= 0 && e.Vars[i].Value == value || i < 0 && !o.All:
				return 0
			case i >= 0:
				e.Vars = slices.Clone(e.Vars)
				e.Vars[i].Value = value
			default:
				e.Vars = append(slices.Clip(e.Vars), mapblock.Var{Key: key, Value: value})
			}
			return 1
		})
		if !o.All || r.Where.Names == nil {
			return n
		}
		for i := range uint16(mapblock.NodeCount) {
			if in(i) && !have[i] {
				b.Metadata.List = append(slices.Clip(b.Metadata.List),
					mapblock.NodeMeta{Pos: i, Vars: []mapblock.Var{{Key: key, Value: value}}, Inventory: []byte("EndInventory\n")})
				n++
			}
		}
		return n
	})
}

// DeleteTimers is a step that deletes the timers of the nodes of a region.
func DeleteTimers(r Region, t *Counts) Step {
	return r.metadata(t, func(b *Block, in func(uint16) bool) int {
		before := len(b.Timers.List)
		b.Timers.List = slices.DeleteFunc(slices.Clone(b.Timers.List), func(e mapblock.Timer) bool { return in(e.Pos) })
		return before - len(b.Timers.List)
	})
}

// ObjectOptions are the options of [DeleteObjects].
type ObjectOptions struct {
	// Items deletes only dropped items; the names are those of the items.
	Items bool
}

// DeleteObjects is a step that deletes static objects in a region (dropped items and mobs) that have one of the given
// names; nil means all objects. The name of a dropped item is __builtin:item.
func DeleteObjects(r Region, names Names, o ObjectOptions, t *Counts) Step {
	match := func(string) bool { return true }
	if names != nil {
		match = names.Match()
	}
	in := r.inside()
	return Each{Area: r.Area(), Edit: func(b *Block) error {
		before := len(b.Objects.List)
		if before == 0 {
			return nil
		}
		b.Objects.List = slices.DeleteFunc(slices.Clone(b.Objects.List), func(e mapblock.Object) bool {
			name, dropped := nameOfObject(&e)
			if o.Items {
				name = dropped
			}
			return (!o.Items || name != "") && match(name) && in(placeOf(&e))
		})
		if n := before - len(b.Objects.List); n > 0 {
			b.Mark()
			if t != nil {
				t.Objects.Add(int64(n))
			}
		}
		return nil
	}}
}

// placeOf returns the node that contains an object.
func placeOf(o *mapblock.Object) (v Vec) {
	for i, c := range o.Pos { // in 1/1000 of the engine's units; a node has 10 units
		v[i] = floorDiv(int(c)+5000, 10000)
	}
	return v
}

func floorDiv(a, b int) int {
	if q := a / b; a%b >= 0 {
		return q
	}
	return a/b - 1
}

// nameOfObject returns the name of an object and, for a dropped item, the name of the item.
func nameOfObject(o *mapblock.Object) (name, itemName string) {
	name = o.Type.String()
	switch o.Type {
	case mapblock.ObjectItem:
		name = mapblock.DroppedItem
	case mapblock.ObjectLuaEntity:
		e, _ := o.LuaEntity()
		name = e.Name
	}
	stack, _ := o.Dropped()
	if s, err := item.ParseStack(stack); err == nil {
		itemName = named(s).Name
	}
	return name, itemName
}

// named returns a stack with the name that the engine gives to an item of 2011.
func named(s item.Stack) item.Stack {
	if s.Legacy != "" {
		if current, err := s.MigrateLegacy(mapblock.LegacyName); err == nil {
			return current
		}
	}
	return s
}

// ItemOptions are the options of [ReplaceItems].
type ItemOptions struct {
	// Plain gives new items no wear and no metadata.
	Plain bool
}

// ReplaceItems is a step that replaces items in the inventories of nodes of a region by the item to, and items that were dropped there.
// The counts stay. If to is "", the items are removed. If the region has conditions on nodes, dropped items stay.
func ReplaceItems(r Region, from Names, to string, o ItemOptions, t *Counts) Step {
	rename := o.rename(from, to)
	in, conditions := r.inside(), r.Where.Names != nil || r.Where.Meta != nil
	nodes := r.metadata(nil, func(b *Block, in func(uint16) bool) int { return b.changeItems(in, rename, o.Plain, t) }).(Each)
	return Each{Area: nodes.Area, Edit: func(b *Block) error {
		if err := nodes.Edit(b); err != nil || conditions {
			return err
		}
		return b.changeDropped(in, rename, o.Plain, t)
	}}
}

// ReplacePlayerItems is [ReplaceItems] for the inventories of all players.
func ReplacePlayerItems(from Names, to string, o ItemOptions, t *Counts) Step {
	return StepFunc(func(ctx context.Context, w *World) error {
		return w.renamePlayersItems(ctx, o.rename(from, to), o.Plain, t)
	})
}

// rename returns a function that returns the new name of an item, and whether it is replaced.
func (o ItemOptions) rename(from Names, to string) func(name string) (string, bool) {
	match := from.Match()
	return func(name string) (string, bool) { return to, match(name) && (name != to || o.Plain) }
}

// changeDropped renames items that were dropped in a region, as renameItems does.
func (b *Block) changeDropped(in func(Vec) bool, to func(name string) (string, bool), plain bool, t *Counts) error {
	was := b.Objects.List
	var list []mapblock.Object
	for _, o := range was {
		text, ok := o.Dropped()
		s, err := item.ParseStack(text)
		slot := item.Slot{Stack: s}
		if !ok || err != nil || !in(placeOf(&o)) || !rename(&slot, to, plain) {
			list = append(list, o)
			continue
		}
		b.Mark()
		if t != nil {
			t.Items.Add(1)
		}
		if !slot.Empty() {
			if err := o.SetDropped(slot.String()); err != nil {
				return err
			}
			list = append(list, o)
		}
	}
	b.Objects.List = list
	return nil
}

// changeItems renames items in the inventories of nodes, as renameItems does, and returns the number of changed inventories.
func (b *Block) changeItems(in func(uint16) bool, to func(name string) (string, bool), plain bool, t *Counts) int {
	slots := 0
	n := b.eachMeta(in, func(e *mapblock.NodeMeta) int {
		inv, size, err := item.ParseInventory(e.Inventory)
		if err != nil || size != len(e.Inventory) {
			if len(e.Inventory) > 0 {
				t.Note("unreadable inventories, unchanged", 1)
			}
			return 0
		}
		here := renameItems(inv, to, plain)
		if here > 0 {
			e.Inventory = inv.Append(nil)
		}
		slots += here
		return min(here, 1)
	})
	if t != nil {
		t.Items.Add(int64(slots))
	}
	return n
}
