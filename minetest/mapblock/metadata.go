package mapblock

import (
	"bytes"
	"fmt"
	"slices"

	"trowel.example/fault"
	"trowel.example/internal/text/words"
)

// Metadata is the list of node metadata of a block.
type Metadata struct {
	// Version is the version of the list. Since block version 23 it is 0 for an empty list, which has no count; 1; or
	// 2, since 28, where each variable has a byte that marks it as private. Up to 22 it is 1.
	Version uint16
	List    []NodeMeta

	// Unreadable parts, in versions up to 28, where games continue without them. Missing is the number of entries
	// that the list counts but that are in Rest; Rest holds the bytes after the entries that were read.
	Missing int
	Rest    []byte

	// Raw is the whole content if not even the head of the list is readable.
	Raw []byte
}

// NodeMeta is the metadata of a node. Since block version 23 it has variables and an inventory; before, it has
// Legacy.
type NodeMeta struct {
	Pos       uint16 // index of the node, see [Index]
	Vars      []Var
	Inventory []byte // text, including its final newline
	Legacy    *LegacyMeta
}

// Var is a variable of the metadata of a node.
type Var struct {
	Key, Value string
	Private    uint8 // 1: not sent to players; any other value: sent. Only in lists of version 2
}

// IsPrivate reports whether the variable is hidden from players.
func (v Var) IsPrivate() bool { return v.Private == 1 }

// Var returns the value of a variable, or "" if the node has no such variable.
func (m *NodeMeta) Var(key string) string {
	for _, v := range m.Vars {
		if v.Key == key {
			return v.Value
		}
	}
	return ""
}

// Equal reports whether two metadata, either of which may be nil, have the same content. The order of variables and
// the position are ignored.
func (m *NodeMeta) Equal(o *NodeMeta) bool {
	if m == nil || o == nil {
		return m == o
	}
	if len(m.Vars) != len(o.Vars) || !bytes.Equal(m.Inventory, o.Inventory) || (m.Legacy == nil) != (o.Legacy == nil) {
		return false
	}
	if m.Legacy != nil && (m.Legacy.ID != o.Legacy.ID || !bytes.Equal(m.Legacy.Body, o.Legacy.Body)) {
		return false
	}
	for _, v := range m.Vars {
		i := slices.IndexFunc(o.Vars, func(w Var) bool { return w.Key == v.Key })
		if i < 0 || o.Vars[i] != v {
			return false
		}
	}
	return true
}

// At returns the metadata of a node, or nil if it has none. If two entries have the same position, the first counts,
// as in the games.
func (m *Metadata) At(index int) *NodeMeta {
	for i := range m.List {
		if int(m.List[i].Pos) == index {
			return &m.List[i]
		}
	}
	return nil
}

// maxMetaVersion is the highest version of a list since block version 23.
const maxMetaVersion = 2

func (c *codec) metadata(b *Block) {
	switch run := func(c *codec) { c.metaSection(b) }; {
	case b.Version >= 29:
		c.metaList(b)
	case b.Version >= 16:
		c.packed("metadata", packZlib, &b.source.metadata, run)
	case c.writing():
		in := codec{steps: []string{"metadata"}}
		run(&in)
		c.err = in.err
		c.bytes16("metadata", &in.w)
	default:
		n := c.r.Count16("metadata_size", 1)
		if c.r.Flush(); c.failed() {
			return
		}
		at := c.r.Offset()
		in := newReader(c.data[:at+int64(n)], "").trace(c.tracer, nil)
		in.r.Enter("metadata")
		in.r.SeekTo(at)
		run(in)
		in.r.Flush()
		c.r.SeekTo(at + int64(n))
	}
}

// metaSection reads or writes a list in separate bytes, as up to version 28. Unreadable parts are kept, because games
// continue without them.
func (c *codec) metaSection(b *Block) {
	m := &b.Metadata
	if c.writing() {
		if m.Raw != nil {
			c.w = append(c.w, m.Raw...)
			return
		}
		c.metaList(b)
		c.rest("rest", &m.Rest)
		return
	}
	begin := c.r.Offset()
	entry := c.metaList(b)
	if err := c.r.Err(); err != nil {
		b.fault = err
		if entry < 0 {
			*m = Metadata{Raw: slices.Clone(c.data[begin:])}
		} else {
			m.Rest = slices.Clone(c.data[entry:])
		}
		c.giveUp("the game ignores it")
		return
	}
	c.rest("rest", &m.Rest)
}

// metaList reads or writes the list. It returns the offset of the entry that could not be read, or -1 if the head of
// the list could not be read.
func (c *codec) metaList(b *Block) (entry int64) {
	m := &b.Metadata
	if b.Version >= 29 {
		c.enterName("metadata")
		defer c.leavePath()
	}
	count := len(m.List) + m.Missing
	version := m.Version
	if c.writing() && version == 0 && count > 0 && !b.hasLegacyMetadata() {
		if version = 1; b.Version >= 28 {
			version = 2
		}
	}
	if b.hasLegacyMetadata() {
		if c.u16("version", &version); !c.writing() && version > 1 {
			c.r.FailAt(c.r.Offset()-2, "version", fault.ErrVersion, "version 0 or 1", fmt.Sprint(version))
		}
	} else {
		v := uint8(version)
		c.u8("version", &v)
		c.expect("version", v, "version 0 to 2", v <= maxMetaVersion)
		version = uint16(v)
	}
	if c.failed() {
		return -1
	}
	if !c.writing() {
		m.Version = version
	}
	if version == 0 && !b.hasLegacyMetadata() {
		return c.offset()
	}
	if count = c.count16("count", count); c.failed() {
		return -1
	}
	each, size := c.newMeta, 2+4+len("end")
	if b.hasLegacyMetadata() {
		each, size = c.legacyMeta, 2+2+2
	}
	n := count
	if c.writing() {
		n = len(m.List)
	}
	elements(c, "entries", n, size, &m.List, func(e *NodeMeta) {
		entry = c.offset()
		if c.writing() && !b.hasLegacyMetadata() && e != &m.List[0] {
			c.w = endedLine(c.w) // that of the inventory before
		}
		c.u16("position", &e.Pos)
		c.position(e.Pos)
		each(e, version)
	})
	if !c.writing() {
		m.Missing = count - len(m.List)
	}
	return entry
}

// offset returns the offset of the Reader, or 0 when writing.
func (c *codec) offset() int64 {
	if c.writing() {
		return 0
	}
	return c.r.Offset()
}

// newMeta reads or writes an entry since block version 23.
func (c *codec) newMeta(e *NodeMeta, version uint16) {
	size := 2 + 4
	if version >= 2 {
		size++
	}
	n := len(e.Vars)
	if c.writing() {
		c.length32("num_vars", n)
	} else {
		n = c.r.Count32("num_vars", size)
	}
	elements(c, "vars", n, size, &e.Vars, func(v *Var) {
		c.string16("key", &v.Key)
		c.string32("value", &v.Value)
		if version >= 2 {
			c.u8("private", &v.Private)
		} else if c.writing() && v.Private != 0 {
			c.fail("private", "a list of version 2, which has private variables", "version 1")
		}
	})
	c.inventory("inventory", &e.Inventory)
}

// inventory reads or writes the text of an inventory, which ends at its line EndInventory.
func (c *codec) inventory(name string, p *[]byte) {
	if c.writing() {
		if n, ok := InventoryEnd(*p); !ok || n != len(*p) {
			c.fail(name, "an inventory that ends in EndInventory", fmt.Sprintf("%s that do not", words.Count(len(*p), "byte")))
		}
		c.w = append(c.w, *p...)
		return
	}
	if c.failed() {
		return
	}
	n, ok := InventoryEnd(c.left())
	if !ok {
		c.r.Fail(name, fault.ErrFormat, "an inventory that ends in EndInventory", fmt.Sprintf("%s without that line",
			words.Count(c.r.Len(), "byte")))
		return
	}
	c.raw(name, p, n)
	if c.tracer != nil {
		c.means("%q", *p)
	}
}

// InventoryEnd returns the length in bytes of the inventory at the start of text: all lines up to and including the
// closing line EndInventory or "end". Inside a list, such a line closes the list. The other lines are not checked.
func InventoryEnd(text []byte) (n int, ok bool) {
	inList := false
	for n < len(text) {
		line := text[n:]
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line = line[:i+1]
		}
		n += len(line)
		switch word := firstWord(line); {
		case inList:
			inList = string(word) != "EndInventoryList" && string(word) != "end"
		case string(word) == "List":
			inList = true
		case string(word) == "EndInventory", string(word) == "end":
			return n, true
		}
	}
	return n, false
}

// firstWord returns the first word of a line.
func firstWord(line []byte) []byte {
	space := func(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }
	start := 0
	for start < len(line) && space(line[start]) && line[start] != '\n' {
		start++
	}
	end := start
	for end < len(line) && !space(line[end]) {
		end++
	}
	return line[start:end]
}

// endedLine adds the line feed that the last line of an inventory may lack at the end of a stream.
func endedLine(text []byte) []byte {
	if bytes.HasSuffix(text, []byte("\n")) {
		return text
	}
	return append(slices.Clip(text), '\n')
}

// emptyInventory is the inventory of a node without one.
var emptyInventory = []byte("EndInventory\n")
