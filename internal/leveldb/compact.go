package leveldb

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"

	"trowel.example/internal/parallel"
)

// compact merges tables that overlap into such that do not, and puts all into a level that
// may hold as much, so that a program that opens the database has nothing to do. Each
// table that stays is told when it is there.
func (w *Writer) compact(done func(tableMeta)) error {
	if len(w.version.tables) < 2 {
		for _, t := range w.version.tables {
			done(t)
		}
		return nil
	}
	tables := w.view().tables
	slices.SortFunc(tables, func(a, b tableMeta) int { return compareKeys(a.smallest, b.smallest) })
	e := w.state()
	e.deleted = tables
	var whole []tableMeta
	for len(tables) > 0 {
		n := overlapping(tables)
		if n == 1 {
			done(tables[0])
			whole = append(whole, tables[0])
		} else if made, err := w.merge(tables[:n], done); err != nil {
			return err
		} else {
			whole = append(whole, made...)
		}
		tables = tables[n:]
	}
	w.version.tables = map[uint64]tableMeta{}
	level := levelFor(whole)
	for _, meta := range whole {
		meta.level = level
		e.added = append(e.added, meta)
		w.version.tables[meta.number] = meta
	}
	e.nextFile = &w.version.nextFile
	if err := w.edit(e); err != nil {
		return err
	}
	return w.sweep()
}

// overlapping returns how many tables there are, at the beginning of some that are sorted,
// between which and the others no key is in two.
func overlapping(tables []tableMeta) int {
	end := tables[0].largest
	for i, t := range tables[1:] {
		from, _ := splitKey(t.smallest)
		to, _ := splitKey(end)
		if bytes.Compare(from, to) > 0 {
			return i + 1
		}
		if compareKeys(t.largest, end) > 0 {
			end = t.largest
		}
	}
	return len(tables)
}

// mergeSize is how many bytes of records are made blocks of at once.
const mergeSize = 64 << 10

// merge makes tables of others, with the newest record of each key.
func (w *Writer) merge(tables []tableMeta, done func(tableMeta)) (made []tableMeta, err error) {
	db := w.view()
	db.tables, db.mem = tables, newMemtable()
	var t *tableWriter
	end := func() error {
		meta, err := w.endTable(t)
		if made, t = append(made, meta), nil; err == nil {
			done(meta)
		}
		return err
	}
	err = parallel.Ordered(context.Background(), db.pieces, pack, func(blocks []tableBlock) (err error) {
		for _, b := range blocks {
			if t == nil {
				if t, err = w.newTable(); err != nil {
					return err
				}
			}
			if t.addBlock(b); t.off >= tableSize {
				if err := end(); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if t != nil {
		err = errors.Join(err, end())
	}
	return made, cmp.Or(err, db.Err())
}

// pieces gives the newest record of each key, with its internal key, some at a time.
func (db *DB) pieces(send func([]Record) error) (err error) {
	var piece []Record
	size := 0
	db.merge(bounds{}, db.report).newest(func(key []byte, tag uint64, value []byte) bool {
		if tag&0xff == kindDelete {
			return true // nothing older is left to hide
		}
		piece = append(piece, Record{internalKey(key, tag), value})
		if size += len(key) + len(value); size >= mergeSize {
			err = send(piece)
			piece, size = nil, 0
		}
		return err == nil
	})
	if err == nil && len(piece) > 0 {
		err = send(piece)
	}
	return err
}

// pack makes blocks of records.
func pack(piece []Record) (blocks []tableBlock) {
	var p packer
	for i, r := range piece {
		if p.add(r.Key, r.Value) || i == len(piece)-1 {
			blocks = append(blocks, p.finish(nil))
		}
	}
	return blocks
}

// levelFor returns the lowest level that may hold tables: level 1 has room for
// 10 MiB, each further one for ten times as much.
func levelFor(tables []tableMeta) int {
	sum := uint64(0)
	for _, t := range tables {
		sum += t.size
	}
	level := 1
	for room := uint64(10 << 20); sum > room && level < maxLevel; room *= 10 {
		level++
	}
	return level
}
