//go:build !js

package mapdb

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/internal/files/filelock"
	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/stores/sqlitefile"
)

// sqliteWriter is an SQLite database opened for writing.
type sqliteWriter struct {
	*sqliteDB
	unseen bool   // see Config
	upsert string // stores a block, if a single statement can
}

func createSQLite(ctx context.Context, path string, c Config) (Writer, error) {
	if c.Unseen {
		return createFreshSQLite(path, c.Schema)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	f.Close()
	table := tablePos
	if c.Schema == SchemaXYZ {
		table = tableXYZ
	}
	return openWriter(ctx, path, table, false)
}

func openSQLiteForWriting(ctx context.Context, path string, unseen, force bool) (Writer, error) {
	if st, err := os.Stat(path); err != nil {
		return nil, err
	} else if !st.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrInvalid}
	}
	if !force {
		if err := filelock.CheckUnused(path); err != nil {
			return nil, err
		}
	}
	if s, ok := isFreshSQLite(path); ok {
		return resumeFreshSQLite(path, s)
	}
	return openWriter(ctx, path, "", unseen)
}

// forUnseen speeds up writing a database that no other program uses: nothing waits for the disk. The journal stays
// on, so that SQLite can undo an unfinished transaction of a killed program; it is short, because it holds changed
// pages but not added ones. The cache, in KiB, serves the index, because keys arrive in any order.
var forUnseen = []string{"PRAGMA synchronous=OFF", "PRAGMA cache_size=-32768"}

// openWriter opens a database for writing and runs the statement first, unless it is "".
func openWriter(ctx context.Context, path, first string, unseen bool) (_ Writer, err error) {
	file, err := sqlitefile.Writable(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			file.Close()
		}
	}()
	var before []string
	if unseen {
		before = append(before, forUnseen...)
	}
	if first != "" {
		before = append(before, first)
	}
	for _, statement := range before {
		if err := sqlitex.ExecuteTransient(file.Conn, statement, nil); err != nil {
			return nil, file.Explain(err)
		}
	}
	db, err := newSQLite(ctx, file)
	if err != nil {
		return nil, err
	}
	w := &sqliteWriter{sqliteDB: db, unseen: unseen}
	return w, db.file.Explain(w.prepare())
}

// prepare determines whether the table is exactly as the game creates it, so that one statement can both add and
// replace a block.
func (w *sqliteWriter) prepare() error {
	table := tablePos
	key, values := "pos", "?, ?"
	if w.schema == SchemaXYZ {
		table, key, values = tableXYZ, w.keyColumns(), "?, ?, ?, ?"
	}
	return sqlitex.ExecuteTransient(w.file.Conn, "SELECT count(*) = 1 AND max(sql = ?) FROM sqlite_master WHERE "+
		"lower(tbl_name) = 'blocks' AND sql IS NOT NULL", &sqlitex.ExecOptions{
		Args: []any{table},
		ResultFunc: func(s *sqlite.Stmt) error {
			if s.ColumnBool(0) {
				w.upsert = "INSERT INTO blocks (" + key + ", data) VALUES (" + values + ") ON CONFLICT (" + key + ") DO UPDATE SET data = excluded.data"
			}
			return nil
		},
	})
}

// Update runs f in a transaction.
func (w *sqliteWriter) Update(ctx context.Context, f func(Tx) error) (err error) {
	if err := w.exec(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	ended := false
	defer func() {
		if !ended { // f or COMMIT failed, or f panicked
			// SQLite may have rolled back already.
			if undo := w.exec(context.WithoutCancel(ctx), "ROLLBACK"); err == nil {
				err = undo
			}
		}
	}()
	if err := f(&sqliteTx{ctx, w.sqliteDB}); err != nil {
		return err
	}
	if err := w.exec(ctx, "COMMIT"); err != nil {
		return err
	}
	ended = true
	return nil
}

// exec runs a statement.
func (db *sqliteDB) exec(ctx context.Context, query string, args ...any) error {
	_, err := db.change(ctx, query, args...)
	return err
}

// change runs a statement and returns the number of changed rows.
func (db *sqliteDB) change(ctx context.Context, query string, args ...any) (int, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := db.file.Begin(ctx); err != nil {
		return 0, err
	}
	defer db.file.End()
	if err := sqlitex.Execute(db.file.Conn, query, &sqlitex.ExecOptions{Args: args}); err != nil {
		return 0, errors.Join(ctx.Err(), db.file.Explain(err))
	}
	return db.file.Conn.Changes(), nil
}

// Store stores blocks in one transaction.
func (w *sqliteWriter) Store(ctx context.Context, blocks []Block) error {
	if w.upsert == "" {
		return store(ctx, w, blocks)
	}
	return w.Update(ctx, func(Tx) error { return w.put(ctx, blocks) })
}

// put stores blocks within a transaction.
func (w *sqliteWriter) put(ctx context.Context, blocks []Block) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.file.Begin(ctx); err != nil {
		return err
	}
	defer w.file.End()
	stmt, err := w.file.Conn.Prepare(w.upsert)
	if err != nil {
		return w.file.Explain(err)
	}
	for _, b := range blocks {
		if err := storable(b.Pos, b.Data); err != nil {
			return err
		}
		n := 1
		if w.schema == SchemaXYZ {
			stmt.BindInt64(1, int64(b.Pos.X))
			stmt.BindInt64(2, int64(b.Pos.Z))
			n = 3
			stmt.BindInt64(n, int64(b.Pos.Y))
		} else {
			stmt.BindInt64(n, b.Pos.Key())
		}
		if len(b.Data) == 0 {
			stmt.BindZeroBlob(n+1, 0) // not NULL
		} else {
			stmt.BindBytes(n+1, b.Data)
		}
		_, err := stmt.Step()
		if err == nil {
			err = stmt.Reset()
		}
		if err != nil {
			return errors.Join(ctx.Err(), w.file.Explain(err))
		}
	}
	return nil
}

// Close closes the database. An unseen database is flushed to disk now.
func (w *sqliteWriter) Close() error {
	err := w.sqliteDB.Close()
	if w.unseen && err == nil {
		err = errors.Join(wholefile.Sync(w.file.Path), wholefile.SyncDir(filepath.Dir(w.file.Path)))
	}
	return err
}

// Abandon closes the store unfinished; OpenForWriting can continue it.
func (w *sqliteWriter) Abandon() { w.sqliteDB.Close() }

// sqliteTx is a transaction.
type sqliteTx struct {
	ctx context.Context
	db  *sqliteDB
}

func (tx *sqliteTx) Get(p Pos) ([]byte, error) { return tx.db.Get(tx.ctx, p) }

// Put updates the existing row, whatever other columns it has, or inserts one. It needs no unique index, and triggers
// see no deletion.
func (tx *sqliteTx) Put(p Pos, data []byte) error {
	if err := storable(p, data); err != nil {
		return err
	}
	if data == nil {
		data = []byte{} // not NULL
	}
	key := tx.db.keyOf(p)
	n, err := tx.db.change(tx.ctx, "UPDATE blocks SET data = ? WHERE "+tx.db.match("=", 3), append([]any{data}, key...)...)
	if err != nil || n > 0 {
		return err
	}
	values := "?, ?"
	if len(key) == 3 {
		values = "?, ?, ?, ?"
	}
	return tx.db.exec(tx.ctx, "INSERT INTO blocks ("+tx.db.keyColumns()+", data) VALUES ("+values+")", append(key, data)...)
}

func (tx *sqliteTx) Delete(p Pos) error {
	if err := storable(p, nil); err != nil {
		return err
	}
	return tx.db.exec(tx.ctx, "DELETE FROM blocks WHERE "+tx.db.match("=", 3), tx.db.keyOf(p)...)
}
