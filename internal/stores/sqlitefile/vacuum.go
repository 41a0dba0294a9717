//go:build !js

package sqlitefile

import (
	"context"
	"errors"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Unused returns the number of bytes in unused pages of a database.
func Unused(ctx context.Context, path string) (bytes int64, err error) {
	f, err := Open(path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := f.Begin(ctx); err != nil {
		return 0, err
	}
	defer f.End()
	bytes = 1
	for _, pragma := range []string{"freelist_count", "page_size"} {
		err := sqlitex.ExecuteTransient(f.Conn, "PRAGMA "+pragma, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			bytes *= s.ColumnInt64(0)
			return nil
		}})
		if err != nil {
			return 0, f.Explain(err)
		}
	}
	return bytes, nil
}

// Vacuum rewrites a database without unused space, with its rows in order. It takes up to twice the size of the database on the disk
// meanwhile. A run that is interrupted changes nothing. If a program uses the database, the error wraps [ErrInUse].
func Vacuum(ctx context.Context, path string) (err error) {
	f, err := Writable(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	f.Conn.SetInterrupt(ctx.Done())
	defer f.Conn.SetInterrupt(nil)
	f.Conn.Limit(sqlite.LimitAttached, 1) // VACUUM attaches the new database
	if err := sqlitex.ExecuteTransient(f.Conn, "VACUUM", nil); err != nil {
		return errors.Join(ctx.Err(), f.Explain(err))
	}
	return nil
}
