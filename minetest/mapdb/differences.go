package mapdb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
)

// A Difference is a block that only one of two stores has, or that has different bytes in them.
type Difference struct {
	Pos      Pos
	Old, New []byte // nil if the store has no block
}

// SideError is an error of one of two compared stores.
type SideError struct {
	New bool // the error is of the new store
	Err error
}

func (e *SideError) Error() string { return fmt.Sprint(e.Err) }

// Unwrap returns the error of the store.
func (e *SideError) Unwrap() error { return e.Err }

// Differences yields the blocks of an area in which two stores differ, with one page of each store in memory. Two
// SQLite databases with the same schema are read once, in parallel; a [Comparer] finds the positions itself; otherwise
// each block of one store is looked up in the other. After a *RowError, whose block is not compared, the loop
// continues; any other error ends it. Errors of the stores are wrapped in a *[SideError].
func Differences(ctx context.Context, old, new DB, a Area) iter.Seq2[Difference, error] {
	if o, ok := old.(ordered); ok {
		if n, ok := new.(ordered); ok && o.keyOrder() == n.keyOrder() {
			return func(yield func(Difference, error) bool) { sideBySide(ctx, old, new, a, o.keyOrder(), yield) }
		}
	}
	o, n := original(old), original(new)
	if c, ok := o.(Comparer); ok {
		at := c.Differing(ctx, n, a)
		return func(yield func(Difference, error) bool) { compared(ctx, o, n, at, false, yield) }
	}
	if c, ok := n.(Comparer); ok {
		at := c.Differing(ctx, o, a)
		return func(yield func(Difference, error) bool) { compared(ctx, o, n, at, true, yield) }
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

// A Comparer is a store that finds the differences to another store without reading all of its own blocks.
type Comparer interface {
	// Differing yields the positions of an area at which the store and another one may differ, in any order. Its errors are
	// like those of [Differences], with the other store as the new one.
	Differing(ctx context.Context, other DB, a Area) iter.Seq2[Pos, error]
}

// compared yields the differences at some positions. turned states that the new store has found them.
func compared(ctx context.Context, old, new DB, at iter.Seq2[Pos, error], turned bool, yield func(Difference, error) bool) {
	var row *RowError
	get := func(db DB, p Pos) ([]byte, error) {
		data, err := db.Get(ctx, p)
		if errors.Is(err, ErrNotFound) {
			return nil, nil
		}
		return notNil(data), err
	}
	for p, err := range at {
		d := Difference{Pos: p}
		if side, ok := errors.AsType[*SideError](err); ok && turned {
			err = ofSide(!side.New, side.Err)
		}
		if err == nil {
			var failed, failedNew error
			d.Old, failed = get(old, p)
			d.New, failedNew = get(new, p)
			err = errors.Join(ofSide(false, failed), ofSide(true, failedNew))
			if err == nil && (d.Old == nil) == (d.New == nil) && bytes.Equal(d.Old, d.New) {
				continue
			}
		}
		if err != nil {
			d = Difference{Pos: p}
		}
		if !yield(d, err) || err != nil && !errors.As(err, &row) {
			return
		}
	}
}

// ofSide wraps an error, unless it is nil, in a SideError.
func ofSide(new bool, err error) error {
	if err == nil {
		return nil
	}
	return &SideError{new, err}
}

// ordered is a store whose blocks come in the order of their positions.
type ordered interface{ keyOrder() order }

// lookUp looks up each block of from in the store in, and yields the blocks that differ, or only those missing in the
// second store if missing is set. ofFrom is set if an error is of from. lookUp reports whether the caller wants more.
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

// notNil returns the bytes of an existing block: never nil.
func notNil(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}

// head is the next block of a store.
type head struct {
	new  bool // the store is the new one
	next func() (Block, error, bool)
	b    Block
	err  error // of the row of this position
	more bool
}

// advance moves to the next position and reports whether the loop continues. It yields the errors of rows without a
// position, and skips further rows with the same position.
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
