package mapdb

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"trowel.example/fault"
)

// The approximate maximum that Load stores in one transaction.
const (
	loadRows  = 4096
	loadBytes = 8 << 20
)

// storable returns an error for positions and data that no store accepts.
func storable(p Pos, data []byte) error {
	if !p.Valid() {
		return &fault.Error{Path: p.String(), Offset: -1, Want: fmt.Sprintf("coordinates from %d to %d", MinCoord, MaxCoord),
			Got: "others", Err: fault.ErrFormat}
	}
	return tooLarge("", p.String(), int64(len(data)), p)
}

// Load stores many blocks, in transactions of a few MiB each, and returns the number of stored blocks. It skips errors
// of the sequence that are a *RowError; the first other error ends it. If several blocks of a transaction have the same
// position, the last is stored.
func Load(ctx context.Context, w Writer, blocks iter.Seq2[Block, error]) (done int64, err error) {
	var batch []Block
	at := map[Pos]int{}
	size := 0
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		if err := w.Store(ctx, batch); err != nil {
			return err
		}
		done += int64(len(batch))
		batch, size = batch[:0], 0
		clear(at)
		return nil
	}
	for b, err := range blocks {
		if _, ok := errors.AsType[*RowError](err); ok {
			continue
		}
		if err == nil {
			err = storable(b.Pos, b.Data)
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return done, err
		}
		if i, ok := at[b.Pos]; ok {
			size -= len(batch[i].Data)
			batch[i] = b
		} else {
			at[b.Pos] = len(batch)
			batch = append(batch, b)
		}
		if size += len(b.Data); len(batch) >= loadRows || size >= loadBytes {
			if err := flush(); err != nil {
				return done, err
			}
		}
	}
	err = flush()
	return done, err
}

// store stores blocks one by one, for stores without a faster way.
func store(ctx context.Context, w Writer, blocks []Block) error {
	return w.Update(ctx, func(tx Tx) error {
		for _, b := range blocks {
			if err := tx.Put(b.Pos, b.Data); err != nil {
				return err
			}
		}
		return nil
	})
}

// Edit changes the blocks at the given positions of a world's store in one transaction, see [OpenForWriting]. The
// function edit receives the bytes of a block, or nil if it does not exist, and returns the new bytes, or nil to
// delete the block. Without positions the store is not opened.
func Edit(ctx context.Context, dir string, c Config, list []Pos, edit func(Pos, []byte) ([]byte, error)) (err error) {
	if len(list) == 0 {
		return nil
	}
	db, err := OpenForWriting(ctx, dir, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return db.Update(ctx, func(tx Tx) error { return EditIn(tx, list, edit) })
}

// EditIn is [Edit] in an existing transaction.
func EditIn(tx Tx, list []Pos, edit func(Pos, []byte) ([]byte, error)) error {
	for _, p := range list {
		data, err := tx.Get(p)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		if data, err = edit(p, data); err != nil {
			return err
		}
		if data == nil {
			err = tx.Delete(p)
		} else {
			err = tx.Put(p, data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A change is the effect of a transaction on a block.
type change struct {
	pos    Pos
	data   []byte
	delete bool
}

// changes is a transaction held in memory until its end, for stores without transactions or with transactions that
// cannot be read from.
type changes struct {
	get  func(Pos) ([]byte, error) // reads from the store
	list []change                  // in the order of the first change of each position
	at   map[Pos]int
}

func newChanges(get func(Pos) ([]byte, error)) *changes {
	return &changes{get: get, at: map[Pos]int{}}
}

func (c *changes) set(new change) {
	if i, ok := c.at[new.pos]; ok {
		c.list[i] = new
		return
	}
	c.at[new.pos] = len(c.list)
	c.list = append(c.list, new)
}

func (c *changes) Get(p Pos) ([]byte, error) {
	i, ok := c.at[p]
	switch {
	case !ok:
		return c.get(p)
	case c.list[i].delete:
		return nil, notFound(p)
	}
	return append([]byte(nil), c.list[i].data...), nil
}

func (c *changes) Put(p Pos, data []byte) error {
	if err := storable(p, data); err != nil {
		return err
	}
	c.set(change{pos: p, data: append([]byte(nil), data...)})
	return nil
}

func (c *changes) Delete(p Pos) error {
	if err := storable(p, nil); err != nil {
		return err
	}
	c.set(change{pos: p, delete: true})
	return nil
}

func notFound(p Pos) error { return fmt.Errorf("%v: %w", p, ErrNotFound) }
