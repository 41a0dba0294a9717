package item

import (
	"bytes"
	"fmt"
	"strconv"

	"trowel.example/fault"
)

// Inventory is the inventory of a player or a node, or a detached inventory.
type Inventory struct {
	Lists []List

	raw []byte // the text, if it differs from that of appendLists
}

// List is a named list of slots.
type List struct {
	Name    string // such as "main"; without spaces
	Size    int    // number of slots, 0 to 2^32-1
	Width   int    // slots per row of a crafting grid, 0 for none
	NoWidth bool   // the text has no width, as before 0.4.2
	Items   []Slot // the slots from the first on; missing slots at the end are empty

	// Keep means that the text has only the name: the receiver keeps the list unchanged. It occurs in network
	// messages only.
	Keep bool
}

// Slot is one slot of a list.
type Slot struct {
	Stack
	Keep bool // the receiver keeps the slot unchanged; in network messages only
}

// ParseInventory reads an inventory from the start of text. It returns the number of bytes up to and including the
// closing line, "EndInventory" or "end".
//
// The error is a [fault.Error] whose Offset is the offset in the text. Errors are: a missing end, an unknown line, a
// size or width that is not a number, more items in a list than its size, and an unreadable item. Unknown lines
// inside a list are skipped, as in the engine; they remain in the text until the inventory is changed.
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

// SalvageInventory reads the readable parts of a damaged inventory, using all of text: slots with unreadable items
// become empty; unknown lines and items beyond the size of their list are skipped. The error reports the first
// damage; nil means no damage.
func SalvageInventory(text []byte) (*Inventory, error) {
	p := parser{text: text, salvage: true}
	inv := p.inventory()
	return inv, p.err
}

// List returns the list with a name, or nil if there is none. If several have the name, it returns the first, as in
// the engine.
func (inv *Inventory) List(name string) *List {
	for i := range inv.Lists {
		if inv.Lists[i].Name == name {
			return &inv.Lists[i]
		}
	}
	return nil
}

// Equal reports whether two inventories have the same content. Their texts may differ.
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

// Equal reports whether two lists have the same content.
func (l List) Equal(m List) bool {
	if l.Name != m.Name || l.Size != m.Size || l.Width != m.Width || l.NoWidth != m.NoWidth || l.Keep != m.Keep ||
		len(l.Items) != len(m.Items) {
		return false
	}
	for i := range l.Items {
		if !l.Items[i].Equal(m.Items[i]) {
			return false
		}
	}
	return true
}

// Equal reports whether two slots have the same content.
func (s Slot) Equal(t Slot) bool { return s.Keep == t.Keep && s.Stack.Equal(t.Stack) }

// Append appends the text of the inventory to dst: the text that it was read from if it still has the same content,
// or else the text that the engine would write. The names of lists must not contain spaces or line ends, and a list
// must not have more items than its size.
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

// parser reads the lines of an inventory. It keeps the first error.
type parser struct {
	text       []byte
	start, end int  // of the line
	next       int  // start of the line after it
	lists      int  // the number of lists read
	inList     bool // the line belongs to the next list
	err        error
	salvage    bool // continue after an error
}

// stopped reports whether an error has ended the reading.
func (p *parser) stopped() bool { return p.err != nil && !p.salvage }

func (p *parser) fail(at int, path, want, got string, err error) {
	if p.err == nil {
		p.err = &fault.Error{Path: path, Offset: int64(at), Want: want, Got: got, Err: err}
	}
}

// line skips a line and returns its first word and the rest after the following space. It fails at the end of the
// text.
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

// path returns the path of a part of the list that is being read.
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
			p.fail(p.start, p.path(fmt.Sprintf(".items[%d]", l.Size)), "the end of the list", "more items than its size", fault.ErrFormat)
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

// quoteStart quotes the start of an invalid text.
func quoteStart(text []byte) string {
	if len(text) > 40 {
		return strconv.Quote(string(text[:40])) + "..."
	}
	return strconv.Quote(string(text))
}
