package worlddir

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"

	"trowel.example/fault"
	"trowel.example/minetest/mapblock"
)

// metaVersion returns the usual version of a list of metadata.
func metaVersion(version, entries int) uint16 {
	switch {
	case version <= 22:
		return 1
	case entries == 0:
		return 0
	case version <= 27:
		return 1
	}
	return 2
}

func (c *codec) usualMetadata() bool {
	m := &c.b.Metadata
	empty := len(m.List) == 0 && m.Missing == 0 && len(m.Rest) == 0 && m.Raw == nil
	return empty && m.Version == metaVersion(c.b.Version, 0)
}

func (c *codec) metadata() {
	m := &c.b.Metadata
	unread := []field{
		{"raw", m.Raw == nil, func() { c.lastHex(&m.Raw) }}, // not nil if it was read
		{"missing", m.Missing == 0, func() {
			number(c, "a number of entries", &m.Missing, 1, 0xffff)
			c.end()
		}},
		{"rest", len(m.Rest) == 0, func() { c.lastHex(&m.Rest) }},
	}
	version, most := c.b.Version, int64(2)
	if version <= 22 {
		most = 1
	}
	n := len(m.List) + m.Missing
	usual := metaVersion(version, n)
	if m.Raw != nil {
		usual = m.Version
	}
	stated := c.listVersion(int64(m.Version), int64(usual), most)
	if !c.reading {
		for i := range m.List {
			c.dst = indent(c.dst, 1)
			c.nodePart(SectionMeta, i, m.List[i].Pos)
			c.entry(&m.List[i])
		}
		c.heading()
		c.writeFields(1, unread)
		return
	}
	var private int // line of a variable that is marked as private
	for c.more(1) {
		column := c.at
		word, _ := c.plain("the place of a node")
		if i := slices.IndexFunc(unread, func(f field) bool { return f.name == word }); i >= 0 {
			switch {
			case version >= 29:
				c.failAt(column, "version %d cannot contain unreadable metadata", version)
			case c.seen["meta "+word]:
				c.failAt(column, "duplicate %s", word)
			}
			c.seen["meta "+word] = true
			unread[i].run()
		} else {
			c.at = column
			var e mapblock.NodeMeta
			c.entry(&e)
			if private == 0 && slices.ContainsFunc(e.Vars, func(v mapblock.Var) bool { return v.Private != 0 }) {
				private = c.line
			}
			m.List = append(m.List, e)
		}
		if len(m.List)+m.Missing > 0xffff {
			c.failAt(column, "expected at most 65535 entries")
		}
	}
	n = len(m.List) + m.Missing
	if m.Version = metaVersion(version, n); stated >= 0 {
		m.Version = uint16(stated)
	}
	switch {
	case c.err != nil:
	case m.Raw != nil:
		if n > 0 || m.Rest != nil || stated >= 0 {
			c.fail("raw contains all metadata: it cannot be combined with other lines")
		}
		m.Version = mapblock.New(version).Metadata.Version
	case m.Version == 0 && n > 0 && version >= 23:
		c.fail("a list of version 0 has no entries")
	case m.Version < 2 && private > 0:
		c.err = &fault.TextError{Line: private, Msg: "private variables require a list of version 2, as in blocks since version 28"}
	}
}

// entry reads or writes the metadata of a node.
func (c *codec) entry(e *mapblock.NodeMeta) {
	c.place(&e.Pos)
	if c.reading && c.b.Version <= 22 {
		e.Legacy = c.readLegacy()
		return
	}
	if e.Legacy != nil {
		c.writeLegacy(e.Legacy)
		return
	}
	c.end()
	if !c.reading {
		for _, v := range e.Vars {
			c.dst = indent(c.dst, 2)
			switch v.Private {
			case 0:
			case 1:
				c.dst = append(c.dst, private+" "...)
			default: // has no meaning
				c.dst = strconv.AppendUint(append(c.dst, private+":"...), uint64(v.Private), 10)
			}
			c.name("", &v.Key)
			c.value(&v.Value)
		}
		c.inventory(e.Inventory)
		return
	}
	inv := inventoryReader{c: c}
	for c.more(2) {
		word, quoted, column := c.word("a variable or a list")
		if quoted || !inv.line(word) {
			e.Vars = append(e.Vars, c.readVar(word, quoted, column))
		}
	}
	e.Inventory = inv.done()
}

const private = "private"

// readVar reads a variable after its first word.
func (c *codec) readVar(word string, quoted bool, column int) mapblock.Var {
	v := mapblock.Var{Key: word}
	if mark, ok := strings.CutPrefix(word, private); ok && !quoted && !c.equals() {
		v.Private = 1
		if digits, ok := strings.CutPrefix(mark, ":"); ok {
			n, err := strconv.ParseUint(digits, 10, 8)
			if err != nil {
				c.failAt(column, "expected private, or private: and a number from 0 to 255")
			}
			v.Private = uint8(n)
		} else if mark != "" {
			c.failAt(column, "expected =")
		}
		v.Key, _, column = c.word("the name of a variable")
	}
	if len(v.Key) > 0xffff {
		c.failAt(column, "expected a name of at most 65535 bytes")
	}
	c.value(&v.Value)
	return v
}

// legacyKind is a form of legacy metadata.
type legacyKind struct {
	name   string
	id     mapblock.LegacyID
	lack   string // what is missing at the end
	fields string
}

const furnaceFields = "fuel_total fuel source_total source rest"

var legacyKinds = []legacyKind{
	{"generic", mapblock.LegacyGeneric, "", "text owner infotext drawspec allow_text_input removal_disabled enforce_owner rest"},
	{"sign", mapblock.LegacySign, "", "text rest"},
	{"chest", mapblock.LegacyChest, "", "rest"},
	{"furnace", mapblock.LegacyFurnace, "", furnaceFields},
	{"old_furnace", mapblock.LegacyFurnace, "0 0 ", furnaceFields}, // those of 2011 end before the burned item
	{"locked_chest", mapblock.LegacyChestLocked, "", "owner rest"},
}

// writeLegacy writes legacy metadata: as fields, if these represent it exactly.
func (c *codec) writeLegacy(m *mapblock.LegacyMeta) {
	for _, kind := range legacyKinds {
		whole := &mapblock.LegacyMeta{ID: m.ID, Body: append(bytes.Clone(m.Body), kind.lack...)}
		content, err := whole.Content()
		if kind.id != m.ID || err != nil {
			continue
		}
		if again, err := content.Meta(m.ID); err == nil && bytes.Equal(again.Body, whole.Body) {
			c.keyword(kind.name, "")
			c.legacyContent(kind, &content)
			return
		}
	}
	c.dst = strconv.AppendInt(append(c.space(), numericID...), int64(m.ID), 10)
	c.lastHex(&m.Body)
}

// readLegacy reads the metadata of a node up to version 22.
func (c *codec) readLegacy() *mapblock.LegacyMeta {
	word, column := c.plain("a form of metadata")
	at := c.line
	if digits, ok := strings.CutPrefix(word, numericID); ok {
		id, err := strconv.ParseInt(digits, 10, 16)
		if err != nil {
			c.failAt(column, "expected an id from -32768 to 32767, not %s", abridge(digits))
		}
		m := &mapblock.LegacyMeta{ID: mapblock.LegacyID(id)}
		if c.lastHex(&m.Body); len(m.Body) > 0xffff {
			c.fail("expected at most 65535 bytes")
		}
		return m
	}
	i := slices.IndexFunc(legacyKinds, func(k legacyKind) bool { return k.name == word })
	if i < 0 {
		c.failAt(column, "expected generic, sign, chest, furnace, old_furnace, locked_chest, or id: and a number, not %s", abridge(word))
		return nil
	}
	var l mapblock.LegacyContent
	if c.legacyContent(legacyKinds[i], &l); c.err != nil {
		return nil
	}
	m, err := l.Meta(legacyKinds[i].id)
	if err != nil {
		c.err = &fault.TextError{Line: at, Msg: err.Error()}
		return nil
	}
	var ok bool
	if m.Body, ok = bytes.CutSuffix(m.Body, []byte(legacyKinds[i].lack)); !ok {
		c.err = &fault.TextError{Line: at, Msg: "an old furnace has neither source_total, source nor rest"}
	}
	return m
}

// legacyContent reads or writes the contents of legacy metadata.
func (c *codec) legacyContent(kind legacyKind, l *mapblock.LegacyContent) {
	known := slices.DeleteFunc([]field{
		textField(c, "text", &l.Text), textField(c, "owner", &l.Owner), textField(c, "infotext", &l.InfoText),
		textField(c, "drawspec", &l.DrawSpec), numberField(c, "allow_text_input", &l.AllowTextInput, 0, 0xff),
		numberField(c, "removal_disabled", &l.RemovalDisabled, 0, 0xff), numberField(c, "enforce_owner", &l.EnforceOwner, 0, 0xff),
		numberField(c, "fuel_total", &l.FuelTotal, math.MinInt32, math.MaxInt32), numberField(c, "fuel", &l.Fuel, math.MinInt32, math.MaxInt32),
		numberField(c, "source_total", &l.SourceTotal, math.MinInt32, math.MaxInt32),
		numberField(c, "source", &l.Src, math.MinInt32, math.MaxInt32), textField(c, "rest", &l.Rest),
	}, func(f field) bool { return !isOneOf(f.name, kind.fields) })
	c.end()
	inv := inventoryReader{c: c}
	c.fields(known, func(word string, column int) {
		switch {
		case kind.id != mapblock.LegacySign && inv.line(word):
		case kind.id == mapblock.LegacyGeneric && word == "var":
			l.Vars = append(l.Vars, mapblock.Var{})
			c.legacyVar(&l.Vars[len(l.Vars)-1])
		default:
			c.failAt(column, "%s has no field %s", kind.name, abridge(word))
		}
	})
	if c.reading {
		if kind.id != mapblock.LegacySign {
			l.Inventory = inv.done()
		}
		return
	}
	for i := range l.Vars {
		c.dst = append(indent(c.dst, 2), "var"...)
		c.legacyVar(&l.Vars[i])
	}
	if kind.id != mapblock.LegacySign {
		c.inventory(l.Inventory)
	}
}

func (c *codec) legacyVar(v *mapblock.Var) {
	c.name("the name of a variable", &v.Key)
	c.value(&v.Value)
}

// numberField returns a field with a number.
func numberField[T uint8 | int](c *codec, name string, p *T, lo, hi int64) field {
	return c.set(name, *p == 0, func() { number(c, name, p, lo, hi) })
}

// maxEmpties is the maximum number of empty slots in the item lists of a block that are written as lists, because a
// short text can represent many empty slots.
const maxEmpties = 1 << 18

const (
	emptyInventory = "EndInventory\n"
	endList        = "EndInventoryList\n"
	emptySlot      = "Empty"
	empty          = "empty" // in the text
)

// inventory writes an inventory as lists if it has the form that games write, otherwise as a string.
func (c *codec) inventory(text []byte) {
	lists, empties, ok := splitInventory(string(text))
	if !ok || c.empties+empties > maxEmpties {
		c.dst = append(indent(c.dst, 2), "inventory"...)
		c.dst = appendText(c.dst, string(text), 3)
		return
	}
	c.empties += empties
	for i := range lists {
		l := &lists[i]
		c.dst = append(indent(c.dst, 2), "list"...)
		c.listHead(l)
		for i := 0; i < len(l.slots); {
			n := 1
			for l.slots[i] == "" && i+n < len(l.slots) && l.slots[i+n] == "" {
				n++
			}
			c.slot(l.slots[i], n)
			i += n
		}
	}
}

// slot writes an item, or n empty slots.
func (c *codec) slot(stack string, n int) {
	c.dst = indent(c.dst, 3)
	switch {
	case stack != "":
		c.dst = appendItem(c.dst, stack)
	case n == 1:
		c.dst = append(c.dst, empty...)
	default:
		c.dst = strconv.AppendInt(append(c.dst, empty+"*"...), int64(n), 10)
	}
	c.dst = append(c.dst, '\n')
}

// appendItem writes an itemstring. It is written without quotes if all characters are printable and the beginning
// cannot be misread.
func appendItem(dst []byte, stack string) []byte {
	plain := isBare(stack[0]) && stack[len(stack)-1] != ' ' && !strings.HasPrefix(stack, empty)
	for i := 0; i < len(stack) && plain; i++ {
		plain = ' ' <= stack[i] && stack[i] < 0x7f
	}
	if plain {
		return append(dst, stack...)
	}
	return strconv.AppendQuote(dst, stack)
}

// listText is a list of an inventory; size and width are numbers.
type listText struct {
	name, size, width string
	slots             []string // items; "" is an empty slot
}

// over reports whether the list has more slots than its size.
func (l *listText) over() bool {
	size, err := strconv.ParseUint(l.size, 10, 32)
	return err == nil && uint64(len(l.slots)) > size
}

// splitInventory splits an inventory that has the form that games write.
func splitInventory(text string) (lists []listText, empties int, ok bool) {
	line := func() (s string) {
		s, text, ok = strings.Cut(text, "\n")
		return s
	}
	for text != emptyInventory {
		var l listText
		head, isList := strings.CutPrefix(line(), "List ")
		l.name, l.size, _ = strings.Cut(head, " ")
		if !isList || l.name == "" || !isSize(l.size) {
			return nil, 0, false
		}
		if strings.HasPrefix(text, "Width ") {
			if l.width = line()[len("Width "):]; !isSize(l.width) {
				return nil, 0, false
			}
		}
		for !strings.HasPrefix(text, endList) {
			s := line()
			stack, isItem := strings.CutPrefix(s, "Item ")
			switch {
			case !ok || !isItem && s != emptySlot || isItem && stack == "":
				return nil, 0, false
			case isItem:
				l.slots = append(l.slots, stack)
			default:
				l.slots = append(l.slots, "")
				empties++
			}
		}
		if l.over() {
			return nil, 0, false // the engine stops reading here; a list is never written like this
		}
		text = text[len(endList):]
		lists = append(lists, l)
	}
	return lists, empties, true
}

// isSize reports whether a text is a number of slots in the form that games write.
func isSize(text string) bool {
	v, err := strconv.ParseUint(text, 10, 32)
	return err == nil && strconv.FormatUint(v, 10) == text
}

// appendInventory is the inverse of splitInventory.
func appendInventory(dst []byte, lists []listText) []byte {
	for _, l := range lists {
		dst = append(dst, "List "+l.name+" "+l.size+"\n"...)
		if l.width != "" {
			dst = append(dst, "Width "+l.width+"\n"...)
		}
		for _, stack := range l.slots {
			if stack == "" {
				dst = append(dst, emptySlot+"\n"...)
			} else {
				dst = append(dst, "Item "+stack+"\n"...)
			}
		}
		dst = append(dst, endList...)
	}
	return append(dst, emptyInventory...)
}

// inventoryReader reads an inventory from the lines of its lists.
type inventoryReader struct {
	c     *codec
	lists []listText
	raw   []byte // the inventory as a string; nil if it is given as lists
}

// line reads the rest of a line after a word, if the word begins a list or an inventory.
func (r *inventoryReader) line(word string) bool {
	c := r.c
	switch {
	case word != "list" && word != "inventory" || c.equals():
		return false
	case r.raw != nil || word == "inventory" && r.lists != nil:
		c.fail("an inventory is either lists or raw text, and occurs once")
	case word == "list":
		r.list()
	default:
		text := c.text(3)
		if n, ok := mapblock.InventoryEnd([]byte(text)); !ok || n != len(text) {
			c.fail("expected an inventory that ends in EndInventory, and nothing after it")
		}
		r.raw = []byte(text)
	}
	return true
}

// list reads a list, beginning with its name.
func (r *inventoryReader) list() {
	c := r.c
	var l listText
	c.listHead(&l)
	for c.more(3) {
		column := c.at
		if l.slots = append(l.slots, c.slots()...); l.over() {
			c.failAt(column, "the list %s has more items than its %s slots", l.name, l.size)
		}
	}
	r.lists = append(r.lists, l)
}

// slots reads a line of a list: an item, or a number of empty slots.
func (c *codec) slots() []string {
	column := c.at
	if c.cur[c.at] == '"' {
		stack, _, _ := c.word("an item")
		c.end()
		if stack == "" || strings.Contains(stack, "\n") {
			c.failAt(column, "expected an item on one line; an empty slot is %s", empty)
		}
		return []string{stack}
	}
	rest := strings.TrimRight(c.cur[c.at:], " ")
	if !strings.HasPrefix(rest, empty) {
		if string(appendItem(nil, rest)) != rest {
			c.fail("expected an item, quoted as in Go")
		}
		return []string{rest}
	}
	c.at += len(empty)
	n := 1
	if c.skipChar('*') {
		n = int(c.number("a number of slots", 1, maxEmpties))
	}
	c.end()
	if c.empties += n; c.empties > maxEmpties {
		c.failAt(column, "expected at most %d empty slots in a block", maxEmpties)
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

// listHead reads or writes the first line of a list, after its first word.
func (c *codec) listHead(l *listText) {
	c.ended()
	column := c.at
	if c.name("the name of a list", &l.name); c.reading && (l.name == "" || strings.ContainsAny(l.name, " \n")) {
		c.failAt(column, "expected the name of a list, without spaces")
	}
	c.size(&l.size)
	if l.width != "" || c.reading && !c.ended() {
		c.keyword("width", "expected width, or the end of the line")
		c.size(&l.width)
	}
	c.end()
}

// size reads or writes a number of slots.
func (c *codec) size(p *string) {
	if c.reading {
		*p = strconv.FormatInt(c.number("a number of slots", 0, 1<<32-1), 10)
	} else {
		c.keyword(*p, "")
	}
}
