package mapdb

import (
	"bytes"
	"context"
	"errors"
	"iter"
)

// A Difference is a block that two stores do not both have, or not in the same bytes.
type Difference struct {
	Pos      Pos
	Old, New []byte // nil where there is no block
}

// SideError is an error about one of two stores that are compared.
type SideError struct {
	New bool // about the new one
	Err error
}

func (e *SideError) Error() string { return e.Err.Error() }

// Unwrap returns the error of the store.
func (e *SideError) Unwrap() error { return e.Err }

// Differences goes through the blocks of an area in which two stores differ, with memory for
// a page of each. Two SQLite databases of one schema are read side by side, once; else each
// block of one is looked up in the other. A *RowError is about a row of one of them, whose
// block is not compared, and the loop continues; any other error is the last thing that it
// gives. Errors of the stores are in a *[SideError].
func Differences(ctx context.Context, old, new DB, a Area) iter.Seq2[Difference, error] {
	if o, ok := old.(ordered); ok {
		if n, ok := new.(ordered); ok && o.keyOrder() == n.keyOrder() {
			return func(yield func(Difference, error) bool) { sideBySide(ctx, old, new, a, o.keyOrder(), yield) }
		}
	}
	return func(yield func(Difference, error) bool) {
		if lookUp(ctx, new, old, a, false, func(d Difference, ofFrom bool, err error) bool {
			return yield(Difference{d.Pos, d.New, d.Old}, ofSide(ofFrom, err))
		}) {
			lookUp(ctx, old, new, a, true, func(d Difference, ofFrom bool, err error) bool {
				return yield(d, ofSide(!ofFrom, err))
			})
		}
	}
}

// ofSide is an error, if it is one, that says of which store it is.
func ofSide(new bool, err error) error {
	if err == nil {
		return nil
	}
	return &SideError{new, err}
}

// ordered is a store whose blocks come in the order of their positions.
type ordered interface{ keyOrder() order }

func (db *sqliteDB) keyOrder() order { return db.order }

// lookUp looks up the blocks of one store in another, and gives those that differ; only those
// that are not there, if that is asked for. An error is of the store whose blocks they are, or of
// the other. It reports whether more is wanted.
func lookUp(ctx context.Context, from, in DB, a Area, missing bool, yield func(d Difference, ofFrom bool, err error) bool) bool {
	var row *RowError
	for b, err := range from.Blocks(ctx, a) {
		if err != nil {
			if !yield(Difference{}, true, err) || !errors.As(err, &row) {
				return false
			}
			continue
		}
		other, err := in.Get(ctx, b.Pos)
		switch {
		case errors.Is(err, ErrNotFound):
			err = nil
		case missing, err == nil && bytes.Equal(other, b.Data):
			continue
		case err == nil:
			other = notNil(other)
		}
		if !yield(Difference{b.Pos, notNil(b.Data), other}, false, err) || err != nil && !errors.As(err, &row) {
			return false
		}
	}
	return true
}

// notNil returns the bytes of a block that there is.
func notNil(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}

// head is what a store gives next.
type head struct {
	new  bool // the store is the new one
	next func() (Block, error, bool)
	b    Block
	err  error // of the row of this position
	more bool
}

// advance goes to the next position, and reports whether all goes on. Rows of which nobody
// knows where they are, and a second one of a position, are passed.
func (h *head) advance(yield func(Difference, error) bool) bool {
	last, had := h.b.Pos, h.more
	for {
		if h.b, h.err, h.more = h.next(); !h.more {
			return true
		}
		var row *RowError
		switch {
		case h.err == nil:
		case !errors.As(h.err, &row):
			yield(Difference{}, ofSide(h.new, h.err))
			return false
		case row.Pos == nil:
			if !yield(Difference{}, ofSide(h.new, h.err)) {
				return false
			}
			continue
		default:
			h.b = Block{Pos: *row.Pos}
		}
		if !had || h.b.Pos != last {
			return true
		}
	}
}

func sideBySide(ctx context.Context, old, new DB, a Area, by order, yield func(Difference, error) bool) {
	var sides [2]head
	for i, db := range []DB{old, new} {
		next, stop := iter.Pull2(db.Blocks(ctx, a))
		defer stop()
		sides[i].new, sides[i].next = i == 1, next
		if !sides[i].advance(yield) {
			return
		}
	}
	o, n := &sides[0], &sides[1]
	for o.more || n.more {
		c := 0
		switch {
		case !o.more:
			c = 1
		case !n.more:
			c = -1
		default:
			c = by.compare(o.b.Pos, n.b.Pos)
		}
		d := Difference{Pos: o.b.Pos}
		var err error
		if c <= 0 {
			d.Old, err = notNil(o.b.Data), ofSide(false, o.err)
		}
		if c >= 0 {
			d.Pos, d.New, err = n.b.Pos, notNil(n.b.Data), errors.Join(err, ofSide(true, n.err))
		}
		if err != nil {
			d = Difference{Pos: d.Pos}
		}
		if (err != nil || c != 0 || !bytes.Equal(d.Old, d.New)) && !yield(d, err) {
			return
		}
		if c <= 0 && !o.advance(yield) || c >= 0 && !n.advance(yield) {
			return
		}
	}
}
