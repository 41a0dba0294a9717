package mapblock

import (
	"fmt"
	"maps"
	"slices"
)

// Nodes are the nodes of a block with their current names and numbers, whatever the block's version.
// [Block.Nodes] makes them; the zero value has no names.
type Nodes struct {
	// Names has the name of each node that occurs, in order of first occurrence. The name is "" for nodes whose id
	// has no name.
	Names []string

	// For each node, by its index (see [Index]): the index of its name in Names, and the two numbers whose meaning
	// depends on the node.
	Name   [NodeCount]uint16
	Param1 [NodeCount]uint8
	Param2 [NodeCount]uint8
}

// At returns the name of the node at an index, see [Index]. It panics if the index is out of range.
func (n *Nodes) At(index int) string { return n.Names[n.Name[index]] }

// Counts returns how many nodes have each of Names.
func (n *Nodes) Counts() []int {
	counts := make([]int, len(n.Names))
	for _, name := range n.Name {
		counts[name]++
	}
	return counts
}

// name returns the index of a name in Names and adds the name if it is missing.
func (n *Nodes) name(name string) uint16 {
	i := slices.Index(n.Names, name)
	if i < 0 {
		i = len(n.Names)
		n.Names = append(n.Names, name)
	}
	return uint16(i)
}

// nameAmong is name with the places of all Names, which it makes once there are many.
func (n *Nodes) nameAmong(places *map[string]uint16, name string) uint16 {
	if len(n.Names) <= fewNames {
		return n.name(name)
	}
	if *places == nil {
		*places = make(map[string]uint16)
		for i, name := range n.Names {
			(*places)[name] = uint16(i)
		}
	}
	i, known := (*places)[name]
	if !known {
		i = uint16(len(n.Names))
		n.Names, (*places)[name] = append(n.Names, name), i
	}
	return i
}

// ID returns the id of a node and its param2, as the version defines them.
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

// plainIDs reports whether the elements of Param0 are ids.
func (b *Block) plainIDs() bool { return b.Version > 19 && b.ContentWidth != 1 }

// fewNames is the length up to which a linear search is faster than building a map.
const fewNames = 24

// nameOf returns a function that returns the names of the block's ids. If two entries have the same id, the last
// counts, as in the games.
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

// idCounts counts the nodes of each id.
type idCounts struct {
	low  [1024]uint16 // counts of the ids below 1024; nearly all ids are
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
	last, from := b.Param0[0], 0 // equal ids often follow one another
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

// of returns the number of nodes with an id.
func (c *idCounts) of(id uint16) uint16 {
	if int(id) < len(c.low) {
		return c.low[id]
	}
	return c.high[id]
}

// ids yields the ids that occur, in ascending order.
func (c *idCounts) ids(yield func(id uint16) bool) {
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

// NameCount is the number of nodes with a name.
type NameCount struct {
	Name  string // "" for ids without a name
	Count int
}

// Counts returns the number of nodes of each name that occurs, with current names as in [Block.Nodes], but faster.
// The order is that of the lowest id of each name, or that of first occurrence in blocks up to version 21.
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
	for id := range ids.ids {
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

// Nodes returns the nodes of the block with names instead of ids and with numbers in their current meaning. Blocks up
// to version 21 are converted as games do on loading: stone with minerals becomes a separate node, and directions
// move to their current place.
func (b *Block) Nodes() *Nodes {
	n := b.resolve(noName)
	if b.Version <= 1 {
		n.Param1 = [NodeCount]uint8{}
	}
	if b.Version < 22 {
		n.modernise()
	}
	return n
}

// unknownName returns a name for nodes whose id has no name.
func unknownName(id uint16) string { return fmt.Sprintf("unknown:id_%d", id) }

// noName leaves an id without a name.
func noName(uint16) string { return "" }

// resolve is Nodes with the numbers of the block's version, and with names from unmapped for ids without a name.
func (b *Block) resolve(unmapped func(id uint16) string) *Nodes {
	n := &Nodes{Param1: b.Param1, Param2: b.Param2}
	nameOf := b.nameOf()
	var pages [256]*[256]uint16  // the index of each id's name, for ids that occur
	var places map[string]uint16 // of Names, once there are many
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
			page[id&0xff] = n.nameAmong(&places, name)
		}
		n.Name[i], n.Param2[i] = page[id&0xff], param2
	}
	return n
}

// modernise converts the nodes of a version up to 21 as games do on loading.
func (n *Nodes) modernise() {
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

// NameUnmapped gives each id without a name a name such as "unknown:id_7", so that games load the block, and returns
// the number of these ids. Blocks up to version 20 cannot hold names and stay unchanged.
func (b *Block) NameUnmapped() int {
	if b.Version <= 20 || b.plainIDs() && b.allNamed() {
		return 0
	}
	nameOf, n := b.nameOf(), len(b.Names)
	var count idCounts
	count.count(b)
	for id := range count.ids {
		if _, ok := nameOf(id); !ok {
			b.Names = append(slices.Clip(b.Names), NameID{id, unknownName(id)})
		}
	}
	return len(b.Names) - n
}

// allNamed reports whether all ids have names.
func (b *Block) allNamed() bool {
	var named [1 << 16 / 64]uint64
	for _, e := range b.Names {
		named[e.ID>>6] |= 1 << (e.ID & 63)
	}
	last := ^b.Param0[0] // equal ids often follow one another
	for _, id := range &b.Param0 {
		if id != last && named[id>>6]>>(id&63)&1 == 0 {
			return false
		}
		last = id
	}
	return true
}

// tidy sorts Names by first occurrence and removes unused names.
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
