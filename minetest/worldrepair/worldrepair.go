// Package worldrepair repairs damaged worlds: in a copy, or in place with a backup
// of all that changes. Of each damaged block it keeps what can be read, section by
// section; what is not damaged keeps its bytes.
package worldrepair

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/inuse"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/place"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldbackup"
	"trowel.example/minetest/worldcopy"
)

// Options say how a world is repaired.
type Options struct {
	// DropUnknown deletes blocks of versions that do not exist yet. Without it
	// they stay: a later game may have written them.
	DropUnknown bool
	// Force repairs a world in place even if a program has it open.
	Force bool
	// Remote allows connections to the servers that world.mt names.
	Remote bool
	// Copy says where Repair puts what the world has on servers, and what else is
	// to be different in the copy. Its Remote, Sink and OnProgress are ignored.
	Copy worldcopy.Options

	// Sink receives what is wrong, what is done about it, and what is lost;
	// may be nil.
	Sink check.Sink
	// OnProgress is told how far the work is; of is 0 where nobody knows the end;
	// may be nil.
	OnProgress func(what string, done, of int)
}

// A Report says what was repaired, or would be.
type Report struct {
	Blocks   int64    // looked at
	Salvaged int64    // blocks that were replaced by what can be read of them
	Dropped  int64    // blocks of which nothing can be read: the game makes them again
	Left     int64    // blocks of versions that do not exist yet
	Rows     int64    // rows of the map that are no block, or one that there is already
	Files    []string // files that were replaced by what can be read of them
	Players  int      // players whose inventory was
	Orphans  int64    // rows that belonged to nobody
	Hopeless int      // damaged things that stay as they are
	Missed   int      // sound things that are not in the copy of Repair, or are others there

	Databases []string // files of SQLite that were replaced by what can be read of their pages
	Lost      int      // damaged parts of them whose rows cannot be read
	Backup    string   // where InPlace has put what it changed; "" if it changed nothing
}

// Changes reports whether there is anything that is or was repaired.
func (r *Report) Changes() bool {
	return r.Salvaged+r.Dropped+r.Orphans > 0 || len(r.Files)+len(r.Databases) > 0 || r.Players > 0
}

// Plan finds out what InPlace would do to the world in dir, and changes nothing.
func Plan(ctx context.Context, dir string, opts Options) (*Report, error) {
	r, err := examine(ctx, dir, opts, nil, false)
	if err != nil {
		return nil, err
	}
	return &r.report, nil
}

// Repair makes a repaired copy of the world in dir in the folder dst, which must
// not exist. Nothing is visible there before all is done. The databases are of
// the same kinds, but that of the blocks is made again: so what stands in a
// damaged part of its file, and rows that are no blocks, are left behind. Folders
// of block files become SQLite. The bytes of blocks that are dropped are kept in
// [LostFolder].
func Repair(ctx context.Context, dir, dst string, opts Options) (_ *Report, err error) {
	if _, err := os.Lstat(dst); err == nil {
		return nil, fmt.Errorf("%s: %w", dst, fs.ErrExist)
	}
	part := filepath.Clean(dst) + ".trowel-part"
	defer func() {
		if err != nil {
			err = moved{err, strings.ReplaceAll(err.Error(), part, dst)}
		}
	}()
	if err := os.RemoveAll(part); err != nil {
		return nil, err
	}
	defer os.RemoveAll(part)
	o := opts.Copy
	o.Remote, o.Sink, o.OnProgress = opts.Remote, opts.Sink, opts.OnProgress
	if o.Map == "" {
		settings, err := world.ReadWorldMT(dir)
		if err != nil {
			return nil, err
		}
		db, c, err := world.OpenMap(ctx, dir, settings, opts.Remote)
		if err == nil {
			err = db.Close()
		}
		switch {
		case missing(err): // a world that nobody has entered yet
		case err != nil:
			return nil, err
		case c.Backend != mapdb.Dummy || c.Under != nil:
			o.Map = worldcopy.TargetOf(c)
		}
	}
	// Findings are about the world itself, as those of Plan are. Only the copy knows where
	// the bytes of a dropped block are.
	sink := opts.Sink
	of := func(ids ...*check.Kind) check.Sink {
		return func(f check.Finding) {
			if sink != nil && among(ids, f) {
				sink(f)
			}
		}
	}
	opts.Sink = func(f check.Finding) {
		if sink != nil && f.ID != foundDropped.ID {
			sink(f)
		}
	}
	plan, err := examine(ctx, dir, opts, nil, false)
	if err != nil {
		return nil, err
	}
	left := of(worldcopy.Unrepaired()...)
	o.Sink = func(f check.Finding) {
		if name, ok := strings.CutPrefix(f.Path, "players:"); !ok || !slices.Contains(plan.players, name) {
			left(f) // else it follows, mended
			if among(worldcopy.Unrepaired(), f) && among(worldcopy.Losses(), f) {
				plan.report.Missed++
			}
		}
	}
	if _, err := worldcopy.Copy(ctx, dir, part, o); err != nil {
		return nil, err
	}
	if o.Players != "" {
		if err := plan.movePlayers(ctx, part); err != nil {
			return nil, err
		}
	}
	opts.Remote = true // what the copy names was given, or allowed
	opts.Sink = of(foundDropped)
	r, err := examine(ctx, part, opts, nil, true)
	if err != nil {
		return nil, err
	}
	if err := r.apply(ctx); err != nil {
		return nil, err
	}
	return &plan.report, os.Rename(part, dst)
}

// moved is an error that tells of files where they would have been in the end.
type moved struct {
	error
	text string
}

func (e moved) Error() string { return e.text }
func (e moved) Unwrap() error { return e.error }

// among reports whether a finding is of one of some kinds.
func among(kinds []*check.Kind, f check.Finding) bool {
	return slices.ContainsFunc(kinds, func(k *check.Kind) bool { return k.ID == f.ID })
}

// InPlace repairs the world in dir itself. Before anything changes, all that will
// change is written to the file backup, which must not exist; with "" that is a
// new one beside the folder of the world. See [worldbackup.Restore]. Each database changes in
// one transaction; one of SQLite with damaged pages is replaced by a new one. A run that is killed can leave some of the databases and files
// repaired and others not, but none in between; the next one continues, and Restore undoes both.
//
// It fails with [mapdb.ErrInUse] if a program has files of the world open, as far as
// that can be seen, unless [Options.Force] is set; no database is replaced even then. Folders of block files, and
// blocks with several rows in a table without a key, are not repaired in place: the error
// wraps [mapdb.ErrReadOnly].
func InPlace(ctx context.Context, dir, backup string, opts Options) (*Report, error) {
	used := inuse.Check(dir)
	if used != nil && !opts.Force {
		return nil, used
	}
	if err := worldbackup.Settle(dir); err != nil {
		return nil, err
	}
	b, err := worldbackup.New(dir, backup)
	if err != nil {
		return nil, err
	}
	defer b.Discard()
	r, err := examine(ctx, dir, opts, b, false)
	if err != nil {
		return nil, err
	}
	if !r.report.Changes() {
		return &r.report, nil
	}
	store, _ := mapdb.BackendOf(r.config.Backend)
	if store.ReadOnly() && len(r.blocks) > 0 {
		return nil, fmt.Errorf("%s: %w: repair a copy", store.Name, mapdb.ErrReadOnly)
	}
	if p := r.twice; p != nil {
		// To change one row is to change them all, and what is to be read of the others is
		// nowhere else.
		return nil, fmt.Errorf("%s: it has several rows in a table without a key: %w: repair a copy", place.Block(p.X, p.Y, p.Z), mapdb.ErrReadOnly)
	}
	if len(r.report.Databases) > 0 || len(r.blocks) > 0 && store.Alone || len(r.players) > 0 && r.backends.Players == mapdb.LevelDB {
		if used != nil {
			return nil, used // the program would continue writing to what is replaced
		}
	}
	if r.report.Backup, err = b.Finish(); err != nil {
		return nil, err
	}
	return &r.report, r.apply(ctx)
}

// repair is what is wrong with a world and what is done about it.
type repair struct {
	dir      string
	opts     Options
	settings *world.Settings
	backends world.Backends
	config   mapdb.Config
	backup   *worldbackup.Writer // nil if there is none to be made
	copy     bool                // dir is a copy, which nobody uses yet
	report   Report

	twice   *mapdb.Pos    // of a block that changes, and has another row
	newest  uint32        // the latest time at which a block was saved
	blocks  []blockDigest // that change
	texts   []text        // that change
	players []string      // whose inventories change

	playerOrphans, authOrphans bool // there are rows of nobody
}

// examine finds out what is to be done.
func examine(ctx context.Context, dir string, opts Options, b *worldbackup.Writer, isCopy bool) (*repair, error) {
	r := &repair{dir: dir, opts: opts, backup: b, copy: isCopy}
	var err error
	if r.settings, err = world.ReadWorldMT(dir); err != nil {
		return nil, err
	}
	r.backends = world.FindBackends(dir, r.settings)
	if r.config, err = world.MapConfig(dir, r.settings, opts.Remote); err != nil {
		return nil, err
	}
	for _, look := range []func(context.Context) error{r.findDatabases, r.findBlocks, r.findTexts, r.findPlayers, r.findAccounts, r.findStorage} {
		if err := look(ctx); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// apply does what was found to be done.
func (r *repair) apply(ctx context.Context) error {
	for _, do := range []func(context.Context) error{r.mendDatabases, r.mendBlocks, r.mendPlayers, r.mendAccounts, r.mendTexts} {
		if err := do(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (r *repair) tell(k *check.Kind, path, format string, args ...any) {
	if r.opts.Sink != nil {
		file, _, _ := strings.Cut(path, ":")
		r.opts.Sink.AddAt(k, []check.Place{check.File(file)}, path, -1, format, args...)
	}
}

// hopeless tells of what cannot be repaired.
func (r *repair) hopeless(path string, err error) {
	r.report.Hopeless++
	file, _, _ := strings.Cut(path, ":")
	r.tell(foundHopeless, path, "%v", within(file, err))
}

// within returns an error about a file for where the file is named already.
func within(file string, err error) error {
	if e, ok := err.(*fault.Error); ok && e.File == file {
		inside := *e
		inside.File = ""
		return &inside
	}
	return err
}

// missing reports whether an error says that there is no such file.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
