//go:build !js

package sqlitefile

import (
	"context"
	"errors"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

const (
	backupPages = 1 << 10  // number of pages copied at once: a writer waits that long
	backupTries = 5        // approximate number of times that a writer may force a restart
	blocking    = 32 << 20 // maximum size in bytes that is copied at once in the end, in less than a tenth of a second
)

// Backup makes a consistent copy of a database, even if programs have it open and write to it, in a new file. The copy
// has no log or journal. Writers wait for a moment at most; if a copy is impossible under this condition, the error is
// a [RestlessError].
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
	// After a crash the copy is discarded.
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
			if n = -1; !src.logged && int64(b.PageCount())*pageSize > blocking { // all at once; a writer without a log waits
				return &RestlessError{from}
			}
		}
		more, err := b.Step(n)
		switch code := sqlite.ErrCode(err).ToPrimary(); {
		case ctx.Err() != nil:
			return ctx.Err()
		case (code == sqlite.ResultBusy || code == sqlite.ResultLocked) && waiting < busyPatience,
			// Just when another program begins a transaction, its journal looks as if that had been interrupted.
			sqlite.ErrCode(err) == sqlite.ResultReadOnlyRollback && waiting < time.Second:
			const moment = 10 * time.Millisecond
			time.Sleep(moment)
			waiting += moment
		case code == sqlite.ResultFull:
			return fmt.Errorf("%s: %w", to, ErrFull)
		case err != nil:
			return src.Explain(err)
		case !more:
			return nil
		default:
			waiting = 0 // since the last pages
		}
	}
}
