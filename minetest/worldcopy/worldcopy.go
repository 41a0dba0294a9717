// Package worldcopy makes a copy of a whole world: with its blocks in another
// database or of another version, its players, accounts and mod storage in other
// backends, and all else as it is. The world that is copied is never changed.
package worldcopy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/sqlitefile"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// Targets returns what [Options.Map] can be, apart from "".
func Targets() (names []string) {
	for _, t := range mapdb.Targets() {
		names = append(names, t.Name)
	}
	return names
}

// Backends returns what [Options.Players], Auth or Storage can be, apart from "".
func Backends(p world.Part) []string {
	return slices.DeleteFunc(p.Backends(), func(name string) bool { return name == mapdb.Dummy }) // which keeps nothing
}

// Options say what is to be different in the copy. The zero value asks for a copy
// in which all is as it was, file by file; databases of SQLite are copied as they are at
// one moment, whatever a server does meanwhile, without what it keeps beside them.
type Options struct {
	// Map is the database of the blocks, the name of one of [mapdb.Targets]. With "" it stays
	// what it is, but folders of files, which can be read only, become "sqlite-pos"
	// if the blocks are to be of another version. A database that is made again
	// has the tables of the game and no more, and leaves out damaged rows.
	Map string
	// Players, Auth and Storage are backends as world.mt names them, see [Backends]; "" keeps
	// that of the world.
	Players, Auth, Storage string

	// Blocks is the version of the blocks, 17 or 20 to 29; 0 leaves each as it is.
	Blocks int
	// Drop leaves out what a version has no room for, and blocks that cannot be
	// read. Without it, such blocks stay as they are.
	Drop bool

	// Source is what the blocks are read from instead of the database of the world: such as one
	// in which some are changed. They come in the same order in a run that continues. SourceName
	// tells it from others: a run continues only a copy of one of the same name. May be nil.
	Source     mapdb.DB
	SourceName string

	// Moment is a store of blocks that was opened with [mapdb.Config.Moment]: players, accounts and
	// mod storage in the same database are copied as they were at that moment. May be nil.
	Moment mapdb.DB

	// Finish is called when all of the copy is there but world.mt, with its folder and with what
	// will be world.mt, which it may change. A run that continues may call it again. May be nil.
	Finish func(ctx context.Context, dst string, settings *world.Settings) error

	Postgres string      // how to connect to the PostgreSQL of the copy
	Redis    mapdb.Redis // where the Redis of the copy is

	// Remote allows connections to the servers that world.mt of the source names.
	Remote bool

	// Whole ends the copy before it gets its world.mt, with an error that wraps
	// [fault.ErrLost], if something of the world cannot be read. A later run without Whole
	// finishes it.
	Whole bool

	// Sink receives what could not be copied or converted, in the order of the
	// source; may be nil. A run that continues with another one does not tell
	// again what that has told, but that it has.
	Sink check.Sink
	// OnProgress is told how far the copy is: what is "files", "blocks", "players",
	// "accounts", "mods" or "verify", and of is 0 where nobody knows the end;
	// may be nil.
	OnProgress func(what string, done, of int)
}

// A Report says what a copy consists of.
type Report struct {
	From, To string // the databases of the blocks; "" if their files were copied

	Blocks    int64 // in the database of the copy
	Converted int64 // of these, of another version than in the source
	Kept      int64 // of these, not of the version that was asked for
	Dropped   int64 // blocks of the source that are not in the copy, because they cannot be read
	Rows      int64 // rows of the source that are no block, or one that there is already
	Damaged   int64 // damaged parts of the database of the source: pages of SQLite, parts of files of LevelDB
	Salvaged  int64 // of Blocks, those from such a part
	Resumed   int64 // blocks that an earlier run had copied

	// Moved to another backend; 0 where they stayed in theirs.
	Players, Accounts, Mods int
	Lost                    int // players, accounts and mods that could not be moved

	Files  int    // copied as they are
	Digest string // of the positions and bytes of all blocks, in hexadecimal, whatever their order
}

var (
	// ErrVerify is the cause of the error of a copy whose database does not give
	// back what was written to it.
	ErrVerify = errors.New("the copy is not what was written")
	// ErrOther means that the folder has the beginning of another copy in it.
	ErrOther = errors.New("another copy was begun here")
	// ErrChanged means that the source is not what it was when the copy began.
	ErrChanged = errors.New("the world has changed meanwhile")
)

// Copy copies the world in the folder src to the folder dst, which must not exist
// or be empty, or hold an unfinished copy of the same world with the same options: then Copy
// continues where that stopped, whether the context ended, something failed or the process
// was killed. Until all is done there is no world.mt in dst, so that no
// game takes it for a world, but a file .trowel-copy that tells how far it is.
//
// Blocks are converted on all cores, and held in memory a few MiB at a time. What
// was written is read again at the end and compared by a digest. The error is of
// the source, of the copy, or of options that do not go together; damaged blocks,
// rows and players are not errors: they are reported to [Options.Sink] and counted.
func Copy(ctx context.Context, src, dst string, opts Options) (*Report, error) {
	c, err := prepare(ctx, src, dst, opts)
	if err != nil {
		return nil, err
	}
	if c.log, err = begin(c); err != nil {
		return nil, err
	}
	defer c.abandon()
	if c.log.Damaged {
		c.tell(foundEarlier, ".", "what it lacks is not in this copy")
	}
	c.noteDamage()
	for c.log.Stage < len(stages) {
		err := stages[c.log.Stage](ctx, c)
		if (errors.Is(err, ErrVerify) || sqlitefile.IsDamage(err)) && c.log.resumed && c.newMap {
			// The system has crashed and taken with it what was not on disk yet, or a
			// server or disk has lost what it said that it had.
			c.abandon()
			if err = c.again(); err == nil {
				continue
			}
		}
		if err != nil {
			return &c.log.Report, err
		}
		if err := c.log.leave(); err != nil {
			return &c.log.Report, err
		}
	}
	return &c.log.Report, c.log.remove()
}

// refuseDamaged ends a copy that should be whole and is not.
func refuseDamaged(_ context.Context, c *copier) error {
	if c.opts.Whole && c.log.Damaged {
		return fmt.Errorf("%s: %w: the copy lacks what could not be read, and is not finished", cmp.Or(c.opts.SourceName, c.src), fault.ErrLost)
	}
	return nil
}

// stages are what a copy consists of. Each can be run again after it was ended at
// any place. World.mt comes last: it makes a world of the folder.
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

// blocksStage is the index of copyBlocks.
const blocksStage = 1

// copier is a copy that is being made.
type copier struct {
	plan
	log   *journal
	store mapdb.Writer // of the blocks, while it is open
}

// tell hands a finding about a file on.
func (c *copier) tell(k *check.Kind, path string, format string, args ...any) {
	file, _, _ := strings.Cut(path, ":")
	c.tellOf(k, check.File(file), path, format, args...)
}

func (c *copier) tellOf(k *check.Kind, at check.Place, path string, format string, args ...any) {
	if c.opts.Sink != nil {
		c.opts.Sink.AddAt(k, []check.Place{at}, path, -1, format, args...)
	}
}

// noteDamage makes the journal know of damage that the sink is told of.
func (c *copier) noteDamage() {
	sink := c.opts.Sink
	c.opts.Sink = func(f check.Finding) {
		c.log.Damaged = c.log.Damaged || isDamage(f)
		if sink != nil {
			sink(f)
		}
	}
}

func (c *copier) progress(what string, done, of int) {
	if c.opts.OnProgress != nil {
		c.opts.OnProgress(what, done, of)
	}
}
