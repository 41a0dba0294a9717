// Package worldrepair repairs damaged worlds: in a copy, or in place with a backup of everything that changes. Of
// each damaged block it keeps what can be read, section by section. Undamaged blocks keep their bytes.
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
	"trowel.example/internal/files/filelock"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/internal/worldbackup"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldcopy"
)

// Options control a repair.
type Options struct {
	// DropUnknown deletes blocks of unknown versions. Without it they are kept: a later game may have written them.
	DropUnknown bool
	// Force repairs a world in place even if a program has it open.
	Force bool
	// Remote allows connections to the servers that world.mt names.
	Remote bool
	// Copy contains the targets for data that the world has on servers, and other changes of the copy made by Repair.
	// Its Remote, Sink and OnProgress are ignored.
	Copy worldcopy.Options

	// Sink receives findings about the damage, the repair and the losses; may be nil.
	Sink check.Sink
	// OnProgress is called with the progress; the total (of) is 0 if unknown; may be nil.
	OnProgress func(what string, done, of int)
}

// A Report counts what was or would be repaired.
type Report struct {
	Blocks   int64    // blocks that were examined
	Salvaged int64    // blocks that were replaced by their readable parts
	Dropped  int64    // unreadable blocks that were deleted: the game regenerates them
	Left     int64    // blocks of unknown versions
	Rows     int64    // rows of the map that are not blocks, or are duplicates
	Files    []string // files that were replaced by their readable parts
	Players  int      // players with repaired inventories
	Orphans  int64    // deleted rows without a player or account
	Hopeless int      // damaged things that cannot be repaired
	Missed   int      // undamaged things that are missing or different in the copy

	Databases []string // databases that were replaced by their readable parts
	Lost      int      // damaged parts of them whose rows are lost
	Schemas   int      // changes of tables to which the engine cannot write
	Backup    string   // path of the backup of InPlace; "" if nothing changed
}

// Changes reports whether anything was or would be repaired.
func (r *Report) Changes() bool {
	return r.Salvaged+r.Dropped+r.Orphans > 0 || r.Schemas > 0 || len(r.Files)+len(r.Databases) > 0 || r.Players > 0
}

// Remains describes the damage that was not repaired, and the losses. The text rows states what happens to rows that are
// not blocks.
func (r *Report) Remains(rows string) (lines []string) {
	for _, part := range []struct {
		n    int64
		text string
	}{
		{int64(r.Lost), "lost content of damaged parts of databases: %s"},
		{r.Dropped, "blocks without any readable part: %s; the game regenerates them"},
		{r.Rows, "rows of the map that are not blocks, or are duplicates: %s; " + rows},
		{r.Left, "kept blocks whose version is newer than this program supports: %s (--drop-unknown deletes them)"},
		{int64(r.Hopeless), "damaged things that cannot be repaired: %s (restore them from a backup)"},
		{int64(r.Missed), "things that are missing or different in the copy: %s"},
	} {
		if part.n > 0 {
			lines = append(lines, fmt.Sprintf(part.text, words.Thousands(part.n)))
		}
	}
	return lines
}

// Plan returns the report of repairing the world in dir in place. It changes nothing.
func Plan(ctx context.Context, dir string, opts Options) (*Report, error) {
	r, err := examine(ctx, dir, opts, nil, nil)
	if err != nil {
		return nil, err
	}
	return &r.report, nil
}

// Repair writes a repaired copy of the world in dir to the folder dst, which must not exist and appears when the copy
// is complete. The databases are of the same kinds, but the database of blocks is new: parts that cannot be read, and
// rows that are not blocks, are left out. Folders of block files become SQLite. The bytes of dropped blocks are kept
// in [LostFolder].
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
		db, c, err := world.OpenMap(ctx, dir, settings, world.Options{Remote: opts.Remote})
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
	// Findings are about the world itself, as those of Plan. Only the copy contains the bytes of dropped blocks.
	sink := opts.Sink
	of := func(ids ...*check.Kind) check.Sink {
		return func(f check.Finding) {
			if among(ids, f) {
				sink.Report(f)
			}
		}
	}
	opts.Sink = func(f check.Finding) {
		if f.ID != foundDropped.ID {
			sink.Report(f)
		}
	}
	plan, err := examine(ctx, dir, opts, nil, nil)
	if err != nil {
		return nil, err
	}
	left := of(worldcopy.Unrepaired()...)
	o.Sink = func(f check.Finding) {
		if name, ok := strings.CutPrefix(f.Path, "players:"); !ok || !slices.Contains(plan.players, name) {
			left(f) // otherwise it follows with the repair
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
	opts.Remote = true // the user has named or allowed the servers of the copy
	opts.Sink = of(foundDropped)
	r, err := examine(ctx, part, opts, nil, plan)
	if err != nil {
		return nil, err
	}
	if err := r.apply(ctx); err != nil {
		return nil, err
	}
	return &plan.report, os.Rename(part, dst)
}

// moved is an error with the final paths of files instead of the temporary ones.
type moved struct {
	error
	text string
}

func (e moved) Error() string { return e.text }
func (e moved) Unwrap() error { return e.error }

// among reports whether a finding is of one of the given kinds.
func among(kinds []*check.Kind, f check.Finding) bool {
	return slices.ContainsFunc(kinds, func(k *check.Kind) bool { return k.ID == f.ID })
}

// InPlace repairs the world in dir itself. Before anything changes, everything that will change is written to the
// file backup, which must not exist; if backup is "", it is a new file next to the folder of the world. See
// [worldbackup.Restore]. Each database changes in one transaction; a database with damaged parts is replaced by a new
// one. If the process is killed, some databases and files may be repaired and others not, but none partially. The
// next run continues, and Restore undoes both runs.
//
// InPlace fails with [mapdb.ErrInUse] if it detects that a program has files of the world open, unless
// [Options.Force] is set; even then no database is replaced. It does not repair folders of block files, nor blocks
// with several rows in a table without a key: the error wraps [mapdb.ErrReadOnly].
func InPlace(ctx context.Context, dir, backup string, opts Options) (*Report, error) {
	used := filelock.CheckUnused(dir)
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
	r, err := examine(ctx, dir, opts, b, nil)
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
		// Changing one row would change all rows of the block, and their contents would be lost.
		return nil, fmt.Errorf("%s: a table without a key has several rows: %w: repair a copy", place.Block(p.X, p.Y, p.Z), mapdb.ErrReadOnly)
	}
	if r.report.Schemas > 0 || len(r.report.Databases) > 0 || len(r.blocks) > 0 && store.Alone || len(r.players) > 0 &&
		r.backends.Players == mapdb.LevelDB {
		if used != nil {
			return nil, used // the program would continue to write to the replaced file
		}
	}
	if r.report.Backup, err = b.Finish(); err != nil {
		return nil, err
	}
	return &r.report, r.apply(ctx)
}

// repair is the state of a repair.
type repair struct {
	dir      string
	opts     Options
	settings *world.Settings
	backends world.Backends
	config   mapdb.Config
	backup   *worldbackup.Writer // nil if no backup is made
	plan     *repair             // of the world that dir is a copy of; nil: dir is the world itself
	report   Report

	twice   *mapdb.Pos    // position of a changed block that has a second row
	newest  uint32        // the latest time when a block was saved
	blocks  []blockDigest // blocks to change
	texts   []text        // files to change
	players []string      // players whose inventories change

	schemas map[string][]string // statements that change tables, by the name of the database

	playerOrphans, authOrphans bool // whether there are rows without a player or account
}

// examine determines what to repair. Dir is the world or, if there is a plan, a complete copy of the world that the plan is for.
func examine(ctx context.Context, dir string, opts Options, b *worldbackup.Writer, plan *repair) (*repair, error) {
	r := &repair{dir: dir, opts: opts, backup: b, plan: plan}
	var err error
	if r.settings, err = world.ReadWorldMT(dir); err != nil {
		return nil, err
	}
	r.backends = world.FindBackends(dir, r.settings)
	if r.config, err = world.MapConfig(dir, r.settings, world.Options{Remote: opts.Remote}); err != nil {
		return nil, err
	}
	for _, look := range []func(context.Context) error{r.findDatabases, r.findBlocks, r.findTexts, r.findPlayers,
		r.findAccounts, r.findStorage} {
		if err := look(ctx); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// apply makes the changes that examine determined.
func (r *repair) apply(ctx context.Context) error {
	for _, do := range []func(context.Context) error{r.mendDatabases, r.mendSchemas, r.mendBlocks, r.mendPlayers, r.mendAccounts,
		r.mendTexts} {
		if err := do(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (r *repair) addFinding(k *check.Kind, path, format string, args ...any) {
	file, _, _ := strings.Cut(path, ":")
	r.opts.Sink.AddAt(k, []check.Place{check.File(file)}, path, -1, format, args...)
}

// hopeless reports damage that cannot be repaired.
func (r *repair) hopeless(path string, err error) {
	r.report.Hopeless++
	file, _, _ := strings.Cut(path, ":")
	r.addFinding(foundHopeless, path, "%v", within(file, err))
}

// within returns an error without the name of the file, for messages that already contain it.
func within(file string, err error) error {
	if e, ok := err.(*fault.Error); ok && e.File == file {
		inside := *e
		inside.File = ""
		return &inside
	}
	return err
}

// missing reports whether an error means that a file does not exist.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
