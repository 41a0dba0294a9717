// Package worldrepair mends worlds.
package worldrepair

import (
	"context"
	"errors"

	"trowel/check"
	"trowel/minetest/worldcopy"
)

// Options say how a world is repaired.
type Options struct {
	// DropUnknown deletes blocks of versions that do not exist yet. Without it they
	// stay: a later game may have written them.
	DropUnknown bool
	// Force repairs a world in place even if a program has it open.
	Force bool
	// Remote allows connections to the servers that world.mt names.
	Remote bool
	// Copy says where Repair puts what the world has on servers. Of it, Postgres,
	// Redis, Map, Players, Auth and Storage count.
	Copy worldcopy.Options

	// Sink receives what is repaired and what is lost by it; nil for nobody.
	Sink check.Sink
	// Progress is told how far the work is; of is 0 where nobody knows the end; nil
	// for nobody.
	Progress func(what string, done, of int)
}

// A Report says what was repaired, or would be.
type Report struct {
	Blocks   int64    // looked at
	Salvaged int64    // blocks of which all that can be read was kept
	Dropped  int64    // blocks of which nothing can be read: the game makes them anew
	Left     int64    // blocks that stay as they are although no game of today reads them
	Rows     int64    // rows of the map that are no block
	Files    []string // files that were rewritten
	Players  int      // players whose inventory was rewritten
	Orphans  int      // rows that belonged to nobody
	Backup   string   // where InPlace has put what it changed; "" if nothing was
}

// Changes reports whether there is anything to repair.
func (r *Report) Changes() bool {
	return r.Salvaged+r.Dropped > 0 || len(r.Files) > 0 || r.Players+r.Orphans > 0
}

// Catalog lists the kinds of findings of a repair, beside those of package mapblock.
var Catalog check.Catalog

// Plan says what Repair and InPlace would do, and does nothing.
func Plan(ctx context.Context, dir string, opts Options) (*Report, error) {
	return nil, errors.ErrUnsupported
}

// Repair makes a repaired copy of the world in dir in the folder dst, which must not exist or be empty.
func Repair(ctx context.Context, dir, dst string, opts Options) (*Report, error) {
	return nil, errors.ErrUnsupported
}

// InPlace repairs the world in dir itself, after it has written what it will
// change to the new file backup; with "", to one beside the folder of the world.
func InPlace(ctx context.Context, dir, backup string, opts Options) (*Report, error) {
	return nil, errors.ErrUnsupported
}

// Restore puts back into the world in dir what InPlace has written to a backup; of opts,
// Force, Remote and Progress count.
func Restore(ctx context.Context, dir, backup string, opts Options) error {
	return errors.ErrUnsupported
}
