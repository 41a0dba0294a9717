//go:build !js

package world

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/fault"
	"trowel.example/internal/files/filelock"
	"trowel.example/internal/stores/sqlitefile"
)

// onlyPages is set by tests that read without SQLite, as the page in a browser does.
var onlyPages bool

// openSQLite opens an SQLite file. Reading changes nothing and leaves no files behind, neither a write-ahead log nor
// its index.
func openSQLite(ctx context.Context, path string, opts Options, t tables) (*sqlDB, error) {
	if onlyPages && !opts.Write {
		return openPages(ctx, path, opts, t)
	}
	db := &sqlDB{file: filepath.Base(path), write: opts.Write, lost: opts.Lost, begin: "BEGIN IMMEDIATE", create: t.sqlite, loose: true}
	db.make = func(context.Context) (sqlConn, error) {
		file, err := sqlitefile.Writable(path)
		if err != nil {
			return nil, err // not an interface that contains a nil pointer
		}
		return &sqliteConn{file: file, write: true}, nil
	}
	db.remove = func() error { return os.Remove(path) }
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist) || err == nil && st.Mode().IsRegular() && st.Size() == 0:
		return db, nil // the engine creates no file if there is nothing to write
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, wrong(db.file, "", "a file", "%v", st.Mode().Type())
	}
	conn := &sqliteConn{write: opts.Write, known: t.sqlite}
	conn.lost = func(l sqlitefile.Loss) {
		if opts.Lost != nil && (l.Rows || opts.All) {
			opts.Lost(&fault.Error{File: db.file, Offset: -1, Got: l.Text, Err: fault.ErrFormat}, l.At)
		}
	}
	if opts.Write {
		conn.file, err = sqlitefile.Writable(path)
	} else if conn.file, err = sqlitefile.OpenOrRescue(ctx, path, t.sqlite); err == nil {
		conn.limit = sizeOf(path)
		conn.reportLosses()
		if opts.All {
			err = conn.verify(ctx, path)
		}
	}
	if err != nil {
		return nil, sqliteError(db.file, err)
	}
	db.conn = conn
	if db.columns, err = conn.columns(ctx); err == nil {
		err = conn.views(ctx, db)
	}
	if err != nil {
		conn.close()
		return nil, sqliteError(db.file, err)
	}
	return db, nil
}

// sqliteError replaces the path in an error of SQLite with the name of the file.
func sqliteError(name string, err error) error {
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return named(name, err)
	}
	return &fault.Error{File: name, Offset: -1, Got: sqlitefile.Why(err), Err: err}
}

// sqliteConn is a connection to a file.
type sqliteConn struct {
	file  *sqlitefile.File
	write bool
	limit int64    // maximum number of rows of a result (a row takes at least one byte); 0 for none
	known []string // the tables that the file should contain
	lost  func(sqlitefile.Loss)
}

// reportLosses reports the losses if the file had to be rescued.
func (c *sqliteConn) reportLosses() {
	for _, l := range c.file.Losses() {
		c.lost(l)
	}
}

// verify checks the whole file, unless a program has it open: the check would block that program.
func (c *sqliteConn) verify(ctx context.Context, path string) error {
	if c.file.Rescued() || filelock.UsedBy(path) != "" {
		return nil
	}
	sound, err := c.file.Verify(ctx, c.known)
	if err == nil && !sound {
		c.reportLosses()
	}
	return err
}

// query calls row for all rows after SQLite has read them. If it finds damage, it rescues the file and reads the
// rescued rows instead.
func (c *sqliteConn) query(ctx context.Context, sql string, args []any, row func(values []any) error) error {
	rows, err := c.rows(ctx, sql, args)
	if sqlitefile.IsDamage(err) && !c.write && !c.file.Rescued() {
		if failed := c.file.Rescue(ctx, c.known); failed != nil {
			return errors.Join(err, failed)
		}
		c.reportLosses()
		rows, err = c.rows(ctx, sql, args)
	}
	if err != nil {
		return err
	}
	for _, values := range rows {
		if err := row(values); err != nil {
			return err
		}
	}
	return nil
}

func (c *sqliteConn) rows(ctx context.Context, sql string, args []any) (rows [][]any, err error) {
	if err := c.file.Begin(ctx); err != nil {
		return nil, err
	}
	defer c.file.End()
	bound := make([]any, len(args))
	for i, a := range args {
		if t, ok := a.(time.Time); ok {
			a = t.UTC().Format(sqlTime)
		}
		bound[i] = a
	}
	err = sqlitex.ExecuteTransient(c.file.Conn, sql, &sqlitex.ExecOptions{Args: bound, ResultFunc: func(stmt *sqlite.Stmt) error {
		if c.limit > 0 && int64(len(rows)) >= c.limit {
			return &fault.Error{Offset: -1, Want: "fewer rows than bytes", Got: fmt.Sprintf("more than %d rows", c.limit), Err: fault.ErrFormat}
		}
		values := make([]any, stmt.ColumnCount())
		for i := range values {
			switch stmt.ColumnType(i) {
			case sqlite.TypeInteger:
				values[i] = stmt.ColumnInt64(i)
			case sqlite.TypeFloat:
				values[i] = stmt.ColumnFloat(i)
			case sqlite.TypeText:
				values[i] = stmt.ColumnText(i)
			case sqlite.TypeBlob:
				b := make([]byte, stmt.ColumnLen(i))
				stmt.ColumnBytes(i, b)
				values[i] = b
			}
		}
		rows = append(rows, values)
		return nil
	}})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return rows, err
}

func (c *sqliteConn) missingSlots(ctx context.Context, row func(values []any) error) error {
	return c.query(ctx, missingSlots, nil, row)
}

func (c *sqliteConn) columns(ctx context.Context) (map[string][]string, error) {
	m := make(map[string][]string)
	// SQLite calls computed tables "virtual".
	const sql = "SELECT m.name, p.name FROM sqlite_schema m, pragma_table_info(m.name) p WHERE m.type = 'table' AND " +
		"upper(m.sql) NOT LIKE 'CREATE VIRTUAL%'"
	err := c.query(ctx, sql, nil, func(v []any) error {
		table, ok1 := v[0].(string)
		column, ok2 := v[1].(string)
		if ok1 && ok2 {
			table = strings.ToLower(table)
			m[table] = append(m[table], strings.ToLower(column))
		}
		return nil
	})
	return m, err
}

// views returns an error if one of the store's tables is a view: the engine would read rows that this package does
// not read.
func (c *sqliteConn) views(ctx context.Context, db *sqlDB) error {
	return c.query(ctx, "SELECT name FROM sqlite_schema WHERE type = 'view'", nil, func(v []any) error {
		name, _ := v[0].(string)
		if slices.ContainsFunc(db.create, func(sql string) bool { return makes(sql, strings.ToLower(name)) }) {
			return wrong(db.file, name, "a table", "a view")
		}
		return nil
	})
}

func (c *sqliteConn) close() error { return c.file.Close() }
