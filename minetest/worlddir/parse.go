package worlddir

import (
	"strconv"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/mapblock"
)

// ParseBlock parses the text of a block. Omitted values are those of a block that the games write. The error is a
// *[fault.TextError] with line and column.
func ParseBlock(text []byte) (*mapblock.Block, error) {
	p := parser{lexer: lexer{rest: text}, seen: make(map[string]bool)}
	b := p.block()
	if p.err != nil {
		return nil, p.err
	}
	return b, nil
}

// parser parses a block.
type parser struct {
	lexer
	b    *mapblock.Block
	seen map[string]bool // lines and sections that may occur once

	nodes   *gridReader
	refs    []nodeRef // the nodes that the cells refer to
	places  map[refKey]uint16
	list    []mapblock.NameID
	param1  *gridReader
	param2  *gridReader
	empties int
}

func (p *parser) block() *mapblock.Block {
	if !p.more(0) {
		p.fail("expected a line with the version")
		return nil
	}
	if word, column := p.plain("version"); word != "version" {
		p.failAt(column, "expected a line with the version first, not %s", abridge(word))
	}
	version := int(p.number("a version", 0, mapblock.Newest))
	p.end()
	p.b = mapblock.New(version)
	p.b.Names = nil
	p.seen["version"] = true
	for p.more(0) {
		word, column := p.plain("a section")
		if p.seen[word] {
			p.failAt(column, "duplicate %s", abridge(word))
			break
		}
		p.seen[word] = true
		entry, ok := lines[word]
		switch {
		case p.err != nil:
		case !ok:
			p.failAt(column, "unknown section %s", abridge(word))
		case !has(version, entry.first, entry.last):
			p.failAt(column, "version %d has no %s, only versions %d to %d", version, word, entry.first, entry.last)
		default:
			entry.read(p)
		}
	}
	p.finish()
	return p.b
}

// lineKind is a kind of line at the top level: the versions that have it, and the function that reads it after the
// first word.
type lineKind struct {
	first, last int
	read        func(*parser)
}

var lines map[string]lineKind

func init() {
	const newest = mapblock.Newest
	lines = map[string]lineKind{
		"flags":            {0, newest, (*parser).flags},
		"lighting":         {27, newest, func(p *parser) { p.b.LightingComplete = uint16(p.last("a number", 0, 0xffff)) }},
		"timestamp":        {17, newest, (*parser).timestamp},
		"content_width":    {22, newest, func(p *parser) { p.b.ContentWidth = uint8(p.last("a number", 1, 2)) }},
		"mapblock_objects": {9, 21, func(p *parser) { p.b.MapBlockObjects = uint16(p.last("a number", 0, 0xffff)) }},
		"unused":           {23, 23, func(p *parser) { p.b.Unused = uint8(p.last("a number", 0, 0xff)) }},
		"inner":            {29, newest, func(p *parser) { p.b.Inner = p.lastHex() }},
		"trailing":         {0, newest, func(p *parser) { p.b.Trailing = p.lastHex() }},
		"ids":              {21, newest, (*parser).ids},
		"nodes":            {0, newest, (*parser).nodesSection},
		"param1":           {1, newest, func(p *parser) { p.param1 = p.params() }},
		"param2":           {10, newest, func(p *parser) { p.param2 = p.params() }},
		"meta":             {14, newest, (*parser).metadata},
		"timers":           {24, newest, (*parser).timers},
		"objects":          {15, newest, (*parser).objects},
	}
}

// last reads a number at the end of a line.
func (p *parser) last(want string, lo, hi int64) int64 {
	v := p.number(want, lo, hi)
	p.end()
	return v
}

func (p *parser) lastHex() []byte {
	data := p.hex()
	p.end()
	return data
}

func (p *parser) flags() {
	named := namedFlags(p.b.Version)
	if p.ended() {
		p.fail("expected flags, or none")
	}
	for n := 0; !p.ended(); n++ {
		word, column := p.plain("a flag")
		flag := mapblock.Flags(0)
		for i, name := range flagNames {
			if word == name {
				flag = named & (1 << i)
			}
		}
		if v, ok := parseNumber(word); ok && 0 < v && v <= 0xff && strings.HasPrefix(word, "0x") {
			flag = mapblock.Flags(v)
		}
		switch {
		case flag != 0 && p.b.Flags&flag == 0:
			p.b.Flags |= flag
		case word == "none" && n == 0:
			p.end()
		default:
			p.failAt(column, "expected a flag that the version has, each once, or none alone, not %s", abridge(word))
		}
	}
}

func (p *parser) timestamp() {
	p.ended()
	if strings.TrimRight(p.cur[p.at:], " ") == "none" {
		p.b.Timestamp = mapblock.NoTimestamp
		return
	}
	p.b.Timestamp = uint32(p.last("a number of seconds, or none,", 0, mapblock.NoTimestamp))
}

// ids reads the ids of names.
func (p *parser) ids() {
	for !p.ended() {
		id := p.number("an id", 0, 0xffff)
		if !p.skipChar('=') {
			p.fail("expected an id, =, and a name")
		}
		name, _, column := p.word("a name")
		if len(name) > 0xffff || len(p.list) == 0xffff {
			p.failAt(column, "expected at most 65535 names of at most 65535 bytes")
		}
		p.list = append(p.list, mapblock.NameID{ID: uint16(id), Name: name})
	}
}

// gridReader is a grid that is being read.
type gridReader struct {
	cells grid
	set   [mapblock.Side * mapblock.Side]bool // rows that were read, ordered by z, then y
	line  int                                 // line of the section head
}

// grid reads a section with a line for each row. If whole is set, all rows must be present.
func (p *parser) grid(whole bool, cell func() uint16) *gridReader {
	const side = mapblock.Side
	g := &gridReader{line: p.line}
	p.end()
	for p.more(1) {
		z, zs := p.interval("z")
		p.end()
		for p.more(2) {
			column := p.at
			y, ys := p.interval("y")
			var row [side]uint16
			p.row(&row, cell)
			if p.err != nil {
				return g
			}
			for i := z; i < z+zs; i++ {
				for j := y; j < y+ys; j++ {
					if g.set[i*side+j] {
						p.failAt(column, "duplicate row at y %d, z %d", j, i)
						return g
					}
					g.set[i*side+j] = true
					copy(g.cells[(i*side+j)*side:], row[:])
				}
			}
		}
	}
	for i, set := range g.set {
		if whole && !set && p.err == nil {
			p.err = &fault.TextError{Line: g.line, Msg: "the row at y " + strconv.Itoa(i%side) + ", z " + strconv.Itoa(i/side) + " is missing"}
		}
	}
	return g
}

// row reads the cells of a row. A cell with the suffix *n is repeated n times.
func (p *parser) row(row *[mapblock.Side]uint16, cell func() uint16) {
	n := 0
	for !p.ended() {
		column := p.at
		v, times := cell(), 1
		if p.skipChar('*') {
			times = int(p.number("a number of nodes", 1, mapblock.Side))
		}
		if n+times > len(row) {
			p.failAt(column, "expected %s in the row, not %d", words.Count(len(row), "node"), n+times)
		}
		for ; times > 0 && p.err == nil; times-- {
			row[n] = v
			n++
		}
	}
	if n < len(row) {
		p.fail("expected %s in the row, not %d", words.Count(len(row), "node"), n)
	}
}

// interval reads a letter and a number or a range of numbers.
func (p *parser) interval(letter string) (first, n int) {
	word, column := p.plain(letter)
	if word != letter {
		p.failAt(column, "expected %s, not %s", letter, abridge(word))
	}
	word, column = p.plain("a number")
	from, to, more := strings.Cut(word, "-")
	if !more {
		to = from
	}
	a, ok1 := parseNumber(from)
	b, ok2 := parseNumber(to)
	if !ok1 || !ok2 || a < 0 || b < a || b >= mapblock.Side {
		p.failAt(column, "expected a number from 0 to 15, or two with a hyphen between them, not %s", abridge(word))
		return 0, 0
	}
	return int(a), int(b-a) + 1
}

// refKey identifies a node of a text.
type refKey struct {
	name    string
	id      uint16
	numeric bool
}

func (p *parser) nodesSection() {
	p.places = make(map[refKey]uint16)
	p.nodes = p.grid(true, func() uint16 {
		name, quoted, column := p.word("the name of a node")
		key := refKey{name: name}
		if digits, ok := strings.CutPrefix(name, numericID); ok && !quoted {
			v, err := strconv.ParseUint(digits, 10, 16)
			if err != nil {
				p.failAt(column, "expected an id from 0 to 65535, not %s", abridge(digits))
			}
			key = refKey{id: uint16(v), numeric: true}
		}
		if len(name) > 0xffff {
			p.failAt(column, "expected a name of at most 65535 bytes")
		}
		i, ok := p.places[key]
		if !ok && p.err == nil {
			i = uint16(len(p.refs))
			p.places[key] = i
			p.refs = append(p.refs, nodeRef{name: key.name, id: key.id, numeric: key.numeric, line: p.line, column: column + 1})
		}
		return i
	})
}

func (p *parser) params() *gridReader {
	return p.grid(false, func() uint16 { return uint16(p.number("a number", 0, 0xff)) })
}

// finish puts the nodes into the block, after everything that determines their ids has been read.
func (p *parser) finish() {
	b := p.b
	switch {
	case p.err != nil:
		return
	case p.nodes == nil:
		p.fail("expected a section nodes")
		return
	case stopped(b):
		for _, word := range []string{"ids", "timestamp", "objects"} {
			if p.seen[word] {
				p.fail("a block with mapblock_objects has no %s", word)
				return
			}
		}
	}
	var order []nodeRef // in the order of the nodes
	at := make([]int, len(p.refs))
	for _, i := range &p.nodes.cells {
		if at[i] == 0 {
			order = append(order, p.refs[i])
			at[i] = len(order)
		}
	}
	list, err := p.list, (*fault.TextError)(nil)
	if p.seen["ids"] {
		list, err = assign(b, list, order)
	} else {
		list, err = usualNames(b, order)
	}
	if err != nil {
		p.err = err
		return
	}
	if b.Names = nil; ownNames(b) {
		b.Names = list
	}
	ids := make([]uint16, len(p.refs))
	for i, n := range at {
		if n > 0 {
			ids[i] = order[n-1].id
		}
	}
	param1, param2 := new(grid), new(grid)
	if p.param1 != nil {
		param1 = &p.param1.cells
	}
	if p.param2 != nil {
		param2 = &p.param2.cells
	}
	narrow := b.Version >= 20 && b.ContentWidth == 1 // the id may take a part of param2
	for i, ref := range &p.nodes.cells {
		id := ids[ref]
		if narrow && id >= extended && param2[i] > 0xf {
			x, y, z := mapblock.Coordinates(i)
			p.err = &fault.TextError{Line: p.param2.line,
				Msg: "the node at " + string(appendVector(nil, [3]int32{int32(x), int32(y), int32(z)}, 0)) +
					" needs param2 0 to 15: its id uses the other bits"}
			return
		}
		b.Param1[i] = uint8(param1[i])
		putID(b, i, id, uint8(param2[i]))
	}
}

// sectionVersion reads the version of a list at the head of its section.
func (p *parser) sectionVersion(usual, most int64) int64 {
	if p.ended() {
		return usual
	}
	if word, column := p.plain("version"); word != "version" {
		p.failAt(column, "expected a version, or the end of the line")
	}
	return p.last("a version", 0, most)
}

func (p *parser) timers() {
	version := p.sectionVersion(-1, 1)
	if version >= 0 && p.b.Version != 24 {
		p.fail("only in version 24 the list has a version")
	}
	for p.more(1) {
		t := mapblock.Timer{Pos: p.place()}
		for _, f := range []struct {
			name  string
			value *int32
		}{{"timeout", &t.Timeout}, {"elapsed", &t.Elapsed}} {
			if word, column := p.plain(f.name); word != f.name {
				p.failAt(column, "expected %s, not %s", f.name, abridge(word))
			}
			*f.value = p.fixed("seconds", 3)
		}
		p.end()
		if len(p.b.Timers.List) == 0xffff {
			p.fail("expected at most 65535 timers")
		}
		p.b.Timers.List = append(p.b.Timers.List, t)
	}
	usual := timersVersion(p.b.Version, len(p.b.Timers.List))
	if p.b.Timers.Version = usual; version >= 0 {
		if p.b.Timers.Version = uint8(version); version < int64(usual) {
			p.fail("a list of version 0 has no timers")
		}
	}
}
