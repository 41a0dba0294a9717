// Package worldcopy copies a whole world. The copy can have its blocks in another database or of another version, and
// its players, accounts and mod storage in other backends; everything else is copied unchanged. The source is never
// changed.
package worldcopy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/stores/sqlitefile"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// Targets returns the valid values of [Options.Map] other than "".
func Targets() (names []string) {
	for _, t := range mapdb.Targets() {
		names = append(names, t.Name)
	}
	return names
}

// Backends returns the valid values of [Options.Players], Auth or Storage other than "".
func Backends(p world.Part) []string {
	return slices.DeleteFunc(p.Backends(), func(name string) bool { return name == mapdb.Dummy }) // stores nothing
}

// Options select what is different in the copy. The zero value copies all files unchanged. SQLite databases are
// copied as they are at one moment, even if a server writes to them, and without their logs.
type Options struct {
	// Map is the database of the blocks, the name of one of [mapdb.Targets]. With "" the database stays the same,
	// except for folders of block files, which are read-only: they become "sqlite-pos" if the blocks are converted. A
	// new database contains only the tables of the game, and no damaged rows.
	Map string
	// Players, Auth and Storage are backends as in world.mt, see [Backends]; "" keeps the backend of the world.
	Players, Auth, Storage string

	// Blocks is the version of the blocks, 17 or 20 to 29; 0 leaves each block unchanged.
	Blocks int
	// Drop leaves out data that the version cannot store, and blocks that cannot be read. Without it, such blocks are
	// copied unchanged.
	Drop bool

	// Source is the database from which the blocks are read, instead of that of the world, such as one in which some
	// blocks are changed; may be nil. A run that continues must receive the blocks in the same order. SourceName
	// identifies the source: a run continues only a copy with the same name.
	Source     mapdb.DB
	SourceName string

	// Moment is a store of blocks that was opened with [mapdb.Config.Moment]; may be nil. Players, accounts and mod
	// storage in the same database are copied as they were at that moment.
	Moment mapdb.DB

	// Only reports whether the file or the folder at a path of the world, with slashes, is copied. Players, accounts and
	// mod storage that are not moved are then copied as files, and not compared. Nil: everything is copied.
	Only func(path string, folder bool) bool

	// Finish is called when the copy is complete except for world.mt, with the folder of the copy and the settings of
	// the future world.mt, which it may change; may be nil. A run that continues may call it again.
	Finish func(ctx context.Context, dst string, settings *world.Settings) error

	Postgres string      // the PostgreSQL connection of the copy
	Redis    mapdb.Redis // the Redis connection of the copy

	// Remote allows connections to the servers that world.mt of the source names.
	Remote bool

	// Log keeps the log of the finished copy, so that a later run with Update can copy what has changed since.
	Log bool
	// Update copies to a finished copy with a log what has changed in the world since the last pass, and removes from it
	// what is no longer in the world. Options that select what is different in the copy are those of the first pass if they
	// are not set. A copy that was changed since the last pass is an error that wraps [ErrEdited], and stays as it is.
	Update bool

	// Whole stops the copy before its world.mt is written, with an error that wraps [fault.ErrLost], if a part of the
	// world cannot be read, or [fault.ErrLimit] if the part only exceeds a limit. A later run without Whole completes the copy.
	Whole bool

	// Sink receives findings about data that could not be copied or converted, in the order of the source; may be
	// nil. A run that continues reports that there were findings in an earlier run, but not the findings again.
	Sink check.Sink
	// OnProgress is called with the progress: what is "files", "blocks", "players", "accounts", "mods" or "verify",
	// and the total (of) is 0 if unknown; may be nil.
	OnProgress func(what string, done, of int)
}

// A Report describes the contents of a copy.
type Report struct {
	From, To string // the databases of the blocks; "" if their files were copied

	Blocks    int64 // number of blocks in the database of the copy
	Converted int64 // of these, blocks that were converted
	Kept      int64 // of these, blocks that do not have the requested version
	Dropped   int64 // blocks of the source that are not in the copy because they cannot be read
	Rows      int64 // rows of the source that are not blocks, or are duplicates
	Damaged   int64 // damaged parts of the database of the source: pages of SQLite, parts of files of LevelDB
	Salvaged  int64 // of Blocks, those from such a part
	Resumed   int64 // blocks that an earlier run copied

	// Numbers of things copied to another backend; 0 for stores that keep their backend.
	Players, Accounts, Mods int
	Lost                    int // players, accounts and mods that could not be copied

	Changed int64  // blocks that the pass wrote or removed, and stores whose contents differ from those of the last pass
	Updated bool   // this pass updated a finished copy
	Server  string // the program that had the world open during the pass; "" if none was visible

	Files  int    // files that were copied unchanged
	Digest string // of the positions and bytes of all blocks, in hexadecimal, independent of their order
}

// Lines describes a finished conversion.
func (r *Report) Lines() []string {
	text, verified := "the blocks were copied unchanged", ""
	if r.From != "" {
		text = fmt.Sprintf("%s from %s to %s", words.Count(int(r.Blocks), "block"), r.From, r.To)
		verified = "; verified: the copy contains what was written"
	}
	for _, part := range []struct {
		n    int64
		text string
	}{
		{r.Converted, "%s converted to another version"},
		{r.Kept, "%s kept their version"},
		{r.Dropped, "%s unreadable and left out"},
		{r.Salvaged, "%s salvaged from damaged parts of the database"},
		{r.Rows, words.Plural(r.Rows, "%s row") + " without a block, or with a duplicate, left out"},
		{r.Damaged, "%s damaged parts of the database, whose unreadable blocks are left out"},
		{int64(r.Lost), "%s players, accounts or mods could not be copied"},
	} {
		if part.n > 0 {
			text += fmt.Sprintf(", "+part.text, words.Thousands(part.n))
		}
	}
	lines := []string{text + verified}
	if r.Updated {
		lines = append(lines, words.Count(r.Changed, "change")+" since the last pass")
	}
	if r.Resumed > 0 {
		lines = append(lines, words.Count(int(r.Resumed), "block")+" copied by an earlier run")
	}
	return lines
}

var (
	// ErrVerify is wrapped by the error of a copy whose database does not contain what was written to it.
	ErrVerify = errors.New("the copy differs from the written data")
	// ErrOther means that the folder contains another copy.
	ErrOther = errors.New("the folder contains another copy")
	// ErrChanged means that the source has changed since the copy began.
	ErrChanged = errors.New("the world changed during the run")
	// ErrEdited means that a copy cannot be updated because it was changed since the last pass.
	ErrEdited = errors.New("a server or an edit changed this after the last pass, so nothing is copied: convert the world to a " +
		"new folder, or continue with this one without --update")
	// ErrNoLog means that a folder is not a copy that can be updated.
	ErrNoLog = errors.New("not a finished conversion: --update needs a world that convert has made")
)

// Copy copies the world in the folder src to the folder dst. The folder dst must be missing or empty, or contain an
// unfinished copy of the same world with the same options. Copy continues an unfinished copy, whether the context
// ended, something failed or the process was killed. Until the copy is complete, dst contains no world.mt, so that
// games do not treat it as a world, and a file .trowel-copy records the progress.
//
// Blocks are converted on all cores, with a few MiB in memory at a time. At the end the written blocks are read and
// compared by a digest. The error is about the source, the copy, or incompatible options. Damaged blocks, rows and
// players are not errors: they are reported to [Options.Sink] and counted.
func Copy(ctx context.Context, src, dst string, opts Options) (*Report, error) {
	if opts.Update {
		if err := opts.remember(dst); err != nil {
			return nil, err
		}
	}
	c, err := prepare(ctx, src, dst, opts)
	if err != nil {
		return nil, err
	}
	if c.log, err = begin(c); err != nil {
		return nil, err
	}
	defer c.abandon()
	if err := c.lookForServer(ctx); err != nil {
		return nil, err
	}
	if c.log.Passes > 0 {
		if err := c.nextPass(ctx); err != nil {
			return nil, err
		}
	}
	if c.log.Damaged {
		c.report(foundEarlier, ".", "its missing data is not in this copy")
	}
	c.noteDamage()
	for c.log.Stage < len(stages) {
		err := stages[c.log.Stage](ctx, c)
		if (errors.Is(err, ErrVerify) || sqlitefile.IsDamage(err)) && c.log.resumed && c.newMap {
			// The system has crashed and lost what was not on disk yet, or a server or disk has lost data that it had
			// confirmed.
			c.abandon()
			if err = c.again(); err == nil {
				continue
			}
		}
		if err != nil {
			return &c.log.Report, err
		}
		if err := c.log.nextStage(); err != nil {
			return &c.log.Report, err
		}
	}
	if err := c.lookForServer(ctx); err != nil {
		return &c.log.Report, err
	}
	if c.opts.Log {
		return &c.log.Report, c.keepLog()
	}
	return &c.log.Report, c.log.remove()
}

// refuseDamaged returns an error if the copy must be complete and is not.
func refuseDamaged(_ context.Context, c *copier) error {
	cause, missing := fault.ErrLimit, "data that exceeds a limit"
	if c.log.Lost {
		cause, missing = fault.ErrLost, "the unreadable data"
	}
	if c.opts.Whole && c.log.Damaged {
		return fmt.Errorf("%w: the copy lacks %s, and is not finished", cause, missing)
	}
	return nil
}

// stages are the steps of a copy. Each can be repeated after it was interrupted at any point. World.mt comes last,
// because it makes the folder a world.
var stages = []func(context.Context, *copier) error{
	copyFiles,
	copyBlocks,
	closeBlocks,
	movePlayers,
	moveAccounts,
	moveMods,
	lookAtStores,
	verify,
	refuseDamaged,
	writeSettings,
}

// blocksStage is the index of copyBlocks in stages.
const blocksStage = 1

// copier is a copy in progress.
type copier struct {
	plan
	log   *journal
	store mapdb.Writer // the database of the blocks, while it is open
}

// report reports a finding about a file.
func (c *copier) report(k *check.Kind, path string, format string, args ...any) {
	file, _, _ := strings.Cut(path, ":")
	c.reportPlace(k, check.File(file), path, format, args...)
}

func (c *copier) reportPlace(k *check.Kind, at check.Place, path string, format string, args ...any) {
	c.opts.Sink.AddAt(k, []check.Place{at}, path, -1, format, args...)
}

// noteDamage records in the journal that damage was reported to the sink.
func (c *copier) noteDamage() {
	sink := c.opts.Sink
	c.opts.Sink = func(f check.Finding) {
		c.log.judge(f)
		sink.Report(f)
	}
}

func (c *copier) progress(what string, done, of int) {
	if c.opts.OnProgress != nil {
		c.opts.OnProgress(what, done, of)
	}
}
