package leveldb

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/text/words"
)

// countable is the maximum size in bytes of tables that are read to count the records of a rebuilt database.
const countable = 256 << 20

// rebuild returns a database with all tables and logs in the folder, whether the manifest names them or not. For each
// key the record with the highest sequence number is used; a deleted record may reappear. It returns the error lost if
// there is nothing to rebuild from.
func (old *DB) rebuild(lost error) (*DB, error) {
	entries, err := os.ReadDir(old.dir)
	if err != nil {
		return nil, err
	}
	db := newDB(old.dir, old.valid)
	for _, err := range old.Problems() {
		db.report(err)
	}
	db.version = &version{comparator: comparator, tables: map[uint64]tableMeta{}}
	var logs []uint64
	tables, size := 0, int64(0)
	for _, e := range entries {
		if n, ok := fileNumber(e.Name(), ".log"); ok {
			logs = append(logs, n)
		}
		n, ok := fileNumber(e.Name(), ".ldb")
		if !ok {
			n, ok = fileNumber(e.Name(), ".sst")
		}
		if _, double := db.version.tables[n]; !ok || double {
			continue
		}
		tables++
		meta, err := db.describe(n)
		if err != nil {
			db.report(err)
			continue
		}
		size += int64(meta.size)
		db.version.tables[n] = meta
		db.tables = append(db.tables, meta)
	}
	if tables+len(logs) == 0 {
		if old.version == nil {
			return nil, lost
		}
		return old, nil
	}
	if err := db.readLogs(logs); err != nil {
		return nil, err
	}
	found := words.Thousands(size) + " bytes"
	if size <= countable {
		n := 0
		records, _ := db.Range(nil, nil)
		for range records {
			n++
		}
		found = words.Count(n, "record")
	}
	db.report(&fault.Error{File: db.dir, Offset: -1, Want: "a list of the files of the database", Err: ErrRebuilt,
		Got: fmt.Sprintf("%s in %s and %s, which are read without the list and may contain deleted records", found,
			words.Count(tables, "table"), words.Count(len(logs), "log"))})
	return db, nil
}

// ErrRebuilt is wrapped by the problem of a database whose state was rebuilt from its tables and logs.
var ErrRebuilt = errors.New("the list of files is damaged or missing")

// InList reports whether a problem concerns only the list of the files of a database, so that it need not have lost
// records.
func InList(problem error) bool {
	var e *fault.Error
	if !errors.As(problem, &e) {
		return false
	}
	name := filepath.Base(e.File)
	return name == "CURRENT" || strings.HasPrefix(name, "MANIFEST-")
}

// describe returns the manifest entry of a table.
func (db *DB) describe(number uint64) (tableMeta, error) {
	t, err := db.openTable(number)
	if err != nil {
		return tableMeta{}, err
	}
	defer t.close()
	if t.scan != nil {
		db.report(t.scan.broken)
	}
	meta := tableMeta{number: number, size: uint64(t.size), smallest: internalKey(nil, maxSequence<<8|kindPut), largest: internalKey(nil, 0)}
	it := &blockIter{b: t.index}
	for first := true; it.next(); first = false {
		if first {
			if b, err := t.dataBlock(it.v); err == nil {
				if data := (&blockIter{b: b}); data.next() {
					meta.smallest = data.k
				}
			}
		}
		meta.largest = it.k
	}
	return meta, it.err
}

// Repair repairs a damaged database: it writes the records that [Open] reads to new tables, and removes the
// other files. The new list of files replaces the old one atomically; before that, the database is unchanged. No
// program may have the database open.
func Repair(dir string, valid func(key, value []byte) bool) (err error) {
	lock, err := takeLock(dir)
	if err != nil {
		return err
	}
	w := &Writer{dir: dir, lock: lock, mem: newMemtable(), version: &version{comparator: comparator, tables: map[uint64]tableMeta{}}}
	defer func() {
		if err != nil {
			w.Abandon()
		}
	}()
	db, err := Open(dir, valid)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := w.skipNumbers(); err != nil {
		return err
	}
	w.version.nextFile = max(w.version.nextFile, db.version.nextFile, 2)
	var records []Record
	size := 0
	made := map[uint64]tableMeta{}
	flush := func() error {
		if len(records) == 0 {
			return nil
		}
		meta, err := w.makeTable(records)
		made[meta.number] = meta
		records, size = nil, 0
		return err
	}
	for k, v := range db.All() {
		records = append(records, Record{k, v})
		if size += len(k) + len(v); size >= tableSize {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	level := levelFor(slices.Collect(maps.Values(made)))
	for n, meta := range made {
		meta.level = level
		w.version.tables[n] = meta
	}
	if err := w.begin(); err != nil {
		return err
	}
	return errors.Join(w.sweep(), w.Close())
}
