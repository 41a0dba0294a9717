package leveldb

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"

	"trowel.example/internal/limits/parallel"
)

// compact merges overlapping tables, and puts all tables into a level that may hold their size, so that a program that
// opens the database need not compact it. It calls done with each final table.
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

// overlapping returns the length of the shortest prefix of sorted tables whose keys do not overlap those of the other
// tables.
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

// mergeSize is the size in bytes of the records that are packed into blocks at a time.
const mergeSize = 64 << 10

// merge merges tables into new ones with the newest record of each key.
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
	// Compaction also completes a database whose writing was canceled. db.pieces returns an error if it must end.
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

// pieces calls send with slices of the newest record of each key, with internal keys.
func (db *DB) pieces(send func([]Record) error) (err error) {
	var piece []Record
	size := 0
	db.merge(bounds{}, db.report).newest(func(key []byte, tag uint64, value []byte) bool {
		if tag&0xff == kindDelete {
			return true // there is no older record to hide
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

// pack packs records into blocks.
func pack(piece []Record) (blocks []tableBlock) {
	var p packer
	for i, r := range piece {
		if p.add(r.Key, r.Value) || i == len(piece)-1 {
			blocks = append(blocks, p.finish(nil))
		}
	}
	return blocks
}

// levelFor returns the lowest level that may hold the tables: level 1 has room for 10 MiB, each further level for ten
// times as much.
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
