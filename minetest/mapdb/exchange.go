package mapdb

import (
	"bytes"
	"context"
	"errors"
)

// A Swap replaces a block, provided that its current bytes are Old.
type Swap struct {
	Pos      Pos
	Old, New []byte // a nil New deletes the block
}

// became reports whether a block already has its new bytes; data is nil if the block does not exist.
func (s *Swap) became(data []byte) bool {
	return (data == nil) == (s.New == nil) && bytes.Equal(data, s.New)
}

// exchanger is a store that exchanges blocks in its own way.
type exchanger interface {
	exchange(ctx context.Context, list []Swap) (int, error)
}

// Exchange replaces the bytes of blocks in one transaction. It changes only blocks that have the expected old bytes,
// and returns the number of blocks that have their new bytes now, including those that had them before. No position
// may occur twice. Several programs may call Exchange on one store at the same time, if the store supports several
// writers.
func Exchange(ctx context.Context, w Writer, list []Swap) (int, error) {
	if db, ok := w.(exchanger); ok {
		return db.exchange(ctx, list)
	}
	var done int
	err := w.Update(ctx, func(tx Tx) error {
		done = 0
		for i := range list {
			data, err := tx.Get(list[i].Pos)
			if data = append([]byte{}, data...); errors.Is(err, ErrNotFound) {
				data, err = nil, nil
			}
			if err == nil {
				err = list[i].apply(tx, data, &done)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return done, err
}

// apply changes a block in a transaction, if it has the expected bytes.
func (s *Swap) apply(tx Tx, data []byte, done *int) error {
	switch {
	case s.became(data):
		*done++
		return nil
	case data == nil || !bytes.Equal(data, s.Old):
		return nil
	}
	*done++
	if s.New == nil {
		return tx.Delete(s.Pos)
	}
	return tx.Put(s.Pos, s.New)
}

// current returns the bytes of the blocks of a list that exist. Damaged rows are omitted, because their content
// cannot have been read before.
func current(ctx context.Context, db DB, list []Swap) (map[Pos][]byte, error) {
	var all []Pos
	for _, s := range list {
		all = append(all, s.Pos)
	}
	have := make(map[Pos][]byte, len(all))
	for b, err := range Fetch(ctx, db, all) {
		var row *RowError
		if errors.As(err, &row) && row.Pos != nil {
			have[*row.Pos] = []byte{}
		} else if err != nil {
			return nil, err
		} else {
			have[b.Pos] = append([]byte{}, b.Data...)
		}
	}
	return have, nil
}

// exchangeFetched is Exchange for a store that reads and writes many blocks at once.
func exchangeFetched(ctx context.Context, w Writer, list []Swap) (int, error) {
	have, err := current(ctx, w, list)
	if err != nil {
		return 0, err
	}
	var done int
	err = w.Update(ctx, func(tx Tx) error {
		for i := range list {
			if err := list[i].apply(tx, have[list[i].Pos], &done); err != nil {
				return err
			}
		}
		return nil
	})
	return done, err
}
