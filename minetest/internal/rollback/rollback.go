// Package rollback reads rollback.sqlite, in which a server with enable_rollback_recording records who changed nodes
// and the inventories of nodes. It finds the changes at a position, in an area or by an actor, and trims the file,
// which the engine never does.
package rollback

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"time"

	"trowel.example/fault"
	"trowel.example/internal/stores/sqlitefile"
	"trowel.example/minetest/mapdb"
)

// File is the name of the database in the world's folder.
const File = "rollback.sqlite"

// Type is the kind of an action.
type Type int

// The kinds of actions that the engine writes.
const (
	SetNode   Type = 1 // a node was replaced
	Inventory Type = 2 // a stack was added to the inventory of a node, or removed from it
)

func (t Type) String() string {
	switch t {
	case SetNode:
		return "node"
	case Inventory:
		return "inventory"
	}
	return fmt.Sprintf("type %d", int(t))
}

// Node is a node before or after a change.
type Node struct {
	Name           string
	Param1, Param2 uint8
	Meta           string // its metadata, in the engine's text form
}

// Action is a recorded change.
type Action struct {
	ID      int64
	Actor   string // such as "player:ann"
	Guessed bool   // the actor is uncertain: the most likely one
	Time    time.Time
	Type    Type
	Pos     [3]int // of the node
	HasPos  bool   // the action has a position; other inventories have none

	Old, New Node // of SetNode

	// For Inventory: the list and the slot, whether the stack was added or removed, and the items.
	List  string
	Slot  int
	Added bool
	Item  string
	Count int
}

// Deed is the part of an action that states who changed a node or its inventory.
type Deed struct {
	Actor   string
	Guessed bool
	Time    time.Time
	Pos     [3]int
}

// What describes the change in a few words.
func (a *Action) What() string {
	switch {
	case a.Type == SetNode:
		return fmt.Sprintf("%s became %s", a.Old.Name, a.New.Name)
	case a.Type == Inventory && a.Added:
		return fmt.Sprintf("%s %d into %s %d", a.Item, a.Count, a.List, a.Slot)
	case a.Type == Inventory:
		return fmt.Sprintf("%s %d out of %s %d", a.Item, a.Count, a.List, a.Slot)
	}
	return a.Type.String()
}

// Filter selects actions. The zero value selects all.
type Filter struct {
	// Area is two corners in nodes, the least coordinates first, both inside the area.
	Area *[2][3]int
	// Actor is the name of a player, or an actor as recorded in the database.
	Actor string
	// Since is the first moment included, and Until the first moment excluded; the zero time means no limit.
	Since, Until time.Time
}

// DB is a database opened for reading, for use by one goroutine at a time. Of a damaged database, DB reads all
// readable rows; every method then also returns an error that wraps [fault.ErrLost].
type DB struct{ reader }

// reader is a way to read a database.
type reader interface {
	// Actions yields the actions that match a filter, the newest first. An action whose actor, node or item has lost
	// its name comes with an error that wraps [fault.ErrLost]; errors about lost actions come at the end.
	Actions(ctx context.Context, f Filter) iter.Seq2[Action, error]
	// All yields all actions in the order of their ids, with memory for a few of them; else as Actions.
	All(ctx context.Context) iter.Seq2[Action, error]
	// Count returns the number of actions that match a filter, ignoring its limit.
	Count(ctx context.Context, f Filter) (int64, error)
	// Deeds yields the changes at a position from the moment since on and before the moment until. An actor that has lost its
	// name is "". Errors about lost actions come at the end.
	Deeds(ctx context.Context, since, until time.Time) iter.Seq2[Deed, error]
	// Blocks yields each block with a recorded change once, omitting invalid positions. Errors about lost actions
	// come at the end.
	Blocks(ctx context.Context) iter.Seq2[mapdb.Pos, error]
	// Close closes the database.
	Close() error
}

// Open opens the database of the world in dir for reading, and changes nothing. If the server has not recorded any
// actions, the error wraps fs.ErrNotExist.
func Open(ctx context.Context, dir string) (*DB, error) {
	r, err := open(ctx, filepath.Join(dir, File))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s, which servers write with the setting enable_rollback_recording: %w", File, fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	return &DB{r}, nil
}

// Trim deletes the actions before a moment from the database of the world in dir, in one transaction, then shrinks
// the file. It returns the number of deleted actions. If another program has the file open, the error is
// [mapdb.ErrInUse].
func Trim(ctx context.Context, dir string, before time.Time) (n int64, err error) {
	return trim(ctx, filepath.Join(dir, File), before)
}

// How a page in a browser, which lacks SQLite, reads and trims.
var (
	open = openPages
	trim = func(_ context.Context, path string, _ time.Time) (int64, error) {
		return 0, fmt.Errorf("%s: %w", path, sqlitefile.ErrProgram)
	}
)

func lost(format string, args ...any) error {
	return &fault.Error{File: File, Offset: -1, Got: fmt.Sprintf(format, args...), Err: fault.ErrLost}
}

var errStop = errors.New("enough")

// blocksOnce returns a function that yields the block of a node once, and reports whether the caller wants more.
func blocksOnce(yield func(mapdb.Pos, error) bool) func(block [3]int64) bool {
	seen := make(map[mapdb.Pos]bool)
	return func(block [3]int64) bool {
		for _, v := range block {
			if v < mapdb.MinCoord || v > mapdb.MaxCoord {
				return true
			}
		}
		p := mapdb.Pos{X: int16(block[0]), Y: int16(block[1]), Z: int16(block[2])}
		if seen[p] {
			return true
		}
		seen[p] = true
		return yield(p, nil)
	}
}
