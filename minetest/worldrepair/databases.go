package worldrepair

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"trowel.example/internal/inuse"
	"trowel.example/internal/sqlitefile"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// databases returns the names of the files of SQLite that the world uses, and the tables
// that each should have.
func (r *repair) databases() iter.Seq2[string, []string] {
	return func(yield func(string, []string) bool) {
		for _, part := range world.Parts() {
			if r.backends.Of(part) == mapdb.SQLite && !yield(part.Files(mapdb.SQLite)[0], part.SQLiteTables()) {
				return
			}
		}
	}
}

// findDatabases looks for files of SQLite with damaged pages.
func (r *repair) findDatabases(ctx context.Context) error {
	for name, tables := range r.databases() {
		path := filepath.Join(r.dir, name)
		if st, err := os.Stat(path); missing(err) || err == nil && st.Size() == 0 {
			continue
		}
		losses, damaged, err := examineSQLite(ctx, path, tables)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			continue // whoever looks for what is in it tells
		case !damaged:
			continue
		}
		for _, l := range losses {
			if l.Rows {
				r.report.Lost++
			}
			if r.opts.Sink != nil {
				r.opts.Sink.AddAt(foundPages, l.At, name, -1, "%s", l.Text)
			}
		}
		r.report.Databases = append(r.report.Databases, name)
		if err := r.backup.Store(sqlitefile.Files(name)); err != nil {
			return err
		}
	}
	return nil
}

// examineSQLite reports whether a file of SQLite is damaged, and what of it cannot be read.
func examineSQLite(ctx context.Context, path string, tables []string) ([]sqlitefile.Loss, bool, error) {
	f, err := sqlitefile.OpenOrRescue(ctx, path, tables)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	if !f.Rescued() && inuse.By(path) == "" {
		sound, err := f.Sound(ctx)
		if err == nil && !sound {
			err = f.Rescue(ctx, tables)
		}
		if err != nil {
			return nil, false, err
		}
	}
	return f.Losses(), f.Rescued(), nil
}

// mendDatabases puts databases in the place of damaged ones that have what can be read of
// them.
func (r *repair) mendDatabases(ctx context.Context) error {
	for name, tables := range r.databases() {
		if !slices.Contains(r.report.Databases, name) {
			continue
		}
		if err := sqlitefile.RescueInPlace(ctx, filepath.Join(r.dir, name), tables); err != nil {
			return err
		}
	}
	return nil
}
