package worldrepair

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"trowel.example/internal/inuse"
	"trowel.example/internal/sqlitefile"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// databases returns the names of the files of SQLite that the world uses, and the tables
// that each should have.
func (r *repair) databases() map[string][]string {
	known := world.SQLiteTables()
	for name, backend := range map[string]string{"players.sqlite": r.backends.Players, "auth.sqlite": r.backends.Auth, "mod_storage.sqlite": r.backends.ModStorage} {
		if backend != world.BackendSQLite {
			delete(known, name)
		}
	}
	if r.config.Backend == mapdb.SQLite || r.config.Backend == "" {
		known[mapFile] = mapdb.SQLiteTables()
	}
	return known
}

const mapFile = "map.sqlite"

// sqliteFiles are a file of SQLite and what can be beside it.
func sqliteFiles(name string) []string {
	return []string{name, name + "-wal", name + "-shm", name + "-journal"}
}

// findDatabases looks for files of SQLite with damaged pages.
func (r *repair) findDatabases(ctx context.Context) error {
	known := r.databases()
	for _, name := range []string{mapFile, "players.sqlite", "auth.sqlite", "mod_storage.sqlite"} {
		tables := known[name]
		path := filepath.Join(r.dir, name)
		if st, err := os.Stat(path); tables == nil || missing(err) || err == nil && st.Size() == 0 {
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
		if err := r.backup.store(sqliteFiles(name)); err != nil {
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

// rescuedPrefix is what the names of databases begin with that are whole and about to take
// the place of damaged ones.
const rescuedPrefix = ".trowel-rescued-"

// mendDatabases puts databases in the place of damaged ones that have what can be read of
// them. A run that is ended on the way leaves the old one, or goes on at the next, see settle.
func (r *repair) mendDatabases(ctx context.Context) error {
	known := r.databases()
	for _, name := range r.report.Databases {
		path := filepath.Join(r.dir, name)
		part := filepath.Join(r.dir, ".trowel-part-"+name)
		if err := os.RemoveAll(part); err != nil {
			return err
		}
		st, err := os.Stat(path)
		if err != nil {
			return err
		}
		if _, err = sqlitefile.RescueTo(ctx, path, part, known[name]); err == nil {
			err = errors.Join(os.Chmod(part, st.Mode().Perm()), syncFile(part))
		}
		if err == nil {
			err = os.Rename(part, filepath.Join(r.dir, rescuedPrefix+name))
		}
		if err != nil {
			return errors.Join(err, os.RemoveAll(part))
		}
		if err := replaceDatabase(r.dir, name); err != nil {
			return err
		}
	}
	return nil
}

// replaceDatabase puts a rescued database into its place. What is beside the old one goes
// first: SQLite would apply it to the new one.
func replaceDatabase(dir, name string) error {
	for _, beside := range sqliteFiles(name)[1:] {
		if err := os.Remove(filepath.Join(dir, beside)); err != nil && !missing(err) {
			return err
		}
	}
	return os.Rename(filepath.Join(dir, rescuedPrefix+name), filepath.Join(dir, name))
}

// settleDatabases ends what a killed run had begun.
func settleDatabases(dir string) error {
	for _, name := range []string{mapFile, "players.sqlite", "auth.sqlite", "mod_storage.sqlite"} {
		if err := os.RemoveAll(filepath.Join(dir, ".trowel-part-"+name)); err != nil {
			return err
		}
		if _, err := os.Stat(filepath.Join(dir, rescuedPrefix+name)); missing(err) {
			continue
		}
		if err := replaceable(dir); err != nil {
			return err
		}
		if err := replaceDatabase(dir, name); err != nil {
			return err
		}
	}
	return nil
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
