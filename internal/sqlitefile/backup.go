package sqlitefile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

const (
	backupPages = 1 << 10  // that are copied at once: as long a writer waits
	backupTries = 5        // how often, about, a writer may make it begin again
	blocking    = 32 << 20 // bytes that are copied at once in the end: in less than a tenth of a second
)

// RestlessError means that a program writes to a large database so often that it cannot be copied as it
// is at one moment, unless that program waits.
type RestlessError struct{ Path string }

func (e *RestlessError) Error() string {
	return e.Path + ": a program writes to the database all the time (stop the program for the copy, or let the database have a log: PRAGMA journal_mode=WAL)"
}

// Backup makes a copy of a database as it is at one moment, whatever a program does that has
// it open, in a file that does not exist yet. There is nothing beside the copy. No writer waits for it
// for more than a moment; if that makes the copy impossible, the error is a [RestlessError].
func Backup(ctx context.Context, from, to string) (err error) {
	src, err := Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	dst, err := sqlite.OpenConn(to, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dst.Close()) }()
	// What a crash leaves of it is thrown away.
	if err := sqlitex.ExecuteTransient(dst, "PRAGMA synchronous=OFF", nil); err != nil {
		return err
	}
	if err := src.Begin(ctx); err != nil {
		return err
	}
	defer src.End()
	pageSize := int64(0)
	err = sqlitex.ExecuteTransient(src.Conn, "PRAGMA page_size", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		pageSize = s.ColumnInt64(0)
		return nil
	}})
	if err != nil {
		return src.Explain(err)
	}
	b, err := sqlite.NewBackup(dst, "main", src.Conn, "main")
	if err != nil {
		return src.Explain(err)
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	waiting := time.Duration(0)
	for steps := 0; ; steps++ {
		n := backupPages
		if steps > backupTries*(1+b.PageCount()/backupPages) {
			if n = -1; !src.logged && int64(b.PageCount())*pageSize > blocking { // all at once, and a writer without a log waits
				return &RestlessError{from}
			}
		}
		more, err := b.Step(n)
		switch code := sqlite.ErrCode(err).ToPrimary(); {
		case ctx.Err() != nil:
			return ctx.Err()
		case (code == sqlite.ResultBusy || code == sqlite.ResultLocked) && waiting < busyPatience:
			const moment = 10 * time.Millisecond
			time.Sleep(moment)
			waiting += moment
		case code == sqlite.ResultFull:
			return fmt.Errorf("%s: %w", to, ErrFull)
		case err != nil:
			return src.Explain(err)
		case !more:
			return nil
		}
	}
}

// IsDatabase reports whether a file begins as one of SQLite does.
func IsDatabase(path string) bool {
	const magic = "SQLite format 3\x00"
	if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var head [len(magic)]byte
	_, err = io.ReadFull(f, head[:])
	return err == nil && string(head[:]) == magic
}

// IsBeside reports whether a file is the log or the journal of a database that it is beside,
// or the index of the log.
func IsBeside(path string) bool {
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		if base, ok := strings.CutSuffix(path, suffix); ok && exists(base) {
			return true
		}
	}
	return false
}
