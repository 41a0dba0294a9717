package leveldb

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"trowel.example/internal/files/regular"
	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/limits/effort"
)

const (
	memtableSize = 4 << 20 // size in memory at which records are written to a table
	tableSize    = 2 << 20 // size of the tables that Close makes
)

// markName is a file that names the manifest of a database under construction. It exists until Close. It shows Reopen
// that no other program wrote to the database: every program that opens a database for writing makes a new manifest.
const markName = "TROWEL"

// errClosed is the error of a Writer after Close or Abandon.
var errClosed = errors.New("the database is closed")

// A Writer makes or changes a database. Records are written to a log and to memory; about every 4 MiB they are written
// to a table. Its methods must not be called concurrently. After the first error, all further calls return it.
type Writer struct {
	fresh    bool     // the database is created by this program only
	lock     *os.File // lock of a database that is not fresh; nil for none
	dir      string
	mem      *memtable
	version  *version
	log      *os.File
	logW     *logWriter
	manifest *os.File
	edits    *logWriter
	late     bool // see SyncLate
	err      error
}

// Create makes an empty database. The folder must not exist, or be empty.
func Create(dir string) (*Writer, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	if len(entries) > 0 {
		return nil, &os.PathError{Op: "create", Path: dir, Err: os.ErrExist}
	}
	w := &Writer{fresh: true, dir: dir, mem: newMemtable(),
		version: &version{comparator: comparator, nextFile: 2, tables: map[uint64]tableMeta{}}}
	return w, w.begin()
}

// Reopen continues an existing database, with all data that was synced. It fails if a log, the manifest or a table
// named there is damaged or missing; no other program may have the database open. A change adds a new log and, if it
// is large, new tables; the old tables stay unchanged.
func Reopen(dir string) (_ *Writer, err error) {
	if _, err := currentManifest(dir); err != nil {
		return nil, err // before creating a lock where there is no database
	}
	lock, err := takeLock(dir)
	if err != nil {
		return nil, err
	}
	w := &Writer{dir: dir, lock: lock}
	defer func() {
		if err != nil {
			w.Abandon()
		}
	}()
	name, err := currentManifest(dir)
	if err != nil {
		return nil, err
	}
	mark, err := regular.ReadFile(filepath.Join(dir, markName), effort.SmallFile)
	w.fresh = err == nil && string(mark) == name
	db, err := Open(dir, nil)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	if err := db.Err(); err != nil {
		return nil, err
	}
	w.mem, w.version = db.mem, db.version
	w.version.log, w.version.prevLog = 0, 0
	if err := w.skipNumbers(); err != nil {
		return nil, err
	}
	if err := w.writeTable(); err != nil {
		return nil, err
	}
	if err := w.begin(); err != nil {
		return nil, err
	}
	return w, w.sweep()
}

// SyncLate defers flushing a database that is created here to Close, because an incomplete database is of no use after
// a crash of the system. If only the program is killed, Reopen finds all data.
func (w *Writer) SyncLate() { w.late = w.fresh }

// number returns the number for a new file.
func (w *Writer) number() uint64 {
	n := w.version.nextFile
	w.version.nextFile++
	return n
}

// skipNumbers skips the numbers of existing files that are not in the manifest.
func (w *Writer) skipNumbers() error {
	return w.files(func(name string, n uint64) error {
		w.version.nextFile = max(w.version.nextFile, n+1)
		return nil
	})
}

// files calls do for each numbered file, including manifests.
func (w *Writer) files(do func(name string, number uint64) error) error {
	entries, err := os.ReadDir(w.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		digits := e.Name()
		for _, suffix := range []string{".log", ".ldb", ".sst", ".dbtmp"} {
			digits = strings.TrimSuffix(digits, suffix)
		}
		if n, err := strconv.ParseUint(strings.TrimPrefix(digits, "MANIFEST-"), 10, 64); err == nil {
			if err := do(e.Name(), n); err != nil {
				return err
			}
		}
	}
	return nil
}

// begin creates a log and a manifest with the complete state, and then makes the manifest current.
func (w *Writer) begin() error {
	number := w.number()
	if err := w.newLog(); err != nil {
		return err
	}
	w.version.log = w.logNumber()
	name := manifestName(number)
	f, err := os.OpenFile(filepath.Join(w.dir, name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	if w.manifest != nil {
		w.manifest.Close()
	}
	w.manifest, w.edits = f, newLogWriter(f)
	e := w.state()
	e.comparator = comparator
	for _, n := range sortedNumbers(w.version.tables) {
		e.added = append(e.added, w.version.tables[n])
	}
	if err := w.edit(e); err != nil {
		return err
	}
	if err := w.replace("CURRENT", number, name+"\n"); err != nil {
		return err
	}
	if !w.fresh {
		return nil
	}
	return w.replace(markName, number, name)
}

func sortedNumbers(tables map[uint64]tableMeta) []uint64 {
	list := make([]uint64, 0, len(tables))
	for n := range tables {
		list = append(list, n)
	}
	slices.Sort(list)
	return list
}

// replace writes a small file atomically.
func (w *Writer) replace(name string, number uint64, text string) error {
	tmp := filepath.Join(w.dir, fmt.Sprintf("%06d.dbtmp", number))
	f, err := os.Create(tmp)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	err = errors.Join(err, wholefile.Flush(f), f.Close())
	if err == nil {
		err = os.Rename(tmp, filepath.Join(w.dir, name))
	}
	return errors.Join(err, wholefile.SyncDir(w.dir))
}

// newLog starts a log.
func (w *Writer) newLog() error {
	path := filepath.Join(w.dir, logName(w.number()))
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if w.log != nil {
		w.log.Close()
	}
	w.log, w.logW = f, newLogWriter(f)
	return wholefile.SyncDir(w.dir)
}

// logNumber returns the number of the current log.
func (w *Writer) logNumber() uint64 {
	n, _ := fileNumber(filepath.Base(w.log.Name()), ".log")
	return n
}

// state returns an edit with the current numbers.
func (w *Writer) state() edit {
	v := *w.version
	return edit{log: &v.log, nextFile: &v.nextFile, lastSeq: &v.lastSeq}
}

// edit appends a record to the manifest.
func (w *Writer) edit(e edit) error {
	if err := w.edits.add(e.append(nil)); err != nil {
		return err
	}
	if w.late {
		return nil
	}
	return wholefile.Flush(w.manifest)
}

// Write writes the records of a batch, and leaves the batch unchanged. After a crash of the system the database has
// either all of them or none; Sync guarantees all.
func (w *Writer) Write(b *Batch) error {
	if w.err != nil || b.count == 0 {
		return w.err
	}
	first := w.version.lastSeq + 1
	record := b.seal(first)
	if w.err = w.logW.add(record); w.err != nil {
		return w.err
	}
	// The memtable keeps its data, but the batch belongs to the caller.
	w.version.lastSeq, w.err = readBatch(append([]byte(nil), record...), 0, w.mem.add)
	if w.err == nil && w.mem.size >= memtableSize {
		w.err = w.flush()
	}
	return w.err
}

// Get returns the value of a key, and whether it exists, until the database is closed.
func (w *Writer) Get(key []byte) (value []byte, ok bool, err error) {
	if w.err != nil {
		return nil, false, w.err
	}
	if e, ok := w.mem.entries[string(key)]; ok {
		return append([]byte(nil), e.value...), e.tag&0xff == kindPut, nil
	}
	db := w.view()
	defer db.Close()
	return db.Get(key)
}

// View returns the current contents, valid until the next call of a method of w.
func (w *Writer) View() (*DB, error) {
	if w.err != nil {
		return nil, w.err
	}
	return w.view(), nil
}

func (w *Writer) view() *DB {
	db := newDB(w.dir, nil)
	db.version, db.mem = w.version, w.mem
	for _, t := range w.version.tables {
		db.tables = append(db.tables, t)
	}
	return db
}

// Sync flushes all written records to disk.
func (w *Writer) Sync() error {
	if w.err == nil && !w.late {
		w.err = wholefile.Flush(w.log)
	}
	return w.err
}

// newTable starts a table.
func (w *Writer) newTable() (*tableWriter, error) {
	n := w.number()
	return createTable(filepath.Join(w.dir, tableName(n)), n)
}

// endTable completes a table, and adds it to the database.
func (w *Writer) endTable(t *tableWriter) (tableMeta, error) {
	meta, err := t.finish()
	if err == nil && !w.late {
		err = errors.Join(wholefile.Flush(t.f), wholefile.SyncDir(w.dir))
	}
	return meta, errors.Join(err, t.f.Close())
}

// writeTable writes the memtable to a table, unless it is empty.
func (w *Writer) writeTable() error {
	if len(w.mem.entries) == 0 {
		return nil
	}
	t, err := w.newTable()
	if err != nil {
		return err
	}
	for s := w.mem.source(bounds{}); s.next(); {
		t.add(s.key(), s.value())
	}
	meta, err := w.endTable(t)
	if err != nil {
		return err
	}
	w.version.tables[meta.number] = meta
	w.mem = newMemtable()
	return nil
}

// A Record is a key with its value.
type Record struct{ Key, Value []byte }

// WriteTable is Write for enough records to make a table: they are not written to the log or kept in memory. It sorts
// records.
func (w *Writer) WriteTable(records []Record) error {
	if w.err == nil && len(w.mem.entries) > 0 {
		w.err = w.flush()
	}
	if w.err != nil || len(records) == 0 {
		return w.err
	}
	var meta tableMeta
	if meta, w.err = w.makeTable(records); w.err == nil {
		e := w.state()
		e.added = []tableMeta{meta}
		w.err = w.edit(e)
	}
	return w.err
}

// makeTable writes records to a table, without adding it to the manifest.
func (w *Writer) makeTable(records []Record) (tableMeta, error) {
	slices.SortStableFunc(records, func(a, b Record) int { return bytes.Compare(a.Key, b.Key) })
	t, err := w.newTable()
	if err != nil {
		return tableMeta{}, err
	}
	// Overlapping tables are merged in the end.
	t.data.plain = w.fresh && w.overlaps(records[0].Key, records[len(records)-1].Key)
	var key []byte
	for i, r := range records {
		if i+1 < len(records) && bytes.Equal(r.Key, records[i+1].Key) {
			continue // a later record has the same key
		}
		w.version.lastSeq++
		key = binary.LittleEndian.AppendUint64(append(key[:0], r.Key...), w.version.lastSeq<<8|kindPut)
		t.add(key, r.Value)
	}
	meta, err := w.endTable(t)
	if err == nil {
		w.version.tables[meta.number] = meta
	}
	return meta, err
}

// overlaps reports whether a table has keys in a range.
func (w *Writer) overlaps(from, to []byte) bool {
	for _, t := range w.version.tables {
		first, _ := splitKey(t.smallest)
		last, _ := splitKey(t.largest)
		if bytes.Compare(first, to) <= 0 && bytes.Compare(last, from) >= 0 {
			return true
		}
	}
	return false
}

// flush writes the memtable to a table and starts a new log.
func (w *Writer) flush() error {
	before := w.version.nextFile
	if err := w.writeTable(); err != nil {
		return err
	}
	if err := w.newLog(); err != nil {
		return err
	}
	w.version.log = w.logNumber()
	e := w.state()
	if meta, ok := w.version.tables[before]; ok {
		e.added = []tableMeta{meta}
	}
	if err := w.edit(e); err != nil {
		return err
	}
	return w.sweep()
}

// sweep removes logs, tables and manifests that are no longer needed.
func (w *Writer) sweep() error {
	return w.files(func(name string, n uint64) error {
		path := filepath.Join(w.dir, name)
		if _, ok := w.version.tables[n]; ok || n == w.version.log || path == w.manifest.Name() {
			return nil
		}
		return os.Remove(path)
	})
}

// Close closes the database after syncing it and moving all records to tables. For a database created here, the tables
// do not overlap; otherwise compaction is left to the program that owns the database.
func (w *Writer) Close() error {
	if w.err == errClosed {
		return nil
	}
	if w.err == nil {
		w.err = w.flush()
	}
	tables := newSyncer()
	if w.err == nil && w.fresh {
		w.err = w.compact(func(t tableMeta) {
			if w.late {
				tables.file(filepath.Join(w.dir, tableName(t.number)))
			}
		})
	}
	if err := tables.wait(); w.err == nil {
		w.err = err
	}
	if w.err == nil && w.late {
		w.err = errors.Join(wholefile.Flush(w.log), wholefile.Flush(w.manifest), wholefile.SyncDir(w.dir))
	}
	if w.err == nil {
		if w.err = os.Remove(filepath.Join(w.dir, markName)); errors.Is(w.err, os.ErrNotExist) {
			w.err = nil
		}
	}
	err := w.err
	w.Abandon()
	return err
}

// Abandon closes the files and leaves the database as after a crash.
func (w *Writer) Abandon() {
	if w.err != errClosed {
		for _, f := range []*os.File{w.log, w.manifest, w.lock} {
			f.Close() // a no-op for nil
		}
		w.err = errClosed
	}
}
