package sqlitepage

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"trowel.example/fault"
	"trowel.example/internal/files/regular"
)

// cacheBytes is the maximum size of the pages that a DB keeps in memory.
const cacheBytes = 8 << 20

// A DB is a database that is searched by keys, without SQLite: it reads only the pages on the way to a row. It reads a
// write-ahead log, or the journal of an unfinished transaction, as [File] does. Nothing else may write to the files.
//
// Several goroutines may use a DB. Damage is reported as a [fault.Error] with the number of the page; errors.Is
// matches [fault.ErrFormat].
type DB struct {
	file    *File
	objects []Object
	legacy  bool // indexes ignore DESC

	mu    sync.Mutex
	pages map[uint32]*node
	ring  []*node // the pages in memory; hand is the next candidate for removal
	hand  int
}

// node is a page of a tree.
type node struct {
	number uint32
	data   []byte // usable part
	kind   byte
	count  int // entries
	first  int // offset of the list of entries
	used   bool
}

// inner reports whether the page has children.
func (n *node) inner() bool { return n.kind == tableInner || n.kind == indexInner }

// OpenDB opens a database, with its write-ahead log or journal.
func OpenDB(ctx context.Context, path string) (*DB, error) {
	main, size, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	f := &File{path: path, main: main, size: size}
	if err := f.startSound(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if err := f.openLog(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return openDB(ctx, f)
}

// startSound reads the header, which must be valid.
func (f *File) startSound() error {
	var head [headerSize]byte
	if n, err := f.main.ReadAt(head[:], 0); n < len(head) && err != nil && err != io.EOF {
		return fmt.Errorf("%s: %w", f.path, err)
	}
	if string(head[:len(magic)]) != magic || !f.header(head[:]) {
		return &fault.Error{File: f.path, Offset: 0, Want: "an SQLite database",
			Got: "another type of file, or a damaged beginning", Err: fault.ErrFormat}
	}
	f.headed = true
	return nil
}

func openDB(ctx context.Context, f *File) (*DB, error) {
	db := &DB{file: f, pages: make(map[uint32]*node)}
	head, err := f.read(1)
	if err != nil {
		return nil, errors.Join(db.damaged(1, "%v", err), f.Close())
	}
	db.legacy = binary.BigEndian.Uint32(head[44:]) < 4
	if err := db.readSchema(ctx); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return db, nil
}

// Close closes the files that OpenDB opened.
func (db *DB) Close() error { return db.file.Close() }

// PageSize returns the size of a page in bytes.
func (db *DB) PageSize() int { return db.file.PageSize }

// Objects returns the tables, indexes, views and triggers.
func (db *DB) Objects() []Object { return db.objects }

// readSchema reads the list of tables and indexes.
func (db *DB) readSchema(ctx context.Context) error {
	t := tree{db: db, root: 1}
	w := t.walk(ctx)
	var bad error
	w.run(1, 0, nil, func(e *Entry) bool {
		var values [5]any
		for i := range values {
			var f field
			if f, _, bad = e.stored(i); bad != nil {
				return false
			}
			values[i] = db.file.decode(f)
		}
		o := Object{}
		o.Kind, _ = values[0].(string)
		o.Name, _ = values[1].(string)
		o.Table, _ = values[2].(string)
		o.SQL, _ = values[4].(string)
		if root, _ := values[3].(int64); root > 0 && root <= maxPages {
			o.Root = uint32(root)
		}
		db.objects = append(db.objects, o)
		return true
	}, func(err error) bool { bad = err; return false })
	return bad
}

// object returns the table or view of a name.
func (db *DB) object(name string) *Object {
	for i := range db.objects {
		if o := &db.objects[i]; (o.Kind == "table" || o.Kind == "view") && strings.EqualFold(o.Name, name) {
			return o
		}
	}
	return nil
}

// damaged returns the error for a damaged page.
func (db *DB) damaged(page uint32, format string, args ...any) error {
	return &fault.Error{File: db.file.path, Offset: db.file.Offset(max(page, 1)), Want: "a sound database",
		Got: fmt.Sprintf("page %d: ", page) + fmt.Sprintf(format, args...), Err: fault.ErrFormat}
}

// read reads a page. A page that the file lacks is damage; a file that cannot be read is not.
func (db *DB) read(page uint32) ([]byte, error) {
	data, err := db.file.read(page)
	switch {
	case err == errCut:
		return nil, db.damaged(page, "%v", err)
	case err != nil:
		return nil, fmt.Errorf("%s: page %d %w", db.file.path, page, err)
	case page > db.file.pages:
		return nil, db.damaged(page, "the database has %d pages", db.file.pages)
	}
	return data[:db.file.usable], nil
}

// node returns a page of a tree.
func (db *DB) node(page uint32, index bool) (*node, error) {
	db.mu.Lock()
	n := db.pages[page]
	if n != nil {
		n.used = true
	}
	db.mu.Unlock()
	if n == nil {
		data, err := db.read(page)
		if err != nil {
			return nil, err
		}
		base := 0
		if page == 1 {
			base = headerSize
		}
		n = &node{number: page, data: data, kind: data[base], count: int(binary.BigEndian.Uint16(data[base+3:])), first: base + 8, used: true}
		if n.inner() {
			n.first += 4
		}
		if err := db.check(n); err != nil {
			return nil, err
		}
		db.keep(n)
	}
	if index && n.kind != indexInner && n.kind != indexLeaf || !index && n.kind != tableInner && n.kind != tableLeaf {
		return nil, db.damaged(page, "%v", errNoTree)
	}
	return n, nil
}

// keep keeps a page in memory, in place of one that was not used lately.
func (db *DB) keep(n *node) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.pages[n.number] != nil {
		return
	}
	db.pages[n.number] = n
	if len(db.ring) < cacheBytes/db.file.PageSize {
		db.ring = append(db.ring, n)
		return
	}
	for db.ring[db.hand].used {
		db.ring[db.hand].used = false
		db.hand = (db.hand + 1) % len(db.ring)
	}
	delete(db.pages, db.ring[db.hand].number)
	db.ring[db.hand] = n
	db.hand = (db.hand + 1) % len(db.ring)
}

// right returns the last child.
func (n *node) right() uint32 { return binary.BigEndian.Uint32(n.data[n.first-4:]) }

// check checks the entries of a page: they are within the page, and together not larger than the page.
func (db *DB) check(n *node) error {
	start := n.first + 2*n.count
	if !isTree(n.kind) || start > len(n.data) {
		return db.damaged(n.number, "%v", errNoTree)
	}
	sum := start
	for i := range n.count {
		at := n.offset(i)
		if at < start || at > len(n.data)-4 {
			return db.damaged(n.number, "entry %d is not within the page", i)
		}
		_, size, ok := db.file.cell(n.kind, n.data[at:])
		if sum += size; !ok || sum > len(n.data) {
			return db.damaged(n.number, "entry %d cannot be read", i)
		}
	}
	return nil
}

// offset returns the offset of an entry in its page.
func (n *node) offset(i int) int { return int(binary.BigEndian.Uint16(n.data[n.first+2*i:])) }

// cell returns an entry of a checked page.
func (db *DB) cell(n *node, i int) cell {
	c, _, _ := db.file.cell(n.kind, n.data[n.offset(i):])
	return c
}

// openRegular opens a regular file and returns its size.
func openRegular(path string) (source, int64, error) {
	f, info, err := regular.Open(path)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, errors.Join(fmt.Errorf("%s: %w", path, regular.ErrFolder), f.Close())
	}
	return f, info.Size(), nil
}
