package world

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/minetest/item"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/place"
)

// CheckOptions say what is checked. The zero value asks for all that is in the folder.
type CheckOptions struct {
	// Area is the blocks that are checked; nil is all of them.
	Area *mapdb.Area
	// BlocksOnly leaves out all but the blocks.
	BlocksOnly bool
	// Slab is the part of the blocks that is checked; "" is all of them. All but the blocks is
	// checked with [mapdb.SlabRest]. Findings are for [Gather] then.
	Slab mapdb.Slab
	// Remote allows connections to servers on other machines. A world that somebody
	// else made may name any server.
	Remote bool
	// OnProgress is told how many blocks have been looked at; may be nil. If there is an
	// area or a slab, or the database has no number at hand, of is 0.
	OnProgress func(what string, done, of int)
}

// Check reports to sink what is wrong with the world in dir. Of all but the blocks, the path
// of a finding is the file, a colon, and the place in it. Blocks are decoded on
// all cores, and their findings come in the order of [mapdb.InSlabs], with a path
// such as "block 12,0,-3: metadata.entries[2]"; a damaged block stops nothing.
//
// What is no more than worth knowing of blocks is told once for each kind, with the number
// of blocks that have it; of the warnings of a kind ten different ones, each once for
// all blocks that have the same, and the others are counted. The places are complete. The
// error is that of the context, or of a server, see [Failed].
func Check(ctx context.Context, dir string, opts CheckOptions, sink check.Sink) error {
	return opts.gather(sink, func(sink check.Sink) error { return opts.world(ctx, dir, sink) })
}

// CheckBlocks reports to sink what is wrong with the blocks in a database, as [Check]
// does. It ends early with the context, or when a server fails, and returns why.
func CheckBlocks(ctx context.Context, db mapdb.DB, opts CheckOptions, sink check.Sink) error {
	return opts.gather(sink, func(sink check.Sink) error { return opts.blocks(ctx, db, sink) })
}

// gather tells what a check finds: of a slab as it is.
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
	if o.Slab == "" || o.Slab == mapdb.SlabRest {
		if u, ok := UnfinishedIn(dir); ok {
			sink.AddAt(foundUnfinished, []check.Place{check.File(CopyJournal)}, CopyJournal, -1, "%d blocks of %s are copied", u.Blocks, u.Source)
		}
		if !o.BlocksOnly {
			if err := CheckRest(ctx, dir, o.Remote, sink); err != nil {
				return err
			}
		}
	}
	var db mapdb.DB
	s, err := ReadWorldMT(dir)
	if err == nil {
		db, _, err = OpenMap(ctx, dir, s, o.Remote)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case Failed(err):
		return err
	case errors.Is(err, ErrRemote):
		sink.Add(foundMapRemote, pathMap, -1, "%v", err)
		return nil
	case errors.Is(err, fs.ErrNotExist):
		sink.Add(foundMapNone, pathMap, -1, "there is none")
		return nil
	case err != nil:
		sink.Add(foundMap, pathMap, -1, "%v", err)
		return nil
	}
	defer db.Close()
	return o.blocks(ctx, db, sink)
}

// pathMap is the path of what is found of the database of blocks, and not of a block.
const pathMap = "map"

func (o *CheckOptions) blocks(ctx context.Context, db mapdb.DB, sink check.Sink) error {
	area, total := mapdb.All(), 0
	if o.Area != nil {
		area = *o.Area
	} else if o.OnProgress != nil && o.Slab == "" {
		if n, err := db.Count(ctx); err == nil {
			total = int(n)
		}
	}
	done := 0
	var last *mapdb.Pos
	for r := range mapdb.Parallel(mapdb.In(ctx, db, o.Slab, area), look) {
		if r.err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if Failed(r.err) || errors.Is(r.err, mapdb.ErrSlab) {
				return r.err
			}
			sink.Add(foundMap, pathMap, fault.OffsetOf(r.err), "%v", r.err)
			continue
		}
		for _, f := range r.found {
			sink(f)
		}
		if r.pos != nil {
			if last != nil && *last == *r.pos && r.block {
				sink(place.InWorld(finding(foundBlockTwice, "", -1, "another row has the same position"), last.X, last.Y, last.Z))
			}
			if last = r.pos; !r.block {
				last = nil
			}
		}
		if done++; o.OnProgress != nil {
			o.OnProgress("blocks", done, total)
		}
	}
	if v, ok := db.(mapdb.Verifier); ok {
		for _, d := range v.Damage() {
			CheckRow(mapdb.Block{}, d, nil, sink)
		}
	}
	return nil
}

// A result is what there is to say about a row.
type result struct {
	pos   *mapdb.Pos // where the block is, if that is known
	block bool       // the row is a block
	found []check.Finding
	err   error // that ends the rows
}

// look looks at a row.
func look(row mapdb.Block, err error) result {
	r := result{pos: &row.Pos, block: true}
	var bad *mapdb.RowError
	if errors.As(err, &bad) {
		r.pos, r.block = bad.Pos, false
	} else if err != nil {
		return result{err: err}
	}
	b := spareBlocks.Get().(*mapblock.Block)
	defer spareBlocks.Put(b)
	CheckRow(row, bad, b, func(f check.Finding) {
		if r.pos != nil {
			f = place.InWorld(f, r.pos.X, r.pos.Y, r.pos.Z)
		}
		r.found = append(r.found, f)
	})
	return r
}

// CheckRow reports to sink what is wrong with a row of a database of blocks, or, if bad is not
// nil, with what is in its place: each finding by itself, with paths and places inside of the
// block. It decodes the block into b, and reports whether it could.
func CheckRow(row mapdb.Block, bad *mapdb.RowError, b *mapblock.Block, sink check.Sink) bool {
	switch {
	case bad != nil && len(bad.At) > 0: // of the file
		sink.AddAt(foundMapPages, bad.At, pathMap, fault.OffsetOf(bad), "%v", withoutOffset(bad))
		return false
	case bad != nil && bad.OfFile():
		sink.Add(foundMapRow, pathMap, -1, "%v", bad)
		return false
	case bad != nil:
		sink.Add(foundMapRow, "", -1, "%v", bad)
		return false
	}
	return checkBlock(row.Data, b, sink)
}

// withoutOffset returns an error that does not tell the offset, which a finding tells by itself.
func withoutOffset(err error) error {
	var e *fault.Error
	if errors.As(err, &e) {
		rest := *e
		rest.Offset = -1
		return &rest
	}
	return err
}

// spareBlocks are large, and so used again.
var spareBlocks = sync.Pool{New: func() any { return new(mapblock.Block) }}

// checkBlock reports what is wrong with the bytes of a block.
func checkBlock(data []byte, b *mapblock.Block, sink check.Sink) bool {
	if len(data) == 0 {
		sink.Add(foundBlockEmpty, "", -1, "no bytes")
		return false
	}
	if !b.CheckData(data, sink, "") {
		return false
	}
	for i, m := range b.Metadata.List {
		if len(m.Inventory) == 0 {
			continue
		}
		inv, _, err := item.ParseInventory(m.Inventory)
		path := func() string { return fmt.Sprintf("metadata.entries[%d].inventory", i) }
		node := place.InBlock(int(m.Pos))
		inside := place.Inside(sink, place.Slot{Node: &node, Slot: -1})
		if err != nil {
			inside.Add(foundMetaInventory, path(), -1, "%v", err)
			continue
		}
		inv.Check(func(f check.Finding) {
			f.Path = strings.TrimSuffix(path()+"."+f.Path, ".")
			inside(f)
		}, "")
	}
	return true
}

func finding(k *check.Kind, path string, offset int64, format string, args ...any) (f check.Finding) {
	check.Sink(func(g check.Finding) { f = g }).Add(k, path, offset, format, args...)
	return f
}
