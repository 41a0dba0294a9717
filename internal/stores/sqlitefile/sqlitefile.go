//go:build !js

package sqlitefile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/files/filelock"
	"trowel.example/internal/files/regular"
	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/stores/sqlitepage"
)

// busyPatience is the time that a transaction waits for one of another program.
const busyPatience = 10 * time.Second

// File is an open database file. SQLite creates files next to a database in WAL mode even to read it, and must write
// to a database after a crash. So the way of reading depends on the state of the database:
//
//   - usually, in mode ro, where SQLite takes a lock while it reads a page;
//   - in WAL mode with -wal and -shm files, in the same way, without writing the -shm file;
//   - in WAL mode with an empty or missing log, as an immutable file, until a -wal file
//     appears;
//   - with a log whose -shm file is missing, or with the journal of a transaction that
//     a crash ended, from a copy in the folder for temporary files, where
//     SQLite may write.
type File struct {
	Path    string
	Conn    *sqlite.Conn
	frozen  bool   // read as an immutable file
	logged  bool   // read with a log shared with other programs, which takes locks
	rests   bool   // see Rest
	endCopy func() // removes the copy that is read instead
	losses  []Loss // losses of a rescued file
	saved   bool   // the file was rescued
	spills  string // see spill; "" if the file is not open for writing
}

// Open opens a database for reading. If the database is damaged, use [File.Rescue].
func Open(path string) (*File, error) {
	f := &File{Path: path}
	if st, err := os.Stat(path); err != nil {
		return nil, err
	} else if !st.Mode().IsRegular() || st.Size() == 0 {
		return nil, &fault.Error{File: path, Offset: -1, Want: "an SQLite database", Got: "no file, or an empty file", Err: fault.ErrFormat}
	}
	if err := regular.CheckPointer(path); err != nil {
		return nil, err
	}
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} { // SQLite would block on a pipe
		if info, err := os.Stat(path + suffix); err == nil {
			if err := regular.Check(info, path+suffix); err != nil {
				return nil, err
			}
		}
	}
	if err := f.open(); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// OpenOrRescue opens a database, with [File.Rescue] if it is damaged.
func OpenOrRescue(ctx context.Context, path string, known []string) (*File, error) {
	f, err := Open(path)
	if !IsDamage(err) {
		return f, err
	}
	f = &File{Path: path}
	if failed := f.Rescue(ctx, known); failed != nil {
		f.Close()
		if errors.Is(failed, fault.ErrFormat) {
			failed = err // SQLite's error is as good
		}
		return nil, failed
	}
	return f, nil
}

// Writable opens a database for writing, and creates it if it does not exist.
func Writable(path string) (*File, error) {
	conn, err := sqlite.OpenConn(uri(path, "mode=rwc"), sqlite.OpenReadWrite|sqlite.OpenCreate|sqlite.OpenURI)
	if err != nil {
		return nil, err
	}
	f := &File{Path: path, Conn: conn, spills: filepath.Dir(path)}
	temporary.begin(f.spills)
	err = tame(conn)
	if !wholefile.Flushes() {
		err = errors.Join(err, sqlitex.ExecuteTransient(conn, "PRAGMA synchronous=OFF", nil))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// IsDamage reports whether an error of SQLite means that a file is damaged.
func IsDamage(err error) bool {
	code := sqlite.ErrCode(err).ToPrimary()
	return code == sqlite.ResultCorrupt || code == sqlite.ResultNotADB || sqlite.ErrCode(err) == sqlite.ResultIOErrShortRead
}

func (f *File) open() error {
	f.logged = false
	wal, err := f.walMode()
	for range 5 { // just when another program begins a transaction, its journal looks as if that had been interrupted
		if sqlite.ErrCode(err) != sqlite.ResultReadOnlyRollback {
			break
		}
		time.Sleep(10 * time.Millisecond)
		wal, err = f.walMode()
	}
	switch {
	case sqlite.ErrCode(err) == sqlite.ResultReadOnlyRollback:
		return f.recover("-journal")
	case err != nil:
		return err
	case !wal:
		return f.connect("mode=ro")
	}
	log, err := os.Stat(f.Path + "-wal")
	switch counts, shm := f.hasLog(), exists(f.Path+"-shm"); {
	case err == nil && shm && (counts || log.Size() == 0):
		f.logged = true
		return f.connect("mode=ro&readonly_shm=1")
	case counts:
		return f.recover("-wal")
	}
	f.frozen = true
	return f.connect("mode=ro&immutable=1")
}

// hasLog reports whether there is a valid log.
func (f *File) hasLog() bool { return sqlitepage.HasLog(f.Path + "-wal") }

// walMode reports whether the database is in WAL mode. It must not read this from the file directly: closing a file
// releases the locks that SQLite holds on it in this process. Instead it uses the exclusive locking mode: there SQLite
// must lock a database in WAL mode for writing before it opens a log, which fails for a file opened read-only. (If the
// log is in use in this process, SQLite knows about the lock without asking the system.)
func (f *File) walMode() (bool, error) {
	conn, err := sqlite.OpenConn(uri(f.Path, "mode=ro"), sqlite.OpenReadOnly|sqlite.OpenURI)
	if err != nil {
		return false, f.denied(err)
	}
	defer conn.Close()
	log := exists(f.Path + "-wal")
	patience := busyPatience
	if log {
		patience = 0
	}
	conn.SetBusyTimeout(patience)
	if err := sqlitex.ExecuteTransient(conn, "PRAGMA locking_mode=EXCLUSIVE", nil); err != nil {
		return false, err
	}
	err = sqlitex.ExecuteTransient(conn, "SELECT 1 FROM sqlite_master LIMIT 1", nil)
	if code := sqlite.ErrCode(err); code == sqlite.ResultIOErrLock || log && code.ToPrimary() == sqlite.ResultBusy {
		return true, nil
	}
	return false, f.Explain(err)
}

// denied returns the error of the system if SQLite cannot open the file because of its permissions: SQLite does not report the cause.
func (f *File) denied(err error) error {
	if sqlite.ErrCode(err).ToPrimary() != sqlite.ResultCantOpen {
		return err
	}
	file, cause := os.Open(f.Path)
	if cause == nil {
		file.Close()
	}
	if errors.Is(cause, fs.ErrPermission) {
		return cause
	}
	return err
}

// uri returns the URI of a file for SQLite.
func uri(path, query string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	path = filepath.ToSlash(path)
	if path[0] != '/' {
		path = "/" + path // a drive letter
	}
	return (&url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: query}).String()
}

func (f *File) connect(query string) error {
	conn, err := sqlite.OpenConn(uri(f.Path, query), sqlite.OpenReadOnly|sqlite.OpenURI)
	if err != nil {
		return err
	}
	f.Conn = conn
	return tame(conn)
}

// tame configures a connection for untrusted databases.
func tame(conn *sqlite.Conn) error {
	conn.SetBusyTimeout(busyPatience)
	conn.Limit(sqlite.LimitLength, sqlitepage.MaxPayload)
	conn.Limit(sqlite.LimitAttached, 0)
	if err := conn.SetDefensive(true); err != nil {
		return err
	}
	temporary.set(conn)
	return sqlitex.ExecuteTransient(conn, "PRAGMA trusted_schema=OFF", nil)
}

// recover copies the database and its file with the given suffix, and opens the copy.
func (f *File) recover(suffix string) error {
	size := int64(0)
	for _, name := range []string{f.Path, f.Path + suffix} {
		st, err := os.Stat(name)
		if err != nil {
			return err
		}
		size += st.Size()
	}
	if e := effort.Recovered.Over(size); e != nil {
		e.File, e.Want = f.Path+suffix, "a database that its program closed, or "+e.Want
		return e
	}
	dir, end, err := filelock.TempDir(scratchPrefix)
	if err != nil {
		return err
	}
	f.endCopy = end
	to := filepath.Join(dir, filepath.Base(f.Path))
	for _, s := range []string{"", suffix} {
		if err := copyFile(to+s, f.Path+s); err != nil {
			return err
		}
	}
	conn, err := sqlite.OpenConn(to, sqlite.OpenReadWrite)
	if err != nil {
		return err
	}
	f.Conn = conn
	return tame(conn)
}

func copyFile(to, from string) error {
	in, _, err := regular.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// Begin prepares the connection for a transaction that ends with ctx.
func (f *File) Begin(ctx context.Context) error {
	if f.rests {
		if err := f.open(); err != nil {
			return err
		}
		f.rests = false
	}
	if f.Conn == nil {
		return ErrClosed
	}
	if f.saved {
		f.Conn.SetInterrupt(ctx.Done())
		return nil
	}
	if f.frozen && f.hasLog() {
		// A program writes to the database that was opened as immutable.
		if err := f.Conn.Close(); err != nil {
			return err
		}
		f.Conn, f.frozen = nil, false
		if err := f.open(); err != nil {
			return err
		}
	}
	f.Conn.SetInterrupt(ctx.Done())
	return nil
}

// End ends the use that Begin started.
func (f *File) End() {
	if f.Conn != nil {
		f.Conn.SetInterrupt(nil)
	}
}

// Rest releases the locks that a connection holds while it is open, which only a connection with a shared log does: a
// program that then closes the database can remove the log. The next Begin reconnects.
func (f *File) Rest() error {
	if !f.logged || f.saved || f.Conn == nil {
		return nil
	}
	err := f.Conn.Close()
	f.Conn, f.rests = nil, true
	return err
}

// Sound reports whether SQLite finds no damage in the whole file.
func (f *File) Sound(ctx context.Context) (bool, error) {
	problem, err := f.problem(ctx)
	return err == nil && problem == "", err
}

// problem returns the first damage that SQLite finds in the whole file, or "".
func (f *File) problem(ctx context.Context) (text string, err error) {
	if err := f.Begin(ctx); err != nil {
		return "", err
	}
	defer f.End()
	text = "nothing"
	err = sqlitex.ExecuteTransient(f.Conn, "PRAGMA integrity_check(1)", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		if text = s.ColumnText(0); text == "ok" {
			text = ""
		}
		return nil
	}})
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case IsDamage(err):
		return Why(err), nil
	}
	return text, f.Explain(err)
}

// Verify reports whether SQLite finds no damage in the whole file. If there is damage, it calls [File.Rescue], and Losses
// describe the damage even if all pages can be read, as with an index that misses rows.
func (f *File) Verify(ctx context.Context, known []string) (sound bool, err error) {
	problem, err := f.problem(ctx)
	if err != nil || problem == "" {
		return err == nil, err
	}
	if err := f.Rescue(ctx, known); err != nil || len(f.losses) > 0 {
		return false, err
	}
	info, err := os.Stat(f.Path)
	if err != nil {
		return false, err
	}
	problem = strings.TrimPrefix(problem, "*** in database main ***\n")
	f.losses = []Loss{{Text: "damage that SQLite's integrity check reports: " + problem + "; no rows are lost",
		At: []check.Place{check.Span{Length: info.Size()}}}}
	return false, nil
}

// Explain converts an error of SQLite to an error that names the file.
func (f *File) Explain(err error) error {
	switch code := sqlite.ErrCode(err); {
	case err == nil || code == sqlite.ResultOK:
		return nil
	case code == sqlite.ResultReadOnlyRollback || code.ToPrimary() == sqlite.ResultInterrupt:
		return err
	case code.ToPrimary() == sqlite.ResultBusy:
		return fmt.Errorf("%s: %w: %w", f.Path, ErrInUse, err)
	case code == sqlite.ResultProtocol || code == sqlite.ResultReadOnlyRecovery || code == sqlite.ResultReadOnlyCantInit:
		// SQLite would write a new index. If no other program uses the database, SQLite reads the log without an
		// index.
		return &fault.Error{File: f.Path + "-shm", Offset: -1, Want: "an intact index of the -wal file",
			Got: "a damaged index that another program is using: close that program, or wait until it has repaired the index", Err: ErrInUse}
	case code.ToPrimary() == sqlite.ResultFull:
		return fmt.Errorf("%s: %w", f.Path, ErrFull)
	case f.Conn != nil && (code.ToPrimary() == sqlite.ResultCantOpen || code == sqlite.ResultIOErrGetTempPath):
		return fmt.Errorf("%s: SQLite cannot create its temporary files in %s: allow writing there, or make room: %w", f.Path,
			temporary.dir(), err)
	}
	return &fault.Error{File: f.Path, Offset: -1, Want: "an SQLite database that can be read", Got: Why(err), Err: err}
}

// IsFull reports whether an error of SQLite means that the disk is full.
func IsFull(err error) bool {
	return errors.Is(err, ErrFull) || sqlite.ErrCode(err).ToPrimary() == sqlite.ResultFull
}

// Why describes an error of SQLite without the library's wording.
func Why(err error) string {
	switch code := sqlite.ErrCode(err); {
	case code.ToPrimary() == sqlite.ResultNotADB:
		return "another type of file, or a damaged beginning"
	case IsDamage(err):
		return "damaged pages"
	case code.ToPrimary() == sqlite.ResultCantOpen:
		return "a file that cannot be opened"
	case code.ToPrimary() == sqlite.ResultReadOnly:
		return "a file that cannot be written"
	case code.ToPrimary() == sqlite.ResultIOErr:
		return "a file that the system cannot read or write"
	}
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return strings.TrimPrefix(err.Error(), sqlite.ResultError.Message()+": ")
}

// scratchPrefix is the prefix of the names of folders with copies.
const scratchPrefix = "trowel-sqlite-"

// Close closes the file.
func (f *File) Close() error {
	var err error
	f.rests = false
	if f.spills != "" {
		temporary.end(f.spills)
		if f.spills = ""; f.Conn != nil {
			temporary.set(f.Conn)
		}
	}
	if f.Conn != nil {
		err = f.Conn.Close()
		f.Conn = nil
	}
	if f.endCopy != nil {
		f.endCopy()
		f.endCopy = nil
	}
	return err
}
