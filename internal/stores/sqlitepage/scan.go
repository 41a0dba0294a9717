package sqlitepage

import (
	"encoding/binary"
	"fmt"
	"os"

	"trowel.example/fault"
)

// Scan reads all rows of a database that a [Builder] made, and that SQLite may have changed since, ordered by rowid.
// No program may write to the file during the scan. The slice ints is valid until the next call; data belongs to the
// callee. At the end Scan checks that the index has exactly the rows of the table, ordered by key. At the first damage
// Scan stops with a [fault.Error].
func Scan(path string, t Table, row func(ints []int64, data []byte) error) error {
	f, err := Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	s := &scan{f: f, table: t, row: row}
	if !f.headed || f.log != nil {
		return s.damaged(1, "the header of a database that was closed")
	}
	roots, err := s.roots()
	if err != nil {
		return err
	}
	if err := s.walk(roots[0], 0, tableInner, tableLeaf, s.tableCell); err != nil {
		return err
	}
	if err := s.walk(roots[1], 0, indexInner, indexLeaf, s.indexCell); err != nil {
		return err
	}
	if s.rows != s.keys {
		return s.damaged(roots[1], "an index of all rows and no others")
	}
	return nil
}

// scan is the state of a Scan.
type scan struct {
	f          *File
	table      Table
	row        func(ints []int64, data []byte) error
	visited    uint32 // pages
	chunks     [4]chunk
	next       int // the chunk to be replaced next
	ints       [4]int64
	lastRow    int64
	lastKey    uint64
	rows, keys summary
}

// A summary is an order-independent summary of rows, or of their index entries.
type summary struct{ count, sum uint64 }

func (t *summary) add(key uint64, row int64) {
	h := (key ^ uint64(row)*0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
	t.count++
	t.sum += h ^ h>>29
}

// chunk is a part of the file: many pages are read at a time.
type chunk struct {
	at   int64
	data []byte
}

func (s *scan) damaged(page uint32, want string) error {
	return &fault.Error{File: s.f.path, Path: s.table.Name, Offset: s.f.Offset(page), Want: want, Got: "something else", Err: fault.ErrFormat}
}

// page returns the bytes of a page.
func (s *scan) page(n uint32) ([]byte, error) {
	if s.visited++; n == 0 || n > s.f.present() || s.visited > 2*s.f.present() {
		return nil, s.damaged(max(n, 1), "a page of the file, once")
	}
	off := s.f.Offset(n)
	at := off - off%collected
	for _, c := range s.chunks {
		if c.data != nil && c.at == at {
			return c.data[off-at:][:s.f.PageSize], nil
		}
	}
	data := make([]byte, min(collected, s.f.size-at))
	if n, err := s.f.main.ReadAt(data, at); n < len(data) {
		return nil, &os.PathError{Op: "read", Path: s.f.path, Err: err}
	}
	s.chunks[s.next] = chunk{at, data}
	s.next = (s.next + 1) % len(s.chunks)
	return data[off-at:][:s.f.PageSize], nil
}

// roots returns the root pages of the table and its index.
func (s *scan) roots() (roots [2]uint32, err error) {
	data, err := s.page(1)
	if err != nil {
		return roots, err
	}
	p, err := s.f.parse(1, data)
	if err != nil || p.kind != tableLeaf {
		return roots, s.damaged(1, "a schema of one page")
	}
	for _, c := range p.cells {
		row, ok := s.f.record(c.local)
		if !ok || len(row) != 5 {
			continue
		}
		root, _ := row[3].(int64)
		switch {
		case row[0] == "table" && row[4] == s.table.SQL:
			roots[0] = uint32(root)
		case row[0] == "index" && row[1] == "sqlite_autoindex_"+s.table.Name+"_1":
			roots[1] = uint32(root)
		}
	}
	if roots[0] == 0 || roots[1] == 0 {
		return roots, s.damaged(1, fmt.Sprintf("the table %q", s.table.Name))
	}
	return roots, nil
}

// walk calls entry with the entries below a page.
func (s *scan) walk(n uint32, depth int, inner, leaf byte, entry func(uint32, cell) error) error {
	data, err := s.page(n)
	if err != nil {
		return err
	}
	kind, count := data[0], int(binary.BigEndian.Uint16(data[3:]))
	first := 8
	if kind == inner {
		first = 12
	}
	content := int(binary.BigEndian.Uint16(data[5:])-1) + 1 // 0 means 65536
	if kind != inner && kind != leaf || depth > 40 || first+2*count > min(content, s.f.usable) {
		return s.damaged(n, "a page of a tree")
	}
	for i := range count {
		at := int(binary.BigEndian.Uint16(data[first+2*i:]))
		if at < content || at > s.f.usable-4 {
			return s.damaged(n, "entries within the page")
		}
		c, _, ok := s.f.cell(kind, data[at:s.f.usable])
		if !ok {
			return s.damaged(n, "entries within the page")
		}
		if kind == inner {
			if err := s.walk(c.child, depth+1, inner, leaf, entry); err != nil {
				return err
			}
		}
		if kind == leaf || inner == indexInner {
			if err := entry(n, c); err != nil {
				return err
			}
		}
	}
	if kind == inner {
		return s.walk(binary.BigEndian.Uint32(data[8:]), depth+1, inner, leaf, entry)
	}
	return nil
}

// tableCell checks and emits a row.
func (s *scan) tableCell(n uint32, c cell) error {
	ints, rest, ok := integers(c.local, s.ints[:0], len(s.table.Key))
	if !ok || s.rows.count > 0 && c.rowid <= s.lastRow {
		return s.damaged(n, "rows in order")
	}
	key, ok := s.table.pack(ints)
	kind, m := varint(rest.head)
	size := (kind - 12) / 2
	if !ok || m == 0 || m < len(rest.head) || kind < 12 || kind%2 != 0 || int64(len(c.local)-len(rest.body))+size != c.payload {
		return s.damaged(n, "a row with integers and bytes")
	}
	s.lastRow = c.rowid
	s.rows.add(key, c.rowid)
	if size > MaxPayload {
		return s.damaged(n, "rows of less than 65 MiB")
	}
	data := append(make([]byte, 0, min(size, int64(s.f.size))), rest.body...)
	next := c.overflow
	for int64(len(data)) < size {
		page, err := s.page(next)
		if err != nil {
			return err
		}
		next = binary.BigEndian.Uint32(page)
		data = append(data, page[4:4+min(size-int64(len(data)), int64(s.f.usable-4))]...)
	}
	if next != 0 {
		return s.damaged(n, "rows that end")
	}
	return s.row(ints, data)
}

// indexCell checks an entry of the index.
func (s *scan) indexCell(n uint32, c cell) error {
	columns := len(s.table.Key)
	ints, rest, ok := integers(c.local, s.ints[:0], columns+1)
	if !ok || len(rest.head)+len(rest.body) > 0 {
		return s.damaged(n, "an index of integers")
	}
	key, ok := Table{Key: []int{0, 1, 2}[:columns]}.pack(ints)
	if !ok || s.keys.count > 0 && key <= s.lastKey {
		return s.damaged(n, "an index in order")
	}
	s.lastKey = key
	s.keys.add(key, ints[columns])
	return nil
}
