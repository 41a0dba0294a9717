package worlddir

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// The text of a block consists of lines. Their indentation, two spaces for each level, shows the structure.
// docs/formats/minetest-folder.md describes the format.
//
// Values that are usual for a block are omitted, and ParseBlock restores them.

// A codec walks through the text of a block, section by section and word by word. The same functions serve writing,
// reading and locating: when reading, the lexer yields the words, otherwise they are appended to dst, and parts records
// their places.
type codec struct {
	lexer
	b       *mapblock.Block
	reading bool
	empties int // empty slots of the item lists so far, see maxEmpties

	dst   []byte // when writing
	parts *Parts // when writing; may be nil

	seen   map[string]bool // when reading: lines and sections that may occur once
	refs   []nodeRef       // when reading: the nodes that the cells refer to
	places map[refKey]uint16
	list   []mapblock.NameID

	nodes, param1, param2 *gridText
	names                 *ids // when writing
}

// BlockText returns the text of the block at a position, in blocks. The position is only used for the comment in the
// first line.
func BlockText(b *mapblock.Block, pos mapdb.Pos) []byte {
	c := codec{b: b, dst: make([]byte, 0, 4096)}
	c.writeBlock(pos)
	return c.dst
}

// ParseBlock parses the text of a block. Omitted values are those of a block that the games write. The error is a
// *[fault.TextError] with line and column.
func ParseBlock(text []byte) (*mapblock.Block, error) {
	c := codec{reading: true, lexer: lexer{rest: text}, seen: make(map[string]bool)}
	c.readBlock()
	if c.err != nil {
		return nil, c.err
	}
	return c.b, nil
}

// A section is a word at the top level with the rest of its line and the lines below it.
type section struct {
	name        string
	first, last int               // the versions that have it
	usual       func(*codec) bool // reports whether it is omitted when writing; nil: never
	run         func(*codec)      // reads or writes what follows the name
}

// The sections after the version, in the order in which they are written.
var (
	headSections = []section{
		{"flags", 0, mapblock.Newest, nil, (*codec).flags},
		{"lighting", 27, mapblock.Newest, nil, (*codec).lighting},
		{"timestamp", 17, mapblock.Newest, func(c *codec) bool { return stopped(c.b) }, (*codec).timestamp},
		{"content_width", 22, mapblock.Newest, func(c *codec) bool { return c.b.ContentWidth == usualWidth(c.b.Version) },
			func(c *codec) { lastNumber(c, &c.b.ContentWidth, 1, 2) }},
		{"mapblock_objects", 9, 21, func(c *codec) bool { return c.b.MapBlockObjects == 0 },
			func(c *codec) { lastNumber(c, &c.b.MapBlockObjects, 0, 0xffff) }},
		{"unused", 23, 23, func(c *codec) bool { return c.b.Unused == 0 }, func(c *codec) { lastNumber(c, &c.b.Unused, 0, 0xff) }},
		{"inner", 29, mapblock.Newest, func(c *codec) bool { return len(c.b.Inner) == 0 }, func(c *codec) { c.lastHex(&c.b.Inner) }},
		{"trailing", 0, mapblock.Newest, func(c *codec) bool { return len(c.b.Trailing) == 0 }, func(c *codec) { c.lastHex(&c.b.Trailing) }},
	}
	nodeSections = []section{
		{"ids", 21, mapblock.Newest, (*codec).usualIDs, (*codec).ids},
		{SectionNodes, 0, mapblock.Newest, nil, (*codec).nodesSection},
		{SectionParam1, 1, mapblock.Newest, func(c *codec) bool { return c.param1.cells == grid{} },
			func(c *codec) { c.params(SectionParam1, &c.param1) }},
		{SectionParam2, 10, mapblock.Newest, func(c *codec) bool { return c.param2.cells == grid{} },
			func(c *codec) { c.params(SectionParam2, &c.param2) }},
	}
	listSections = []section{
		{SectionMeta, 14, mapblock.Newest, (*codec).usualMetadata, (*codec).metadata},
		{SectionTimers, 24, mapblock.Newest, (*codec).usualTimers, (*codec).timers},
		{SectionObjects, 15, mapblock.Newest, (*codec).usualObjects, (*codec).objects},
	}
	sections = slices.Concat(headSections, nodeSections, listSections)
)

func (c *codec) writeBlock(pos mapdb.Pos) {
	c.writeHead(pos)
	c.writeNodes()
	c.write(listSections)
}

func (c *codec) writeHead(pos mapdb.Pos) {
	x, y, z := int(pos.X)*mapblock.Side, int(pos.Y)*mapblock.Side, int(pos.Z)*mapblock.Side
	const last = mapblock.Side - 1
	c.dst = fmt.Appendf(c.dst, "# Block %d,%d,%d: the nodes from %d,%d,%d to %d,%d,%d\n", pos.X, pos.Y, pos.Z, x, y, z, x+last, y+last, z+last)
	c.dst = fmt.Appendf(c.dst, "version %d\n", c.b.Version)
	c.write(headSections)
}

func (c *codec) write(list []section) {
	for _, s := range list {
		if has(c.b.Version, s.first, s.last) && (s.usual == nil || !s.usual(c)) {
			c.heading()
			c.dst = append(c.dst, s.name...)
			s.run(c)
		}
	}
}

func (c *codec) readBlock() {
	if !c.more(0) {
		c.fail("expected a line with the version")
		return
	}
	if word, column := c.plain("version"); word != "version" {
		c.failAt(column, "expected a line with the version first, not %s", abridge(word))
	}
	version := int(c.number("a version", 0, mapblock.Newest))
	c.end()
	c.b = mapblock.New(version)
	c.b.Names = nil
	c.seen["version"] = true
	for c.more(0) {
		word, column := c.plain("a section")
		if c.seen[word] {
			c.failAt(column, "duplicate %s", abridge(word))
			break
		}
		c.seen[word] = true
		i := slices.IndexFunc(sections, func(s section) bool { return s.name == word })
		switch {
		case c.err != nil:
		case i < 0:
			c.failAt(column, "unknown section %s", abridge(word))
		case !has(version, sections[i].first, sections[i].last):
			c.failAt(column, "version %d has no %s, only versions %d to %d", version, word, sections[i].first, sections[i].last)
		default:
			sections[i].run(c)
		}
	}
	c.joinNodes()
}

// flagNames are the names of the flags, by bit.
var flagNames = [...]string{"underground", "not_all_air", "lighting_expired", "not_generated"}

// namedFlags returns the flags of a version that have names. Up to version 10 the whole byte is one value.
func namedFlags(version int) mapblock.Flags {
	if version <= 10 {
		return mapblock.Underground
	}
	return 1<<len(flagNames) - 1
}

func (c *codec) flags() {
	b, named := c.b, namedFlags(c.b.Version)
	if !c.reading {
		for i, name := range flagNames {
			if b.Flags&named&(1<<i) != 0 {
				c.dst = append(append(c.dst, ' '), name...)
			}
		}
		if rest := b.Flags &^ named; rest != 0 {
			c.dst = fmt.Appendf(c.dst, " %#02x", uint8(rest))
		} else if b.Flags == 0 {
			c.dst = append(c.dst, " none"...)
		}
		c.end()
		return
	}
	if c.ended() {
		c.fail("expected flags, or none")
	}
	for n := 0; !c.ended(); n++ {
		word, column := c.plain("a flag")
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
		case flag != 0 && b.Flags&flag == 0:
			b.Flags |= flag
		case word == "none" && n == 0:
			c.end()
		default:
			c.failAt(column, "expected a flag that the version has, each once, or none alone, not %s", abridge(word))
		}
	}
}

func (c *codec) lighting() {
	if !c.reading {
		c.dst = fmt.Appendf(c.dst, " %#04x\n", c.b.LightingComplete)
		return
	}
	lastNumber(c, &c.b.LightingComplete, 0, 0xffff)
}

func (c *codec) timestamp() {
	none := c.b.Timestamp == mapblock.NoTimestamp
	if c.reading {
		c.ended()
		none = strings.TrimRight(c.cur[c.at:], " ") == "none"
	}
	switch {
	case !none:
		number(c, "a number of seconds, or none,", &c.b.Timestamp, 0, mapblock.NoTimestamp)
		c.end()
	case c.reading:
		c.b.Timestamp = mapblock.NoTimestamp
	default:
		c.dst = append(c.dst, " none\n"...)
	}
}

// usualWidth returns the usual number of bytes of an id in a version.
func usualWidth(version int) uint8 {
	if version <= 23 {
		return 1
	}
	return 2
}

// timersVersion is the usual version of a list of timers.
func timersVersion(version int, timers int) uint8 {
	if version == 24 && timers > 0 {
		return 1
	}
	return 0
}

func (c *codec) usualTimers() bool {
	l := &c.b.Timers
	return len(l.List) == 0 && (c.b.Version != 24 || l.Version == 0)
}

func (c *codec) timers() {
	l := &c.b.Timers
	usual := timersVersion(c.b.Version, len(l.List))
	written := usual
	if len(l.List) == 0 {
		written = l.Version
	}
	stated := c.listVersion(int64(written), int64(usual), 1)
	if c.reading && stated >= 0 && c.b.Version != 24 {
		c.fail("only in version 24 the list has a version")
	}
	listEntries(c, "timers", &l.List, func(i int, t *mapblock.Timer) {
		c.nodePart(SectionTimers, i, t.Pos)
		c.place(&t.Pos)
		c.keyword("timeout", "")
		c.fixed("seconds", &t.Timeout, 3)
		c.keyword("elapsed", "")
		c.fixed("seconds", &t.Elapsed, 3)
		c.end()
	})
	if !c.reading {
		return
	}
	usual = timersVersion(c.b.Version, len(l.List))
	if l.Version = usual; stated >= 0 {
		if l.Version = uint8(stated); l.Version < usual {
			c.fail("a list of version 0 has no timers")
		}
	}
}

// listVersion reads or writes the version of a list at the head of its section, which is omitted if it is the usual one. It returns
// the version, or -1 if none was read.
func (c *codec) listVersion(version, usual, most int64) int64 {
	if c.reading && c.ended() {
		return -1
	}
	if c.reading || version != usual {
		c.keyword("version", "expected a version, or the end of the line")
		number(c, "a version", &version, 0, most)
	}
	c.end()
	return version
}

// listEntries reads or writes the entries of a list, each of which begins with a line of level 1.
func listEntries[T any](c *codec, what string, list *[]T, each func(i int, e *T)) {
	if !c.reading {
		for i := range *list {
			c.dst = indent(c.dst, 1)
			each(i, &(*list)[i])
		}
	}
	for c.more(1) {
		if len(*list) == 0xffff {
			c.fail("expected at most 65535 %s", what)
		}
		var e T
		each(len(*list), &e)
		*list = append(*list, e)
	}
}

// A field is a line of level 2 that begins with a name.
type field struct {
	name  string
	usual bool   // it is omitted when writing
	run   func() // reads or writes the rest of the line
}

// fields writes the fields that are not usual, or reads them, each at most once and in any order, and other lines with other. It
// returns the names of those that were read.
func (c *codec) fields(list []field, other func(word string, column int)) (seen map[string]bool) {
	if !c.reading {
		c.writeFields(2, list)
		return nil
	}
	seen = make(map[string]bool)
	for c.more(2) {
		word, column := c.plain("a field")
		i := slices.IndexFunc(list, func(f field) bool { return f.name == word })
		switch {
		case i < 0:
			other(word, column)
		case seen[word]:
			c.failAt(column, "duplicate %s", word)
		default:
			list[i].run()
		}
		seen[word] = true
	}
	return seen
}

func (c *codec) writeFields(level int, list []field) {
	for _, f := range list {
		if !f.usual {
			c.dst = append(indent(c.dst, level), f.name...)
			f.run()
		}
	}
}

// set returns a field whose value is read or written by run.
func (c *codec) set(name string, usual bool, run func()) field {
	return field{name, usual, func() {
		c.assign()
		run()
		c.end()
	}}
}

// textField returns a field with a string.
func textField[T string | []byte](c *codec, name string, p *T) field {
	return field{name, len(*p) == 0, func() {
		text := string(*p)
		if c.value(&text); c.reading {
			*p = T(text)
		}
	}}
}

// The following functions read or write a word or several. Errors describe the expected word as want.

// space returns dst with a space between the last word and the next one.
func (c *codec) space() []byte {
	if n := len(c.dst); n > 0 && c.dst[n-1] != ' ' {
		return append(c.dst, ' ')
	}
	return c.dst
}

// end ends a line.
func (c *codec) end() {
	if c.reading {
		c.lexer.end()
	} else {
		c.dst = append(c.dst, '\n')
	}
}

// word is for a value that has the forms of write and read.
func word[T any](c *codec, want string, p *T, write func([]byte, T) []byte, read func(string) (T, bool), form string, args ...any) {
	if !c.reading {
		c.dst = write(c.space(), *p)
		return
	}
	text, column := c.plain(want)
	v, ok := read(text)
	if *p = v; !ok {
		c.failAt(column, form+", not %s", append(args, abridge(text))...)
	}
}

// fixed is for a number with at most the given number of decimal places.
func (c *codec) fixed(want string, p *int32, digits int) {
	word(c, want, p, func(dst []byte, v int32) []byte { return appendFixed(dst, v, digits) },
		func(text string) (int32, bool) { return fixed(text, digits) }, "expected %s, with at most %d digits after the point", want, digits)
}

// vector is for three numbers separated by commas.
func (c *codec) vector(want string, p *[3]int32, digits int) {
	word(c, want, p, func(dst []byte, v [3]int32) []byte { return appendVector(dst, v, digits) },
		func(text string) ([3]int32, bool) { return vector(text, digits) }, "expected %s x,y,z", want)
}

// place is for the position of a node in its block.
func (c *codec) place(p *uint16) {
	word(c, "the place of a node", p, appendPlace, place, "expected the place x,y,z of a node in the block, each from 0 to 15")
}

// keyword is for a fixed word. The error for another word is otherwise, if it is not empty.
func (c *codec) keyword(word, otherwise string) {
	if !c.reading {
		c.dst = append(c.space(), word...)
		return
	}
	got, column := c.plain(word)
	switch {
	case got == word:
	case otherwise != "":
		c.failAt(column, "%s", otherwise)
	default:
		c.failAt(column, "expected %s, not %s", word, abridge(got))
	}
}

// name is for a string in one word.
func (c *codec) name(want string, p *string) {
	if c.reading {
		*p, _, _ = c.word(want)
	} else {
		c.dst = appendWord(c.space(), *p)
	}
}

func number[T uint8 | uint16 | uint32 | int | int16 | int64](c *codec, want string, p *T, lo, hi int64) {
	if c.reading {
		*p = T(c.number(want, lo, hi))
	} else {
		c.dst = strconv.AppendInt(c.space(), int64(*p), 10)
	}
}

// lastNumber is number at the end of a line.
func lastNumber[T uint8 | uint16](c *codec, p *T, lo, hi int64) {
	number(c, "a number", p, lo, hi)
	c.end()
}

func (c *codec) bytes(p *[]byte) {
	if c.reading {
		*p = c.hex()
	} else {
		c.dst = appendHex(c.space(), *p)
	}
}

// lastHex is for bytes in hexadecimal at the end of a line.
func (c *codec) lastHex(p *[]byte) {
	c.bytes(p)
	c.end()
}

// assign is for the = between a key and its value.
func (c *codec) assign() {
	switch {
	case !c.reading:
		c.dst = append(c.dst, " ="...)
	case !c.equals():
		c.fail("expected =")
	default:
		c.at++
	}
}

// equals reports whether the next character to read is =.
func (c *codec) equals() bool { return !c.ended() && c.cur[c.at] == '=' }

// value is for = and a string, which may continue on lines of level 3.
func (c *codec) value(p *string) {
	if c.assign(); c.reading {
		*p = c.text(3)
	} else {
		c.dst = appendText(c.dst, *p, 3)
	}
}
