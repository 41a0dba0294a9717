package world

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/text/words"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/item"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// CheckOptions selects what is checked. The zero value checks everything in the folder of the world.
type CheckOptions struct {
	// Area contains the blocks to check; nil means all blocks.
	Area *mapdb.Area
	// BlocksOnly checks only the blocks.
	BlocksOnly bool
	// Quick opens all stores, checks their databases as a whole and counts what is in them, but decodes nothing that is stored
	// in them. It excludes Area, and checks nothing with a Slab other than [mapdb.SlabRest].
	Quick bool
	// Slab is the part of the blocks to check; "" means all blocks. [mapdb.SlabRest] checks everything but the
	// blocks. With a slab, the findings must be passed to [Gather].
	Slab mapdb.Slab
	// Remote allows connections to servers on other machines. A world from an untrusted source may name any server.
	Remote bool
	// OnProgress is called with the number of blocks that have been checked; may be nil. The total (of) is 0 if
	// Area or Slab is set, or if the database cannot count its blocks quickly.
	OnProgress func(what string, done, of int)
}

// Check reports problems of the world in dir to sink. The path of a finding is the file, a colon, and the place in
// the file. Blocks are decoded on all cores, and their findings are reported in the order of [mapdb.InSlabs], with
// paths such as "block 12,0,-3: metadata.entries[2]". A damaged block does not stop the check.
//
// Findings about blocks with severity [check.Info] are reported once for each kind, with the number of blocks. Of the
// warnings of each kind, ten different ones are reported, each once for all blocks that have it; the others are
// counted. The list of places is always complete. The error is that of the context or of a server, see [Failed].
func Check(ctx context.Context, dir string, opts CheckOptions, sink check.Sink) error {
	return opts.gather(sink, func(sink check.Sink) error { return opts.world(ctx, dir, sink) })
}

// CheckBlocks reports problems of the blocks in a database to sink, as [Check] does. It returns an error if the
// context ends or a server fails.
func CheckBlocks(ctx context.Context, db mapdb.DB, opts CheckOptions, sink check.Sink) error {
	return opts.gather(sink, func(sink check.Sink) error { return opts.blocks(ctx, db, sink) })
}

// gather passes the findings of do to sink: summarized by [Gather] for a whole world, unchanged for a slab.
func (o *CheckOptions) gather(sink check.Sink, do func(check.Sink) error) error {
	if o.Slab != "" {
		return do(sink)
	}
	put, end := Gather(sink)
	err := do(put)
	if err == nil {
		end()
	}
	return err
}

func (o *CheckOptions) world(ctx context.Context, dir string, sink check.Sink) error {
	if o.Quick {
		if o.Slab != "" && o.Slab != mapdb.SlabRest {
			return nil
		}
		return o.quick(ctx, dir, sink)
	}
	if o.Slab == "" || o.Slab == mapdb.SlabRest {
		if o.BlocksOnly {
			checkFinished(dir, sink)
		} else if err := CheckRest(ctx, dir, *o, sink); err != nil {
			return err
		}
	}
	db, err := CheckMap(ctx, dir, *o, sink)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case Failed(err):
		return err
	case err != nil:
		return nil
	}
	defer db.Close()
	if _, ok := db.(mapdb.Verifier); ok && o.Area == nil && (o.Slab == "" || o.Slab == mapdb.SlabRest) {
		if err := o.verify(ctx, dir, sink); err != nil {
			return err
		}
	}
	return o.blocks(ctx, db, sink)
}

// verify reports damage that reading the blocks does not meet, such as an index without some of its rows. It opens the
// database separately, so that the blocks are read in the same way with and without it.
func (o *CheckOptions) verify(ctx context.Context, dir string, sink check.Sink) error {
	db, err := CheckMap(ctx, dir, *o, nil)
	if err != nil {
		return cmp.Or(ctx.Err(), err)
	}
	defer db.Close()
	if err := mapdb.Verify(ctx, db); err != nil {
		return cmp.Or(ctx.Err(), err)
	}
	for _, d := range db.(mapdb.Verifier).Damage() {
		checkRow(mapdb.Block{}, d, nil, sink)
	}
	return nil
}

// checkFinished reports an interrupted copy.
func checkFinished(dir string, sink check.Sink) {
	if u, ok := UnfinishedIn(dir); ok {
		sink.AddAt(foundUnfinished, []check.Place{check.File(CopyJournal)}, CopyJournal, -1,
			"the copy contains %s of %s", words.Count(u.Blocks, "block"), u.Source)
	}
}

// CheckMap opens the blocks of the world in dir for reading, as [OpenMap] does with the settings of the world. If
// that fails because of the world, the reason is reported to sink. Of o it uses only Remote.
func CheckMap(ctx context.Context, dir string, o CheckOptions, sink check.Sink) (db mapdb.DB, err error) {
	s, err := ReadWorldMT(dir)
	if err == nil {
		db, _, err = OpenMap(ctx, dir, s, Options{Remote: o.Remote})
	}
	switch {
	case err == nil, ctx.Err() != nil, Failed(err), errors.Is(err, ErrUnfinished): // reported elsewhere
	case errors.Is(err, ErrRemote):
		sink.Add(foundMapRemote, pathMap, -1, "%v", err)
	case errors.Is(err, fs.ErrNotExist):
		sink.Add(foundMapNone, pathMap, -1, "missing")
	default:
		sink.Add(foundMap, pathMap, -1, "%v", err)
	}
	return db, err
}

// pathMap is the path of findings about the database of blocks as a whole.
const pathMap = "map"

func (o *CheckOptions) blocks(ctx context.Context, db mapdb.DB, sink check.Sink) error {
	return EachRow(ctx, db, *o, sink, func(Row) struct{} { return struct{}{} }, func(struct{}) error { return nil })
}

// Row is a row of a database of blocks.
type Row struct {
	Pos   *mapdb.Pos      // position of the block; nil if unknown
	Data  []byte          // content of the block; nil if the row is not a block
	Block *mapblock.Block // the decoded block, nil if it cannot be decoded; reused after the call
	Err   error           // why the block cannot be decoded: a [mapdb.RowError] if the row is not a block
}

// EachRow checks the blocks in a database that the options select. It calls look for each row, on several goroutines
// at the same time, and then take with the result of look, in the order of the rows. In the same order, the
// unsummarized findings about each row are reported to sink. If checking a row or look panics, the panic is reported
// as a finding and take receives a zero T. EachRow stops at the first error of take and returns it. Other errors are
// those of [CheckBlocks].
func EachRow[T any](ctx context.Context, db mapdb.DB, o CheckOptions, sink check.Sink, look func(Row) T, take func(T) error) error {
	area, total := mapdb.All(), 0
	if o.Area != nil {
		area = *o.Area
	} else if o.OnProgress != nil && o.Slab == "" {
		if n, err := db.Count(ctx); err == nil {
			total = int(n)
		}
	}
	type result struct {
		pos   *mapdb.Pos
		block bool // whether the row is a block
		found []check.Finding
		made  T
		err   error // an error that is not about the world
	}
	done := 0
	var last *mapdb.Pos
	for r := range mapdb.Parallel(mapdb.Bounded(mapdb.In(ctx, db, o.Slab, area)), func(b mapdb.Block, err error) (r result) {
		if err != nil && (ctx.Err() != nil || Failed(err) || errors.Is(err, mapdb.ErrSlab) || errors.Is(err, effort.ErrMet)) {
			return result{err: cmp.Or(ctx.Err(), err)}
		}
		found := func(f check.Finding) { r.found = append(r.found, f) }
		room := spareBlocks.Get().(*mapblock.Block)
		defer spareBlocks.Put(room)
		if p := parallel.Catch(func() {
			row := checkRow(b, err, room, found)
			r.pos, r.block, r.made = row.Pos, err == nil, look(row)
		}); p != nil { // the other rows are still checked
			place.OfBlock(found, b.Pos.X, b.Pos.Y, b.Pos.Z).Add(foundBlockDefect, "", -1, "%v", p)
		}
		return r
	}) {
		if r.err != nil {
			return r.err
		}
		for _, f := range r.found {
			sink(f)
		}
		if err := take(r.made); err != nil {
			return err
		}
		if r.pos != nil {
			if last != nil && *last == *r.pos && r.block {
				place.OfBlock(sink, last.X, last.Y, last.Z).Add(foundBlockTwice, "", -1, "another row has the same position")
			}
			if last = r.pos; !r.block {
				last = nil
			}
		}
		if done++; o.OnProgress != nil {
			o.OnProgress("blocks", done, total)
		}
	}
	if v, ok := db.(mapdb.Verifier); ok && (o.Slab == "" || o.Slab == mapdb.SlabAll) {
		for _, d := range v.Damage() {
			checkRow(mapdb.Block{}, d, nil, sink)
		}
	}
	return ctx.Err()
}

// checkRow reports problems of a row of a database, or the error that was returned in its place. It decodes the block
// into room.
func checkRow(b mapdb.Block, err error, room *mapblock.Block, sink check.Sink) Row {
	var bad *mapdb.RowError
	switch {
	case err == nil:
		row := Row{Pos: &b.Pos, Data: b.Data}
		if row.Err = checkBlock(b, room, sink); row.Err == nil {
			row.Block = room
		}
		return row
	case !errors.As(err, &bad):
		sink.Add(foundMap, pathMap, fault.OffsetOf(err), "%v", err)
		return Row{Err: err}
	case len(bad.At) > 0: // damage of the file
		sink.AddAt(foundMapPages, bad.At, pathMap, fault.OffsetOf(bad), "%v", withoutOffset(bad))
	case bad.Salvaged:
		place.OfBlock(sink, bad.Pos.X, bad.Pos.Y, bad.Pos.Z).Add(foundMapSalvaged, "", -1, "%v", bad)
	case bad.OfFile():
		sink.Add(foundMapRow, pathMap, -1, "%v", bad)
	case bad.Pos != nil:
		place.OfBlock(sink, bad.Pos.X, bad.Pos.Y, bad.Pos.Z).Add(foundMapRow, "", -1, "%v", bad)
	default:
		sink.Add(foundMapRow, "", -1, "%v", bad)
	}
	return Row{Pos: bad.Pos, Err: bad}
}

// withoutOffset returns err without its offset, because a finding has an offset of its own.
func withoutOffset(err error) error {
	if e, ok := errors.AsType[*fault.Error](err); ok {
		rest := *e
		rest.Offset = -1
		return &rest
	}
	return err
}

// spareBlocks reuses decoded blocks, which are large.
var spareBlocks = sync.Pool{New: func() any { return new(mapblock.Block) }}

// checkBlock reports problems of a block, which it decodes into b. The error is the reason why the block cannot be
// decoded.
func checkBlock(row mapdb.Block, b *mapblock.Block, sink check.Sink) (err error) {
	at := place.OfBlock(sink, row.Pos.X, row.Pos.Y, row.Pos.Z)
	inWorld := check.Sink(func(f check.Finding) {
		err = errors.New(f.Message)
		at(f)
	})
	if len(row.Data) == 0 {
		inWorld.Add(foundBlockEmpty, "", -1, "no bytes")
		return err
	}
	if !b.CheckData(row.Data, inWorld) {
		return err
	}
	for i, m := range b.Metadata.List {
		if len(m.Inventory) == 0 {
			continue
		}
		inv, _, err := item.ParseInventory(m.Inventory)
		path := func() string { return fmt.Sprintf("metadata.entries[%d].inventory", i) }
		node := place.InBlock(int(m.Pos))
		inside := place.Inside(inWorld, place.Slot{Node: &node, Slot: -1})
		if err != nil {
			inside.Add(foundMetaInventory, path(), -1, "%v", err)
			continue
		}
		inv.Check(inside.In(path()))
	}
	return nil
}
