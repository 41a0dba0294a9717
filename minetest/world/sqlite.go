package world

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

	"trowel/internal/bin"
)

// openSQLite opens a file of SQLite. To read leaves nothing behind and changes
// nothing: neither a log of the database nor an index of that.
func openSQLite(ctx context.Context, path string, write bool, t tables) (*sqlDB, error) {
	db := &sqlDB{file: filepath.Base(path), write: write, begin: "BEGIN IMMEDIATE", create: t.sqlite}
	db.make = func(context.Context) (sqlConn, error) {
		c, err := dialSQLite(path, "rwc", sqlite.OpenReadWrite|sqlite.OpenCreate, nil)
		if err != nil {
			return nil, err // and no interface of a nil pointer
		}
		return c, nil
	}
	db.remove = func() error { return os.Remove(path) }
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return db, nil
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, wrong(db.file, "", "a file", "%v", st.Mode().Type())
	}
	open := readSQLite
	if write {
		open = func(path string) (*sqliteConn, error) { return dialSQLite(path, "rw", sqlite.OpenReadWrite, nil) }
	}
	conn, err := open(path)
	if err != nil {
		return nil, &bin.Error{File: db.file, Offset: -1, Got: err.Error(), Err: err}
	}
	db.conn = conn
	if db.columns, err = db.conn.columns(ctx); err != nil {
		db.conn.close()
		return nil, &bin.Error{File: db.file, Offset: -1, Got: err.Error(), Err: err}
	}
	return db, nil
}

// sqliteConn is a connection to a file.
type sqliteConn struct {
	conn  *sqlite.Conn
	limit int64  // no result of a file has more rows: each takes a byte at least; 0 for none
	temp  string // folder of the copy that is open, "" if it is the file itself
}

// readSQLite opens a file for reading. What a program that wrote to it left in a
// log or a journal beside it belongs to the content, but to read that, SQLite
// has to write: so it is a copy that is read then.
func readSQLite(path string) (c *sqliteConn, err error) {
	defer func() {
		if err == nil {
			c.limit = sizeOf(path)
		}
	}()
	beside := 0
	for _, suffix := range []string{"-wal", "-journal"} {
		if st, err := os.Stat(path + suffix); err == nil && st.Size() > 0 {
			beside++
		}
	}
	if beside > 0 {
		return copySQLite(path)
	}
	if logged, err := usesLog(path); err != nil {
		return nil, err
	} else if logged {
		// There is nothing in the log; SQLite would make one all the same.
		return dialSQLite(path, "ro", sqlite.OpenReadOnly, url.Values{"immutable": {"1"}})
	}
	return dialSQLite(path, "ro", sqlite.OpenReadOnly, nil)
}

// usesLog tells whether the header of a file says that it has a write-ahead log.
func usesLog(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	var head [20]byte
	if _, err := io.ReadFull(f, head[:]); err != nil {
		return false, nil // too short for a database: SQLite will tell
	}
	return head[18] == 2 || head[19] == 2, nil
}

func copySQLite(path string) (_ *sqliteConn, err error) {
	dir, err := os.MkdirTemp("", "trowel-*")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	target := filepath.Join(dir, "copy.sqlite")
	for _, suffix := range []string{"", "-wal", "-journal"} {
		if err := copyFile(path+suffix, target+suffix); err != nil && (suffix == "" || !errors.Is(err, os.ErrNotExist)) {
			return nil, err
		}
	}
	c, err := dialSQLite(target, "rw", sqlite.OpenReadWrite, nil)
	if err != nil {
		return nil, err
	}
	c.temp = dir
	return c, nil
}

func copyFile(from, to string) error {
	st, err := os.Stat(from)
	if err != nil {
		return err
	}
	if !st.Mode().IsRegular() {
		return &os.PathError{Op: "copy", Path: from, Err: errors.New("not a regular file")}
	}
	r, err := os.Open(from)
	if err != nil {
		return err
	}
	defer r.Close()
	w, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	return errors.Join(err, w.Close())
}

func dialSQLite(path, mode string, flags sqlite.OpenFlags, query url.Values) (*sqliteConn, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if query == nil {
		query = url.Values{}
	}
	query.Set("mode", mode)
	slashed := filepath.ToSlash(abs)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a drive of Windows
	}
	u := url.URL{Scheme: "file", Path: slashed, RawQuery: query.Encode()}
	conn, err := sqlite.OpenConn(u.String(), flags|sqlite.OpenURI)
	if err != nil {
		return nil, err
	}
	conn.SetBusyTimeout(5 * time.Second)
	// What a schema does by itself, it may do only with functions that are safe.
	err = errors.Join(conn.SetDefensive(true), sqlitex.ExecuteTransient(conn, "PRAGMA trusted_schema = OFF", nil))
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return &sqliteConn{conn: conn}, nil
}

// sizeOf returns the bytes in a database and beside it.
func sizeOf(path string) (n int64) {
	for _, suffix := range []string{"", "-wal", "-journal"} {
		if st, err := os.Stat(path + suffix); err == nil {
			n += st.Size()
		}
	}
	return n
}

func (c *sqliteConn) query(ctx context.Context, sql string, args []any, row func(values []any) error) error {
	defer c.conn.SetInterrupt(c.conn.SetInterrupt(ctx.Done()))
	bound := make([]any, len(args))
	for i, a := range args {
		if t, ok := a.(time.Time); ok {
			a = t.UTC().Format(sqlTime)
		}
		bound[i] = a
	}
	rows := int64(0)
	err := sqlitex.ExecuteTransient(c.conn, sql, &sqlitex.ExecOptions{Args: bound, ResultFunc: func(stmt *sqlite.Stmt) error {
		if rows++; c.limit > 0 && rows > c.limit {
			return &bin.Error{Offset: -1, Want: "fewer rows than bytes", Got: fmt.Sprintf("more than %d rows", c.limit), Err: bin.ErrLimit}
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
		return row(values)
	}})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

func (c *sqliteConn) columns(ctx context.Context) (map[string][]string, error) {
	m := make(map[string][]string)
	// SQLite has its own word for tables that are computed.
	const sql = "SELECT m.name, p.name FROM sqlite_schema m, pragma_table_info(m.name) p WHERE m.type = 'table' AND upper(m.sql) NOT LIKE 'CREATE VIRTUAL%'"
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

func (c *sqliteConn) close() error {
	err := c.conn.Close()
	if c.temp != "" {
		err = errors.Join(err, os.RemoveAll(c.temp))
	}
	return err
}
