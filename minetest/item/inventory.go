package item

import (
	"bytes"
	"fmt"
	"strconv"

	"trowel.example/fault"
)

// Inventory is the inventory of a player, a node or a detached one.
type Inventory struct {
	Lists []List

	raw []byte // the text, if it is not the one that Append would make
}

// List is a named list of slots.
type List struct {
	Name    string // such as "main"; without spaces
	Size    int    // number of slots, 0 to 2^32-1
	Width   int    // slots in a row of a crafting grid, 0 for none
	NoWidth bool   // the text does not tell a width, as before 0.4.2
	Items   []Slot // the slots from the first on; those that are missing at the end are empty

	// Keep means that there is nothing but the name: the list stays as the
	// receiver has it. It occurs in network messages only.
	Keep bool
}

// Slot is one slot of a list.
type Slot struct {
	Stack
	Keep bool // the slot stays as the receiver has it; in network messages only
}

// ParseInventory reads an inventory from the start of text. It returns the
// number of bytes up to and including the line that ends it, "EndInventory" or
// "end".
//
// The error is a [fault.Error] whose Offset is that in the text: the end is
// missing, a line is none of an inventory, a size or width is no number, a list
// has more items than its size, or an item cannot be read. Lines that a list
// should not have are skipped, as the engine does; they stay in the text
// until the inventory is changed.
//
// [fault.Error]: trowel.example/fault.Error
func ParseInventory(text []byte) (inv *Inventory, n int, err error) {
	p := parser{text: text}
	inv = p.inventory()
	if p.err != nil {
		return nil, 0, p.err
	}
	text = text[:p.next]
	if made := inv.appendLists(make([]byte, 0, len(text))); !bytes.Equal(made, text) {
		inv.raw = bytes.Clone(text)
	}
	return inv, p.next, nil
}

// SalvageInventory reads what can be read of a damaged inventory, all of text: a
// slot whose item cannot be read is empty, lines that mean nothing and items
// beyond the size of their list are skipped. The error is about the first
// damage; nil means that there is none.
func SalvageInventory(text []byte) (*Inventory, error) {
	p := parser{text: text, salvage: true}
	inv := p.inventory()
	return inv, p.err
}

// List returns the list of a name, nil if there is none. It is the first, as in
// the engine.
func (inv *Inventory) List(name string) *List {
	for i := range inv.Lists {
		if inv.Lists[i].Name == name {
			return &inv.Lists[i]
		}
	}
	return nil
}

// Equal reports whether two inventories mean the same. Their texts may differ.
func (inv *Inventory) Equal(other *Inventory) bool {
	if inv == nil || other == nil {
		return inv == other
	}
	if len(inv.Lists) != len(other.Lists) {
		return false
	}
	for i := range inv.Lists {
		if !inv.Lists[i].Equal(other.Lists[i]) {
			return false
		}
	}
	return true
}

// Equal reports whether two lists mean the same.
func (l List) Equal(m List) bool {
	if l.Name != m.Name || l.Size != m.Size || l.Width != m.Width || l.NoWidth != m.NoWidth || l.Keep != m.Keep || len(l.Items) != len(m.Items) {
		return false
	}
	for i := range l.Items {
		if !l.Items[i].Equal(m.Items[i]) {
			return false
		}
	}
	return true
}

// Equal reports whether two slots mean the same.
func (s Slot) Equal(t Slot) bool { return s.Keep == t.Keep && s.Stack.Equal(t.Stack) }

// Append appends the text of the inventory to dst: the one that it was read from
// if that still means the same, else as the engine writes it. The names of lists
// must have no spaces and no line ends, and lists no more items than their size.
func (inv *Inventory) Append(dst []byte) []byte {
	if inv.raw != nil {
		p := parser{text: inv.raw}
		if was := p.inventory(); p.err == nil && inv.Equal(was) {
			return append(dst, inv.raw...)
		}
	}
	return inv.appendLists(dst)
}

func (inv *Inventory) appendLists(dst []byte) []byte {
	for i := range inv.Lists {
		dst = inv.Lists[i].append(dst)
	}
	return append(dst, "EndInventory\n"...)
}

func (l *List) append(dst []byte) []byte {
	if l.Keep {
		dst = append(append(dst, "KeepList "...), l.Name...)
		return append(dst, '\n')
	}
	dst = append(append(append(dst, "List "...), l.Name...), ' ')
	dst = append(strconv.AppendInt(dst, int64(l.Size), 10), '\n')
	if !l.NoWidth {
		dst = append(strconv.AppendInt(append(dst, "Width "...), int64(l.Width), 10), '\n')
	}
	for i := range l.Items {
		if l.Items[i].Keep {
			dst = append(dst, "Keep\n"...)
			continue
		}
		start := len(dst)
		dst = append(dst, "Item "...)
		if dst = l.Items[i].Stack.Append(dst); len(dst) == start+len("Item ") {
			dst = append(dst[:start], "Empty"...)
		}
		dst = append(dst, '\n')
	}
	return append(dst, "EndInventoryList\n"...)
}

// parser walks over the lines of an inventory. Its first error stays.
type parser struct {
	text       []byte
	start, end int  // of the line
	next       int  // start of the line after it
	lists      int  // how many have been read
	inList     bool // the line is one of the next list
	err        error
	salvage    bool // continue after an error
}

// stopped reports whether an error ends the reading.
func (p *parser) stopped() bool { return p.err != nil && !p.salvage }

func (p *parser) fail(at int, path, want, got string, err error) {
	if p.err == nil {
		p.err = &fault.Error{Path: path, Offset: int64(at), Want: want, Got: got, Err: err}
	}
}

// line skips a line and returns the word that it begins with and what
// follows the space after that. It fails where the text ends.
func (p *parser) line(want string) (word, rest []byte, ok bool) {
	p.start = p.next
	if p.start == len(p.text) {
		path := "inventory"
		if p.inList {
			path = p.path("")
		}
		p.fail(p.start, path, want, "the end of the text", fault.ErrShort)
		return nil, nil, false
	}
	if p.stopped() {
		return nil, nil, false
	}
	if n := bytes.IndexByte(p.text[p.start:], '\n'); n >= 0 {
		p.end, p.next = p.start+n, p.start+n+1
	} else {
		p.end, p.next = len(p.text), len(p.text)
	}
	word, rest, _ = bytes.Cut(p.text[p.start:p.end], []byte(" "))
	return word, rest, true
}

// path returns the path of something in the list that comes next, or is being read.
func (p *parser) path(rest string) string { return fmt.Sprintf("lists[%d]%s", p.lists, rest) }

func (p *parser) inventory() *Inventory {
	inv := new(Inventory)
	for {
		p.lists, p.inList = len(inv.Lists), false
		word, rest, ok := p.line(`a line "EndInventory"`)
		if !ok {
			return inv
		}
		switch string(word) {
		case "EndInventory", "end":
			return inv
		case "List":
			name, size, _ := bytes.Cut(rest, []byte(" "))
			l := List{Name: string(name), NoWidth: true}
			l.Size = p.number(".size", p.end-len(size), size)
			p.list(&l)
			inv.Lists = append(inv.Lists, l)
		case "KeepList":
			inv.Lists = append(inv.Lists, List{Name: string(rest), Keep: true})
		default:
			p.fail(p.start, p.path(""), "a list or the end of the inventory", quoteStart(word), fault.ErrFormat)
		}
	}
}

func (p *parser) list(l *List) {
	p.inList = true
	for {
		word, rest, ok := p.line(`a line "EndInventoryList"`)
		if !ok {
			return
		}
		var slot Slot
		switch string(word) {
		case "EndInventoryList", "end":
			return
		case "Width":
			l.Width, l.NoWidth = p.number(".width", p.end-len(rest), rest), false
			continue
		case "Item":
			var err error
			if slot.Stack, err = ParseStack(string(rest)); err != nil {
				e := err.(*fault.Error)
				p.fail(p.end-len(rest)+int(e.Offset), p.path(fmt.Sprintf(".items[%d].%s", len(l.Items), e.Path)), e.Want, e.Got, e.Err)
			}
		case "Empty":
		case "Keep":
			slot.Keep = true
		default:
			continue
		}
		if len(l.Items) == l.Size {
			p.fail(p.start, p.path(fmt.Sprintf(".items[%d]", l.Size)), "the end of the list", "an item more than its size", fault.ErrFormat)
			continue
		}
		l.Items = append(l.Items, slot)
	}
}

// number reads the size or width that starts at offset at.
func (p *parser) number(field string, at int, text []byte) int {
	n, err := strconv.ParseUint(string(text), 10, 32)
	if err != nil {
		p.fail(at, p.path(field), "a number of at most 32 bits", quoteStart(text), fault.ErrFormat)
	}
	return int(n)
}

// quoteStart quotes the start of what is wrong.
func quoteStart(text []byte) string {
	if len(text) > 40 {
		return strconv.Quote(string(text[:40])) + "..."
	}
	return strconv.Quote(string(text))
}
