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

	"trowel.example/internal/regular"
	"trowel.example/internal/wholefile"
)

const (
	memtableSize = 4 << 20 // what is kept in memory before it becomes a table
	tableSize    = 2 << 20 // of the tables that Close makes
)

// markName is a file that names the manifest of a database that is being made. It is there
// until Close, and by it Reopen knows that nobody else wrote: every program that opens
// a database for writing makes a new manifest.
const markName = "TROWEL"

// errClosed is what a Writer fails with after Close or Abandon.
var errClosed = errors.New("the database is closed")

// A Writer makes or changes a database. What is written is in a log first, and in memory;
// every 4 MiB or so become a table. Its methods may be called from one goroutine
// at a time. The first error sticks.
type Writer struct {
	fresh    bool     // the database is made here, and nobody else has written to it
	lock     *os.File // of one that is not made here; nil for none
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
	w := &Writer{fresh: true, dir: dir, mem: newMemtable(), version: &version{comparator: comparator, nextFile: 2, tables: map[uint64]tableMeta{}}}
	return w, w.begin()
}

// Reopen continues with a database, whoever made it: all that was synced is in it. It fails if
// a log, the manifest or a table that this names is damaged or missing; no other program
// may have the database open. A change is a new log and, if there is much of it, new tables;
// the old tables stay as they are.
func Reopen(dir string) (_ *Writer, err error) {
	if _, err := currentManifest(dir); err != nil {
		return nil, err // before a lock is made where there is no database
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
	mark, err := regular.ReadFile(filepath.Join(dir, markName), 1<<10)
	w.fresh = err == nil && string(mark) == name
	db, err := Open(dir)
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

// SyncLate puts off to Close what flushes a database to disk that is made here: nobody
// misses it after a crash of the system. If only the program is killed, Reopen finds all.
func (w *Writer) SyncLate() { w.late = w.fresh }

// number returns the number of a new file.
func (w *Writer) number() uint64 {
	n := w.version.nextFile
	w.version.nextFile++
	return n
}

// skipNumbers skips the numbers of files that are there although the
// manifest does not know of them.
func (w *Writer) skipNumbers() error {
	return w.files(func(name string, n uint64) error {
		w.version.nextFile = max(w.version.nextFile, n+1)
		return nil
	})
}

// files calls do for each numbered file; the number of a manifest is one of them.
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

// begin makes a log and a manifest that tells all of the state, and then makes
// the manifest the current one.
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

// replace writes a small file that is there whole or not at all.
func (w *Writer) replace(name string, number uint64, text string) error {
	tmp := filepath.Join(w.dir, fmt.Sprintf("%06d.dbtmp", number))
	f, err := os.Create(tmp)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(tmp, filepath.Join(w.dir, name))
	}
	return errors.Join(err, wholefile.SyncDir(w.dir))
}

// newLog begins a log.
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

// logNumber is the number of the log that was made last.
func (w *Writer) logNumber() uint64 {
	n, _ := fileNumber(filepath.Base(w.log.Name()), ".log")
	return n
}

// state returns an edit with the numbers as they are.
func (w *Writer) state() edit {
	v := *w.version
	return edit{log: &v.log, nextFile: &v.nextFile, lastSeq: &v.lastSeq}
}

// edit adds a record to the manifest.
func (w *Writer) edit(e edit) error {
	if err := w.edits.add(e.append(nil)); err != nil {
		return err
	}
	if w.late {
		return nil
	}
	return w.manifest.Sync()
}

// Put sets the value of a key.
func (w *Writer) Put(key, value []byte) error {
	var b Batch
	b.Put(key, value)
	return w.Write(&b)
}

// Delete removes a key.
func (w *Writer) Delete(key []byte) error {
	var b Batch
	b.Delete(key)
	return w.Write(&b)
}

// Write writes the records of a batch, which is unchanged. After a crash of the
// system they are all there or none is; that they are takes a Sync.
func (w *Writer) Write(b *Batch) error {
	if w.err != nil || b.count == 0 {
		return w.err
	}
	first := w.version.lastSeq + 1
	record := b.seal(first)
	if w.err = w.logW.add(record); w.err != nil {
		return w.err
	}
	// The memtable keeps what it is given, and the batch is the caller's.
	w.version.lastSeq, w.err = readBatch(append([]byte(nil), record...), 0, w.mem.add)
	if w.err == nil && w.mem.size >= memtableSize {
		w.err = w.flush()
	}
	return w.err
}

// Get returns the value of a key, and whether it is there, as long as the
// database is open.
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

// View returns what has been written so far, to be read before the next call of
// a method of w.
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

// Sync makes sure that all that was written outlives a crash of the system.
func (w *Writer) Sync() error {
	if w.err == nil && !w.late {
		w.err = w.log.Sync()
	}
	return w.err
}

// newTable begins a table.
func (w *Writer) newTable() (*tableWriter, error) {
	n := w.number()
	return createTable(filepath.Join(w.dir, tableName(n)), n)
}

// endTable ends a table, and makes it one of the database.
func (w *Writer) endTable(t *tableWriter) (tableMeta, error) {
	meta, err := t.finish()
	if err == nil && !w.late {
		err = errors.Join(t.f.Sync(), wholefile.SyncDir(w.dir))
	}
	return meta, errors.Join(err, t.f.Close())
}

// writeTable makes a table of the memtable, if it holds anything.
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

// WriteTable is Write for so many records that they make a table of their own: there is
// nothing of them in the log or in memory. It changes their order.
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

// makeTable makes a table of records, which the manifest does not name yet.
func (w *Writer) makeTable(records []Record) (tableMeta, error) {
	slices.SortStableFunc(records, func(a, b Record) int { return bytes.Compare(a.Key, b.Key) })
	t, err := w.newTable()
	if err != nil {
		return tableMeta{}, err
	}
	// What others overlap is merged in the end.
	t.data.plain = w.fresh && w.overlaps(records[0].Key, records[len(records)-1].Key)
	var key []byte
	for i, r := range records {
		if i+1 < len(records) && bytes.Equal(r.Key, records[i+1].Key) {
			continue // a later one has the same key
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

// overlaps reports whether a table has keys from one to another.
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

// flush makes a table of the memtable and begins a new log.
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

// sweep removes logs, tables and manifests that are not needed any more.
func (w *Writer) sweep() error {
	return w.files(func(name string, n uint64) error {
		path := filepath.Join(w.dir, name)
		if _, ok := w.version.tables[n]; ok || n == w.version.log || path == w.manifest.Name() {
			return nil
		}
		return os.Remove(path)
	})
}

// Close ends the use of the database: all is synced, and in tables. Those of one that was
// made here do not overlap; else that is left to the program whose database it is.
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
		w.err = errors.Join(w.log.Sync(), w.manifest.Sync(), wholefile.SyncDir(w.dir))
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

// Abandon lets go of the files and leaves the database as a crash would.
func (w *Writer) Abandon() {
	if w.err != errClosed {
		for _, f := range []*os.File{w.log, w.manifest, w.lock} {
			f.Close() // of a nil one it does nothing
		}
		w.err = errClosed
	}
}
