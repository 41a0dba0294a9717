package sqlitepage

import "encoding/binary"

// builtSize is the size of the built pages.
const builtSize = 4096

// A builtPage is a page of a tree under construction, with its entries sorted by key.
type builtPage struct {
	data    [builtSize]byte
	head    int // offset of the page header
	size    int // size of the page header
	n       int // number of entries
	content int // offset of the last entry
	last    int // length of the last entry
}

// reset empties the page. The file header, if any, is before head.
func (p *builtPage) reset(kind byte, head int) {
	*p = builtPage{head: head, size: 8, content: builtSize}
	if kind == tableInner || kind == indexInner {
		p.size = 12
	}
	p.data[head] = kind
}

// slot returns the offset of the pointer to an entry.
func (p *builtPage) slot(i int) int { return p.head + p.size + 2*i }

func (p *builtPage) fits(cell int) bool { return p.content-p.slot(p.n+1) >= cell }

// add adds an entry that consists of the given parts.
func (p *builtPage) add(parts ...[]byte) {
	end := p.content
	for _, part := range parts {
		p.content -= len(part)
	}
	at := p.content
	for _, part := range parts {
		at += copy(p.data[at:], part)
	}
	p.last = end - p.content
	binary.BigEndian.PutUint16(p.data[p.slot(p.n):], uint16(p.content))
	p.n++
}

// pop removes the last added entry, and returns it.
func (p *builtPage) pop() []byte {
	cell := append([]byte(nil), p.data[p.content:p.content+p.last]...)
	clear(p.data[p.content : p.content+p.last])
	p.content += p.last
	p.n--
	clear(p.data[p.slot(p.n) : p.slot(p.n)+2])
	return cell
}

// seal completes the header and returns the page.
func (p *builtPage) seal() []byte {
	binary.BigEndian.PutUint16(p.data[p.head+3:], uint16(p.n))
	binary.BigEndian.PutUint16(p.data[p.head+5:], uint16(p.content))
	return p.data[:]
}

// A builtTree holds the inner pages of a tree under construction, level by level from the leaves up. An inner page has
// one child more than entries; the key of this last child is on the level above. A page must have an entry: a full
// page passes its last entry up.
type builtTree struct {
	b      *Builder
	kind   byte
	levels []*builtPage
}

// add adds a page that is followed by others. In an index key is the key after the page, in a table the last rowid in
// it.
func (t *builtTree) add(child uint32, key []byte) { t.addAt(0, child, key) }

func (t *builtTree) addAt(level int, child uint32, key []byte) {
	if level == len(t.levels) {
		t.levels = append(t.levels, new(builtPage))
		t.levels[level].reset(t.kind, 0)
	}
	p := t.levels[level]
	if !p.fits(4 + len(key)) {
		last := p.pop()
		number := t.end(p, binary.BigEndian.Uint32(last))
		p.reset(t.kind, 0)
		t.addAt(level+1, number, last[4:])
	}
	p.add(binary.BigEndian.AppendUint32(nil, child), key)
}

// end writes a page, with the child that has no key.
func (t *builtTree) end(p *builtPage, child uint32) uint32 {
	binary.BigEndian.PutUint32(p.data[p.head+8:], child)
	return t.b.page(p)
}

// root adds the last page, and returns the root of the tree.
func (t *builtTree) root(child uint32) uint32 {
	for _, p := range t.levels {
		child = t.end(p, child)
	}
	return child
}

// appendVarint appends an integer that is not negative and has less than 56 bits.
func appendVarint(b []byte, v int64) []byte {
	for n := 49; n > 0; n -= 7 {
		if v>>n != 0 {
			b = append(b, byte(v>>n)|0x80)
		}
	}
	return append(b, byte(v&0x7f))
}

// integerType returns the serial type of an integer.
func integerType(v int64) byte {
	switch {
	case v == 0 || v == 1:
		return byte(8 + v)
	case v == int64(int8(v)):
		return 1
	case v == int64(int16(v)):
		return 2
	case v == v<<40>>40:
		return 3
	case v == int64(int32(v)):
		return 4
	case v == v<<16>>16:
		return 5
	}
	return 6
}

// appendInteger appends an integer in the format of its serial type.
func appendInteger(b []byte, v int64) []byte {
	n := int(integerType(v))
	switch {
	case n >= 8:
		n = 0
	case n >= 5:
		n = 2*n - 4
	}
	for i := n - 1; i >= 0; i-- {
		b = append(b, byte(v>>(8*i)))
	}
	return b
}

// appendRecord appends a record of integers and a field of bytes with the given serial type, without the bytes. A
// serial type of -1 means that there is no such field.
func appendRecord(b []byte, ints []int64, bytes int64) []byte {
	start := len(b)
	b = append(b, 0)
	for _, v := range ints {
		b = append(b, integerType(v))
	}
	if bytes >= 0 {
		b = appendVarint(b, bytes)
	}
	b[start] = byte(len(b) - start) // the header is always shorter than 128 bytes
	for _, v := range ints {
		b = appendInteger(b, v)
	}
	return b
}
