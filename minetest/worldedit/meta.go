package worldedit

import (
	"regexp"
	"slices"
	"strings"

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

// itemString matches the item in the static data of a dropped item: a table written by core.serialize.
var itemString = regexp.MustCompile(`\bitemstring"?\]?\s*=\s*"((?:[^"\\]|\\.)*)"`)

// dropped is the name of the entity of dropped items.
const dropped = "__builtin:item"

// nameOfObject returns the name of an object and, for a dropped item, the name of the item.
func nameOfObject(o *mapblock.Object) (name, itemName string) {
	stack := ""
	switch o.Type {
	case mapblock.ObjectItem:
		it, err := o.Item()
		if err != nil {
			return "", ""
		}
		name, stack = dropped, it.Stack
	case mapblock.ObjectLuaEntity:
		e, err := o.LuaEntity()
		if err != nil || e.Name != dropped {
			return e.Name, ""
		}
		name, stack = e.Name, e.StaticData
		if strings.HasPrefix(stack, "return") {
			m := itemString.FindStringSubmatch(stack)
			if m == nil {
				return name, ""
			}
			stack = strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(m[1])
		}
	default:
		return o.Type.String(), ""
	}
	if s, err := item.ParseStack(stack); err == nil {
		itemName = s.Name
	}
	return name, itemName
}

// ItemOptions are the options of [ReplaceItems].
type ItemOptions struct {
	// Plain gives new items no wear and no metadata.
	Plain bool
}

// ReplaceItems is a step that replaces items in the inventories of nodes of a region by the item to. The counts stay.
// If to is "", the items are removed.
func ReplaceItems(r Region, from Names, to string, o ItemOptions, t *Counts) Step {
	match := from.Match()
	return r.metadata(nil, func(b *Block, in func(uint16) bool) int {
		return b.changeItems(in, func(name string) (string, bool) { return to, match(name) && (name != to || o.Plain) }, o.Plain, t)
	})
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
