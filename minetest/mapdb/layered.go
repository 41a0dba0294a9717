package mapdb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"

	"trowel.example/fault"
)

// UnderFolder is the folder in the world's folder with the files of [Config.Under].
const UnderFolder = "readonly"

// layered is a store on top of a lower, read-only store: a block that is missing or empty in the upper store is read
// from the lower one.
type layered struct {
	upper, lower DB
}

// openLayered opens the lower store of a world and puts the upper one on top of it.
func openLayered(ctx context.Context, dir string, c Config, upper DB, err error) (DB, error) {
	if errors.Is(err, fs.ErrNotExist) {
		upper, err = NewMemory(), nil // the engine creates it when it stores a block
	}
	if err != nil {
		return nil, err
	}
	lower, err := openLower(ctx, dir, c)
	if err != nil {
		return nil, errors.Join(err, upper.Close())
	}
	return &layered{upper, lower}, nil
}

func openLower(ctx context.Context, dir string, c Config) (DB, error) {
	under := *c.Under
	under.Under, under.Remote, under.Moment = nil, c.Remote, c.Moment
	lower, err := Open(ctx, filepath.Join(dir, UnderFolder), under)
	if errors.Is(err, fs.ErrNotExist) {
		b, _ := BackendOf(under.Backend)
		name := UnderFolder
		if len(b.Files) > 0 {
			name += "/" + b.Files[0]
		}
		return nil, &fault.Error{File: filepath.Join(dir, filepath.FromSlash(name)), Offset: -1,
			Want: "the database of readonly_backend", Got: "no such file", Err: fault.ErrFormat}
	}
	return lower, err
}

// Get returns the bytes of a block.
func (l *layered) Get(ctx context.Context, p Pos) ([]byte, error) {
	data, err := l.upper.Get(ctx, p)
	return orBelow(ctx, p, l.lower, data, err)
}

// orBelow returns the block of the lower store if the upper store, which returned data and err, does not have it.
func orBelow(ctx context.Context, p Pos, lower DB, data []byte, err error) ([]byte, error) {
	if err != nil && !errors.Is(err, ErrNotFound) || len(data) > 0 {
		return data, err
	}
	if below, err := lower.Get(ctx, p); !errors.Is(err, ErrNotFound) {
		return below, err
	}
	return data, err
}

// has reports whether a store has a block of at least the given size, or a damaged row in its place.
func has(ctx context.Context, db DB, p Pos, size int) (bool, error) {
	data, err := db.Get(ctx, p)
	if _, damaged := errors.AsType[*RowError](err); damaged {
		return true, nil
	}
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil && len(data) >= size, err
}

// IsBelow reports whether the store in [Config.Under] has a block. Such a block cannot be deleted.
func IsBelow(ctx context.Context, db DB, p Pos) (bool, error) {
	l, ok := db.(*layered)
	if !ok {
		return false, nil
	}
	return has(ctx, l.lower, p, 0)
}

// Blocks yields the blocks of the upper store, then those that only the lower store has.
func (l *layered) Blocks(ctx context.Context, a Area) iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) {
		for b, err := range l.upper.Blocks(ctx, a) {
			if err == nil && len(b.Data) == 0 {
				_, err := l.lower.Get(ctx, b.Pos)
				if !errors.Is(err, ErrNotFound) {
					continue // the lower store has it
				}
			}
			if !yield(b, err) {
				return
			}
		}
		for b, err := range l.lower.Blocks(ctx, a) {
			if err == nil {
				var covered bool
				if covered, err = has(ctx, l.upper, b.Pos, 1); covered {
					continue
				}
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

// Positions yields the positions of the blocks of an area.
func (l *layered) Positions(ctx context.Context, a Area) iter.Seq2[Pos, error] {
	return func(yield func(Pos, error) bool) {
		for p, err := range l.upper.Positions(ctx, a) {
			if !yield(p, err) {
				return
			}
		}
		for p, err := range l.lower.Positions(ctx, a) {
			if err == nil {
				var covered bool
				if covered, err = has(ctx, l.upper, p, 0); covered {
					continue
				}
			}
			if !yield(p, err) {
				return
			}
		}
	}
}

// Count counts the blocks of both stores.
func (l *layered) Count(ctx context.Context) (int64, error) {
	return countPositions(l.Positions(ctx, All()))
}

// Verify searches both stores for damage.
func (l *layered) Verify(ctx context.Context) error {
	return errors.Join(Verify(ctx, l.upper), Verify(ctx, l.lower))
}

// Damage returns the damage of both stores that caused no loss of blocks.
func (l *layered) Damage() (list []*RowError) {
	for _, db := range []DB{l.upper, l.lower} {
		if v, ok := db.(Verifier); ok {
			list = append(list, v.Damage()...)
		}
	}
	return list
}

// Schema returns the schema of the upper store.
func (l *layered) Schema() Schema { return SchemaOf(l.upper) }

func (l *layered) rest() error { return errors.Join(Rest(l.upper), Rest(l.lower)) }

func (l *layered) String() string { return fmt.Sprintf("%v, over the read-only %v", l.upper, l.lower) }

// Close closes both stores.
func (l *layered) Close() error { return errors.Join(l.upper.Close(), l.lower.Close()) }

// layeredWriter writes to the upper one of two stores.
type layeredWriter struct {
	layered
	w Writer // the upper store
}

// Update runs f in a transaction of the upper store.
func (l *layeredWriter) Update(ctx context.Context, f func(Tx) error) error {
	return l.w.Update(ctx, func(tx Tx) error { return f(&layeredTx{tx, ctx, l.lower}) })
}

// Store stores blocks in the upper store.
func (l *layeredWriter) Store(ctx context.Context, blocks []Block) error {
	return l.w.Store(ctx, blocks)
}

// layeredTx is a transaction of the upper store that also reads the lower one.
type layeredTx struct {
	Tx
	ctx   context.Context
	lower DB
}

func (t *layeredTx) Get(p Pos) ([]byte, error) {
	data, err := t.Tx.Get(p)
	return orBelow(t.ctx, p, t.lower, data, err)
}

// Delete fails for a block of the lower store, because the block would reappear.
func (t *layeredTx) Delete(p Pos) error {
	if _, err := t.lower.Get(t.ctx, p); !errors.Is(err, ErrNotFound) {
		return fmt.Errorf("%v: the block is also in %v, where it cannot be deleted: convert the world to one "+
			"database first: %w", p, t.lower, ErrReadOnly)
	}
	return t.Tx.Delete(p)
}
