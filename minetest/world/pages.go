package world

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/stores/sqlitefile"
	"trowel.example/internal/stores/sqlitepage"
)

// pagesConn reads an SQLite file without SQLite. Damaged pages are reported, and the other rows are read.
type pagesConn struct {
	db    *sqlitepage.DB
	limit int64 // maximum number of rows of a result: a row takes at least one byte
	lost  func(error)
}

// openPages opens an SQLite file that no program writes to.
func openPages(ctx context.Context, path string, opts Options, t tables) (*sqlDB, error) {
	db := &sqlDB{file: filepath.Base(path), write: opts.Write, lost: opts.Lost, create: t.sqlite, loose: true}
	db.make = func(context.Context) (sqlConn, error) { return nil, needsSQLite(path) }
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist) || err == nil && st.Mode().IsRegular() && st.Size() == 0:
		return db, nil // the engine creates no file if there is nothing to write
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, wrong(db.file, "", "a file", "%v", st.Mode().Type())
	case opts.Write:
		return nil, needsSQLite(path)
	}
	pages, err := sqlitepage.OpenDB(ctx, path)
	if err != nil {
		return nil, named(db.file, err)
	}
	c := &pagesConn{db: pages, limit: sizeOf(path)}
	reported := make(map[int64]bool)
	c.lost = func(err error) {
		e, ok := errors.AsType[*fault.Error](err)
		if !ok || opts.Lost == nil || reported[e.Offset] {
			return
		}
		reported[e.Offset] = true
		opts.Lost(named(db.file, e), []check.Place{check.Span{Offset: e.Offset, Length: int64(pages.PageSize())}})
	}
	db.conn = c
	if db.columns, err = c.columns(ctx); err == nil {
		err = c.views(db)
	}
	if err != nil {
		return nil, errors.Join(named(db.file, err), c.close())
	}
	return db, nil
}

// named replaces the path in an error with the name of the file.
func named(name string, err error) error {
	if e, ok := errors.AsType[*fault.Error](err); ok {
		named := *e
		named.File = name
		return &named
	}
	return err
}

func needsSQLite(path string) error { return fmt.Errorf("%s: %w", path, sqlitefile.ErrProgram) }

func (c *pagesConn) query(ctx context.Context, sql string, args []any, row func(values []any) error) error {
	n := int64(0)
	return c.db.Select(ctx, sql, args, func(values []any) error {
		if n++; n > c.limit {
			return &fault.Error{Offset: -1, Want: "fewer rows than bytes", Got: fmt.Sprintf("more than %d rows", c.limit), Err: fault.ErrFormat}
		}
		return row(values)
	}, func(err error) bool { c.lost(err); return true })
}

func (c *pagesConn) missingSlots(ctx context.Context, row func(values []any) error) error {
	key := func(v []any) string { return fmt.Sprintf("%#v", v) } // a value may be a blob
	sizes := make(map[string]any)
	err := c.query(ctx, "SELECT player, inv_id, inv_size FROM player_inventories", nil, func(v []any) error {
		sizes[key(v[:2])] = v[2]
		return nil
	})
	if err != nil {
		return err
	}
	reported := make(map[string]bool)
	return c.query(ctx, "SELECT player, inv_id, slot_id, item FROM player_inventory_items", nil, func(v []any) error {
		size, isSize := sizes[key(v[:2])].(int64)
		slot, isSlot := v[2].(int64)
		if v[3] == "" || v[3] == nil || reported[key(v[:1])] || isSize && isSlot && slot >= 0 && slot < size {
			return nil
		}
		reported[key(v[:1])] = true
		return row(v[:1])
	})
}

func (c *pagesConn) columns(context.Context) (map[string][]string, error) {
	m := make(map[string][]string)
	for _, o := range c.db.Objects() {
		if o.Kind != "table" || o.Root == 0 {
			continue
		}
		t, err := c.db.Table(o.Name)
		if errors.Is(err, errors.ErrUnsupported) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, column := range t.Columns {
			if !column.Generated {
				m[strings.ToLower(t.Name)] = append(m[strings.ToLower(t.Name)], strings.ToLower(column.Name))
			}
		}
	}
	return m, nil
}

// views returns an error if one of the store's tables is a view.
func (c *pagesConn) views(db *sqlDB) error {
	for _, o := range c.db.Objects() {
		if o.Kind == "view" && slices.ContainsFunc(db.create, func(sql string) bool { return makes(sql, strings.ToLower(o.Name)) }) {
			return wrong(db.file, o.Name, "a table", "a view")
		}
	}
	return nil
}

func (c *pagesConn) close() error { return c.db.Close() }

// sizeOf returns the size in bytes of a database and its logs.
func sizeOf(path string) (n int64) {
	for _, suffix := range []string{"", "-wal", "-journal"} {
		if st, err := os.Stat(path + suffix); err == nil {
			n += st.Size()
		}
	}
	return n
}
