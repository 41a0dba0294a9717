package worldrepair

import (
	"context"
	"errors"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/stores/leveldb"
	"trowel.example/internal/stores/sqlitefile"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// A database is an SQLite file or a LevelDB folder of a world.
type database struct {
	name    string   // relative to the folder of the world
	files   []string // all files that belong to it
	examine func(ctx context.Context, path string) (losses []sqlitefile.Loss, damaged bool, err error)
	replace func(ctx context.Context, path string) error
	misfits func(ctx context.Context) iter.Seq2[string, []string] // nil without a schema; see [world.Part.Misfits]
}

// databases yields the databases that the world uses.
func (r *repair) databases() iter.Seq[database] {
	return func(yield func(database) bool) {
		for _, part := range world.Parts() {
			backend := r.backends.Of(part)
			files := part.Files(backend)
			if len(files) == 0 || part == world.MapPart && r.plan != nil { // new in a copy
				continue
			}
			d := database{name: files[0], files: files}
			switch backend {
			case mapdb.SQLite:
				tables := part.SQLiteTables()
				d.examine = func(ctx context.Context, path string) ([]sqlitefile.Loss, bool, error) {
					return sqlitefile.Examine(ctx, path, tables)
				}
				d.misfits = func(ctx context.Context) iter.Seq2[string, []string] { return part.Misfits(ctx, r.dir) }
				d.replace = func(ctx context.Context, path string) error {
					return sqlitefile.RescueInPlace(ctx, path, tables)
				}
			case mapdb.LevelDB:
				complete := part.CompleteRecord()
				d.examine = func(ctx context.Context, path string) ([]sqlitefile.Loss, bool, error) {
					return examineLevelDB(ctx, path, complete)
				}
				d.replace = func(_ context.Context, path string) error { return leveldb.Repair(path, complete) }
			default:
				continue
			}
			if !yield(d) {
				return
			}
		}
	}
}

// findDatabases searches for databases with damaged parts.
func (r *repair) findDatabases(ctx context.Context) error {
	for d := range r.databases() {
		path := filepath.Join(r.dir, d.name)
		if st, err := os.Stat(path); missing(err) || err == nil && st.Mode().IsRegular() && st.Size() == 0 {
			continue
		}
		losses, damaged, err := d.examine(ctx, path)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			continue // reported when the contents are read
		case !damaged:
			if err := r.findMisfits(ctx, d); err != nil {
				return err
			}
			continue
		}
		for _, l := range losses {
			if l.Rows {
				r.report.Lost++
			}
			r.opts.Sink.AddAt(foundPages, l.At, d.name, -1, "%s", l.Text)
		}
		r.report.Databases = append(r.report.Databases, d.name)
		if err := r.backup.Store(d.files); err != nil {
			return err
		}
	}
	return nil
}

// findMisfits searches for tables to which the engine cannot write. A database that is replaced has the tables of the engine.
func (r *repair) findMisfits(ctx context.Context, d database) error {
	if d.misfits == nil {
		return nil
	}
	var all []string
	for text, mend := range d.misfits(ctx) {
		if len(mend) == 0 {
			r.hopeless(d.name, errors.New(text))
			continue
		}
		r.addFinding(foundSchema, d.name, "%s", text)
		r.report.Schemas++
		all = append(all, mend...)
	}
	if len(all) == 0 {
		return ctx.Err()
	}
	if r.schemas == nil {
		r.schemas = make(map[string][]string)
	}
	r.schemas[d.name] = all
	return r.backup.Store(d.files)
}

// mendSchemas changes the tables to which the engine cannot write.
func (r *repair) mendSchemas(ctx context.Context) error {
	for _, name := range slices.Sorted(maps.Keys(r.schemas)) {
		if err := sqlitefile.Mend(ctx, filepath.Join(r.dir, name), r.schemas[name]); err != nil {
			return err
		}
	}
	return nil
}

// isReplaced reports whether a database is replaced; then its damage is already reported.
func (r *repair) isReplaced(name string) bool { return slices.Contains(r.report.Databases, name) }

// examineLevelDB reports whether a LevelDB database is damaged, and returns the parts that cannot be read.
func examineLevelDB(ctx context.Context, path string, complete func(key, value []byte) bool) (losses []sqlitefile.Loss,
	damaged bool, err error) {
	db, err := leveldb.Open(path, complete)
	if err != nil {
		return nil, false, err
	}
	defer db.Close()
	for range db.All() {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
	}
	for _, err := range db.Problems() {
		if errors.Is(err, leveldb.ErrTorn) {
			continue
		}
		losses = append(losses, sqlitefile.Loss{
			Text: strings.ReplaceAll(err.Error(), path+string(filepath.Separator), ""),
			At:   []check.Place{check.File(filepath.Base(path))},
			Rows: !errors.Is(err, leveldb.ErrRebuilt) && !leveldb.InList(err),
		})
	}
	return losses, len(losses) > 0, nil
}

// mendDatabases replaces damaged databases with new ones that contain everything that can be read.
func (r *repair) mendDatabases(ctx context.Context) error {
	for d := range r.databases() {
		if !r.isReplaced(d.name) {
			continue
		}
		if err := d.replace(ctx, filepath.Join(r.dir, d.name)); err != nil {
			return err
		}
	}
	return nil
}
