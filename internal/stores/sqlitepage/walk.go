package sqlitepage

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"sort"

	"trowel.example/fault"
)

// maxHead is the maximum size in bytes of the header of a record.
const maxHead = 98307

// tree is the tree of a table or an index.
type tree struct {
	db    *DB
	root  uint32
	index bool
}

// walk is one pass through a tree.
type walk struct {
	*tree
	ctx  context.Context
	left int64 // number of pages that may still be read: a sound tree has each page once
	some bool  // whether last is set
	last int64 // the last rowid
}

func (t *tree) walk(ctx context.Context) *walk {
	return &walk{tree: t, ctx: ctx, left: min(int64(t.db.file.pages), int64(t.db.file.present())+int64(len(t.db.file.newer)))}
}

// take counts pages that are read, and returns an error once there are more than the database has.
func (w *walk) take(from uint32) error {
	if w.left--; w.left < 0 {
		return w.db.damaged(from, "the pages form a circle, or are used twice")
	}
	return w.ctx.Err()
}

// An Entry is a row, or an entry of an index, whose values are read when they are needed. Only one goroutine may use
// an Entry.
type Entry struct {
	w    *walk
	page uint32
	cell cell
	data []byte // the first part of the record
	next uint32 // the overflow page with the rest
	row  *Entry // the row of an entry of an index

	table *TableReader
	index *index // nil for the row of a table
}

// run calls yield for the entries below a page, beginning with the first for which before is false; nil means with the
// first of all. It passes errors to lost, and continues after the damaged page if lost returns true. It reports
// whether the walk continues.
func (w *walk) run(page uint32, depth int, before func(*Entry) (bool, error), yield func(*Entry) bool, lost func(error) bool) bool {
	err := w.take(page)
	ends := err != nil
	var n *node
	if err == nil && depth > maxDepth {
		err = w.db.damaged(page, "the pages form a circle, or too deep a tree")
	}
	if err == nil {
		n, err = w.db.node(page, w.index)
	}
	at := 0
	if err == nil && before != nil {
		at, err = w.search(n, before)
	}
	if err != nil {
		return lost(err) && !ends && errors.Is(err, fault.ErrFormat)
	}
	for i := at; i <= n.count; i++ {
		var c cell
		child := uint32(0)
		if i < n.count {
			c = w.db.cell(n, i)
			child = c.child
		} else if n.inner() {
			child = n.right()
		}
		if n.inner() {
			if !w.run(child, depth+1, before, yield, lost) {
				return false
			}
			before = nil
		}
		if i == n.count || n.kind == tableInner {
			continue
		}
		if !w.index {
			if w.some && c.rowid <= w.last {
				return lost(w.db.damaged(page, "entry %d is out of order", i))
			}
			w.some, w.last = true, c.rowid
		}
		if !yield(w.entry(page, c)) {
			return false
		}
	}
	return true
}

func (w *walk) entry(page uint32, c cell) *Entry {
	return &Entry{w: w, page: page, cell: c, data: slices.Clip(c.local), next: c.overflow}
}

// search returns the number of the first entry for which before is false.
func (w *walk) search(n *node, before func(*Entry) (bool, error)) (at int, err error) {
	at = sort.Search(n.count, func(i int) bool {
		if err != nil {
			return true
		}
		var b bool
		b, err = before(w.entry(n.number, w.db.cell(n, i)))
		return !b
	})
	return at, err
}

// find returns the row of a rowid; nil if there is none.
func (w *walk) find(t *tree, rowid int64) (*Entry, error) {
	page := t.root
	for range maxDepth {
		n, err := t.db.node(page, false)
		if err != nil {
			return nil, err
		}
		at := sort.Search(n.count, func(i int) bool { return t.db.cell(n, i).rowid >= rowid })
		switch {
		case n.inner() && at < n.count:
			page = t.db.cell(n, at).child
		case n.inner():
			page = n.right()
		case at < n.count && t.db.cell(n, at).rowid == rowid:
			return w.entry(page, t.db.cell(n, at)), nil
		default:
			return nil, nil
		}
	}
	return nil, t.db.damaged(page, "the pages form a circle, or too deep a tree")
}

// load reads the first bytes of the record.
func (e *Entry) load(size int64) error {
	if size > e.cell.payload {
		return e.bad("the record is cut off")
	}
	if size > MaxPayload {
		return e.bad("a record of %d bytes: at most %d are read", e.cell.payload, MaxPayload)
	}
	for int64(len(e.data)) < size {
		if err := e.w.take(e.page); err != nil {
			return err
		}
		b, err := e.w.db.read(e.next)
		if err != nil {
			return err
		}
		e.next = binary.BigEndian.Uint32(b)
		part := b[4:]
		part = part[:min(int64(len(part)), e.cell.payload-int64(len(e.data)))]
		e.data = append(e.data, part...)
	}
	return nil
}

func (e *Entry) bad(format string, args ...any) error { return e.w.db.damaged(e.page, format, args...) }

// locate returns the type of a value of the record and its offset; ok is false if the record has fewer values.
func (e *Entry) locate(i int) (kind, at int64, ok bool, err error) {
	if err := e.load(min(9, e.cell.payload)); err != nil {
		return 0, 0, false, err
	}
	size, n := varint(e.data)
	if n == 0 || size < int64(n) || size > maxHead {
		return 0, 0, false, e.bad("the record has no header")
	}
	if err := e.load(size); err != nil {
		return 0, 0, false, err
	}
	head, at := e.data[n:size], size
	for ; len(head) > 0; i-- {
		kind, n := varint(head)
		length, ok := sizeOf(kind)
		if n == 0 || !ok || length > e.cell.payload-at {
			return 0, 0, false, e.bad("the record has an invalid header")
		}
		if i == 0 {
			return kind, at, true, nil
		}
		head, at = head[n:], at+length
	}
	return 0, 0, false, nil
}

// stored returns a value of the record; ok is false if the record has fewer values.
func (e *Entry) stored(i int) (v field, ok bool, err error) {
	kind, at, ok, err := e.locate(i)
	if !ok || err != nil {
		return v, false, err
	}
	size, _ := sizeOf(kind)
	if err := e.load(at + size); err != nil {
		return v, false, err
	}
	v, ok = fieldOf(kind, e.data[at:])
	return v, ok, nil
}
