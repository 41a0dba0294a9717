package manifest

import (
	"context"
	"errors"
	"io"
	"iter"

	"trowel.example/internal/values/extsort"
	"trowel.example/minetest/mapdb"
)

// Options configure the making of a manifest.
type Options struct {
	// Scratch is the folder for a temporary file of 16 bytes per block, used if the store has another block order.
	// "" means the system's default.
	Scratch string

	// OnRow receives the error of each unreadable row. The manifest omits the row.
	OnRow func(*mapdb.RowError)
	// OnProgress regularly receives the number of blocks read so far.
	OnProgress func(done int64)
}

// runSize is the number of blocks sorted in memory.
var runSize = 1 << 20 // tests change it

// Make writes the manifest of all blocks of a store and returns their number. It reads the store once and holds a
// million positions in memory.
func Make(ctx context.Context, db mapdb.DB, w io.Writer, o Options) (count int64, err error) {
	return Sort(w, o, func(add func(Entry) error) (int64, error) {
		return Hashes(mapdb.InSlabs(ctx, db, mapdb.All()), o, add)
	})
}

// Hashes calls add with the entry of each block, in the order of the blocks, and returns their number. It hashes on
// all cores.
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

// Sort writes the manifest of the entries that all adds, in any order, and returns the result of all. It holds a
// million entries in memory.
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
