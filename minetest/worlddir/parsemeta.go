package worlddir

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"trowel.example/fault"
	"trowel.example/minetest/mapblock"
)

func (p *parser) metadata() {
	m, version := &p.b.Metadata, p.b.Version
	most := int64(2)
	if version <= 22 {
		most = 1
	}
	stated := p.sectionVersion(-1, most)
	var private int // line of a variable that is marked as private
	for p.more(1) {
		column := p.at
		switch word, _ := p.plain("the place of a node"); word {
		case "raw", "missing", "rest":
			switch {
			case version >= 29:
				p.failAt(column, "version %d cannot contain unreadable metadata", version)
			case p.seen["meta "+word]:
				p.failAt(column, "duplicate %s", word)
			}
			p.seen["meta "+word] = true
			switch word {
			case "raw":
				m.Raw = p.lastHex() // not nil
			case "missing":
				m.Missing = int(p.last("a number of entries", 1, 0xffff))
			default:
				m.Rest = p.lastHex()
			}
		default:
			p.at = column
			e := p.entry()
			if slices.ContainsFunc(e.Vars, func(v mapblock.Var) bool { return v.Private != 0 }) && private == 0 {
				private = p.line
			}
			m.List = append(m.List, e)
		}
		if len(m.List)+m.Missing > 0xffff {
			p.failAt(column, "expected at most 65535 entries")
		}
	}
	n := len(m.List) + m.Missing
	if m.Version = metaVersion(version, n); stated >= 0 {
		m.Version = uint16(stated)
	}
	switch {
	case p.err != nil:
	case m.Raw != nil:
		if n > 0 || m.Rest != nil || stated >= 0 {
			p.fail("raw contains all metadata and excludes other lines")
		}
		m.Version = mapblock.New(version).Metadata.Version
	case m.Version == 0 && n > 0 && version >= 23:
		p.fail("a list of version 0 has no entries")
	case m.Version < 2 && private > 0:
		p.err = &fault.TextError{Line: private, Msg: "private variables require a list of version 2, as in blocks since version 28"}
	}
}

// entry reads the metadata of a node.
func (p *parser) entry() mapblock.NodeMeta {
	e := mapblock.NodeMeta{Pos: p.place()}
	if p.b.Version <= 22 {
		e.Legacy = p.legacy()
		return e
	}
	p.end()
	inv := inventoryReader{p: p}
	for p.more(2) {
		word, quoted, column := p.word("a variable or a list")
		if !quoted && inv.line(word) {
			continue
		}
		v := mapblock.Var{Key: word}
		if mark, ok := strings.CutPrefix(word, private); ok && !quoted && !p.equals() {
			v.Private = 1
			if digits, ok := strings.CutPrefix(mark, ":"); ok {
				n, err := strconv.ParseUint(digits, 10, 8)
				if err != nil {
					p.failAt(column, "expected private, or private: and a number from 0 to 255")
				}
				v.Private = uint8(n)
			} else if mark != "" {
				p.failAt(column, "expected =")
			}
			v.Key, _, column = p.word("the name of a variable")
		}
		if len(v.Key) > 0xffff {
			p.failAt(column, "expected a name of at most 65535 bytes")
		}
		v.Value = p.value()
		e.Vars = append(e.Vars, v)
	}
	e.Inventory = inv.done()
	return e
}

// equals reports whether the next character is =.
func (p *parser) equals() bool { return !p.ended() && p.cur[p.at] == '=' }

// value reads the rest of a line after a key: = and a text.
func (p *parser) value() string {
	if !p.equals() {
		p.fail("expected =")
		return ""
	}
	p.at++
	return p.text(3)
}

// legacy reads the metadata of a node up to version 22.
func (p *parser) legacy() *mapblock.LegacyMeta {
	word, column := p.plain("a form of metadata")
	if digits, ok := strings.CutPrefix(word, numericID); ok {
		id, err := strconv.ParseInt(digits, 10, 16)
		if err != nil {
			p.failAt(column, "expected an id from -32768 to 32767, not %s", abridge(digits))
		}
		m := &mapblock.LegacyMeta{ID: mapblock.LegacyID(id), Body: p.lastHex()}
		if len(m.Body) > 0xffff {
			p.fail("expected at most 65535 bytes")
		}
		return m
	}
	for id, kind := range legacyKinds {
		if word == kind {
			return p.legacyKind(id, kind)
		}
	}
	if word == oldFurnace {
		at := p.line
		m := p.legacyKind(mapblock.LegacyFurnace, word)
		if p.err != nil {
			return nil
		}
		body, ok := bytes.CutSuffix(m.Body, []byte(oldFurnaceLack))
		if !ok {
			p.err = &fault.TextError{Line: at, Msg: "an old furnace has neither source_total, source nor rest"}
		}
		m.Body = body
		return m
	}
	p.failAt(column, "expected generic, sign, chest, furnace, old_furnace, locked_chest, or id: and a number, not %s", abridge(word))
	return nil
}

func (p *parser) legacyKind(id mapblock.LegacyID, kind string) *mapblock.LegacyMeta {
	p.end()
	at := p.line
	var l mapblock.LegacyContent
	known := legacyFields(&l)
	inv := inventoryReader{p: p}
	seen := make(map[string]bool)
	for p.more(2) {
		word, column := p.plain("a field")
		switch {
		case id != mapblock.LegacySign && inv.line(word):
		case id == mapblock.LegacyGeneric && word == "var":
			key, _, _ := p.word("the name of a variable")
			l.Vars = append(l.Vars, mapblock.Var{Key: key, Value: p.value()})
		case seen[word]:
			p.failAt(column, "duplicate %s", word)
		default:
			seen[word] = true
			i := slices.IndexFunc(known, func(f field) bool { return f.name == word })
			if i < 0 || !hasField(id, word) {
				p.failAt(column, "%s has no field %s", kind, abridge(word))
				break
			}
			p.field(known[i], column)
		}
	}
	if id != mapblock.LegacySign {
		l.Inventory = inv.done()
	}
	if p.err != nil {
		return nil
	}
	m, err := l.Meta(id)
	if err != nil {
		p.err = &fault.TextError{Line: at, Msg: err.Error()}
	}
	return m
}

// hasField reports whether legacy metadata of an id has the given one of legacyFields.
func hasField(id mapblock.LegacyID, name string) bool {
	switch name {
	case "rest":
		return true
	case "text":
		return id == mapblock.LegacyGeneric || id == mapblock.LegacySign
	case "owner":
		return id == mapblock.LegacyGeneric || id == mapblock.LegacyChestLocked
	case "fuel_total", "fuel", "source_total", "source":
		return id == mapblock.LegacyFurnace
	}
	return id == mapblock.LegacyGeneric
}

// field reads the value of a field. column is the column of its name.
func (p *parser) field(f field, column int) {
	text := p.value()
	number := func(lo, hi int64) int64 {
		v, ok := parseNumber(text)
		if !ok || v < lo || v > hi {
			p.failAt(column, "expected %s from %d to %d, not %s", f.name, lo, hi, abridge(text))
		}
		return v
	}
	switch v := f.value.(type) {
	case *string:
		*v = text
	case *[]byte:
		*v = []byte(text)
	case *uint8:
		*v = uint8(number(0, 0xff))
	case *uint16:
		*v = uint16(number(0, 0xffff))
	case *int:
		*v = int(number(-1<<31, 1<<31-1))
	}
}

// inventoryReader reads an inventory from the lines of its lists.
type inventoryReader struct {
	p     *parser
	lists []listText
	raw   []byte // the inventory as a string; nil if it is given as lists
}

// line reads the rest of a line after a word, if the word begins a list or an inventory.
func (r *inventoryReader) line(word string) bool {
	p := r.p
	switch {
	case word != "list" && word != "inventory" || p.equals():
		return false
	case r.raw != nil || word == "inventory" && r.lists != nil:
		p.fail("an inventory is either lists or raw text, and occurs once")
	case word == "list":
		r.list()
	default:
		text := p.text(3)
		if n, ok := mapblock.InventoryEnd([]byte(text)); !ok || n != len(text) {
			p.fail("expected an inventory that ends in EndInventory, and nothing after it")
		}
		r.raw = []byte(text)
	}
	return true
}

// list reads a list, beginning with its name.
func (r *inventoryReader) list() {
	p := r.p
	var l listText
	name, _, column := p.word("the name of a list")
	if name == "" || strings.ContainsAny(name, " \n") {
		p.failAt(column, "expected the name of a list, without spaces")
	}
	size := func() string { return strconv.FormatInt(p.number("a number of slots", 0, 1<<32-1), 10) }
	l.name, l.size = name, size()
	if !p.ended() {
		if word, column := p.plain("width"); word != "width" {
			p.failAt(column, "expected width, or the end of the line")
		}
		l.width = size()
		p.end()
	}
	for p.more(3) {
		column := p.at
		if l.slots = append(l.slots, p.slots()...); l.over() {
			p.failAt(column, "the list %s has more items than its %s slots", l.name, l.size)
		}
	}
	r.lists = append(r.lists, l)
}

// slots reads a line of a list: an item, or a number of empty slots.
func (p *parser) slots() []string {
	column := p.at
	if p.cur[p.at] == '"' {
		stack, _, _ := p.word("an item")
		p.end()
		if stack == "" || strings.Contains(stack, "\n") {
			p.failAt(column, "expected an item on one line; an empty slot is %s", empty)
		}
		return []string{stack}
	}
	rest := strings.TrimRight(p.cur[p.at:], " ")
	if !strings.HasPrefix(rest, empty) {
		if string(appendItem(nil, rest)) != rest {
			p.fail("expected an item, quoted as in Go")
		}
		return []string{rest}
	}
	p.at += len(empty)
	n := 1
	if p.skipChar('*') {
		n = int(p.number("a number of slots", 1, maxEmpties))
	}
	p.end()
	if p.empties += n; p.empties > maxEmpties {
		p.failAt(column, "expected at most %d empty slots in a block", maxEmpties)
		return nil
	}
	return make([]string, n)
}

// done returns the text of the inventory.
func (r *inventoryReader) done() []byte {
	if r.raw != nil {
		return r.raw
	}
	return appendInventory(nil, r.lists)
}
