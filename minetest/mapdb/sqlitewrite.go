package mapdb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"

	"zombiezen.com/go/sqlite/sqlitex"

	"trowel.example/internal/inuse"
	"trowel.example/internal/sqlitefile"
)

// The tables as the game makes them.
const (
	tablePos = "CREATE TABLE `blocks` (`pos` INT PRIMARY KEY, `data` BLOB)"
	tableXYZ = "CREATE TABLE `blocks` (`x` INTEGER, `y` INTEGER, `z` INTEGER, `data` BLOB NOT NULL, PRIMARY KEY (`x`, `z`, `y`))"
)

// sqliteWriter is an SQLite database that is written.
type sqliteWriter struct{ *sqliteDB }

func createSQLite(ctx context.Context, path string, schema Schema) (Writer, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	f.Close()
	table := tablePos
	if schema == SchemaXYZ {
		table = tableXYZ
	}
	return openWriter(ctx, path, table)
}

func openSQLiteForWriting(ctx context.Context, path string, force bool) (Writer, error) {
	if st, err := os.Stat(path); err != nil {
		return nil, err
	} else if !st.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrInvalid}
	}
	if user := inuse.By(path); user != "" && !force {
		return nil, fmt.Errorf("%s: %w: by %s", path, ErrInUse, user)
	}
	return openWriter(ctx, path, "")
}

// openWriter opens a database for writing and runs a statement first.
func openWriter(ctx context.Context, path, first string) (_ Writer, err error) {
	file, err := sqlitefile.Writable(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			file.Close()
		}
	}()
	if first != "" {
		if err := sqlitex.ExecuteTransient(file.Conn, first, nil); err != nil {
			return nil, file.Explain(err)
		}
	}
	db, err := newSQLite(ctx, file)
	if err != nil {
		return nil, err
	}
	return &sqliteWriter{db}, nil
}

// Update runs f in a transaction.
func (w *sqliteWriter) Update(ctx context.Context, f func(Tx) error) (err error) {
	if err := w.exec(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	ended := false
	defer func() {
		if !ended { // a failure of f, of COMMIT, or a panic
			// SQLite may have rolled back by itself.
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

// change runs a statement and returns how many rows it changed.
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

// Load stores many blocks.
func (w *sqliteWriter) Load(ctx context.Context, blocks iter.Seq2[Block, error]) (int64, error) {
	return load(ctx, w, blocks)
}

// sqliteTx is a transaction.
type sqliteTx struct {
	ctx context.Context
	db  *sqliteDB
}

func (tx *sqliteTx) Get(p Pos) ([]byte, error) { return tx.db.Get(tx.ctx, p) }

// Put changes the row that is there, whatever other columns it has, or adds one:
// it neither needs a unique index nor makes triggers see a deletion.
func (tx *sqliteTx) Put(p Pos, data []byte) error {
	if err := storable(p, data); err != nil {
		return err
	}
	if data == nil {
		data = []byte{} // which is not NULL
	}
	key := tx.db.keyOf(p)
	n, err := tx.db.change(tx.ctx, "UPDATE blocks SET data = ? WHERE "+tx.db.match("="), append([]any{data}, key...)...)
	if err != nil || n > 0 {
		return err
	}
	values := "?, ?"
	if len(key) == 3 {
		values = "?, ?, ?, ?"
	}
	return tx.db.exec(tx.ctx, "INSERT INTO blocks ("+tx.db.key()+", data) VALUES ("+values+")", append(key, data)...)
}

func (tx *sqliteTx) Delete(p Pos) error {
	if err := storable(p, nil); err != nil {
		return err
	}
	return tx.db.exec(tx.ctx, "DELETE FROM blocks WHERE "+tx.db.match("="), tx.db.keyOf(p)...)
}
