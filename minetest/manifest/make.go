package manifest

import (
	"context"
	"errors"
	"io"
	"iter"

	"trowel.example/internal/extsort"
	"trowel.example/minetest/mapdb"
)

// Options are how a manifest is made.
type Options struct {
	Scratch string // a folder for a temporary file, 16 bytes a block, where a store has its blocks in another order; "" is that of the system

	// OnRow hears of a row that cannot be read. It is not in the manifest.
	OnRow func(*mapdb.RowError)
	// OnProgress hears now and then how many blocks were read.
	OnProgress func(done int64)
}

// runSize is how many blocks are sorted in memory.
var runSize = 1 << 20 // for tests

// Make writes the manifest of all blocks of a store, and returns how many they are. It reads
// the store once, with memory for a million positions.
func Make(ctx context.Context, db mapdb.DB, w io.Writer, o Options) (count int64, err error) {
	return Sort(w, o, func(add func(Entry) error) (int64, error) {
		return Hashes(mapdb.InSlabs(ctx, db, mapdb.All()), o, add)
	})
}

// Hashes calls add with the entry of each block, in the order of the blocks, and returns how many
// they are. It hashes on all cores.
func Hashes(blocks iter.Seq2[mapdb.Block, error], o Options, add func(Entry) error) (count int64, err error) {
	type row struct {
		Entry
		err error
	}
	for r := range mapdb.Parallel(blocks, func(b mapdb.Block, err error) row {
		if err != nil {
			return row{err: err}
		}
		return row{Entry: Entry{b.Pos, HashOf(b.Data)}}
	}) {
		var bad *mapdb.RowError
		switch {
		case errors.As(r.err, &bad):
			if o.OnRow != nil {
				o.OnRow(bad)
			}
			continue
		case r.err != nil:
			return count, r.err
		}
		if err := add(r.Entry); err != nil {
			return count, err
		}
		if count++; o.OnProgress != nil && count%10_000 == 0 {
			o.OnProgress(count)
		}
	}
	return count, nil
}

// Sort writes the manifest of the entries that the function all adds, in any order, and returns
// what that does. It has memory for a million of them.
func Sort(w io.Writer, o Options, all func(add func(Entry) error) (int64, error)) (count int64, err error) {
	s := &extsort.Sorter{Folder: o.Scratch, Run: runSize}
	defer func() { err = errors.Join(err, s.Close()) }()
	count, err = all(func(e Entry) error {
		return s.Add(extsort.Pair{Key: e.Pos.Key(), Value: uint64(e.Hash)})
	})
	if err != nil {
		return count, err
	}
	m := NewWriter(w)
	for p, err := range s.Distinct() {
		if err != nil {
			return count, err
		}
		pos, _ := mapdb.PosOfKey(p.Key)
		if err := m.Add(Entry{pos, Hash(p.Value)}); err != nil {
			return count, err
		}
	}
	return count, m.Close()
}
