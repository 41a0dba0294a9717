package sqlitepage

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// The kinds of pages of trees.
const (
	indexInner = 2
	tableInner = 5
	indexLeaf  = 10
	tableLeaf  = 13
)

// page is a page of a tree.
type page struct {
	kind  byte
	right uint32 // last child of an inner page
	cells []cell // sorted by key
	tidy  bool   // cells and free space account for every byte of the page
}

// cell is an entry of a page.
type cell struct {
	child    uint32 // in an inner page
	rowid    int64  // in a table; in an inner page, the last rowid in the child
	payload  int64  // bytes of the row, here and in overflow pages
	local    []byte // bytes of the row that are in this page
	overflow uint32
}

var errNoTree = errors.New("not a page of a table or an index")

// parse decodes a page. It returns an error if the data is not a page of a tree. The cells that it returns are within
// the page and do not overlap.
func (f *File) parse(number uint32, data []byte) (*page, error) {
	base := 0
	if number == 1 {
		base = headerSize
	}
	h := data[base:]
	p := &page{kind: h[0]}
	size := 8
	switch p.kind {
	case tableInner, indexInner:
		size = 12
		p.right = binary.BigEndian.Uint32(h[8:])
	case tableLeaf, indexLeaf:
	default:
		if isZero(data) {
			return nil, errZeroed
		}
		return nil, errNoTree
	}
	n := int(binary.BigEndian.Uint16(h[3:]))
	content := int(binary.BigEndian.Uint16(h[5:]))
	if content == 0 {
		content = 65536
	}
	first := base + size + 2*n
	if first > f.usable || content < first || content > f.usable {
		return nil, errNoTree
	}
	used := make([]span, 0, n+8)
	p.cells = make([]cell, n)
	last := int64(math.MinInt64)
	for i := range p.cells {
		at := int(binary.BigEndian.Uint16(data[base+size+2*i:]))
		if at < content || at > f.usable-4 {
			return nil, fmt.Errorf("entry %d is not within the page", i)
		}
		c, length, ok := f.cell(p.kind, data[at:f.usable])
		if !ok {
			return nil, fmt.Errorf("entry %d cannot be read", i)
		}
		if p.kind == tableLeaf || p.kind == tableInner {
			if i > 0 && c.rowid <= last {
				return nil, fmt.Errorf("entry %d is out of order", i)
			}
			last = c.rowid
		}
		p.cells[i] = c
		used = append(used, span{at, at + length})
	}
	sortSpans(used)
	for i := 1; i < len(used); i++ {
		if used[i].from < used[i-1].to {
			return nil, errors.New("the entries overlap")
		}
	}
	p.tidy = f.addsUp(data, h, content, used)
	return p, nil
}

// addsUp reports whether the entries of a page, its list of free blocks and its count of fragmented bytes account for
// every byte of the page.
func (f *File) addsUp(data, h []byte, content int, used []span) bool {
	for free := int(binary.BigEndian.Uint16(h[1:])); free != 0; {
		if free < content || free > f.usable-4 {
			return false
		}
		next, length := int(binary.BigEndian.Uint16(data[free:])), int(binary.BigEndian.Uint16(data[free+2:]))
		if next != 0 && next <= free || length < 4 || free+length > f.usable {
			return false
		}
		used = append(used, span{free, free + length})
		free = next
	}
	sortSpans(used)
	gaps, at := 0, content
	for _, s := range used {
		if s.from < at {
			return false
		}
		gaps += s.from - at
		at = s.to
	}
	return gaps+f.usable-at == int(h[7])
}

type span struct{ from, to int }

func sortSpans(s []span) { slices.SortFunc(s, func(a, b span) int { return a.from - b.from }) }

// cell decodes the entry at the start of b, which extends to the end of the usable part of the page, and returns the
// length of the entry.
func (f *File) cell(kind byte, b []byte) (c cell, length int, ok bool) {
	at := 0
	number := func() int64 {
		v, n := varint(b[at:])
		if n == 0 {
			at = len(b)
			ok = false
			return -1
		}
		at += n
		return v
	}
	ok = true
	if kind == tableInner || kind == indexInner {
		if len(b) < 4 {
			return c, 0, false
		}
		c.child = binary.BigEndian.Uint32(b)
		at = 4
	}
	if kind == tableInner {
		c.rowid = number()
		return c, max(at, 4), ok
	}
	c.payload = number()
	if kind == tableLeaf {
		c.rowid = number()
	}
	if !ok || c.payload < 0 || c.payload > math.MaxInt32 {
		return c, 0, false
	}
	local, most := c.payload, int64(f.usable-35)
	if kind != tableLeaf {
		most = int64((f.usable-12)*64/255 - 23)
	}
	if c.payload > most {
		least := int64((f.usable-12)*32/255 - 23)
		if local = least + (c.payload-least)%int64(f.usable-4); local > most {
			local = least
		}
	}
	if int64(len(b)-at) < local {
		return c, 0, false
	}
	c.local = b[at : at+int(local)]
	at += int(local)
	if local < c.payload {
		if len(b)-at < 4 {
			return c, 0, false
		}
		c.overflow = binary.BigEndian.Uint32(b[at:])
		at += 4
	}
	return c, max(at, 4), true
}

// varint decodes an integer of one to nine bytes, and returns its length; 0 if it is incomplete.
func varint(b []byte) (int64, int) {
	v := uint64(0)
	for i := range min(len(b), 8) {
		v = v<<7 | uint64(b[i]&0x7f)
		if b[i] < 0x80 {
			return int64(v), i + 1
		}
	}
	if len(b) < 9 {
		return 0, 0
	}
	return int64(v<<8 | uint64(b[8])), 9
}

// record decodes the values of a row.
func (f *File) record(b []byte) ([]any, bool) {
	size, at := varint(b)
	if at == 0 || size < int64(at) || size > int64(len(b)) {
		return nil, false
	}
	head, body := b[at:size], b[size:]
	var values []any
	for len(head) > 0 {
		kind, n := varint(head)
		if n == 0 {
			return nil, false
		}
		head = head[n:]
		v, length, ok := f.value(kind, body)
		if !ok {
			return nil, false
		}
		values, body = append(values, v), body[length:]
	}
	return values, len(body) == 0
}

// value reads a value of a serial type.
func (f *File) value(kind int64, b []byte) (v any, length int, ok bool) {
	integer := func(n int) (any, int, bool) {
		if len(b) < n {
			return nil, 0, false
		}
		u := uint64(0)
		for _, c := range b[:n] {
			u = u<<8 | uint64(c)
		}
		shift := 64 - 8*n
		return int64(u<<shift) >> shift, n, true
	}
	switch kind {
	case 0:
		return nil, 0, true
	case 1, 2, 3, 4:
		return integer(int(kind))
	case 5, 6:
		return integer(int(kind)*2 - 4)
	case 7:
		if len(b) < 8 {
			return nil, 0, false
		}
		return math.Float64frombits(binary.BigEndian.Uint64(b)), 8, true
	case 8, 9:
		return kind - 8, 0, true
	}
	n := (kind - 12) / 2
	if kind < 12 || n > int64(len(b)) {
		return nil, 0, false
	}
	if kind%2 == 1 {
		return f.text(b[:n]), int(n), true
	}
	return slices.Clone(b[:n]), int(n), true
}

func isZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

var errZeroed = errors.New("the page contains only zero bytes")
