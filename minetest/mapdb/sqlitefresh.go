//go:build !js

package mapdb

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"trowel.example/fault"
	"trowel.example/internal/stores/sqlitepage"
)

// freshSQLite is a new database that no other program uses before it is closed. Its pages are written sequentially
// without SQLite, until the caller reads it or does anything but adding blocks: then it becomes an SQLite database.
// SQLite itself, with its journal for killed runs, takes 1.7 times the processor time (docs/performance.md).
type freshSQLite struct {
	path   string
	schema Schema
	build  *sqlitepage.Builder // nil once it is an SQLite database
	db     *sqliteWriter       // that database, if it is open
	err    error               // the reason why it is not open
}

// tableOf returns the table of a schema, as the game creates it.
func tableOf(s Schema) sqlitepage.Table {
	if s == SchemaXYZ {
		return sqlitepage.Table{Name: "blocks", SQL: tableXYZ, Key: []int{0, 2, 1}}
	}
	return sqlitepage.Table{Name: "blocks", SQL: tablePos, Key: []int{0}}
}

func createFreshSQLite(path string, s Schema) (Writer, error) {
	b, err := sqlitepage.Create(path, tableOf(s))
	if err != nil {
		return nil, err
	}
	return &freshSQLite{path: path, schema: s, build: b}, nil
}

// isFreshSQLite reports whether a file is a freshSQLite of a killed program, and its schema.
func isFreshSQLite(path string) (s Schema, ok bool) {
	sql := sqlitepage.Unfinished(path)
	return Schema(slices.Index([]string{SchemaPos: tablePos, SchemaXYZ: tableXYZ}, sql)), sql == tablePos || sql == tableXYZ
}

func resumeFreshSQLite(path string, s Schema) (Writer, error) {
	b, err := sqlitepage.Resume(path, tableOf(s))
	if err != nil {
		return nil, err
	}
	return &freshSQLite{path: path, schema: s, build: b}, nil
}

// Store adds blocks. Blocks that they replace are removed at the end.
func (w *freshSQLite) Store(ctx context.Context, blocks []Block) error {
	if w.build == nil {
		db, err := w.whole(ctx)
		if err != nil {
			return err
		}
		return db.Store(ctx, blocks)
	}
	for _, b := range blocks {
		if err := storable(b.Pos, b.Data); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, b := range blocks {
		key := []int64{int64(b.Pos.X), int64(b.Pos.Y), int64(b.Pos.Z)}
		if w.schema == SchemaPos {
			key = []int64{b.Pos.Key()}
		}
		if err := w.build.Add(key, b.Data); err != nil {
			return err
		}
	}
	return w.build.Flush()
}

// Count returns the number of positions with blocks.
func (w *freshSQLite) Count(ctx context.Context) (int64, error) {
	if w.build != nil {
		return w.build.Count()
	}
	db, err := w.whole(ctx)
	if err != nil {
		return 0, err
	}
	return db.Count(ctx)
}

// whole converts the file to an SQLite database and opens it.
func (w *freshSQLite) whole(ctx context.Context) (*sqliteWriter, error) {
	if w.build == nil {
		return w.db, w.err
	}
	older, err := w.build.Finish()
	w.build = nil
	if err == nil {
		var db Writer
		if db, err = openWriter(ctx, w.path, "", true); err == nil {
			w.db = db.(*sqliteWriter)
		}
	}
	if err == nil && len(older) > 0 {
		err = w.db.Update(ctx, func(Tx) error {
			for _, row := range older {
				if err := w.db.exec(ctx, "DELETE FROM blocks WHERE rowid = ?", row); err != nil {
					return err
				}
			}
			return nil
		})
	}
	w.err = err
	return w.db, err
}

// Get returns the bytes of a block.
func (w *freshSQLite) Get(ctx context.Context, p Pos) ([]byte, error) {
	db, err := w.whole(ctx)
	if err != nil {
		return nil, err
	}
	return db.Get(ctx, p)
}

// Blocks yields the blocks of an area in the order of the primary key.
func (w *freshSQLite) Blocks(ctx context.Context, a Area) iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) {
		db, err := w.whole(ctx)
		if err != nil {
			yield(Block{}, err)
			return
		}
		db.Blocks(ctx, a)(yield)
	}
}

// Positions yields the positions of an area.
func (w *freshSQLite) Positions(ctx context.Context, a Area) iter.Seq2[Pos, error] {
	return func(yield func(Pos, error) bool) {
		db, err := w.whole(ctx)
		if err != nil {
			yield(Pos{}, err)
			return
		}
		db.Positions(ctx, a)(yield)
	}
}

// Update runs f in a transaction.
func (w *freshSQLite) Update(ctx context.Context, f func(Tx) error) error {
	db, err := w.whole(ctx)
	if err != nil {
		return err
	}
	return db.Update(ctx, f)
}

func (w *freshSQLite) String() string {
	return "SQLite " + strconv.Quote(w.path) + ", schema " + w.schema.String()
}

// Schema returns the schema of the table.
func (w *freshSQLite) Schema() Schema { return w.schema }

// Close completes the database and flushes it to disk.
func (w *freshSQLite) Close() error {
	db, err := w.whole(context.Background()) // stored blocks reach the disk after a cancel, too
	w.db, w.err = nil, errClosed
	if err == errClosed {
		return nil
	}
	if db != nil {
		err = errors.Join(err, db.Close())
	}
	return err
}

// Abandon closes the store unfinished; OpenForWriting can continue it.
func (w *freshSQLite) Abandon() {
	if w.build != nil {
		w.build.Abandon()
		w.build = nil
	} else if w.db != nil {
		w.db.Abandon()
	}
	w.db, w.err = nil, errClosed
}

// unseenSQLite is a database that no other program uses, so that its pages can be read without SQLite.
type unseenSQLite struct{ *sqliteDB }

// inAnyOrder yields the blocks in row order and checks that the index leads to them. Damage is reported as a
// *RowError and ends the loop.
func (u unseenSQLite) inAnyOrder(ctx context.Context) iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) {
		err := sqlitepage.Scan(u.file.Path, tableOf(u.schema), func(ints []int64, data []byte) error {
			p, ok := Pos{}, false
			if u.schema == SchemaPos {
				p, ok = PosOfKey(ints[0])
			} else {
				p, ok = posOfXZY([3]int64{ints[0], ints[2], ints[1]})
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			row := error(nil)
			if !ok {
				p, row = Pos{}, badRow(u.file.Path, fmt.Sprint(ints), "", "the integers of a position", fmt.Sprint(ints))
			}
			if !yield(Block{p, data}, row) {
				return errEnough
			}
			return nil
		})
		if errors.Is(err, fault.ErrFormat) {
			err = &RowError{Err: err}
		}
		if err != nil && err != errEnough {
			yield(Block{}, err)
		}
	}
}
