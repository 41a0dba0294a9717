// Package sqlitepage reads the pages of SQLite databases by itself, without
// SQLite: all that can be had of a file of which a part is damaged, cut off or
// overwritten. It follows "Database File Format" of the project's documentation,
// and what is in a write-ahead log or in the journal of a transaction that never
// ended counts as it does there.
//
//	f, err := sqlitepage.Open("map.sqlite")
//	shapes := ... // of the tables: by f.Schema, or those that there should be
//	losses, err := f.Rows(ctx, shapes, func(r sqlitepage.Row) error { ... })
//
// Rows come from pages that are in order. First those that the trees of the tables
// lead to; then, where a page is damaged that led to others, those of pages that
// nothing leads to and that are not on the list of the free ones.
//
// A [Builder] makes a database of one table, and [Scan] reads it again.
package sqlitepage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"unicode/utf16"

	"trowel.example/fault"
	"trowel.example/internal/regular"
)

const (
	magic       = "SQLite format 3\x00"
	headerSize  = 100
	minPageSize = 512
	maxPageSize = 65536
	// maxPages is the most that a database has.
	maxPages = 0xfffffffe
	// MaxPayload is the largest row that is read, in bytes.
	MaxPayload = 64<<20 + 1<<20
)

// What the header says of texts.
const (
	utf8Text = iota + 1
	utf16le
	utf16be
)

// A File is a database that is open.
type File struct {
	path     string
	main     source
	log      source // the write-ahead log or the journal, if one counts
	size     int64
	PageSize int
	usable   int // bytes of a page that are not reserved
	encoding int
	pages    uint32           // that there should be
	newer    map[uint32]int64 // where pages stand in log, which counts
	freeHead uint32
	freeLen  uint32
	headed   bool // the header can be relied on
	shifts   []shift
}

// source is a file, or bytes in memory.
type source interface {
	io.ReaderAt
	io.Closer
}

type memory struct{ *bytes.Reader }

func (memory) Close() error { return nil }

// Open opens a database with what is beside it. Only a file of which no page can
// be told is an error.
//
// To close a file ends the locks that this process has on it in SQLite: nobody
// else in the process should be writing to it.
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

// FromBytes is a database in memory, with nothing beside it.
func FromBytes(name string, data []byte) (*File, error) {
	f := &File{path: name, main: memory{bytes.NewReader(data)}, size: int64(len(data))}
	return f, f.start()
}

// Close closes the file.
func (f *File) Close() error {
	err := f.main.Close()
	if f.log != nil {
		err = errors.Join(err, f.log.Close())
	}
	return err
}

// start reads the header, or finds out what it should say.
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
			return &fault.Error{File: f.path, Offset: 0, Want: "the header of an SQLite database, or pages of tables", Got: "neither", Err: fault.ErrFormat}
		}
		f.usable = f.PageSize
		f.pages = f.present()
	}
	f.findShifts()
	return nil
}

// present returns how many whole pages there are, and such as only a part is missing of.
func (f *File) present() uint32 {
	by, _ := f.missingBefore(maxPages)
	return uint32(min((f.size+by)/int64(f.PageSize), maxPages))
}

// header reads the header, and reports whether it is in order.
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
	// What the header says of the size counts only if the last writer knew that field.
	if n := binary.BigEndian.Uint32(h[28:]); n > 0 && n <= maxPages && binary.BigEndian.Uint32(h[24:]) == binary.BigEndian.Uint32(h[92:]) {
		f.pages = n
	}
	return true
}

// guessPageSize finds the size with which most of the file makes sense.
func (f *File) guessPageSize() int {
	const enough = 1 << 12 // pages that are looked at
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

// Offset returns where a page begins.
func (f *File) Offset(page uint32) int64 {
	by, _ := f.missingBefore(page)
	return int64(page-1)*int64(f.PageSize) - by
}

// Pages returns how many pages there should be.
func (f *File) Pages() uint32 { return f.pages }

// Size returns how many bytes the file has.
func (f *File) Size() int64 { return f.size }

// Missing returns how many bytes the file should have and has not.
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

var errCut = errors.New("it is after the end of the file")

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
		return nil, fmt.Errorf("it cannot be read: %w", err)
	}
	return data, nil
}

// text makes a text of its bytes in the encoding of the database.
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
