// Package worldrows tells what is in a world as rows of tables, for query engines: the blocks, and
// what is in them, in one pass over them on all cores, in which each is read once; the players,
// accounts and all else.
//
//	err := worldrows.Blocks(ctx, db.Blocks(ctx, mapdb.All()), worldrows.Options{}, func(t *format.Table, values []format.Cell) error {
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
	"iter"
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

// Options say who hears of what.
type Options struct {
	// OnMiss is told of what cannot be read, so that rows of it are missing; nil: nobody.
	OnMiss func(error)
	// OnProgress is told how many blocks have been looked at; nil: nobody.
	OnProgress func(done int)
	// Remote allows connections to servers on other machines, which a world may name.
	Remote bool
}

func (o *Options) miss(err error) {
	if o.OnMiss != nil {
		o.OnMiss(err)
	}
}

// portion is the rows of a block, or of what came in its place.
type portion struct {
	rows
	block mapblock.Block // large, and so used again
	miss  error          // what is told of
	ended error          // nothing comes behind it
}

var portions = sync.Pool{New: func() any { return new(portion) }}

// Blocks tells what is in blocks: in the tables of blocks, nodes, metadata, inventories, objects,
// timers and findings, in the order of the blocks. A block that cannot be read has a row that
// says so, and no others but findings.
func Blocks(ctx context.Context, blocks iter.Seq2[mapdb.Block, error], o Options, row Func) error {
	done := 0
	for p := range mapdb.Parallel(blocks, look) {
		if p.ended != nil {
			return cmp.Or(ctx.Err(), p.ended)
		}
		if p.miss != nil {
			o.miss(p.miss)
		}
		if err := p.tell(row); err != nil {
			return err
		}
		portions.Put(p)
		if done++; o.OnProgress != nil {
			o.OnProgress(done)
		}
	}
	return ctx.Err()
}

// look makes the rows of a block, or of what came in its place.
func look(b mapdb.Block, err error) *portion {
	p := portions.Get().(*portion)
	p.miss, p.ended = nil, nil
	stored := storedBlock{pos: b.Pos, size: len(b.Data), first: -1}
	hasPos := true
	var bad *mapdb.RowError
	switch {
	case errors.As(err, &bad):
		if hasPos = bad.Pos != nil; hasPos {
			stored.pos = *bad.Pos
		}
		stored.size, p.miss = -1, bad
	case err != nil:
		p.ended = err
		return p
	case len(b.Data) > 0:
		stored.first = int(b.Data[0])
	}
	var found []check.Finding
	if world.CheckRow(b, bad, &p.block, func(f check.Finding) { found = append(found, f) }) {
		stored.block = &p.block
	} else {
		stored.failed = found[len(found)-1].Message
	}
	if stored.block == nil && p.miss == nil {
		p.miss = fmt.Errorf("%v: %s", place.Block(b.Pos.X, b.Pos.Y, b.Pos.Z), stored.failed)
	}
	if hasPos {
		add(&p.rows, tableBlocks, stored)
	}
	if stored.block != nil {
		p.contents(b.Pos)
	}
	for _, f := range found {
		if hasPos {
			f = place.InWorld(f, stored.pos.X, stored.pos.Y, stored.pos.Z)
		}
		add(&p.rows, tableFindings, f)
	}
	return p
}

var (
	anywhere worldfind.Where
	anything worldfind.Names
)

// contents makes the rows of what is in the block.
func (p *portion) contents(pos mapdb.Pos) {
	today, err := worldfind.Today(&p.block)
	if err != nil {
		p.miss = fmt.Errorf("%v: %w", place.Block(pos.X, pos.Y, pos.Z), err)
		return
	}
	for _, n := range today.Counts() {
		add(&p.rows, tableNodes, nodeCount{pos, n})
	}
	for _, m := range worldfind.MetadataIn(pos, today, anywhere, func(string, string) bool { return true }) {
		add(&p.rows, tableMetadata, m)
	}
	for _, it := range worldfind.ItemsIn(pos, today, anywhere, anything) {
		add(&p.rows, tableInventories, it)
	}
	for _, o := range worldfind.ObjectsIn(pos, today, anywhere, anything) {
		add(&p.rows, tableObjects, object{o, pos})
	}
	for _, t := range worldfind.TimersIn(pos, today, anywhere, anything) {
		add(&p.rows, tableTimers, t)
	}
}
