package worlddiff

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worlddir"
)

// compareBlocks returns the differences of two blocks, or nil if only their encoding differs.
func compareBlocks(d mapdb.Difference) *Change {
	c := &Change{Part: Block, Path: worlddir.BlockPath(d.Pos), Change: Changed, Block: &[3]int{int(d.Pos.X), int(d.Pos.Y), int(d.Pos.Z)}}
	switch {
	case d.Old == nil:
		c.Change = Added
		return c
	case d.New == nil:
		c.Change = Removed
		return c
	}
	o, err1 := mapblock.Decode(d.Old)
	n, err2 := mapblock.Decode(d.New)
	switch {
	case err1 != nil:
		c.Unread = "the old block cannot be read: " + err1.Error()
		return c
	case err2 != nil:
		c.Unread = "the new block cannot be read: " + err2.Error()
		return c
	}
	c.nodes(o.Nodes(), n.Nodes())
	c.metadata(o, n)
	c.timers(o.Timers.List, n.Timers.List)
	c.objects(o.Objects.List, n.Objects.List)
	c.head(o, n)
	if c.Nodes+c.Objects+c.Light+len(c.Metadata)+len(c.Timers)+len(c.Fields) == 0 {
		return nil
	}
	return c
}

// node returns the position of a node in the world.
func (c *Change) node(index int) [3]int {
	x, y, z := mapblock.Coordinates(index)
	return [3]int{c.Block[0]*mapblock.Side + x, c.Block[1]*mapblock.Side + y, c.Block[2]*mapblock.Side + z}
}

func (c *Change) nodes(o, n *mapblock.Nodes) {
	type pair struct {
		old, new        uint16
		oldTurn, turned int // their param2, -1 if the names differ
	}
	count := make(map[pair]int)
	var differs [mapblock.NodeCount]bool
	for i := range mapblock.NodeCount {
		if o.Param1[i] != n.Param1[i] {
			c.Light++
		}
		p := pair{o.Name[i], n.Name[i], -1, -1}
		if o.At(i) == n.At(i) {
			if o.Param2[i] == n.Param2[i] {
				continue
			}
			p.oldTurn, p.turned = int(o.Param2[i]), int(n.Param2[i])
		}
		count[p]++
		differs[i] = true
		c.Nodes++
	}
	for p, times := range count {
		k := Kind{o.Names[p.old], n.Names[p.new], times}
		if p.oldTurn >= 0 {
			k.Old, k.New = fmt.Sprintf("%s %d", k.Old, p.oldTurn), fmt.Sprintf("%s %d", k.New, p.turned)
		}
		c.Kinds = append(c.Kinds, k)
	}
	slices.SortFunc(c.Kinds, func(a, b Kind) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Old, b.Old), cmp.Compare(a.New, b.New))
	})
	c.boxes(&differs)
}

// boxes groups the nodes that differ: as many as possible along x, then equal rows along y, then equal planes along
// z.
func (c *Change) boxes(differs *[mapblock.NodeCount]bool) {
	const side = mapblock.Side
	all := func(x0, x1, y0, y1, z int) bool {
		for y := y0; y <= y1; y++ {
			for x := x0; x <= x1; x++ {
				if !differs[mapblock.Index(x, y, z)] {
					return false
				}
			}
		}
		return true
	}
	for i := range differs {
		if !differs[i] {
			continue
		}
		x0, y0, z0 := mapblock.Coordinates(i)
		x1, y1, z1 := x0, y0, z0
		for x1+1 < side && all(x1+1, x1+1, y0, y0, z0) {
			x1++
		}
		for y1+1 < side && all(x0, x1, y1+1, y1+1, z0) {
			y1++
		}
		for z1+1 < side && all(x0, x1, y0, y1, z1+1) {
			z1++
		}
		for z := z0; z <= z1; z++ {
			for y := y0; y <= y1; y++ {
				for x := x0; x <= x1; x++ {
					differs[mapblock.Index(x, y, z)] = false
				}
			}
		}
		c.Boxes = append(c.Boxes, Box{c.node(mapblock.Index(x0, y0, z0)), c.node(mapblock.Index(x1, y1, z1))})
	}
}

func (c *Change) metadata(o, n *mapblock.Block) {
	for _, i := range positions(o.Metadata.List, n.Metadata.List, func(m mapblock.NodeMeta) uint16 { return m.Pos }) {
		if a, b := o.Metadata.At(int(i)), n.Metadata.At(int(i)); !a.Equal(b) {
			c.Metadata = append(c.Metadata, c.node(int(i)))
		}
	}
	if !bytes.Equal(o.Metadata.Raw, n.Metadata.Raw) || !bytes.Equal(o.Metadata.Rest, n.Metadata.Rest) {
		c.field("unreadable metadata", fmt.Sprint(len(o.Metadata.Raw)+len(o.Metadata.Rest), " bytes"),
			fmt.Sprint(len(n.Metadata.Raw)+len(n.Metadata.Rest), " bytes, others"))
	}
}

// positions returns the node indexes of two lists, without those outside of the block.
func positions[T any](a, b []T, of func(T) uint16) (all []uint16) {
	for _, list := range [][]T{a, b} {
		for _, e := range list {
			if p := of(e); p < mapblock.NodeCount {
				all = append(all, p)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (c *Change) timers(o, n []mapblock.Timer) {
	at := func(list []mapblock.Timer, p uint16) (t mapblock.Timer) {
		for _, t := range list {
			if t.Pos == p {
				return t
			}
		}
		return t
	}
	for _, p := range positions(o, n, func(t mapblock.Timer) uint16 { return t.Pos }) {
		if at(o, p) != at(n, p) {
			c.Timers = append(c.Timers, c.node(int(p)))
		}
	}
}

func (c *Change) objects(o, n []mapblock.Object) {
	count := make(map[string]int)
	key := func(o mapblock.Object) string { return fmt.Sprint(o.Type, o.Pos, " ", string(o.Data)) }
	for _, object := range o {
		count[key(object)]++
	}
	for _, object := range n {
		count[key(object)]--
	}
	for _, times := range count {
		c.Objects += max(times, -times)
	}
}

// head compares the fields of the block as a whole.
func (c *Change) head(o, n *mapblock.Block) {
	stamp := func(b *mapblock.Block) string {
		if b.Timestamp == mapblock.NoTimestamp {
			return "none"
		}
		return fmt.Sprint(b.Timestamp)
	}
	c.field("version", fmt.Sprint(o.Version), fmt.Sprint(n.Version))
	c.field("flags", o.Flags.String(), n.Flags.String())
	c.field("timestamp", stamp(o), stamp(n))
	c.field("lighting", fmt.Sprintf("%#04x", o.LightingComplete), fmt.Sprintf("%#04x", n.LightingComplete))
}

// field records a value that differs.
func (c *Change) field(name, old, new string) {
	if old != new {
		c.Fields = append(c.Fields, Field{name, &old, &new})
	}
}
