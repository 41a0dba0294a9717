package mapblock

import (
	"fmt"
	"maps"
	"slices"
)

// Nodes is what the nodes of a block are, in the terms of today whatever the
// version.
type Nodes struct {
	// Names has the name of each node that occurs, in the order in which they
	// do. It is "" for nodes whose id means nothing.
	Names []string

	// For each node, by its index (see [Index]): the place of its name in
	// Names, and the two numbers whose meaning depends on the node.
	Name   [NodeCount]uint16
	Param1 [NodeCount]uint8
	Param2 [NodeCount]uint8
}

// At returns the name of the node at an index, see [Index]; one that is none of a block is a
// panic.
func (n *Nodes) At(index int) string { return n.Names[n.Name[index]] }

// Counts returns how many nodes have each of Names.
func (n *Nodes) Counts() []int {
	counts := make([]int, len(n.Names))
	for _, name := range n.Name {
		counts[name]++
	}
	return counts
}

// name returns the place of a name in Names, putting it there if need be.
func (n *Nodes) name(name string) uint16 {
	i := slices.Index(n.Names, name)
	if i < 0 {
		i = len(n.Names)
		n.Names = append(n.Names, name)
	}
	return uint16(i)
}

// ID returns the id of a node and its param2, as the version has them.
//
// Up to version 19 ids are bytes, with 254 for air and 255 for ignore (in 19
// also 126 and 127, as later). In versions 20 to 23 a byte of 0x80 or more is
// the upper part of an id whose lowest four bits are the upper ones of param2.
func (b *Block) ID(index int) (id uint16, param2 uint8) {
	id, param2 = b.Param0[index], b.Param2[index]
	switch {
	case b.Version <= 19:
		id = fromOld[uint8(id)]
	case b.ContentWidth == 1 && id >= 0x80:
		id, param2 = id<<4|uint16(param2>>4), param2&0x0f
	}
	return id, param2
}

// plainIDs reports whether ids are just what stands in Param0.
func (b *Block) plainIDs() bool { return b.Version > 19 && b.ContentWidth != 1 }

// fewNames is how many names are looked through quicker than a map is made.
const fewNames = 24

// nameOf returns a function that names the ids of the block. Where two entries
// claim an id it is the last that counts, as in the games.
func (b *Block) nameOf() func(id uint16) (name string, ok bool) {
	if b.Version <= 20 {
		return func(id uint16) (string, bool) {
			name, ok := legacyNames[id]
			return name, ok
		}
	}
	if len(b.Names) <= fewNames {
		return func(id uint16) (string, bool) {
			for _, e := range slices.Backward(b.Names) {
				if e.ID == id {
					return e.Name, true
				}
			}
			return "", false
		}
	}
	names := make(map[uint16]string, len(b.Names))
	for _, e := range b.Names {
		names[e.ID] = e.Name
	}
	return func(id uint16) (string, bool) {
		name, ok := names[id]
		return name, ok
	}
}

// idCounts is how many nodes have each id.
type idCounts struct {
	low  [1024]uint16 // of the ids up to there, which are nearly all
	high map[uint16]uint16
}

// count counts the nodes of each id of a block.
func (c *idCounts) count(b *Block) {
	if !b.plainIDs() {
		for i := range NodeCount {
			id, _ := b.ID(i)
			c.add(id, 1)
		}
		return
	}
	last, from := b.Param0[0], 0 // equal ids often stand side by side
	for i, id := range &b.Param0 {
		if id != last {
			c.add(last, i-from)
			last, from = id, i
		}
	}
	c.add(last, NodeCount-from)
}

func (c *idCounts) add(id uint16, n int) {
	if int(id) < len(c.low) {
		c.low[id] += uint16(n)
		return
	}
	if c.high == nil {
		c.high = make(map[uint16]uint16)
	}
	c.high[id] += uint16(n)
}

// of returns how many nodes have an id.
func (c *idCounts) of(id uint16) uint16 {
	if int(id) < len(c.low) {
		return c.low[id]
	}
	return c.high[id]
}

// all goes through the ids that occur, in ascending order.
func (c *idCounts) all(yield func(id uint16) bool) {
	for id, n := range c.low {
		if n > 0 && !yield(uint16(id)) {
			return
		}
	}
	for _, id := range slices.Sorted(maps.Keys(c.high)) {
		if !yield(id) {
			return
		}
	}
}

// NameCount is how many nodes have a name.
type NameCount struct {
	Name  string // "" for ids that mean nothing
	Count int
}

// Counts returns how many nodes have each name that occurs, in the terms of today as [Block.Nodes].
// It is quicker than that. The order is that of the lowest ids with a name, or, in blocks up to
// version 21, that in which the names occur.
func (b *Block) Counts() (counts []NameCount) {
	if b.Version < 22 {
		n := b.Nodes()
		for i, count := range n.Counts() {
			counts = append(counts, NameCount{n.Names[i], count})
		}
		return counts
	}
	var ids idCounts
	ids.count(b)
	nameOf := b.nameOf()
	places := make(map[string]int, len(b.Names))
	for id := range ids.all {
		name, _ := nameOf(id)
		i, known := places[name]
		if !known {
			i = len(counts)
			places[name], counts = i, append(counts, NameCount{Name: name})
		}
		counts[i].Count += int(ids.of(id))
	}
	return counts
}

// unseen marks an id that has not occurred yet.
const unseen = 0xffff

// Nodes tells what the nodes are: names instead of ids, and numbers that mean
// what they mean today. Blocks up to version 21 get what a game does to them
// when it loads them: stone with minerals becomes a node of its own, and
// directions move to where they are now.
func (b *Block) Nodes() *Nodes {
	return b.resolve(noName)
}

// unknownName is a name for nodes whose id has none.
func unknownName(id uint16) string { return fmt.Sprintf("unknown:id_%d", id) }

// noName leaves an id without a name.
func noName(uint16) string { return "" }

// resolve is Nodes with a name for the ids that have none.
func (b *Block) resolve(unmapped func(id uint16) string) *Nodes {
	n := &Nodes{Param1: b.Param1, Param2: b.Param2}
	nameOf := b.nameOf()
	var pages [256]*[256]uint16 // the place of each id's name, as far as ids occur
	for i := range NodeCount {
		id, param2 := b.ID(i)
		page := pages[id>>8]
		if page == nil {
			page = new([256]uint16)
			for j := range page {
				page[j] = unseen
			}
			pages[id>>8] = page
		}
		if page[id&0xff] == unseen {
			name, ok := nameOf(id)
			if !ok {
				name = unmapped(id)
			}
			page[id&0xff] = n.name(name)
		}
		n.Name[i], n.Param2[i] = page[id&0xff], param2
	}
	if b.Version < 22 {
		n.modernise(b.Version)
	}
	return n
}

// modernise does to the nodes of a version up to 21 what games do when they load it.
func (n *Nodes) modernise(version int) {
	if version <= 1 {
		n.Param1 = [NodeCount]uint8{} // no game has ever made use of it
	}
	old := slices.Clone(n.Names)
	for i := range NodeCount {
		switch name := old[n.Name[i]]; {
		case name == nameStone && n.Param1[i] == 1:
			n.Name[i], n.Param1[i] = n.name(nameCoal), 0
		case name == nameStone && n.Param1[i] == 2:
			n.Name[i], n.Param1[i] = n.name(nameIron), 0
		case facedirNodes[name]:
			n.Param2[i], n.Param1[i] = n.Param1[i], 0
		case wallmountedNodes[name]:
			n.Param2[i] = wallmounted(n.Param2[i])
		}
	}
	n.tidy()
}

// NameUnmapped gives the ids that have no name one of the form "unknown:id_7",
// so that games load the block, and returns how many these are. Blocks up to
// version 20 have no place for names.
func (b *Block) NameUnmapped() int {
	if b.Version <= 20 {
		return 0
	}
	nameOf, n := b.nameOf(), len(b.Names)
	var count idCounts
	count.count(b)
	for id := range count.all {
		if _, ok := nameOf(id); !ok {
			b.Names = append(slices.Clip(b.Names), NameID{id, unknownName(id)})
		}
	}
	return len(b.Names) - n
}

// tidy puts Names into the order in which they occur, without those that do not.
func (n *Nodes) tidy() {
	old := n.Names
	place := make([]uint16, len(old))
	for i := range place {
		place[i] = unseen
	}
	n.Names = nil
	for i, name := range n.Name {
		if place[name] == unseen {
			place[name] = uint16(len(n.Names))
			n.Names = append(n.Names, old[name])
		}
		n.Name[i] = place[name]
	}
}
