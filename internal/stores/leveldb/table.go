package leveldb

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
	"trowel.example/internal/text/words"
)

// A table ends with the footer: the handles of the index of meta blocks and of the index, padding up to 40 bytes, and
// the magic number.
const (
	footerSize = 48
	tableMagic = 0xdb4775248b80fb57
)

// A table is an open sorted table.
type table struct {
	r     io.ReaderAt
	name  string
	size  int64
	end   int64 // of the blocks
	index *block
	scan  *scan // set if the index was damaged
	valid func(key, value []byte) bool
	close func() error

	// The last read part of the table, for sequential reads.
	ahead   bool
	piece   []byte
	pieceAt int64
}

// handle is the place of a block, without its trailer.
type handle struct{ offset, size uint64 }

// openTable opens a table and reads its index. If the index is damaged, the table is scanned for its blocks, only
// once.
func (db *DB) openTable(number uint64) (*table, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.openTableLocked(number)
}

func (db *DB) openTableLocked(number uint64) (*table, error) {
	path := db.tablePath(number)
	f, st, err := openFile(path)
	if err != nil {
		return nil, err
	}
	var t *table
	if st.IsDir() {
		err = damaged(path, "", -1, "a file", "a folder")
	} else if t, err = readTable(f, st.Size(), path); errors.Is(err, fault.ErrFormat) {
		if db.scans[number] == nil {
			if db.scans == nil {
				db.scans = map[uint64]*scan{}
			}
			db.scans[number] = scanTable(f, st.Size(), path, err)
		}
		if s := db.scans[number]; s != nil {
			t, err = &table{r: f, name: path, size: st.Size(), end: st.Size(), index: s.index, scan: s}, nil
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	t.close, t.valid = f.Close, db.valid
	return t, nil
}

// readTable reads the index of a table.
func readTable(r io.ReaderAt, size int64, name string) (*table, error) {
	t := &table{r: r, name: name, size: size, end: size - footerSize, close: func() error { return nil }}
	if size < footerSize {
		return nil, damaged(name, "footer", 0, fmt.Sprintf("a file of %d bytes or more", footerSize), fmt.Sprint(size))
	}
	if err := t.readIndex(); err != nil {
		return nil, err
	}
	return t, nil
}

func (t *table) readIndex() error {
	var footer [footerSize]byte
	if _, err := t.r.ReadAt(footer[:], t.size-footerSize); err != nil {
		return err
	}
	r := bin.NewReader(footer[:], bin.LittleEndian).At(t.size - footerSize)
	r.Enter("footer")
	readUvarint(r, "metaindex_offset", 64)
	readUvarint(r, "metaindex_size", 64)
	h := handle{readUvarint(r, "index_offset", 64), readUvarint(r, "index_size", 64)}
	if magic := binary.LittleEndian.Uint64(footer[footerSize-8:]); magic != tableMagic {
		return damaged(t.name, "footer.magic", t.size-8, fmt.Sprintf("%016x", uint64(tableMagic)), fmt.Sprintf("%016x", magic))
	}
	if r.Err() != nil {
		return fault.InFile(r.Err(), t.name)
	}
	var err error
	t.index, err = t.block(h)
	return err
}

// block reads a block.
func (t *table) block(h handle) (*block, error) {
	end := uint64(t.end)
	if h.offset > end || h.size > end-h.offset || end-h.offset-h.size < blockTrailerSize {
		return nil, damaged(t.name, "block", -1, fmt.Sprintf("a block inside the %d bytes of the file", t.size),
			fmt.Sprintf("%s at %d", words.Count(h.size, "byte"), h.offset))
	}
	if t.scan != nil && t.scan.gaps[h] {
		return nil, t.scan.broken
	}
	stored, err := t.read(int64(h.offset), int(h.size)+blockTrailerSize)
	if err != nil {
		return nil, err
	}
	data, err := inflate(stored, t.name, int64(h.offset))
	if err != nil {
		return nil, err
	}
	return parseBlock(data, t.name, int64(h.offset))
}

// handle decodes the handle in an entry of the index.
func (t *table) handle(entry []byte) (handle, error) {
	r := bin.NewReader(entry, bin.LittleEndian).At(t.index.offset)
	r.Enter("index")
	h := handle{readUvarint(r, "offset", 64), readUvarint(r, "size", 64)}
	return h, fault.InFile(r.Err(), t.name)
}

// dataBlock reads the block of an entry of the index. If the block is damaged, it returns the error and a block with
// the records that can be salvaged, possibly none.
func (t *table) dataBlock(entry []byte) (*block, error) {
	h, err := t.handle(entry)
	if err != nil {
		return nil, err
	}
	b, err := t.block(h)
	if errors.Is(err, fault.ErrFormat) && t.valid != nil {
		b = t.salvage(h)
	}
	return b, err
}

// offsetOf returns the offset of the block that would contain a key, or the end of the blocks if there is none.
func (t *table) offsetOf(user []byte) (int64, error) {
	index := &blockIter{b: t.index}
	if !index.seek(internalKey(user, maxSequence<<8|kindPut)) {
		return t.size, index.err
	}
	r := bin.NewReader(index.v, bin.LittleEndian).At(t.index.offset)
	r.Enter("index")
	offset := readUvarint(r, "offset", 64)
	return int64(min(offset, uint64(t.size))), r.Err()
}

// get returns the newest record of a user key.
func (t *table) get(user []byte) (tag uint64, value []byte, ok bool, err error) {
	target := internalKey(user, maxSequence<<8|kindPut)
	index := &blockIter{b: t.index}
	if !index.seek(target) {
		return 0, nil, false, index.err
	}
	b, err := t.dataBlock(index.v)
	if b == nil {
		return 0, nil, false, err
	}
	it := &blockIter{b: b}
	if !it.seek(target) {
		// If the index key is between two blocks, all keys of the block can be before target.
		return 0, nil, false, cmp.Or(err, it.err)
	}
	if found, tag := splitKey(it.k); string(found) == string(user) {
		return tag, it.v, true, nil
	}
	return 0, nil, false, err
}

// readAhead is the number of bytes read at once during iteration.
const readAhead = 64 << 10

// read reads a part of the file. During iteration, it returns slices of larger pieces, each of which stays in memory
// as long as a slice is used.
func (t *table) read(off int64, n int) ([]byte, error) {
	if from := off - t.pieceAt; from >= 0 && from+int64(n) <= int64(len(t.piece)) {
		return t.piece[from : from+int64(n) : from+int64(n)], nil
	}
	size := n
	if t.ahead {
		size = max(n, int(min(readAhead, t.size-off)))
	}
	data := make([]byte, size)
	if got, err := t.r.ReadAt(data, off); got < size {
		return nil, err
	}
	if t.ahead {
		t.piece, t.pieceAt = data, off
	}
	return data[:n:n], nil
}

// tableSource iterates over a table. It opens the table for the first record, and closes it after the last. It reports
// and skips damaged blocks.
type tableSource struct {
	open   func() (*table, error)
	report func(error)
	within bounds // whole blocks are read, so that a few records outside are returned
	begun  bool   // the table begins before the bounds: damage is reported only for the range in which it begins

	t      *table
	index  blockIter
	data   blockIter
	placed bool // the index is at the next block
	ends   bool // there is no next block
	quiet  bool // the block or the table may begin before the bounds
}

// source iterates over an open table.
func (t *table) source(report func(error)) *tableSource {
	return &tableSource{report: report, t: t, index: blockIter{b: t.index}, data: blockIter{b: &block{}}}
}

func (s *tableSource) next() bool {
	if s.t == nil {
		t, err := s.open()
		if s.quiet = s.begun; err != nil {
			s.reportDamage(err)
			return false
		}
		t.ahead = true
		within, begun := s.within, s.begun
		*s = *t.source(s.report)
		if s.within, s.begun = within, begun; within.from != nil {
			s.placed = s.index.seek(internalKey(within.from, maxSequence<<8|kindPut))
			s.ends = !s.placed
		}
		if s.quiet = begun; t.scan != nil {
			s.reportDamage(t.scan.broken)
		}
	}
	for !s.data.next() {
		s.reportDamage(s.data.err)
		if !s.ends && !s.placed {
			s.ends, s.quiet = !s.index.next(), false
		}
		if s.ends {
			s.reportDamage(s.index.err)
			s.close()
			return false
		}
		s.placed = false
		// The index has, for each block, a key that is not before the last key of the block.
		last, _ := splitKey(s.index.k)
		s.ends = s.within.before(last)
		b, err := s.t.dataBlock(s.index.v)
		if s.t.scan == nil || err != s.t.scan.broken { // already reported
			s.reportDamage(err)
		}
		if b == nil {
			b = &block{}
		}
		s.data = blockIter{b: b}
	}
	return true
}

// reportDamage reports err unless the damage may begin before the bounds.
func (s *tableSource) reportDamage(err error) {
	if err != nil && !s.quiet {
		s.report(err)
	}
}

func (s *tableSource) key() []byte   { return s.data.k }
func (s *tableSource) value() []byte { return s.data.v }

func (s *tableSource) close() {
	if s.t != nil {
		s.t.close()
		s.t = nil
	}
}
