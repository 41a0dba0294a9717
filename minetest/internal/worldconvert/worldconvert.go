// Package worldconvert converts the blocks of a world to another version, in place.
//
// It converts slab by slab ([mapdb.Slabs]). Converting a slab is safe to repeat, and several programs can convert
// slabs of a database at the same time if the database supports several writers: the blocks to change are first
// written to a backup file, and that backup is then the list of blocks to convert. A block changes only if it is
// still byte-identical to the backup. Therefore the folder of backups is all that is needed to continue an
// interrupted conversion, and [worldbackup.RestoreAll] undoes it.
package worldconvert

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/files/filelock"
	"trowel.example/internal/files/wholefile"
	"trowel.example/minetest/internal/worldbackup"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// Catalog contains the kinds of findings of a conversion in place, in addition to those of
// [trowel.example/minetest/worldcopy.ConvertBlock].
var Catalog check.Catalog

var (
	foundRow = Catalog.Add("mt-convert-row", check.Warning,
		"A row of the database is not a block, and is unchanged.",
		"Repair the world if the row should be a block.")
	foundTwice = Catalog.Add("mt-convert-twice", check.Warning,
		"Several rows of the database contain the same block, and all are unchanged.",
		"Convert a copy, which contains only one of them.")
	foundBack = Catalog.Add("mt-convert-differs", check.Error,
		"A block would change its meaning in the other version, and is unchanged.",
		"Report the block to the developers: this is a defect of the program.")
)

var (
	// errOther means that a folder contains something other than backups of the same conversion.
	errOther = errors.New("the folder contains other files than backups of the same conversion")
	// errChanged means that another program keeps changing the blocks while they are converted.
	errChanged = errors.New("another program changed the world during the run")
)

// Options control a conversion.
type Options struct {
	Blocks  int    // the target version, 17 or 20 to 29
	Drop    bool   // drop data that the version cannot store, and blocks that cannot be read
	Backups string // a folder, which is created; backups of an earlier run are resumed
	Remote  bool   // allow a server on another machine

	Sink       check.Sink         // receives what is not changed and what is dropped; may be nil
	OnProgress func(done, of int) // called with the number of slabs; may be nil
}

// Report counts the blocks of a world or of a slab. An interrupted and resumed run has the same counts as an
// uninterrupted one.
type Report struct {
	Converted int64 // blocks that were converted
	Dropped   int64 // blocks that could not be read and were deleted
	Kept      int64 // blocks of another version that were not changed
	Rows      int64 // rows that are not blocks, or several rows of one block
	Damaged   int64 // damaged parts of the database, which were not changed
}

// Add adds the counts of s.
func (r *Report) Add(s Report) {
	r.Converted += s.Converted
	r.Dropped += s.Dropped
	r.Kept += s.Kept
	r.Rows += s.Rows
	r.Damaged += s.Damaged
}

// Parts returns, in order, the slabs of the world in dir that several programs may convert at the same time. It
// returns none if the blocks are in files, which only one program at a time can change.
func Parts(ctx context.Context, dir string, remote bool) ([]mapdb.Slab, error) {
	s, err := world.ReadWorldMT(dir)
	if err != nil || !world.MapPart.Remote(world.FindBackends(dir, s).Map) {
		return nil, err
	}
	db, _, err := world.OpenMap(ctx, dir, s, world.Options{Remote: remote})
	if err != nil {
		return nil, err
	}
	list, err := mapdb.Slabs(ctx, db, mapdb.All())
	return list, errors.Join(err, db.Close())
}

// A World is a world whose blocks are being converted.
type World struct {
	opts  Options
	store mapdb.Writer
	fresh fresh
}

// Open opens the world in dir for conversion. It fails with [mapdb.ErrInUse] if a program has files of the world open
// or a game is connected to its database, with [mapdb.ErrReadOnly] for folders of block files, and with errOther.
func Open(ctx context.Context, dir string, o Options) (_ *World, err error) {
	if !mapblock.Writable(o.Blocks) {
		return nil, &fault.Error{Path: "blocks", Offset: -1, Want: "version 17 or 20 to 29", Got: fmt.Sprint(o.Blocks), Err: fault.ErrVersion}
	}
	s, err := world.ReadWorldMT(dir)
	if err != nil {
		return nil, err
	}
	c, err := world.MapConfig(dir, s, world.Options{Remote: o.Remote})
	if err != nil {
		return nil, err
	}
	if err := free(dir, world.MapPart.Remote(c.Backend)); err != nil {
		return nil, err
	}
	if b, ok := mapdb.BackendOf(c.Backend); ok && b.ReadOnly() {
		return nil, fmt.Errorf("%s: %w: convert a copy", b.Name, mapdb.ErrReadOnly)
	}
	if err := worldbackup.Settle(dir); err != nil {
		return nil, err
	}
	w := &World{opts: o}
	if w.store, err = mapdb.OpenForWriting(ctx, dir, c); err != nil {
		return nil, err
	}
	if err := w.begin(dir, c); err != nil {
		return nil, errors.Join(err, w.store.Close())
	}
	return w, nil
}

// free returns an error if a program has files of the world open. If the world is on a server, other programs that
// convert parts of it may have its settings open for a moment, so free retries for a second.
func free(dir string, shared bool) error {
	const patience, pause = time.Second, 50 * time.Millisecond
	for wait := time.Duration(0); ; wait += pause {
		err := filelock.CheckUnused(dir)
		if err == nil || !shared || wait >= patience {
			return err
		}
		time.Sleep(pause)
	}
}

// Close closes the database.
func (w *World) Close() error { return w.store.Close() }

// label identifies the conversion that a folder of backups belongs to.
type label struct {
	Format  string
	World   string // its folder; only the base name if the blocks are on a server
	Backend string
	Blocks  int
	Drop    bool
}

const (
	labelName   = "conversion.json"
	labelFormat = "trowel conversion in place 1"
)

// begin writes or checks the label in the folder of backups.
func (w *World) begin(dir string, c mapdb.Config) error {
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return err
	}
	if world.MapPart.Remote(c.Backend) {
		abs = filepath.Base(abs) // the folder may have another path on another machine
	}
	own := label{labelFormat, abs, c.Backend, w.opts.Blocks, w.opts.Drop}
	path := filepath.Join(w.opts.Backups, labelName)
	entries, err := os.ReadDir(w.opts.Backups)
	if errors.Is(err, fs.ErrNotExist) {
		err = wholefile.MkdirAll(w.opts.Backups, 0o700)
	}
	if err != nil {
		return err
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		for _, e := range entries {
			if !strings.HasSuffix(e.Name(), wholefile.Suffix) {
				return fmt.Errorf("%s: %w", w.opts.Backups, errOther)
			}
		}
		text, err = json.MarshalIndent(own, "", "\t")
		if err == nil {
			err = w.make(path, func(part string) error { return os.WriteFile(part, text, 0o600) })
		}
		if err == nil {
			text, err = os.ReadFile(path) // the label of the program that came first
		}
	}
	if err != nil {
		return err
	}
	var was label
	if err := json.Unmarshal(text, &was); err != nil || was != own {
		return fmt.Errorf("%s: %w", w.opts.Backups, errOther)
	}
	return nil
}

// make creates a file, completely or not at all. If another program has created the file meanwhile, that file is
// kept.
func (w *World) make(path string, write func(part string) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*"+wholefile.Suffix)
	if err != nil {
		return err
	}
	part := f.Name()
	defer os.Remove(part)
	for _, step := range []func() error{
		f.Close,
		func() error { return os.Remove(part) },
		func() error { return write(part) },
		func() error { return wholefile.Sync(part) },
		func() error { return wholefile.Keep(part, path) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return wholefile.SyncDir(filepath.Dir(path))
}

// Tidy removes the incomplete files of runs that were killed from a folder of backups. It must be called after the
// conversion.
func Tidy(backups string) error { return wholefile.RemoveParts(backups) }

// All converts all slabs.
func (w *World) All(ctx context.Context) (r Report, err error) {
	list, err := mapdb.Slabs(ctx, w.store, mapdb.All())
	if err != nil {
		return r, err
	}
	for i, s := range list {
		one, err := w.Convert(ctx, s)
		if err != nil {
			return r, err
		}
		r.Add(one)
		if w.opts.OnProgress != nil {
			w.opts.OnProgress(i+1, len(list))
		}
	}
	return r, nil
}
