// Package worldconvert makes the blocks of a world ones of another version, in the database of the
// world itself.
//
// It does so slab by slab ([mapdb.Slabs]), and what it does to one is safe to do again, or by two
// programs at the same time where the database can be written by several: what a slab has to lose
// is in a backup first, a file of its own, and that backup is then the list of what there is to
// do. A block changes only if it still has the bytes that are in the backup. So whoever goes on
// after another that was killed needs to know nothing but the folder of the backups, and
// [worldbackup.RestoreAll] puts everything back.
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
	"trowel.example/internal/inuse"
	"trowel.example/internal/wholefile"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldbackup"
)

// Catalog lists the kinds of findings of a conversion in place, beside those of
// [trowel.example/minetest/worldcopy.ConvertBlock].
var Catalog check.Catalog

var (
	foundRow = Catalog.Add("mt-convert-row", check.Warning,
		"A row of the database is no block, and stays as it is.",
		"Repair the world, if the row should be one.")
	foundTwice = Catalog.Add("mt-convert-twice", check.Warning,
		"Several rows of the database are of the same block, and all of them stay as they are.",
		"Convert a copy, which has one of them.")
	foundBack = Catalog.Add("mt-convert-differs", check.Error,
		"A block would not be the same in the other version, and stays as it is.",
		"Send the block to those who make this program: it is a defect.")
)

var (
	// ErrOther means that a folder has other things in it than backups of the same conversion.
	ErrOther = errors.New("there is something else in the folder than backups of the same conversion")
	// ErrChanged means that another program changes the blocks as fast as they are converted.
	ErrChanged = errors.New("another program changes the world meanwhile")
)

// Options say what is to be done.
type Options struct {
	Blocks  int    // the version, 17 or 20 to 29
	Drop    bool   // leave out what the version has no room for, and blocks that cannot be read
	Backups string // a folder, which is made; what an earlier run has put there is gone on with
	Remote  bool   // the server that world.mt names may be on another machine

	Sink       check.Sink         // receives what stays as it is, and what is left out; may be nil
	OnProgress func(done, of int) // of the slabs; may be nil
}

// Report counts the blocks of a world, or of a slab. A run that was killed and gone on with counts
// as one that was not.
type Report struct {
	Converted int64 // blocks that were of another version, and are not any more
	Dropped   int64 // blocks that could not be read, and are not there any more
	Kept      int64 // blocks of another version, which stay
	Rows      int64 // rows that are no blocks, or several of one block
	Damaged   int64 // damaged parts of the database, which stay
}

// Add adds the counts of another one.
func (r *Report) Add(s Report) {
	r.Converted += s.Converted
	r.Dropped += s.Dropped
	r.Kept += s.Kept
	r.Rows += s.Rows
	r.Damaged += s.Damaged
}

// Parts returns the slabs of the world in a folder that programs may convert side by side, in order;
// none if its blocks are in files, which one program at a time can change.
func Parts(ctx context.Context, dir string, remote bool) ([]mapdb.Slab, error) {
	s, err := world.ReadWorldMT(dir)
	if err != nil || !world.MapPart.Remote(world.FindBackends(dir, s).Map) {
		return nil, err
	}
	db, _, err := world.OpenMap(ctx, dir, s, remote)
	if err != nil {
		return nil, err
	}
	list, err := mapdb.Slabs(ctx, db, mapdb.All())
	return list, errors.Join(err, db.Close())
}

// A World is one whose blocks are being converted.
type World struct {
	opts  Options
	store mapdb.Writer
	fresh fresh
}

// Open opens the world in a folder to change it. It fails with [mapdb.ErrInUse] if a program has
// files of the world open, or a game has a connection to its database; with [mapdb.ErrReadOnly] for
// folders of block files; and with [ErrOther].
func Open(ctx context.Context, dir string, o Options) (_ *World, err error) {
	if !mapblock.Writable(o.Blocks) {
		return nil, &fault.Error{Path: "blocks", Offset: -1, Want: "version 17 or 20 to 29", Got: fmt.Sprint(o.Blocks), Err: fault.ErrVersion}
	}
	s, err := world.ReadWorldMT(dir)
	if err != nil {
		return nil, err
	}
	c, err := world.MapConfig(dir, s, o.Remote)
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
	if w.store, err = mapdb.OpenForWriting(ctx, dir, c, false); err != nil {
		return nil, err
	}
	if err := w.begin(dir, c); err != nil {
		return nil, errors.Join(err, w.store.Close())
	}
	return w, nil
}

// free makes sure that nobody has files of the world open. Others that convert parts of it, which
// is on a server, read its settings at times.
func free(dir string, shared bool) error {
	const patience, pause = time.Second, 50 * time.Millisecond
	for wait := time.Duration(0); ; wait += pause {
		err := inuse.Check(dir)
		if err == nil || !shared || wait >= patience {
			return err
		}
		time.Sleep(pause)
	}
}

// Close ends the work.
func (w *World) Close() error { return w.store.Close() }

// label says which conversion a folder of backups is of: others may not use it.
type label struct {
	Format  string
	World   string // its folder; only the name of that if the blocks are on a server
	Backend string
	Blocks  int
	Drop    bool
}

const (
	labelName   = "conversion.json"
	labelFormat = "trowel conversion in place 1"
)

// begin makes the folder of the backups one of this conversion.
func (w *World) begin(dir string, c mapdb.Config) error {
	abs, err := filepath.Abs(dir)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return err
	}
	if world.MapPart.Remote(c.Backend) {
		abs = filepath.Base(abs) // it may be elsewhere on another machine
	}
	own := label{labelFormat, abs, c.Backend, w.opts.Blocks, w.opts.Drop}
	path := filepath.Join(w.opts.Backups, labelName)
	entries, err := os.ReadDir(w.opts.Backups)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.MkdirAll(w.opts.Backups, 0o700)
	}
	if err != nil {
		return err
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		for _, e := range entries {
			if !strings.HasSuffix(e.Name(), wholefile.Suffix) {
				return fmt.Errorf("%s: %w", w.opts.Backups, ErrOther)
			}
		}
		text, err = json.MarshalIndent(own, "", "\t")
		if err == nil {
			err = w.make(path, func(part string) error { return os.WriteFile(part, text, 0o600) })
		}
		if err == nil {
			text, err = os.ReadFile(path) // of whoever was first
		}
	}
	if err != nil {
		return err
	}
	var was label
	if err := json.Unmarshal(text, &was); err != nil || was != own {
		return fmt.Errorf("%s: %w", w.opts.Backups, ErrOther)
	}
	return nil
}

// make makes a file, whole or not at all. If another program has made it meanwhile, that one
// stays.
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

// Tidy removes from a folder of backups what runs left there that were killed, once all is done.
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
