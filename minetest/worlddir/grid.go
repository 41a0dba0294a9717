package worlddir

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync"

	"trowel.example/fault"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/mapblock"
)

// grid is a number for each node of a block.
type grid = [mapblock.NodeCount]uint16

// gridText is a grid in the text.
type gridText struct {
	cells grid
	set   [mapblock.Side * mapblock.Side]bool // when reading: rows that were read, ordered by z, then y
	line  int                                 // when reading: line of the section head
}

// refKey identifies a node of a text.
type refKey struct {
	name    string
	id      uint16
	numeric bool
}

// gridTexts are the grids of one block, which are reused for the next block.
var gridTexts = sync.Pool{New: func() any { return new([3]gridText) }}

// writeNodes writes the sections of the nodes.
func (c *codec) writeNodes() {
	all := gridTexts.Get().(*[3]gridText)
	defer gridTexts.Put(all)
	c.nodes, c.param1, c.param2 = &all[0], &all[1], &all[2]
	nodes, param1, param2 := &all[0].cells, &all[1].cells, &all[2].cells
	for i := range nodes {
		id, p2 := idOf(c.b, i)
		nodes[i], param1[i], param2[i] = id, uint16(c.b.Param1[i]), uint16(p2)
	}
	c.names = idsOf(c.b)
	c.write(nodeSections)
}

// usualIDs reports whether the block has the ids that reading assigns to the names of its nodes.
func (c *codec) usualIDs() bool {
	if !ownNames(c.b) {
		return true
	}
	seen := make(map[uint16]bool)
	var refs []nodeRef
	nodes := &c.nodes.cells
	for i, id := range nodes {
		if i > 0 && id == nodes[i-1] || seen[id] {
			continue
		}
		seen[id] = true
		name, ok := c.names.name(id)
		refs = append(refs, nodeRef{name: name, id: id, numeric: !ok})
	}
	usual, err := usualNames(c.b, refs)
	return err == nil && slices.Equal(usual, c.b.Names)
}

func (c *codec) ids() {
	if !c.reading {
		for _, e := range c.b.Names {
			c.dst = strconv.AppendUint(append(c.dst, ' '), uint64(e.ID), 10)
			c.dst = appendWord(append(c.dst, '='), e.Name)
		}
	}
	for c.reading && !c.ended() {
		id := c.number("an id", 0, 0xffff)
		if !c.skipChar('=') {
			c.fail("expected an id, =, and a name")
		}
		name, _, column := c.word("a name")
		if len(name) > 0xffff || len(c.list) == 0xffff {
			c.failAt(column, "expected at most 65535 names of at most 65535 bytes")
		}
		c.list = append(c.list, mapblock.NameID{ID: uint16(id), Name: name})
	}
	c.end()
}

func (c *codec) nodesSection() {
	c.places = make(map[refKey]uint16)
	c.grid(SectionNodes, &c.nodes, true, c.node)
}

// node writes the name of a node, or reads it and returns the index of its nodeRef.
func (c *codec) node(id uint16) uint16 {
	if !c.reading {
		c.dst = c.names.appendNode(c.dst, id)
		return id
	}
	name, quoted, column := c.word("the name of a node")
	key := refKey{name: name}
	if digits, ok := strings.CutPrefix(name, numericID); ok && !quoted {
		v, err := strconv.ParseUint(digits, 10, 16)
		if err != nil {
			c.failAt(column, "expected an id from 0 to 65535, not %s", abridge(digits))
		}
		key = refKey{id: uint16(v), numeric: true}
	}
	if len(name) > 0xffff {
		c.failAt(column, "expected a name of at most 65535 bytes")
	}
	i, ok := c.places[key]
	if !ok && c.err == nil {
		i = uint16(len(c.refs))
		c.places[key] = i
		c.refs = append(c.refs, nodeRef{name: key.name, id: key.id, numeric: key.numeric, line: c.line, column: column + 1})
	}
	return i
}

func (c *codec) params(section string, g **gridText) {
	c.grid(section, g, false, func(v uint16) uint16 {
		number(c, "a number", &v, 0, 0xff)
		return v
	})
}

// grid reads or writes a section with a line for each row along x. Equal consecutive rows and planes share a line. Rows of zeros are
// omitted, unless whole is set.
func (c *codec) grid(section string, g **gridText, whole bool, cell func(v uint16) uint16) {
	const side, plane = mapblock.Side, mapblock.Side * mapblock.Side
	if c.reading {
		*g = &gridText{line: c.line}
		c.end()
		c.readGrid(*g, whole, cell)
		return
	}
	c.end()
	for z, zs := range runs((*g).cells[:], plane, whole) {
		c.dst = indent(c.dst, 1)
		c.interval("z", z, zs)
		c.end()
		for y, ys := range runs((*g).cells[z*plane:(z+1)*plane], side, whole) {
			c.part(section, 0, [3]int{0, y, z}, [3]int{side - 1, y + ys - 1, z + zs - 1})
			at := len(c.dst)
			c.dst = indent(c.dst, 2)
			c.interval("y", y, ys)
			for len(c.dst)-at < len("    y 10-15") {
				c.dst = append(c.dst, ' ')
			}
			c.row((*g).cells[z*plane+y*side:][:side], cell)
		}
	}
}

// runs yields the first of equal consecutive pieces of the given size, and their number. Pieces of zeros are omitted, unless whole is
// set.
func runs(cells []uint16, size int, whole bool) iter.Seq2[int, int] {
	return func(yield func(first, n int) bool) {
		for first := 0; first*size < len(cells); {
			piece, n := cells[first*size:(first+1)*size], 1
			for (first+n)*size < len(cells) && slices.Equal(piece, cells[(first+n)*size:(first+n+1)*size]) {
				n++
			}
			zero := !slices.ContainsFunc(piece, func(v uint16) bool { return v != 0 })
			if (whole || !zero) && !yield(first, n) {
				return
			}
			first += n
		}
	}
}

// readGrid reads the rows of a grid. If whole is set, all rows must be present.
func (c *codec) readGrid(g *gridText, whole bool, cell func(v uint16) uint16) {
	const side = mapblock.Side
	for c.more(1) {
		z, zs := c.interval("z", 0, 0)
		c.end()
		for c.more(2) {
			column := c.at
			y, ys := c.interval("y", 0, 0)
			var row [side]uint16
			if c.row(row[:], cell); c.err != nil {
				return
			}
			for i := z; i < z+zs; i++ {
				for j := y; j < y+ys; j++ {
					if g.set[i*side+j] {
						c.failAt(column, "duplicate row at y %d, z %d", j, i)
						return
					}
					g.set[i*side+j] = true
					copy(g.cells[(i*side+j)*side:], row[:])
				}
			}
		}
	}
	for i, set := range g.set {
		if whole && !set && c.err == nil {
			c.err = &fault.TextError{Line: g.line, Msg: fmt.Sprintf("the row at y %d, z %d is missing", i%side, i/side)}
		}
	}
}

// row reads or writes the cells of a row. A cell with the suffix *n is repeated n times.
func (c *codec) row(row []uint16, cell func(v uint16) uint16) {
	if !c.reading {
		for x := 0; x < len(row); {
			n := 1
			for x+n < len(row) && row[x+n] == row[x] {
				n++
			}
			c.dst = append(c.dst, ' ')
			if cell(row[x]); n > 1 {
				c.dst = strconv.AppendInt(append(c.dst, '*'), int64(n), 10)
			}
			x += n
		}
		c.end()
		return
	}
	n := 0
	for !c.ended() {
		column := c.at
		v, times := cell(0), 1
		if c.skipChar('*') {
			times = int(c.number("a number of nodes", 1, mapblock.Side))
		}
		if n+times > len(row) {
			c.failAt(column, "expected %s in the row, not %d", words.Count(len(row), "node"), n+times)
		}
		for ; times > 0 && c.err == nil; times-- {
			row[n] = v
			n++
		}
	}
	if n < len(row) {
		c.fail("expected %s in the row, not %d", words.Count(len(row), "node"), n)
	}
}

// interval reads or writes a letter and a number, or a range of n numbers that begins with first.
func (c *codec) interval(letter string, first, n int) (int, int) {
	c.keyword(letter, "")
	if !c.reading {
		c.dst = strconv.AppendInt(append(c.dst, ' '), int64(first), 10)
		if n > 1 {
			c.dst = strconv.AppendInt(append(c.dst, '-'), int64(first+n-1), 10)
		}
		return first, n
	}
	word, column := c.plain("a number")
	from, to, more := strings.Cut(word, "-")
	if !more {
		to = from
	}
	a, ok1 := parseNumber(from)
	b, ok2 := parseNumber(to)
	if !ok1 || !ok2 || a < 0 || b < a || b >= mapblock.Side {
		c.failAt(column, "expected a number from 0 to 15, or two with a hyphen between them, not %s", abridge(word))
		return 0, 0
	}
	return int(a), int(b-a) + 1
}

// joinNodes puts the nodes into the block, after everything that determines their ids has been read.
func (c *codec) joinNodes() {
	b := c.b
	switch {
	case c.err != nil:
		return
	case c.nodes == nil:
		c.fail("expected a section nodes")
		return
	case stopped(b):
		for _, word := range []string{"ids", "timestamp", "objects"} {
			if c.seen[word] {
				c.fail("a block with mapblock_objects has no %s", word)
				return
			}
		}
	}
	var order []nodeRef // in the order of the nodes
	at := make([]int, len(c.refs))
	for _, i := range &c.nodes.cells {
		if at[i] == 0 {
			order = append(order, c.refs[i])
			at[i] = len(order)
		}
	}
	list, err := c.list, (*fault.TextError)(nil)
	if c.seen["ids"] {
		list, err = assign(b, list, order)
	} else {
		list, err = usualNames(b, order)
	}
	if err != nil {
		c.err = err
		return
	}
	if b.Names = nil; ownNames(b) {
		b.Names = list
	}
	ids := make([]uint16, len(c.refs))
	for i, n := range at {
		if n > 0 {
			ids[i] = order[n-1].id
		}
	}
	param1, param2 := new(grid), new(grid)
	if c.param1 != nil {
		param1 = &c.param1.cells
	}
	if c.param2 != nil {
		param2 = &c.param2.cells
	}
	narrow := b.Version >= 20 && b.ContentWidth == 1 // the id may take a part of param2
	for i, ref := range &c.nodes.cells {
		id := ids[ref]
		if narrow && id >= extended && param2[i] > 0xf {
			x, y, z := mapblock.Coordinates(i)
			c.err = &fault.TextError{Line: c.param2.line,
				Msg: "the node at " + string(appendVector(nil, [3]int32{int32(x), int32(y), int32(z)}, 0)) +
					" needs param2 0 to 15: its id uses the other bits"}
			return
		}
		b.Param1[i] = uint8(param1[i])
		putID(b, i, id, uint8(param2[i]))
	}
}
