package leveldb

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"trowel.example/fault"
	"trowel.example/internal/lfs"
	"trowel.example/internal/regular"
)

// maxOpenTables is how many tables Get keeps open.
const maxOpenTables = 32

// A DB is a database that is only read. Its methods may be called from several
// goroutines.
type DB struct {
	dir     string
	version *version
	tables  []tableMeta // by smallest key
	mem     *memtable   // what the logs hold

	opening []error // the problems that Open found
	problems

	mu   sync.Mutex
	open map[uint64]*table // for Get
}

// Open reads the state of the database in a folder: CURRENT, the manifest that
// it names, and every log that is not in a table yet. It fails where these do
// not tell what there is; other damage is in [DB.Problems]. The logs are held
// in memory, the tables are not.
func Open(dir string) (*DB, error) {
	db := &DB{dir: dir, mem: newMemtable(), problems: problems{dir: dir}, open: map[uint64]*table{}}
	name, err := currentManifest(dir)
	if err != nil {
		return nil, err
	}
	f, _, err := openFile(filepath.Join(dir, name))
	if errors.Is(err, lfs.ErrPointer) {
		return nil, err
	}
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			err = fault.ErrFormat
		}
		return nil, &fault.Error{File: filepath.Join(dir, "CURRENT"), Path: "manifest", Offset: 0, Want: "the name of a file that is there", Got: strconv.Quote(name), Err: err}
	}
	defer f.Close()
	db.version, err = readManifest(f, filepath.Join(dir, name), func(e *fault.Error) { db.report(e) })
	if err != nil {
		return nil, err
	}
	if err := db.readTables(); err != nil {
		return nil, err
	}
	db.opening = db.Problems()
	return db, nil
}

// Opening returns those problems that Open has come across.
func (db *DB) Opening() []error { return db.opening }

// openFile opens a file of a database, and not what Git has in its place.
func openFile(path string) (*os.File, os.FileInfo, error) {
	if err := lfs.Check(path); err != nil {
		return nil, nil, err
	}
	return regular.Open(path)
}

// currentManifest returns the name of the manifest that CURRENT has.
func currentManifest(dir string) (string, error) {
	path := filepath.Join(dir, "CURRENT")
	f, _, err := openFile(path)
	if rest, _ := os.ReadDir(dir); errors.Is(err, os.ErrNotExist) && len(rest) > 0 {
		// A database that has lost it, not one that is not there.
		return "", damaged(path, "", -1, "the file that names the manifest", "no such file")
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 64))
	if err != nil {
		return "", err
	}
	name, ok := strings.CutSuffix(string(text), "\n")
	if digits, found := strings.CutPrefix(name, "MANIFEST-"); !ok || !found || strings.Trim(digits, "0123456789") != "" {
		return "", damaged(path, "", 0, `"MANIFEST-", a number and an end of line`, strconv.Quote(string(text)))
	}
	return name, nil
}

// readTables looks for the tables and replays the logs.
func (db *DB) readTables() error {
	entries, err := os.ReadDir(db.dir)
	if err != nil {
		return err
	}
	files := map[string]bool{}
	var logs []uint64
	for _, e := range entries {
		files[e.Name()] = true
		if n, ok := fileNumber(e.Name(), ".log"); ok && (n >= db.version.log || n == db.version.prevLog) {
			if e.IsDir() {
				db.report(&fault.Error{File: filepath.Join(db.dir, e.Name()), Offset: -1, Want: "a log", Got: "a folder", Err: fault.ErrFormat})
				continue
			}
			logs = append(logs, n)
		}
	}
	for _, t := range db.version.tables {
		if !files[tableName(t.number)] && !files[oldTableName(t.number)] {
			db.report(&fault.Error{File: filepath.Join(db.dir, tableName(t.number)), Offset: -1, Want: "a table that the manifest names", Got: "no file", Err: os.ErrNotExist})
			continue
		}
		db.tables = append(db.tables, t)
	}
	slices.SortFunc(db.tables, func(a, b tableMeta) int {
		if c := compareKeys(a.smallest, b.smallest); c != 0 {
			return c
		}
		return int(a.number) - int(b.number)
	})
	// A log is removed only once the manifest names a later one: without it, a
	// part of the manifest is missing, or records are.
	if n := db.version.log; n != 0 && !slices.Contains(logs, n) {
		db.report(&fault.Error{File: filepath.Join(db.dir, logName(n)), Offset: -1, Want: "a log that the manifest names", Got: "no file", Err: os.ErrNotExist})
	}
	slices.Sort(logs)
	for _, n := range logs {
		if err := db.replay(filepath.Join(db.dir, logName(n))); err != nil {
			return err
		}
		db.version.nextFile = max(db.version.nextFile, n+1)
	}
	return nil
}

// replay takes the records of a log.
func (db *DB) replay(path string) error {
	f, _, err := openFile(path)
	if errors.Is(err, lfs.ErrPointer) {
		db.report(err)
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	log := newLogReader(f, path, func(e *fault.Error) { db.report(e) })
	for {
		record, offset, err := log.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		last, err := readBatch(record, offset, db.mem.add)
		if err != nil {
			db.report(fault.InFile(err, path))
		}
		db.version.lastSeq = max(db.version.lastSeq, last)
	}
}

func tableName(n uint64) string    { return fmt.Sprintf("%06d.ldb", n) }
func oldTableName(n uint64) string { return fmt.Sprintf("%06d.sst", n) }
func logName(n uint64) string      { return fmt.Sprintf("%06d.log", n) }
func manifestName(n uint64) string { return fmt.Sprintf("MANIFEST-%06d", n) }

// fileNumber returns the number in the name of a file that ends in suffix.
func fileNumber(name, suffix string) (uint64, bool) {
	digits, ok := strings.CutSuffix(name, suffix)
	n, err := strconv.ParseUint(digits, 10, 64)
	return n, ok && err == nil
}

// tablePath returns where a table is. Databases from before 2013 have another suffix.
func (db *DB) tablePath(n uint64) string {
	path := filepath.Join(db.dir, tableName(n))
	if _, err := os.Stat(path); err != nil {
		if old := filepath.Join(db.dir, oldTableName(n)); errors.Is(err, os.ErrNotExist) {
			return old
		}
	}
	return path
}

// Err returns the first problem that may have cost records, or nil.
func (db *DB) Err() error {
	for _, err := range db.Problems() {
		if !errors.Is(err, ErrTorn) {
			return err
		}
	}
	return nil
}

// All goes through all keys and their values, in the order of the bytes of the
// keys. It takes no more memory than the logs, and one block of each table that
// overlaps others. Keys and values are the caller's own; to keep one may keep all of its
// block in memory. What cannot be read is left out; see Err and Problems afterwards.
func (db *DB) All() iter.Seq2[[]byte, []byte] { return db.records(bounds{}, db.report) }

// Range is All for the keys that are not before from, and before to; nil is no bound. Of the
// tables it reads the blocks that have such keys. What cannot be read is not in Problems
// afterwards, but in those that the function returns: damage is told of the range in which it
// begins, so that ranges side by side tell it once.
func (db *DB) Range(from, to []byte) (records iter.Seq2[[]byte, []byte], met func() []error) {
	p := &problems{dir: db.dir}
	return db.records(bounds{from, to}, p.report), p.Problems
}

func (db *DB) records(within bounds, report func(error)) iter.Seq2[[]byte, []byte] {
	return func(yield func([]byte, []byte) bool) {
		db.merge(within, report).newest(func(key []byte, tag uint64, value []byte) bool {
			return tag&0xff == kindDelete || !within.has(key) || yield(key, value)
		})
	}
}

// bounds are user keys between which others are; nil is none.
type bounds struct{ from, to []byte }

// before reports whether the bounds end before a key.
func (b bounds) before(key []byte) bool { return b.to != nil && bytes.Compare(key, b.to) >= 0 }

func (b bounds) has(key []byte) bool { return bytes.Compare(key, b.from) >= 0 && !b.before(key) }

// merge returns a merge of what there is within bounds, and perhaps a little more.
func (db *DB) merge(within bounds, report func(error)) *merge {
	m := &merge{report: report}
	addMem(m, db.mem, within)
	for _, t := range db.tables {
		first, _ := splitKey(t.smallest)
		last, _ := splitKey(t.largest)
		if within.before(first) || bytes.Compare(last, within.from) < 0 {
			continue
		}
		path := db.tablePath(t.number)
		m.add(&tableSource{path: path, report: report, within: within, begun: bytes.Compare(first, within.from) < 0}, path, t.smallest)
	}
	return m
}

// addMem adds a memtable to a merge.
func addMem(m *merge, mem *memtable, within bounds) {
	m.add(mem.source(within), "log", internalKey(nil, maxSequence<<8|kindPut))
}

// Size estimates how many bytes of tables hold the keys that are not before from, and before to, to a
// block or so at each end of each table. It reads indexes. What is in logs only does not count.
func (db *DB) Size(from, to []byte) (sum int64) {
	for _, meta := range db.tables {
		first, _ := splitKey(meta.smallest)
		last, _ := splitKey(meta.largest)
		b := bounds{from, to}
		switch {
		case b.before(first) || bytes.Compare(last, from) < 0:
			continue
		case b.has(first) && b.has(last):
			sum += int64(meta.size)
			continue
		}
		low, high, err := db.offsets(meta, b)
		if err != nil {
			low, high = 0, int64(meta.size) // who reads it is told
		}
		sum += high - low
	}
	return sum
}

// offsets returns where in a table the blocks are that have keys within bounds.
func (db *DB) offsets(meta tableMeta, b bounds) (low, high int64, err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	t, err := db.table(meta)
	if err != nil {
		return 0, 0, err
	}
	high = t.size
	if low, err = t.offsetOf(b.from); err == nil && b.to != nil {
		high, err = t.offsetOf(b.to)
	}
	return low, max(low, high), err
}

// Get returns the value of a key, and whether it is there. It fails if a table
// that might hold the key is damaged where the key should be.
func (db *DB) Get(key []byte) (value []byte, ok bool, err error) {
	best, found := db.mem.entries[string(key)]
	for _, meta := range db.tables {
		if !meta.mayHold(key) {
			continue
		}
		tag, value, ok, err := db.getFrom(meta, key)
		if err != nil {
			return nil, false, err
		}
		if ok && (!found || tag > best.tag) {
			best, found = memEntry{tag, value}, true
		}
	}
	if !found || best.tag&0xff == kindDelete {
		return nil, false, nil
	}
	return bytes.Clone(best.value), true, nil
}

// getFrom looks into a table.
func (db *DB) getFrom(meta tableMeta, key []byte) (tag uint64, value []byte, ok bool, err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	t, err := db.table(meta)
	if err != nil {
		return 0, nil, false, err
	}
	return t.get(key)
}

// table opens a table, and keeps it open for a while.
func (db *DB) table(meta tableMeta) (*table, error) {
	if t := db.open[meta.number]; t != nil {
		return t, nil
	}
	t, err := openTable(db.tablePath(meta.number))
	if err != nil {
		return nil, err
	}
	for n, old := range db.open {
		if len(db.open) < maxOpenTables {
			break
		}
		old.close()
		delete(db.open, n)
	}
	db.open[meta.number] = t
	return t, nil
}

// Close closes the files that are open. The DB must not be used afterwards.
func (db *DB) Close() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	for n, t := range db.open {
		t.close()
		delete(db.open, n)
	}
	return nil
}
