// Package sqlitepage reads the pages of SQLite databases without using SQLite: it reads all available data of a file
// that is partly damaged, truncated or overwritten. It follows "Database File Format" of the SQLite documentation.
// Like SQLite, it applies a write-ahead log, or the journal of an unfinished transaction.
//
//	f, err := sqlitepage.Open("map.sqlite")
//	shapes := ... // of the tables: from f.Schema, or as expected
//	losses, err := f.Rows(ctx, shapes, func(r sqlitepage.Row) error { ... })
//
// Rows are read from valid pages: first from pages in the trees of the tables; then, if a damaged page referred to
// further pages, from pages that no other page refers to and that are not in the list of free pages.
//
// A [DB] finds rows of a sound database by rowid or by an index, and reads only the pages on the way to them:
//
//	db, err := sqlitepage.OpenDB(ctx, "map.sqlite")
//	table, err := db.Table("blocks")
//	order, err := table.Order("pos")
//	for row, err := range order.Range(ctx, sqlitepage.Range{From: []any{pos}, To: []any{pos}}) { ... }
//
// A [Builder] makes a database of one table, and [Scan] reads and checks it.
package sqlitepage

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"unicode/utf16"

	"trowel.example/fault"
	"trowel.example/internal/files/regular"
)

const (
	magic       = "SQLite format 3\x00"
	headerSize  = 100
	minPageSize = 512
	maxPageSize = 65536
	// maxPages is the maximum number of pages of a database.
	maxPages = 0xfffffffe
	// MaxPayload is the maximum size in bytes of a row that is read.
	MaxPayload = 64<<20 + 1<<20
)

// The text encodings in the header.
const (
	utf8Text = iota + 1
	utf16le
	utf16be
)

// A File is an open database.
type File struct {
	path     string
	main     source
	log      source // write-ahead log or journal; nil if none applies
	size     int64
	PageSize int
	usable   int // bytes of a page without the reserved ones
	encoding int
	pages    uint32           // expected number of pages
	newer    map[uint32]int64 // offsets in log of pages that replace those in main
	freeHead uint32
	freeLen  uint32
	headed   bool // the header is reliable
	shifts   []shift
}

// source is a file or bytes in memory.
type source interface {
	io.ReaderAt
	io.Closer
}

// Open opens a database with its log or journal. It returns an error only if no page can be identified.
//
// Closing the file releases the SQLite locks that this process holds on it: nothing else in the process should be
// writing to it.
func Open(path string) (*File, error) {
	if st, err := os.Stat(path); err != nil {
		return nil, err
	} else if !st.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrInvalid}
	}
	main, _, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	st, err := main.Stat()
	if err != nil {
		main.Close()
		return nil, err
	}
	f := &File{path: path, main: main, size: st.Size()}
	err = f.start()
	if err == nil {
		err = f.openLog()
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Close closes the file.
func (f *File) Close() error {
	err := f.main.Close()
	if f.log != nil {
		err = errors.Join(err, f.log.Close())
	}
	return err
}

// start reads the header, or determines its values from the pages.
func (f *File) start() error {
	var head [headerSize]byte
	n, err := f.main.ReadAt(head[:], 0)
	if err != nil && err != io.EOF {
		return err
	}
	if n == headerSize && string(head[:16]) == magic {
		f.headed = f.header(head[:])
	}
	if !f.headed {
		f.encoding, f.freeHead, f.freeLen = utf8Text, 0, 0
		if f.PageSize = f.guessPageSize(); f.PageSize == 0 {
			return &fault.Error{File: f.path, Offset: 0, Want: "the header of an SQLite database, or pages of tables",
				Got: "neither", Err: fault.ErrFormat}
		}
		f.usable = f.PageSize
		f.pages = f.present()
	}
	f.findShifts()
	return nil
}

// present returns the number of pages in the file, including pages that are partly missing.
func (f *File) present() uint32 {
	by, _ := f.missingBefore(maxPages)
	return uint32(min((f.size+by)/int64(f.PageSize), maxPages))
}

// header reads the header, and reports whether it is valid.
func (f *File) header(h []byte) bool {
	size := int(binary.BigEndian.Uint16(h[16:]))
	if size == 1 {
		size = maxPageSize
	}
	if size < minPageSize || size&(size-1) != 0 || size-int(h[20]) < 480 || h[21] != 64 || h[22] != 32 || h[23] != 32 {
		return false
	}
	f.PageSize, f.usable = size, size-int(h[20])
	if f.encoding = int(binary.BigEndian.Uint32(h[56:])); f.encoding == 0 {
		f.encoding = utf8Text
	}
	if f.encoding > utf16be {
		return false
	}
	f.freeHead, f.freeLen = binary.BigEndian.Uint32(h[32:]), binary.BigEndian.Uint32(h[36:])
	f.pages = f.present()
	// The size in the header is valid only if the last writer supported the field.
	if n := binary.BigEndian.Uint32(h[28:]); n > 0 && n <= maxPages && binary.BigEndian.Uint32(h[24:]) == binary.BigEndian.Uint32(h[92:]) {
		f.pages = n
	}
	return true
}

// guessPageSize returns the page size with which most of the file is valid.
func (f *File) guessPageSize() int {
	const enough = 1 << 12 // number of pages checked
	best, most := 0, int64(0)
	for size := minPageSize; size <= maxPageSize; size *= 2 {
		f.PageSize, f.usable = size, size
		n := int64(f.present())
		step := max(1, n/enough)
		found := int64(0)
		for i := int64(1); i < n; i += step {
			if data, err := f.read(uint32(i + 1)); err == nil {
				if p, err := f.parse(uint32(i+1), data); err == nil && p.kind == tableLeaf && len(p.cells) > 0 && p.tidy {
					found += step * int64(size)
				}
			}
		}
		if found > most {
			best, most = size, found
		}
	}
	return best
}

// Offset returns the offset of a page in the file.
func (f *File) Offset(page uint32) int64 {
	by, _ := f.missingBefore(page)
	return int64(page-1)*int64(f.PageSize) - by
}

// Size returns the size of the file in bytes.
func (f *File) Size() int64 { return f.size }

// Missing returns the number of expected bytes that the file lacks.
func (f *File) Missing() int64 {
	if !f.headed {
		return f.size % int64(f.PageSize)
	}
	n := int64(f.pages) - int64(f.present())
	for p := range f.newer {
		if p > f.present() && p <= f.pages {
			n--
		}
	}
	return max(0, n*int64(f.PageSize)-f.size%int64(f.PageSize))
}

var errCut = errors.New("the page is after the end of the file")

// read returns the bytes of a page.
func (f *File) read(page uint32) ([]byte, error) {
	if page == 0 || page > maxPages {
		return nil, errCut
	}
	data := make([]byte, f.PageSize)
	from, at := f.main, f.Offset(page)
	if newer, ok := f.newer[page]; ok {
		from, at = f.log, newer
	} else if _, hole := f.missingBefore(page); hole {
		return nil, errHole
	} else if at+int64(f.PageSize) > f.size {
		return nil, errCut
	}
	if n, err := from.ReadAt(data, at); n < len(data) {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	return data, nil
}

// text decodes a text in the encoding of the database.
func (f *File) text(b []byte) string {
	if f.encoding == utf8Text {
		return string(b)
	}
	var order binary.ByteOrder = binary.LittleEndian
	if f.encoding == utf16be {
		order = binary.BigEndian
	}
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = order.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}
