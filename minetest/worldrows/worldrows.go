// Package worldrows tells what is in a world as rows of tables, for query engines: the blocks, and
// what is in them, in one pass over them on all cores, in which each is read once; the players,
// accounts and all else.
//
//	err := worldrows.Blocks(ctx, db, worldrows.Options{}, func(t *format.Table, values []format.Cell) error {
//		fmt.Println(t.Name, values)
//		return nil
//	})
//
// Things are what they are for package worldfind: blocks of all versions as a game of today
// understands them, and places as those that it finds. No verifiers of passwords, no addresses
// of players, no values of mods and no passwords of settings are in any row.
package worldrows

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"trowel.example/check"
	"trowel.example/format"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/place"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldfind"
)

// Func is called with each row. The values are those of the columns of the table, in their order,
// and are to be used no more after the call. Its error ends the pass, and is returned.
type Func = func(t *format.Table, values []format.Cell) error

// Tables returns all tables of which there are rows.
func Tables() []*format.Table {
	return []*format.Table{
		&tableWorlds.Table, &tableSettings.Table, &tableBlocks.Table, &tableNodes.Table, &tableMetadata.Table, &tableInventories.Table, &tableObjects.Table, &tableTimers.Table,
		&tablePlayers.Table, &tableAccounts.Table, &tableStorage.Table, &tableForceLoaded.Table, &tableBans.Table, &tableFindings.Table,
	}
}

// Options say what is told, and who hears of what.
type Options struct {
	// Slab is the part of the blocks of which there are rows; "" is all of them.
	Slab mapdb.Slab
	// OnMiss is told of what cannot be read, so that rows of it are missing; nil: nobody.
	OnMiss func(error)
	// OnProgress is told how many blocks have been looked at, of how many; of is 0 where that
	// is not known. Nil: nobody.
	OnProgress func(done, of int)
	// OnNone is told that there is no database of blocks; nil: nobody.
	OnNone func()
	// Remote allows connections to servers on other machines, which a world may name.
	Remote bool
}

func (o *Options) miss(err error) {
	if o.OnMiss != nil {
		o.OnMiss(err)
	}
}

// World tells what is in the world in a folder, whose world.mt has some settings: what [Blocks]
// tells, and, of all the world or of [mapdb.SlabRest], before it what [Rest] does.
func World(ctx context.Context, dir string, settings *world.Settings, o Options, row Func) error {
	if o.Slab == "" || o.Slab == mapdb.SlabRest {
		if err := Rest(ctx, dir, settings, o, row); err != nil {
			return err
		}
	}
	var findings rows
	db, err := world.CheckMap(ctx, dir, o.Remote, func(f check.Finding) { add(&findings, tableFindings, f) })
	switch {
	case err == nil:
		defer db.Close()
		return Blocks(ctx, db, o, row)
	case ctx.Err() != nil, world.Failed(err), errors.Is(err, world.ErrRemote):
		return cmp.Or(ctx.Err(), err)
	case !errors.Is(err, fs.ErrNotExist):
		o.miss(fmt.Errorf("blocks: %w", err))
	case o.OnNone != nil:
		o.OnNone()
	}
	return findings.tell(row)
}

// portion is the rows of a block, or of what came in its place.
type portion struct {
	rows
	miss error // what is told of
}

var portions = sync.Pool{New: func() any { return new(portion) }}

// Blocks tells what is in the blocks of a database: in the tables of blocks, nodes, metadata,
// inventories, objects, timers and findings, in the order of [mapdb.InSlabs]. A block that cannot
// be read has a row that says so, and no others but findings. The rows of all slabs, one slab
// after the other, are those of the database; only what is wrong with its file may be told for
// each slab.
func Blocks(ctx context.Context, db mapdb.DB, o Options, row Func) error {
	checking := world.CheckOptions{Slab: o.Slab}
	if o.OnProgress != nil {
		checking.OnProgress = func(_ string, done, of int) { o.OnProgress(done, of) }
	}
	var findings rows
	err := world.EachRow(ctx, db, checking, func(f check.Finding) { add(&findings, tableFindings, f) }, look, func(p *portion) error {
		if p == nil { // the program failed on the block, which is a finding
			return findings.tell(row)
		}
		if p.miss != nil {
			o.miss(p.miss)
		}
		err := cmp.Or(p.tell(row), findings.tell(row))
		portions.Put(p)
		return err
	})
	return cmp.Or(err, findings.tell(row))
}

// look makes the rows of a block, or of what is in its place.
func look(r world.Row) *portion {
	p := portions.Get().(*portion)
	p.miss = r.Err
	if r.Pos == nil {
		return p
	}
	var noRow *mapdb.RowError
	if r.Err != nil && !errors.As(r.Err, &noRow) {
		p.miss = inBlock(*r.Pos, r.Err)
	}
	add(&p.rows, tableBlocks, r)
	if r.Block == nil {
		return p
	}
	p.contents(*r.Pos, r.Block.Today())
	return p
}

// inBlock says in which block an error is.
func inBlock(p mapdb.Pos, err error) error {
	return fmt.Errorf("%v: %w", place.Block(p.X, p.Y, p.Z), err)
}

var (
	anywhere worldfind.Where
	anything worldfind.Names
)

// contents makes the rows of what is in a block.
func (p *portion) contents(pos mapdb.Pos, b *mapblock.Block) {
	for _, n := range b.Counts() {
		add(&p.rows, tableNodes, nodeCount{pos, n})
	}
	for _, m := range worldfind.MetadataIn(pos, b, anywhere, func(string, string) bool { return true }) {
		add(&p.rows, tableMetadata, m)
	}
	for _, it := range worldfind.ItemsIn(pos, b, anywhere, anything) {
		add(&p.rows, tableInventories, it)
	}
	for _, o := range worldfind.ObjectsIn(pos, b, anywhere, anything) {
		add(&p.rows, tableObjects, object{o, pos})
	}
	for _, t := range worldfind.TimersIn(pos, b, anywhere, anything) {
		add(&p.rows, tableTimers, t)
	}
}
