package sqlitepage

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"trowel.example/fault"
	"trowel.example/internal/text/words"
	"trowel.example/internal/values/extsort"
)

const (
	// lockPage is the page with the bytes that SQLite locks: it is never used.
	lockPage = 1<<30/builtSize + 1
	// making replaces the magic number until the database is complete. The statement that creates the table follows
	// it.
	making = "Trowel unfinish\x00"
	// collected is the number of bytes written at once.
	collected = 1 << 20
	// fromLibrary is the SQLite version stated in the header.
	fromLibrary = 3040001
	// signBit converts between unsigned keys and signed integers of the same order.
	signBit = 1 << 63
)

// A Table describes the table that a [Builder] makes: its columns are integers, which form the primary key, and a last
// column of bytes.
type Table struct {
	Name, SQL string // SQL is the statement that creates the table
	// Key has the numbers of the columns in the order of the primary key: one column, or three columns with integers
	// of 21 bits.
	Key []int
}

// A Builder makes a database of one table from the bottom up: it writes each page once, in sequence, and numbers the
// rows 1, 2, 3 and so on. It writes the index of the primary key after the rows, and the header last: before that,
// SQLite does not accept the file as a database. The memory use of a Builder does not grow with the number of rows.
//
// The overflow pages of a long row precede the page with its start. So the file is complete up to any page of rows,
// and Resume can determine from the pages which rows exist.
type Builder struct {
	table Table
	f     *os.File
	out   []byte // pages not written yet; they end before next
	next  uint32 // the number of the next page
	rows  int64
	leaf  builtPage // rows that are not in a page yet
	cell  []byte    // the last of these rows
	done  uint32    // the last page of rows, not added to its tree yet
	last  int64     // its last row
	inner builtTree
	keys  extsort.Sorter // the key of each row, with its number
	err   error
}

// Create starts a database in a new file.
func Create(path string, t Table) (*Builder, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	b := newBuilder(f, t)
	first := make([]byte, builtSize)
	copy(first[copy(first, making):], t.SQL)
	if _, err := f.Write(first); err != nil {
		return nil, errors.Join(err, b.Abandon())
	}
	return b, nil
}

func newBuilder(f *os.File, t Table) *Builder {
	b := &Builder{table: t, f: f, next: 2}
	b.leaf.reset(tableLeaf, 0)
	b.inner = builtTree{b: b, kind: tableInner}
	b.keys = extsort.Sorter{Folder: filepath.Dir(f.Name()), Run: 1 << 18}
	return b
}

// Unfinished returns the statement that creates the table of an unfinished database of a Builder, and "" for any other
// file.
func Unfinished(path string) string {
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	var first [builtSize]byte
	if _, err := io.ReadFull(f, first[:]); err != nil || !bytes.HasPrefix(first[:], []byte(making)) {
		return ""
	}
	sql, _, _ := bytes.Cut(first[len(making):], []byte{0})
	return string(sql)
}

// Resume continues an [Unfinished] database after the last row up to which all data is present.
func Resume(path string, t Table) (*Builder, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	b := newBuilder(f, t)
	if err := b.recover(); err != nil {
		return nil, errors.Join(err, b.Abandon())
	}
	return b, nil
}

// recover reads the existing pages. Inner pages are regenerated in the same places with the same contents.
func (b *Builder) recover() error {
	file := &File{PageSize: builtSize, usable: builtSize}
	in := bufio.NewReaderSize(io.NewSectionReader(b.f, builtSize, 1<<62), collected)
	page := make([]byte, builtSize)
	for at := uint32(2); b.err == nil; at++ {
		if _, err := io.ReadFull(in, page); err == io.EOF || err == io.ErrUnexpectedEOF {
			break
		} else if err != nil {
			return err
		}
		// An overflow page contains the number of the next page, or 0.
		if next := binary.BigEndian.Uint32(page); at < b.next || next == 0 || next == pageAfter(at) {
			continue
		}
		keys, ok := b.keysIn(file, at, page)
		if !ok {
			break
		}
		for _, key := range keys {
			b.count(key)
		}
		b.next = at + 1
		b.note(at)
		b.write()
	}
	if b.err == nil {
		b.err = b.f.Truncate(b.offset())
	}
	return b.err
}

// keysIn returns the keys in a page of rows, if it continues the sequence of rows.
func (b *Builder) keysIn(file *File, number uint32, data []byte) ([]uint64, bool) {
	p, err := file.parse(number, data)
	if err != nil || p.kind != tableLeaf || len(p.cells) == 0 {
		return nil, false
	}
	keys := make([]uint64, len(p.cells))
	for i, c := range p.cells {
		ints, _, ok := integers(c.local, nil, len(b.table.Key))
		if !ok || c.rowid != b.rows+1+int64(i) {
			return nil, false
		}
		if keys[i], ok = b.table.pack(ints); !ok {
			return nil, false
		}
	}
	return keys, true
}

// fields is the unread part of a record.
type fields struct{ head, body []byte }

// integers appends the first n integers of a record to to.
func integers(record []byte, to []int64, n int) (ints []int64, rest fields, ok bool) {
	size, at := varint(record)
	if at == 0 || size < int64(at) || size > int64(len(record)) {
		return nil, rest, false
	}
	rest = fields{record[at:size], record[size:]}
	for range n {
		v, ok := rest.integer()
		if !ok {
			return nil, rest, false
		}
		to = append(to, v)
	}
	return to, rest, true
}

// integer reads the next field.
func (r *fields) integer() (v int64, ok bool) {
	if len(r.head) == 0 {
		return 0, false
	}
	kind, n := r.head[0], 0
	switch r.head = r.head[1:]; {
	case kind == 8 || kind == 9:
		return int64(kind - 8), true
	case kind >= 1 && kind <= 4:
		n = int(kind)
	case kind == 5 || kind == 6:
		n = 2*int(kind) - 4
	default:
		return 0, false
	}
	if len(r.body) < n {
		return 0, false
	}
	v = int64(int8(r.body[0]))
	for _, c := range r.body[1:n] {
		v = v<<8 | int64(c)
	}
	r.body = r.body[n:]
	return v, true
}

// pack combines the integers of a row to a number that sorts like the primary key.
func (t Table) pack(ints []int64) (key uint64, ok bool) {
	bits := 64 / len(t.Key)
	for _, column := range t.Key {
		v := ints[column]
		if v>>(bits-1) != v>>63 {
			return 0, false
		}
		key = key<<(bits%64) | uint64(v+1<<(bits-1))&(1<<bits-1)
	}
	return key, true
}

// unpack returns the integers of a key in the order of the primary key.
func (t Table) unpack(key uint64, to []int64) []int64 {
	bits := 64 / len(t.Key)
	for i := range t.Key {
		v := key >> (bits * (len(t.Key) - 1 - i)) & (1<<bits - 1)
		to = append(to, int64(v)-1<<(bits-1))
	}
	return to
}

// Count returns the number of rows with different keys.
func (b *Builder) Count() (n int64, err error) {
	for _, err := range b.keys.Distinct() {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// count counts a row.
func (b *Builder) count(key uint64) {
	b.rows++
	if b.err == nil {
		b.err = b.keys.Add(extsort.Pair{Key: int64(key ^ signBit), Value: uint64(b.rows)})
	}
}

// Add adds a row, with its integers in the order of the columns. The row is in the file after the next Flush.
func (b *Builder) Add(ints []int64, data []byte) error {
	key, ok := b.table.pack(ints)
	if !ok || len(data) > MaxPayload-100 {
		return &fault.Error{File: b.f.Name(), Path: b.table.Name, Offset: -1, Want: "a row that can be stored",
			Got: fmt.Sprintf("%v with %s", ints, words.Count(len(data), "byte")), Err: fault.ErrFormat}
	}
	before := appendRecord(b.cell[:0], ints, int64(2*len(data)+12)) // all of the row except its bytes
	payload := len(before) + len(data)
	local := payload
	if most, least := builtSize-35, (builtSize-12)*32/255-23; payload > most {
		if local = least + (payload-least)%(builtSize-4); local > most {
			local = least
		}
	}
	here := local - len(before) // not negative: least is larger than everything except the bytes
	start := appendVarint(appendVarint(make([]byte, 0, 18), int64(payload)), b.rows+1)
	size := len(start) + local
	if local < payload {
		size += 4
	}
	if !b.leaf.fits(size) {
		b.end()
	}
	b.cell = append(before, data[:here]...)
	if local < payload {
		b.cell = binary.BigEndian.AppendUint32(b.cell, b.overflow(data[here:]))
	}
	b.leaf.add(start, b.cell)
	b.count(key)
	return b.err
}

// overflow writes the rest of a row to overflow pages, and returns the number of the first.
func (b *Builder) overflow(rest []byte) uint32 {
	b.skipLock()
	first := b.next
	for len(rest) > 0 {
		b.skipLock()
		n := min(len(rest), builtSize-4)
		next := uint32(0)
		if n < len(rest) {
			next = pageAfter(b.next)
		}
		b.out = append(binary.BigEndian.AppendUint32(b.out, next), rest[:n]...)
		b.out = append(b.out, zeros[n+4:]...)
		b.paged()
		rest = rest[n:]
	}
	return first
}

var zeros [builtSize]byte

// pageAfter returns the page used after the given page.
func pageAfter(page uint32) uint32 {
	if page+1 == lockPage {
		return page + 2
	}
	return page + 1
}

// skipLock skips the page with SQLite's locks.
func (b *Builder) skipLock() {
	if b.next == lockPage {
		b.out = append(b.out, zeros[:]...)
		b.paged()
	}
}

// page adds a page of a tree, and returns its number.
func (b *Builder) page(p *builtPage) uint32 {
	b.skipLock()
	b.out = append(b.out, p.seal()...)
	b.paged()
	return b.next - 1
}

// paged counts a page, and writes the collected pages if there are enough.
func (b *Builder) paged() {
	if b.next++; b.next == maxPages && b.err == nil {
		b.err = &fault.Error{File: b.f.Name(), Offset: -1, Want: fmt.Sprintf("less than %d pages", uint32(maxPages)),
			Got: "more", Err: fault.ErrFormat}
	}
	if len(b.out) >= collected {
		b.write()
	}
}

// offset returns the offset of the next page.
func (b *Builder) offset() int64 { return int64(b.next-1) * builtSize }

func (b *Builder) write() {
	if b.err == nil && len(b.out) > 0 {
		_, b.err = b.f.WriteAt(b.out, b.offset()-int64(len(b.out)))
	}
	b.out = b.out[:0]
}

// end completes a page of rows.
func (b *Builder) end() {
	if b.leaf.n > 0 {
		page := b.page(&b.leaf)
		b.leaf.reset(tableLeaf, 0)
		b.note(page)
	}
}

// note records a completed page that ends with the last row. The previous page is then added to the tree, as it is not
// the last.
func (b *Builder) note(page uint32) {
	if b.done != 0 {
		b.inner.add(b.done, appendVarint(nil, b.last))
	}
	b.done, b.last = page, b.rows
}

// Flush writes all rows to the file.
func (b *Builder) Flush() error {
	b.end()
	b.write()
	return b.err
}

// Finish completes the database and closes the file. If several rows have the same key, which a primary key does not
// allow, it returns the numbers of all of these rows except the last: the caller must delete them first.
func (b *Builder) Finish() (older []int64, err error) {
	b.end()
	if b.done == 0 {
		b.done = b.page(&b.leaf)
	}
	rows := b.inner.root(b.done)
	var leaf builtPage
	leaf.reset(indexLeaf, 0)
	index := builtTree{b: b, kind: indexInner}
	var last extsort.Pair
	var ints [4]int64
	for p, err := range b.keys.Sorted() {
		if b.err == nil {
			b.err = err
		}
		if b.err != nil {
			break
		}
		if last.Value != 0 && last.Key == p.Key { // rows are numbered from 1
			older = append(older, int64(last.Value))
		}
		last = p
		record := appendRecord(nil, append(b.table.unpack(uint64(p.Key)^signBit, ints[:0]), int64(p.Value)), -1)
		cell := append(appendVarint(b.cell[:0], int64(len(record))), record...)
		if b.cell = cell; !leaf.fits(len(cell)) {
			key := leaf.pop()
			index.add(b.page(&leaf), key)
			leaf.reset(indexLeaf, 0)
		}
		leaf.add(cell)
	}
	keys := index.root(b.page(&leaf))
	b.write()
	if b.err == nil {
		_, b.err = b.f.WriteAt(b.first(rows, keys), 0)
	}
	return older, errors.Join(b.err, b.Abandon())
}

// first returns the first page: the header, and the schema.
func (b *Builder) first(rows, keys uint32) []byte {
	var p builtPage
	p.reset(tableLeaf, headerSize)
	for i, row := range [][]any{
		{"table", b.table.Name, b.table.Name, int64(rows), b.table.SQL},
		{"index", "sqlite_autoindex_" + b.table.Name + "_1", b.table.Name, int64(keys), nil},
	} {
		var head, body []byte
		for _, v := range row {
			switch v := v.(type) {
			case string:
				head, body = appendVarint(head, int64(2*len(v)+13)), append(body, v...)
			case int64:
				head, body = append(head, integerType(v)), appendInteger(body, v)
			default:
				head = append(head, 0)
			}
		}
		size := len(head) + 1 + len(body)
		p.add(appendVarint(appendVarint(nil, int64(size)), int64(i+1)), append([]byte{byte(len(head) + 1)}, head...), body)
	}
	h := p.seal()
	copy(h, magic)
	binary.BigEndian.PutUint16(h[16:], builtSize)
	copy(h[18:], []byte{1, 1, 0, 64, 32, 32})
	for at, v := range map[int]uint32{24: 1, 28: b.next - 1, 40: 1, 44: 4, 56: utf8Text, 92: 1, 96: fromLibrary} {
		binary.BigEndian.PutUint32(h[at:], v)
	}
	return h
}

// Abandon closes the file and leaves it unfinished.
func (b *Builder) Abandon() error {
	return errors.Join(b.keys.Close(), b.f.Close())
}
