//go:build !js

package worldquery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// Tables returns all tables.
func Tables() []*format.Table {
	return []*format.Table{
		&tableWorlds.Table, &tableSettings.Table, &tableBlocks.Table, &tableNodes.Table, &tableMetadata.Table,
		&tableInventories.Table, &tableObjects.Table, &tableTimers.Table,
		&tablePlayers.Table, &tableAccounts.Table, &tableStorage.Table, &tableForceLoaded.Table, &tableBans.Table, &tableActions.Table,
		&tablePositions.Table, &tableFindings.Table,
	}
}

// Views returns queries over the tables.
func Views() []format.TableView {
	return []format.TableView{
		{Name: "minetest_items", Title: "Who has which items, in which inventory of which world, and when.",
			Tables: []string{"minetest_inventories", "minetest_worlds"}, SQL: `
			SELECT r.moment, i.file, w.name AS world, i.owner, i.item, i.count, i.kind, i.holder, i.list, i.slot, i.x, i.y, i.z
			FROM minetest_inventories i LEFT JOIN minetest_worlds w ON w.file = i.file CROSS JOIN census_run r`},
		{Name: "minetest_belongings", Title: "How many items of each name an owner has, in chests and in the own inventories.",
			Tables: []string{"minetest_inventories", "minetest_worlds"}, SQL: `
			SELECT r.moment, i.file, w.name AS world, i.owner, i.item, sum(i.count) AS count
			FROM minetest_inventories i LEFT JOIN minetest_worlds w ON w.file = i.file CROSS JOIN census_run r
			WHERE i.owner IS NOT NULL AND i.kind <> 'object' GROUP BY r.moment, i.file, w.name, i.owner, i.item`},
		{Name: "minetest_changes", Title: "Who changed which node or inventory of which world, and when, as recorded for the rollback.",
			Tables: []string{"minetest_actions", "minetest_worlds"}, SQL: `
			SELECT a.changed, a.file, w.name AS world, a.actor, a.guessed, a.kind, a.x, a.y, a.z, a.old_node, a.new_node, a.item,
			CASE WHEN a.added THEN a.count ELSE -a.count END AS count
			FROM minetest_actions a LEFT JOIN minetest_worlds w ON w.file = a.file`},
	}
}

// RowOptions select the rows, and receive errors and the progress.
type RowOptions struct {
	// Slab is the part of the blocks whose rows are returned; "" means all blocks.
	Slab mapdb.Slab
	// OnMiss is called with errors about data that cannot be read and whose rows are missing; may be nil.
	OnMiss func(error)
	// OnProgress is called with the number of processed blocks and the total, which is 0 if it is unknown; may be
	// nil.
	OnProgress func(done, of int)
	// OnNone is called if there is no database of blocks; may be nil.
	OnNone func()
	// Positions are the names of the nodes whose positions are rows; nil means none.
	Positions *Names
	// Remote allows connections to servers on other machines that the world names.
	Remote bool
}

func (o *RowOptions) miss(err error) {
	if o.OnMiss != nil {
		o.OnMiss(err)
	}
}

// World calls row with the rows of the world in a folder, whose settings are given: those of [Rest], for the whole
// world or [mapdb.SlabRest], and then those of [Blocks].
func World(ctx context.Context, dir string, settings *world.Settings, o RowOptions, row format.RowFunc) error {
	if o.Slab == "" || o.Slab == mapdb.SlabRest {
		if err := Rest(ctx, dir, settings, o, row); err != nil {
			return err
		}
	}
	var findings format.Rows
	db, err := world.CheckMap(ctx, dir, world.CheckOptions{Remote: o.Remote}, func(f check.Finding) { tableFindings.Add(&findings, f) })
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
	return findings.Flush(row)
}

// portion contains the rows of a block, or of an error in its place.
type portion struct {
	format.Rows
	miss error // error for OnMiss
}

var portions = sync.Pool{New: func() any { return new(portion) }}

// Blocks calls row with the rows of the blocks of a database: the tables of blocks, nodes, metadata, inventories,
// objects, timers and findings, in the order of [mapdb.InSlabs]. A block that cannot be read has only one row, which
// reports it, and findings. The rows of all slabs, one slab after the other, are the rows of the database, except that
// findings about its file may be repeated for each slab.
func Blocks(ctx context.Context, db mapdb.DB, o RowOptions, row format.RowFunc) error {
	checking := world.CheckOptions{Slab: o.Slab}
	if o.OnProgress != nil {
		checking.OnProgress = func(_ string, done, of int) { o.OnProgress(done, of) }
	}
	var findings format.Rows
	err := world.EachRow(ctx, db, checking, func(f check.Finding) { tableFindings.Add(&findings, f) }, o.look, func(p *portion) error {
		if p == nil { // the program panicked on the block, which is a finding
			return findings.Flush(row)
		}
		if p.miss != nil {
			o.miss(p.miss)
		}
		err := cmp.Or(p.Flush(row), findings.Flush(row))
		portions.Put(p)
		return err
	})
	return cmp.Or(err, findings.Flush(row))
}

// look makes the rows of a block, or of an error in its place.
func (o *RowOptions) look(r world.Row) *portion {
	p := portions.Get().(*portion)
	p.miss = r.Err
	if r.Pos == nil {
		return p
	}
	var noRow *mapdb.RowError
	if r.Err != nil && !errors.As(r.Err, &noRow) {
		p.miss = inBlock(*r.Pos, r.Err)
	}
	tableBlocks.Add(&p.Rows, r)
	if r.Block == nil {
		return p
	}
	block := r.Block.Today()
	p.contents(*r.Pos, block)
	if o.Positions != nil {
		for _, n := range NodesIn(*r.Pos, block, anywhere, *o.Positions) {
			tablePositions.Add(&p.Rows, n)
		}
	}
	return p
}

// inBlock adds the position of a block to an error.
func inBlock(p mapdb.Pos, err error) error {
	return fmt.Errorf("%v: %w", place.Block(p.X, p.Y, p.Z), err)
}

var (
	anywhere Where
	anything Names
)

// contents makes the rows of the contents of a block.
func (p *portion) contents(pos mapdb.Pos, b *mapblock.Block) {
	for _, n := range b.Counts() {
		tableNodes.Add(&p.Rows, nodeCount{pos, n})
	}
	for _, m := range metadataIn(pos, b, anywhere, func(string, string) bool { return true }) {
		tableMetadata.Add(&p.Rows, m)
	}
	for _, it := range itemsIn(pos, b, anywhere, anything) {
		tableInventories.Add(&p.Rows, it)
	}
	for _, o := range objectsIn(pos, b, anywhere, anything) {
		tableObjects.Add(&p.Rows, object{o, pos})
	}
	for _, t := range timersIn(pos, b, anywhere, anything) {
		tableTimers.Add(&p.Rows, t)
	}
}
