// Package sqlitefile opens SQLite databases that other programs may be using, and
// such as are damaged, for reading. It never changes them or makes files beside them.
package sqlitefile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/fault"
	"trowel.example/internal/inuse"
	"trowel.example/internal/lfs"
	"trowel.example/internal/regular"
	"trowel.example/internal/scratch"
	"trowel.example/internal/sqlitepage"
)

// ErrInUse means that another program has a database locked.
var ErrInUse = inuse.ErrInUse

// busyPatience is how long a transaction waits for one of another program.
const busyPatience = 10 * time.Second

// maxRecovered is the largest database that is copied because it must be
// recovered first.
const maxRecovered = 4 << 30

// File is a database file that is open. SQLite makes files beside a
// database even to read it, if the database is in WAL mode, and must write to it
// after a crash. So each state of a database has its own way of being read:
//
//   - usually, in mode ro, where SQLite takes a lock for the length of a page;
//   - in WAL mode with its -wal and -shm, the same, with an -shm that is not written;
//   - in WAL mode without a log that holds anything, as a file that does not
//     change, until a -wal is there;
//   - with a log whose -shm is missing, or with the journal of a transaction that
//     a crash has ended, from a copy in the folder for temporary files, where
//     SQLite may do what it must.
type File struct {
	Path    string
	Conn    *sqlite.Conn
	frozen  bool   // read as a file that does not change
	logged  bool   // read with a log that is shared with other programs, which takes locks
	rests   bool   // see Rest
	endCopy func() // removes a copy that is read instead
	losses  []Loss // of a file that was rescued
	saved   bool   // it was
}

// Open opens a database for reading. See [File.Rescue] for one that is damaged.
func Open(path string) (*File, error) {
	f := &File{Path: path}
	if st, err := os.Stat(path); err != nil {
		return nil, err
	} else if !st.Mode().IsRegular() || st.Size() == 0 {
		return nil, &fault.Error{File: path, Offset: -1, Want: "an SQLite database", Got: "no file, or an empty one", Err: fault.ErrFormat}
	}
	if err := lfs.Check(path); err != nil {
		return nil, err
	}
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} { // SQLite would wait for a pipe
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

// OpenOrRescue is [Open] with [File.Rescue], if it cannot be opened otherwise.
func OpenOrRescue(ctx context.Context, path string, known []string) (*File, error) {
	f, err := Open(path)
	if !IsDamage(err) {
		return f, err
	}
	f = &File{Path: path}
	if failed := f.Rescue(ctx, known); failed != nil {
		f.Close()
		if errors.Is(failed, fault.ErrFormat) {
			failed = err // what SQLite says is as good
		}
		return nil, failed
	}
	return f, nil
}

// Writable opens a database for writing, and makes it if it is not there.
func Writable(path string) (*File, error) {
	conn, err := sqlite.OpenConn(uri(path, "mode=rwc"), sqlite.OpenReadWrite|sqlite.OpenCreate|sqlite.OpenURI)
	if err != nil {
		return nil, err
	}
	f := &File{Path: path, Conn: conn}
	if err := tame(conn); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// IsDamage reports whether an error of SQLite says that a file is damaged.
func IsDamage(err error) bool {
	code := sqlite.ErrCode(err).ToPrimary()
	return code == sqlite.ResultCorrupt || code == sqlite.ResultNotADB || sqlite.ErrCode(err) == sqlite.ResultIOErrShortRead
}

func (f *File) open() error {
	f.logged = false
	wal, err := f.walMode()
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

// hasLog reports whether there is a log that counts.
func (f *File) hasLog() bool { return sqlitepage.HasLog(f.Path + "-wal") }

// walMode reports whether the database is in WAL mode. Reading that from the
// file would not do: closing a file drops the locks that SQLite has on it in
// this process. In the exclusive mode of locking SQLite needs to lock a database
// in WAL mode for writing before it opens a log, which a file that is open for
// reading only does not allow. (If the log is in use in this process, SQLite
// knows that it is locked before it asks the system.)
func (f *File) walMode() (bool, error) {
	conn, err := sqlite.OpenConn(uri(f.Path, "mode=ro"), sqlite.OpenReadOnly|sqlite.OpenURI)
	if err != nil {
		return false, err
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

// uri returns the URI by which SQLite knows a file.
func uri(path, query string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	path = filepath.ToSlash(path)
	if path[0] != '/' {
		path = "/" + path // a drive's letter
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

// tame makes a connection careful with a database that may come from anybody.
func tame(conn *sqlite.Conn) error {
	conn.SetBusyTimeout(busyPatience)
	conn.Limit(sqlite.LimitLength, sqlitepage.MaxPayload)
	conn.Limit(sqlite.LimitAttached, 0)
	if err := conn.SetDefensive(true); err != nil {
		return err
	}
	return sqlitex.ExecuteTransient(conn, "PRAGMA trusted_schema=OFF", nil)
}

// recover copies the database and one of the files beside it, and opens the copy.
func (f *File) recover(suffix string) error {
	size := int64(0)
	for _, name := range []string{f.Path, f.Path + suffix} {
		st, err := os.Stat(name)
		if err != nil {
			return err
		}
		size += st.Size()
	}
	if size > maxRecovered {
		return &fault.Error{File: f.Path + suffix, Offset: -1, Want: "a database that was closed, or is small enough to be copied and recovered", Got: fmt.Sprintf("%d bytes", size), Err: fault.ErrLimit}
	}
	dir, end, err := scratch.Make(scratchPrefix)
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

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
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

// Begin makes the connection ready for a transaction that ends with ctx.
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
		// Somebody writes to what would not change.
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

// End ends what Begin began.
func (f *File) End() {
	if f.Conn != nil {
		f.Conn.SetInterrupt(nil)
	}
}

// Rest gives back the locks that a connection has as long as it is open, which only one with
// a shared log has: a program that closes the database then can put the log away. The next
// Begin connects again.
func (f *File) Rest() error {
	if !f.logged || f.saved || f.Conn == nil {
		return nil
	}
	err := f.Conn.Close()
	f.Conn, f.rests = nil, true
	return err
}

// Sound reports whether SQLite finds nothing wrong with the whole file.
func (f *File) Sound(ctx context.Context) (bool, error) {
	if err := f.Begin(ctx); err != nil {
		return false, err
	}
	defer f.End()
	sound := false
	err := sqlitex.ExecuteTransient(f.Conn, "PRAGMA integrity_check(1)", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		sound = s.ColumnText(0) == "ok"
		return nil
	}})
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case IsDamage(err):
		return false, nil
	}
	return sound, f.Explain(err)
}

// Explain makes an error that tells of the file of an error of SQLite.
func (f *File) Explain(err error) error {
	switch code := sqlite.ErrCode(err); {
	case err == nil || code == sqlite.ResultOK:
		return nil
	case code == sqlite.ResultReadOnlyRollback || code.ToPrimary() == sqlite.ResultInterrupt:
		return err
	case code.ToPrimary() == sqlite.ResultBusy:
		return fmt.Errorf("%s: %w: %w", f.Path, ErrInUse, err)
	case code == sqlite.ResultProtocol || code == sqlite.ResultReadOnlyRecovery || code == sqlite.ResultReadOnlyCantInit:
		// SQLite would write a new index. Without another program it reads the log without one.
		return &fault.Error{File: f.Path + "-shm", Offset: -1, Want: "an intact index of the -wal file", Got: "a damaged one, which another program is using: close that program, or wait until it has repaired the index", Err: ErrInUse}
	case code.ToPrimary() == sqlite.ResultFull:
		return fmt.Errorf("%s: %w", f.Path, ErrFull)
	}
	return &fault.Error{File: f.Path, Offset: -1, Want: "an SQLite database that can be read", Got: Why(err), Err: err}
}

// Why says what an error of SQLite means for a file, without the words of the library.
func Why(err error) string {
	switch code := sqlite.ErrCode(err); {
	case code.ToPrimary() == sqlite.ResultNotADB:
		return "a file of another kind, or one whose beginning is damaged"
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

// ErrFull means that the disk is full.
var ErrFull = errors.New("no space left on the disk")

// ErrClosed means that a database was closed before.
var ErrClosed = errors.New("the database is closed")

// scratchPrefix is what the names of folders of copies begin with.
const scratchPrefix = "trowel-sqlite-"

// Close closes the file.
func (f *File) Close() error {
	var err error
	f.rests = false
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
