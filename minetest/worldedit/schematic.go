package worldedit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"trowel.example/minetest/item"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/schematic"
)

// Place is a step that places a schematic, with its corner of least coordinates at a node. Metadata in WorldEdit
// files is included. The node definitions determine how nodes are rotated: see [World.Nodes]. Of the setting, only
// KeepMetadata, Create and Counts are used.
func Place(s *schematic.Schematic, at Vec, p schematic.Placing, set Setting) Step {
	return stepOf(func(w *World) Step {
		nodes := w.definitions()
		p.ParamType2 = func(name string) string {
			if n := nodes[name]; n != nil {
				return n.ParamType2
			}
			return ""
		}
		l := s.Place(p)
		least := at.Add(l.Origin)
		box := Box{least, least.Add(Vec(l.Size)).Sub(Vec{1, 1, 1})}
		inside := box.Intersect(Everywhere)
		if box != inside {
			set.Counts.Note("nodes outside of the world", int64(volume(box)-volume(inside)))
		}
		var met atomic.Int64
		each := Each{Area: inside.Area(), Create: set.Create, Edit: func(b *Block) error {
			met.Add(1)
			if !set.generated(b) {
				return nil
			}
			return set.place(b, s, l, least, inside)
		}}
		return StepFunc(func(ctx context.Context, w *World) error {
			if err := each.Do(ctx, w); err != nil {
				return err
			}
			set.Counts.Note("missing blocks, in which nothing is placed", int64(blocksIn(each.Area))-met.Load())
			return nil
		})
	})
}

// blocksIn returns the number of positions in an area.
func blocksIn(a mapdb.Area) int {
	if a.Empty() {
		return 0
	}
	return (int(a.Max.X-a.Min.X) + 1) * (int(a.Max.Y-a.Min.Y) + 1) * (int(a.Max.Z-a.Min.Z) + 1)
}

func volume(b Box) int {
	if b.Empty() {
		return 0
	}
	size := b.Size()
	return size[0] * size[1] * size[2]
}

// place places the part of a schematic that is in a block.
func (set *Setting) place(b *Block, s *schematic.Schematic, l *schematic.Placement, least Vec, box Box) error {
	first := b.Origin()
	box = box.Intersect(Box{first, first.Add(Vec{mapblock.Side - 1, mapblock.Side - 1, mapblock.Side - 1})})
	before := b.Table()
	var drop, touched Mask
	var metas []mapblock.NodeMeta
	n := int64(0)
	for z := box.Min[2]; z <= box.Max[2]; z++ {
		for y := box.Min[1]; y <= box.Max[1]; y++ {
			for x := box.Min[0]; x <= box.Max[0]; x++ {
				from := Vec{x, y, z}.Sub(least)
				node, placed := l.At(from[0], from[1], from[2])
				i := mapblock.Index(x-first[0], y-first[1], z-first[2])
				if id := b.Param0[i]; !placed || !node.Force && int(id) < len(before) && before[id] != mapblock.Air && before[id] != mapblock.Ignore {
					continue
				}
				if !node.Exact {
					set.Counts.Note("nodes "+node.Name+" that cannot be turned this way", 1)
				}
				was := b.Param2[i]
				renamed, err := b.SetNode(i, node.Name, node.Param2)
				if err != nil {
					return err
				}
				if renamed || was != node.Param2 {
					touched.Set(i)
					n++
				}
				if light := s.Param1; light != nil && b.Param1[i] != light[node.Index] {
					b.Param1[i] = light[node.Index]
					b.MarkNodes()
				}
				if s.Form == schematic.WorldEdit || renamed && !set.KeepMetadata {
					drop.Set(i)
				}
				if m := s.MetaOf(node.Index); m != nil {
					metas = append(metas, set.metadata(m, i))
				}
			}
		}
	}
	changed := len(b.Metadata.List)
	b.ForgetIf(drop.Has)
	changed -= len(b.Metadata.List)
	if len(metas) > 0 {
		b.Metadata.List = append(slices.Clone(b.Metadata.List), metas...)
		slices.SortStableFunc(b.Metadata.List, func(a, b mapblock.NodeMeta) int { return int(a.Pos) - int(b.Pos) })
		b.Mark()
	}
	if set.Counts != nil {
		set.Counts.addNodes(b, &touched, n)
		set.Counts.Metadata.Add(int64(max(changed, len(metas))))
	}
	return nil
}

// metadata converts the metadata of a node in a schematic, as the engine does.
func (set *Setting) metadata(m *schematic.Meta, index int) mapblock.NodeMeta {
	meta := mapblock.NodeMeta{Pos: uint16(index)}
	for _, f := range m.Fields {
		meta.Vars = append(meta.Vars, mapblock.Var{Key: f.Key, Value: f.Value})
	}
	var inv item.Inventory
	for _, l := range m.Lists {
		list := item.List{Name: l.Name, Size: len(l.Items)}
		for _, text := range l.Items {
			stack, err := item.ParseStack(text)
			if err != nil {
				set.Counts.Note(fmt.Sprintf("items that cannot be read, such as %.40q", text), 1)
				stack = item.Stack{}
			}
			list.Items = append(list.Items, item.Slot{Stack: stack})
		}
		inv.Lists = append(inv.Lists, list)
	}
	meta.Inventory = inv.Append(nil)
	return meta
}

// Taken counts what [Take] left out.
type Taken struct {
	Absent   int // nodes of blocks that do not exist or cannot be read
	Metadata int // nodes whose metadata the format cannot store
	Timers   int
	Objects  int // static objects in the blocks that the box touches
	Private  int // private fields, which become public

	// Damaged are the rows and blocks that cannot be read or were salvaged.
	Damaged []*mapdb.RowError
}

// Losses describes what the schematic lacks, and what it discloses.
func (t Taken) Losses() (lines []string) {
	for _, l := range []struct {
		n    int
		text string
	}{
		{t.Absent, "missing nodes, left out: %d"},
		{t.Metadata, "nodes whose metadata is lost: %d"},
		{t.Timers, "lost timers: %d"},
		{t.Private, "private fields of metadata that become public in the file: %d"},
	} {
		if l.n > 0 {
			lines = append(lines, fmt.Sprintf(l.text, l.n))
		}
	}
	return lines
}

// Take creates a schematic from the nodes in a box. Missing nodes become air that is never placed; WorldEdit files do
// not contain air.
func Take(ctx context.Context, db mapdb.DB, box Box, form schematic.Form) (*schematic.Schematic, Taken, error) {
	var t Taken
	s, err := schematic.New(form, box.Size())
	if err != nil {
		return nil, t, err
	}
	id := s.Namer()
	t.Absent = len(s.Name)
	for stored, err := range db.Blocks(ctx, box.Area()) {
		if isEnd(err) {
			return nil, t, err
		}
		if row, ok := errors.AsType[*mapdb.RowError](err); ok {
			t.Damaged = append(t.Damaged, row)
			continue
		}
		b, err := read(stored.Pos, stored.Data)
		if err != nil {
			t.Damaged = append(t.Damaged, &mapdb.RowError{Pos: &stored.Pos, Err: err})
			continue
		}
		n, err := take(s, id, b, box, &t)
		if err != nil {
			return nil, t, err
		}
		t.Absent -= n
	}
	slices.SortFunc(s.Meta, func(a, b schematic.Meta) int { return a.Index - b.Index })
	s.Meta = slices.CompactFunc(s.Meta, func(a, b schematic.Meta) bool { return a.Index == b.Index })
	s.Tidy()
	return s, t, nil
}

// maxList is the maximum number of slots of an inventory list in a file.
const maxList = 1 << 16

// take adds the nodes of a block to a schematic, and returns their number.
func take(s *schematic.Schematic, id func(string) (uint16, error), b *Block, box Box, t *Taken) (n int, err error) {
	first := b.Origin()
	// where returns the index of a node in the schematic, and whether the node is in the box.
	where := func(i int) (int, bool) {
		x, y, z := mapblock.Coordinates(i)
		v := first.Add(Vec{x, y, z})
		at := v.Sub(box.Min)
		return s.Index(at[0], at[1], at[2]), box.Contains(v)
	}
	names := b.Table()
	for i := range mapblock.NodeCount {
		to, in := where(i)
		if !in {
			continue
		}
		n++
		name := ""
		if k := int(b.Param0[i]); k < len(names) {
			name = names[k]
		}
		if name == "" || name == mapblock.Ignore {
			t.Absent++
			continue
		}
		if s.Form == schematic.WorldEdit && name == mapblock.Air {
			continue
		}
		if s.Name[to], err = id(name); err != nil {
			return n, err
		}
		s.Param2[to], s.Prob[to] = b.Param2[i], schematic.Always
		if s.Form == schematic.WorldEdit {
			s.SetParam1(to, b.Param1[i])
		}
	}
	for _, timer := range b.Timers.List {
		if _, in := where(int(timer.Pos)); in && timer.Pos < mapblock.NodeCount {
			t.Timers++
		}
	}
	t.Objects += len(b.Objects.List)
	for _, m := range b.Metadata.List {
		if m.Pos >= mapblock.NodeCount {
			continue
		}
		to, in := where(int(m.Pos))
		if !in {
			continue
		}
		if s.Form != schematic.WorldEdit || s.Prob[to] == schematic.Never {
			t.Metadata++
			continue
		}
		meta := schematic.Meta{Index: to}
		for _, v := range m.Vars {
			meta.Fields = append(meta.Fields, schematic.Field{Key: v.Key, Value: v.Value})
			if v.Private != 0 {
				t.Private++
			}
		}
		inv, _, err := item.ParseInventory(m.Inventory)
		if err != nil || slices.ContainsFunc(inv.Lists, func(l item.List) bool { return l.Size > maxList }) {
			t.Metadata++
			continue
		}
		for _, l := range inv.Lists {
			list := schematic.List{Name: l.Name, Items: make([]string, max(l.Size, len(l.Items)))}
			for k := range l.Items {
				list.Items[k] = l.Items[k].Stack.String()
			}
			meta.Lists = append(meta.Lists, list)
		}
		if len(meta.Fields)+len(meta.Lists) > 0 {
			s.Meta = append(s.Meta, meta)
		}
	}
	return n, nil
}
