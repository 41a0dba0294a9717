package leveldb

import (
	"bytes"
	"cmp"
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
	"trowel.example/internal/files/regular"
)

// maxOpenTables is the number of tables that Get keeps open.
const maxOpenTables = 32

// A DB is a database opened for reading. Its methods may be called concurrently.
type DB struct {
	dir     string
	version *version
	tables  []tableMeta // by smallest key
	mem     *memtable   // the records of the logs
	valid   func(key, value []byte) bool

	opening []error // problems found by Open
	problems

	mu       sync.Mutex
	open     map[uint64]*table // for Get
	scans    map[uint64]*scan  // of tables without an index
	salvaged map[string]bool   // keys read from data with a wrong checksum
}

func newDB(dir string, valid func(key, value []byte) bool) *DB {
	return &DB{dir: dir, mem: newMemtable(), valid: valid, problems: problems{dir: dir}, open: map[uint64]*table{}}
}

// Open reads the state of the database in a folder: CURRENT, the manifest named there, and every log that is
// not in a table yet. If one of these is damaged or missing, or a table is missing, the state is rebuilt from all
// tables and logs in the folder: for each key the record with the highest sequence number is used. The damage is then
// listed in [DB.Problems]; if there are no tables and logs, it is returned as the error. Logs are held in memory,
// tables are not.
//
// Data with a wrong checksum is a problem. A record in such data is read nevertheless if valid reports that its value
// is complete and belongs to its key; [DB.Salvaged] then reports the key. Valid may be nil.
func Open(dir string, valid func(key, value []byte) bool) (*DB, error) {
	for seen := ""; ; {
		db := newDB(dir, valid)
		manifest, lost, err := db.readState()
		if err != nil {
			return nil, err
		}
		if lost != nil && manifest != seen {
			// A program that uses the database may have just removed files.
			seen = manifest
			continue
		}
		if lost != nil {
			if db, err = db.rebuild(lost); err != nil {
				return nil, err
			}
		}
		db.opening = db.Problems()
		return db, nil
	}
}

// Opening returns the problems that Open found.
func (db *DB) Opening() []error { return db.opening }

// Salvaged reports whether All, Range or Get has read a key from data with a wrong checksum.
func (db *DB) Salvaged(key []byte) bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.salvaged[string(key)]
}

func (db *DB) noteSalvaged(key []byte) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.salvaged == nil {
		db.salvaged = map[string]bool{}
	}
	db.salvaged[string(key)] = true
}

// readState reads the manifest, finds the tables and replays the logs. It returns the name and size of the manifest,
// and in lost why the state is not reliable.
func (db *DB) readState() (manifest string, lost, err error) {
	name, err := currentManifest(db.dir)
	if errors.Is(err, fault.ErrFormat) {
		db.report(err)
		if lost, name = err, newestManifest(db.dir); name == "" {
			return "", lost, nil
		}
	} else if err != nil {
		return "", nil, err
	}
	path := filepath.Join(db.dir, name)
	f, st, err := openFile(path)
	if errors.Is(err, os.ErrNotExist) {
		lost = &fault.Error{File: filepath.Join(db.dir, "CURRENT"), Path: "manifest", Offset: 0,
			Want: "the name of an existing file", Got: strconv.Quote(name), Err: fault.ErrFormat}
		db.report(lost)
		return name, lost, nil
	}
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	manifest = fmt.Sprint(name, st.Size())
	without := lost // the problem with CURRENT; a manifest that names all files is sufficient
	lost = nil
	db.version, err = readManifest(f, path, func(e *fault.Error) {
		if db.report(e); !errors.Is(e, ErrTorn) {
			lost = e
		}
	})
	if errors.Is(err, fault.ErrFormat) {
		db.report(err)
		return manifest, cmp.Or(without, err), nil
	}
	if err != nil {
		return "", nil, err
	}
	missing, err := db.readTables()
	if lost = cmp.Or(lost, missing); lost != nil {
		lost = cmp.Or(without, lost)
	}
	return manifest, lost, err
}

// openFile opens a file of a database, and rejects Git LFS pointer files.
func openFile(path string) (*os.File, os.FileInfo, error) {
	if err := regular.CheckPointer(path); err != nil {
		return nil, nil, err
	}
	return regular.Open(path)
}

// newestManifest returns the name of the manifest with the highest number, or "" if there is none.
func newestManifest(dir string) (name string) {
	entries, _ := os.ReadDir(dir)
	highest := uint64(0)
	for _, e := range entries {
		if digits, ok := strings.CutPrefix(e.Name(), "MANIFEST-"); ok {
			if n, err := strconv.ParseUint(digits, 10, 64); err == nil && n >= highest {
				name, highest = e.Name(), n
			}
		}
	}
	return name
}

// currentManifest returns the name of the manifest stated in CURRENT.
func currentManifest(dir string) (string, error) {
	path := filepath.Join(dir, "CURRENT")
	f, _, err := openFile(path)
	if rest, _ := os.ReadDir(dir); errors.Is(err, os.ErrNotExist) && len(rest) > 0 {
		// The database has lost the file; the folder is not just empty.
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

// readTables finds the tables and replays the logs. It returns an error for the first file that the manifest names and
// that is missing.
func (db *DB) readTables() (missing, err error) {
	entries, err := os.ReadDir(db.dir)
	if err != nil {
		return nil, err
	}
	files := map[string]bool{}
	var logs []uint64
	for _, e := range entries {
		files[e.Name()] = true
		if n, ok := fileNumber(e.Name(), ".log"); ok && (n >= db.version.log || n == db.version.prevLog) {
			logs = append(logs, n)
		}
	}
	lacks := func(name, what string) {
		e := &fault.Error{File: filepath.Join(db.dir, name), Offset: -1, Want: what + " that the manifest names",
			Got: "no file", Err: os.ErrNotExist}
		db.report(e)
		missing = cmp.Or(missing, error(e))
	}
	for _, n := range sortedNumbers(db.version.tables) {
		if !files[tableName(n)] && !files[oldTableName(n)] {
			lacks(tableName(n), "a table")
			continue
		}
		db.tables = append(db.tables, db.version.tables[n])
	}
	// A log is removed only after the manifest names a later one: if it is missing, a part of the manifest or records
	// are missing.
	if n := db.version.log; n != 0 && !slices.Contains(logs, n) {
		lacks(logName(n), "a log")
	}
	return missing, db.readLogs(logs)
}

// readLogs replays logs, and sorts the tables.
func (db *DB) readLogs(logs []uint64) error {
	slices.SortFunc(db.tables, func(a, b tableMeta) int {
		if c := compareKeys(a.smallest, b.smallest); c != 0 {
			return c
		}
		return int(a.number) - int(b.number)
	})
	slices.Sort(logs)
	for _, n := range logs {
		if err := db.replay(filepath.Join(db.dir, logName(n))); err != nil {
			return err
		}
		db.version.nextFile = max(db.version.nextFile, n+1)
	}
	return nil
}

// replay adds the records of a log to the memtable.
func (db *DB) replay(path string) error {
	f, st, err := openFile(path)
	if errors.Is(err, regular.ErrPointer) {
		db.report(err)
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if st.IsDir() {
		db.report(&fault.Error{File: path, Offset: -1, Want: "a log", Got: "a folder", Err: fault.ErrFormat})
		return nil
	}
	log := newLogReader(f, path, func(e *fault.Error) { db.report(e) })
	log.damaged = func(record []byte, offset int64) {
		_, _ = readBatch(record, offset, func(tag uint64, key, value []byte) {
			if tag&0xff == kindPut && db.valid != nil && db.valid(key, value) {
				db.mem.add(tag&^0xff|kindSalvaged, key, value)
			}
		})
	}
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

// fileNumber returns the number in a file name that ends with suffix.
func fileNumber(name, suffix string) (uint64, bool) {
	digits, ok := strings.CutSuffix(name, suffix)
	n, err := strconv.ParseUint(digits, 10, 64)
	return n, ok && err == nil
}

// tablePath returns the path of a table. Databases from before 2013 use another suffix.
func (db *DB) tablePath(n uint64) string {
	path := filepath.Join(db.dir, tableName(n))
	if _, err := os.Stat(path); err != nil {
		if old := filepath.Join(db.dir, oldTableName(n)); errors.Is(err, os.ErrNotExist) {
			return old
		}
	}
	return path
}

// Err returns the first problem that may have caused the loss of records, or nil.
func (db *DB) Err() error {
	for _, err := range db.Problems() {
		if !errors.Is(err, ErrTorn) {
			return err
		}
	}
	return nil
}

// All iterates over all keys and values, sorted by the bytes of the keys. It needs memory for the logs and for one
// block of each table that overlaps others. The caller may keep keys and values; keeping one may keep its whole block
// in memory. Unreadable data is skipped and reported by Err and Problems.
func (db *DB) All() iter.Seq2[[]byte, []byte] { return db.records(bounds{}, db.report) }

// Range is All for the keys k with from <= k < to; a nil bound is no bound. It reads only blocks of tables with such
// keys. Unreadable data is reported by the returned function instead of Problems. Damage is reported for the
// range in which it begins, so that adjacent ranges report it once.
func (db *DB) Range(from, to []byte) (records iter.Seq2[[]byte, []byte], met func() []error) {
	p := &problems{dir: db.dir}
	return db.records(bounds{from, to}, p.report), p.Problems
}

func (db *DB) records(within bounds, report func(error)) iter.Seq2[[]byte, []byte] {
	return func(yield func([]byte, []byte) bool) {
		db.merge(within, report).newest(func(key []byte, tag uint64, value []byte) bool {
			if tag&0xff == kindDelete || !within.has(key) {
				return true
			}
			if tag&0xff == kindSalvaged {
				db.noteSalvaged(key)
			}
			return yield(key, value)
		})
	}
}

// bounds is a range of user keys; nil means no bound.
type bounds struct{ from, to []byte }

// before reports whether the range ends before or at a key.
func (b bounds) before(key []byte) bool { return b.to != nil && bytes.Compare(key, b.to) >= 0 }

func (b bounds) has(key []byte) bool { return bytes.Compare(key, b.from) >= 0 && !b.before(key) }

// merge returns a merge of the records within bounds, and possibly a few outside.
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
		open := func() (*table, error) { return db.openTable(t.number) }
		m.add(&tableSource{open: open, report: report, within: within, begun: bytes.Compare(first, within.from) < 0}, path, t.smallest)
	}
	return m
}

// addMem adds a memtable to a merge.
func addMem(m *merge, mem *memtable, within bounds) {
	m.add(mem.source(within), "log", internalKey(nil, maxSequence<<8|kindPut))
}

// Size estimates the size in bytes of the records in tables with keys k, from <= k < to. For each table it is
// exact to about a block at either end. Size reads indexes only, and does not count records in logs.
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
			low, high = 0, int64(meta.size) // the error is reported to readers of the table
		}
		sum += high - low
	}
	return sum
}

// offsets returns the offsets in a table between which the blocks with keys within bounds are.
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

// Get returns the value of a key, and whether it exists. It returns an error if a table that might contain the key is
// damaged where the key should be.
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
	if best.tag&0xff == kindSalvaged {
		db.noteSalvaged(key)
	}
	return bytes.Clone(best.value), true, nil
}

// getFrom searches one table for a key.
func (db *DB) getFrom(meta tableMeta, key []byte) (tag uint64, value []byte, ok bool, err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	t, err := db.table(meta)
	if err != nil {
		return 0, nil, false, err
	}
	return t.get(key)
}

// table returns an open table from the cache, or opens it.
func (db *DB) table(meta tableMeta) (*table, error) {
	if t := db.open[meta.number]; t != nil {
		return t, nil
	}
	t, err := db.openTableLocked(meta.number)
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

// Close closes all open files. The DB must not be used afterwards.
func (db *DB) Close() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	for n, t := range db.open {
		t.close()
		delete(db.open, n)
	}
	return nil
}
