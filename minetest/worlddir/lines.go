package worlddir

import (
	"bytes"
	"sort"

	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// The sections of the text of a block.
const (
	SectionNodes   = "nodes"
	SectionParam1  = "param1"
	SectionParam2  = "param2"
	SectionMeta    = "meta"
	SectionTimers  = "timers"
	SectionObjects = "objects"
)

// Part is the part of a block that a line describes, together with the more indented lines after it.
type Part struct {
	Line     int // from 1
	Section  string
	Min, Max [3]int // the nodes of the part, x, y and z in the block
	Index    int    // index of the object or the entry in its list
}

// has reports whether a part contains a node.
func (p *Part) has(node [3]int) bool {
	for i, v := range node {
		if v < p.Min[i] || v > p.Max[i] {
			return false
		}
	}
	return true
}

// Parts are the parts of the text of a block, from top to bottom.
type Parts []Part

// BlockParts returns the text of a block, as [BlockText] does, and its parts.
func BlockParts(b *mapblock.Block, pos mapdb.Pos) ([]byte, Parts) {
	c := codec{b: b, dst: make([]byte, 0, 4096), parts: new(Parts)}
	c.writeBlock(pos)
	line, at := 1, 0
	for i := range *c.parts {
		offset := &(*c.parts)[i].Line
		line += bytes.Count(c.dst[at:*offset], []byte("\n"))
		at, *offset = *offset, line
	}
	return c.dst, *c.parts
}

// Find returns the first line about a node in a section, or 0 if there is none.
func (all Parts) Find(section string, index int) int {
	x, y, z := mapblock.Coordinates(index)
	for i := range all {
		if p := &all[i]; p.Section == section && p.has([3]int{x, y, z}) {
			return p.Line
		}
	}
	return 0
}

// At returns the part that a line belongs to. It returns false if the line is about the whole block.
func (all Parts) At(line int) (Part, bool) {
	i := sort.Search(len(all), func(i int) bool { return all[i].Line > line }) - 1
	if i < 0 {
		return Part{}, false
	}
	return all[i], all[i].Section != ""
}

// part records the part of the next line.
func (c *codec) part(section string, index int, low, high [3]int) {
	if c.parts != nil {
		*c.parts = append(*c.parts, Part{len(c.dst), section, low, high, index}) // BlockParts makes it a line
	}
}

// heading records that the next line is not about a part of the block.
func (c *codec) heading() { c.part("", 0, [3]int{-1, -1, -1}, [3]int{-1, -1, -1}) }

// nodePart is part for a single node.
func (c *codec) nodePart(section string, index int, node uint16) {
	if c.parts != nil {
		at := [3]int{-1, -1, -1}
		if node < mapblock.NodeCount {
			at[0], at[1], at[2] = mapblock.Coordinates(int(node))
		}
		c.part(section, index, at, at)
	}
}
