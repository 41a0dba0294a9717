package worldedit

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"trowel.example/minetest/mapdb"
)

// World is a [mapdb.DB] of the blocks after all completed steps. Blocks that the world itself does not have come
// last.

var _ mapdb.DB = (*World)(nil)

// Get returns the bytes of a block after all completed steps.
func (w *World) Get(ctx context.Context, p mapdb.Pos) ([]byte, error) {
	r, err := w.scratch.find(p)
	switch {
	case err != nil:
		return nil, err
	case r == nil:
		return w.base.Get(ctx, p)
	case r.deleted:
		return nil, fmt.Errorf("%v: %w", p, mapdb.ErrNotFound)
	}
	return r.data, nil
}

// Blocks yields the blocks of an area after all completed steps.
func (w *World) Blocks(ctx context.Context, a mapdb.Area) iter.Seq2[mapdb.Block, error] {
	return func(yield func(mapdb.Block, error) bool) {
		for b, err := range w.base.Blocks(ctx, a) {
			if err == nil {
				var r *record
				if r, err = w.scratch.find(b.Pos); r != nil && err == nil {
					if r.deleted {
						continue
					}
					b.Data = r.data
				}
			}
			if !yield(b, err) || isEnd(err) {
				return
			}
		}
		for p := range w.createdIn(a) {
			data, err := w.Get(ctx, p)
			if errors.Is(err, mapdb.ErrNotFound) {
				continue
			}
			if !yield(mapdb.Block{Pos: p, Data: data}, err) || err != nil {
				return
			}
		}
	}
}

// Positions is like Blocks, without the bytes.
func (w *World) Positions(ctx context.Context, a mapdb.Area) iter.Seq2[mapdb.Pos, error] {
	return func(yield func(mapdb.Pos, error) bool) {
		for p, err := range w.base.Positions(ctx, a) {
			if err == nil {
				var gone bool
				if gone, err = w.isDeleted(p); gone {
					continue
				}
			}
			if !yield(p, err) || isEnd(err) {
				return
			}
		}
		for p := range w.createdIn(a) {
			gone, err := w.isDeleted(p)
			if !gone && !yield(p, err) || err != nil {
				return
			}
		}
	}
}

// isDeleted reports whether a step has deleted a block.
func (w *World) isDeleted(p mapdb.Pos) (bool, error) {
	at, ok := w.scratch.lookup(p)
	if !ok {
		return false, nil
	}
	r, err := w.scratch.head(at)
	return err == nil && r.deleted, err
}

// createdIn yields the positions in an area at which steps have created blocks.
func (w *World) createdIn(a mapdb.Area) iter.Seq[mapdb.Pos] {
	return func(yield func(mapdb.Pos) bool) {
		for _, key := range w.scratch.created {
			if p, _ := mapdb.PosOfKey(key); a.Contains(p) && !yield(p) {
				return
			}
		}
	}
}

// isEnd reports whether an error ends the iteration: it is not about a single row.
func isEnd(err error) bool {
	var row *mapdb.RowError
	return err != nil && !errors.As(err, &row)
}

// Count returns the number of blocks.
func (w *World) Count(ctx context.Context) (int64, error) {
	n, err := w.base.Count(ctx)
	for _, e := range w.scratch.index {
		if err != nil {
			return 0, err
		}
		var r *record
		if r, err = w.scratch.head(e.offset); err == nil && r.existed && r.deleted {
			n--
		} else if err == nil && !r.existed && !r.deleted {
			n++
		}
	}
	return n, err
}

// Verify ensures that reading reports everything that is missing.
func (w *World) Verify(ctx context.Context) error { return mapdb.Verify(ctx, w.base) }

// Damage returns the known damage of the store that loses no block.
func (w *World) Damage() []*mapdb.RowError {
	if v, ok := w.base.(mapdb.Verifier); ok {
		return v.Damage()
	}
	return nil
}

func (w *World) String() string { return w.base.String() }

// Close closes the world and discards the changes.
func (w *World) Close() error {
	return errors.Join(w.base.Close(), w.scratch.close(), w.stores.close())
}
