package worldquery

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"trowel.example/internal/limits/parallel"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldedit"
)

// NodeOf returns the node that contains a position, given in nodes. Centers of nodes are at integers.
func NodeOf(pos [3]float64) (v worldedit.Vec) {
	for i := range v {
		v[i] = int(math.Floor(pos[i] + 0.5))
	}
	return v
}

// Where selects what is searched, and receives errors and the progress.
type Where struct {
	Box *worldedit.Box             // nil means everything
	In  func(v worldedit.Vec) bool // reports whether a node of the box is searched; nil means all

	// Slab is the part of the database that is searched; "" means all of it.
	Slab mapdb.Slab

	// OnMiss is called with an error for each block or row that cannot be read and may contain results; may be nil.
	OnMiss func(error)
	// OnProgress is called with the number of searched blocks and the total, which is 0 if it is unknown; may be nil.
	OnProgress func(done, of int)
}

// Contains reports whether a node is searched.
func (w *Where) Contains(v worldedit.Vec) bool {
	return (w.Box == nil || w.Box.Contains(v)) && (w.In == nil || w.In(v))
}

// contains is Contains for a node of a block.
func (w *Where) contains(p mapdb.Pos, index int) bool {
	if w.Box == nil && w.In == nil {
		return true
	}
	x, y, z := mapblock.Coordinates(index)
	return w.Contains(worldedit.Vec{int(p.X)*mapblock.Side + x, int(p.Y)*mapblock.Side + y, int(p.Z)*mapblock.Side + z})
}

// area returns the blocks that are searched.
func (w *Where) area() mapdb.Area {
	if w.Box == nil {
		return mapdb.All()
	}
	return w.Box.Area()
}

// spare reuses decoded blocks, which are large.
var spare = sync.Pool{New: func() any { return new(mapblock.Block) }}

// query is a search of each block.
type query[T any] struct {
	nodesOnly bool
	may       func(data []byte) bool // whether a block may contain results, given its bytes; nil means always
	look      func(p mapdb.Pos, b *mapblock.Block) []T
}

// run performs the search.
func (q query[T]) run(ctx context.Context, db mapdb.DB, where Where, yield func(T) error) error {
	type result struct {
		found []T
		err   error // about a row or a block
		last  bool  // no result follows the error
	}
	total, done := 0, 0
	if where.OnProgress != nil && where.Box == nil && where.Slab == "" {
		if n, err := db.Count(ctx); err == nil {
			total = int(n)
		}
	}
	for r := range mapdb.Parallel(mapdb.Bounded(mapdb.In(ctx, db, where.Slab, where.area())), func(data mapdb.Block, err error) (r result) {
		var row *mapdb.RowError
		switch {
		case err != nil:
			return result{err: err, last: !errors.As(err, &row)}
		case q.may != nil && !q.may(data.Data):
			return result{}
		}
		if p := parallel.Catch(func() { r.found, r.err = q.block(data) }); p != nil { // the others are still searched
			r.found, r.err = nil, fmt.Errorf("%v: a defect of this program: %w", blockAt(data.Pos), p)
		}
		return r
	}) {
		if r.last {
			return r.err
		}
		if r.err != nil && where.OnMiss != nil {
			where.OnMiss(r.err)
		}
		for _, one := range r.found {
			if err := yield(one); err != nil {
				return err
			}
		}
		if done++; where.OnProgress != nil {
			where.OnProgress(done, total)
		}
	}
	return ctx.Err()
}

// block searches a block.
func (q query[T]) block(data mapdb.Block) ([]T, error) {
	b := spare.Get().(*mapblock.Block)
	defer spare.Put(b)
	decode := b.Decode
	if q.nodesOnly {
		decode = b.DecodeNodes
	}
	if err := decode(data.Data); err != nil {
		return nil, fmt.Errorf("%v: %w", blockAt(data.Pos), err)
	}
	return q.look(data.Pos, b.Today()), nil
}

func blockAt(p mapdb.Pos) place.Node { return place.Block(p.X, p.Y, p.Z) }

// nodeAt returns a node of a block.
func nodeAt(p mapdb.Pos, index int) place.Node { return place.InBlock(index).In(p.X, p.Y, p.Z) }

// holds reports whether a block may contain a node whose name contains literal: most versions store names
// uncompressed.
func holds(data []byte, literal string) bool {
	const first, last = 22, 28
	return len(data) == 0 || data[0] < first || data[0] > last || bytes.Contains(data, []byte(literal))
}

// nameAt returns the name of a node, or "" if its id has no name.
func nameAt(b *mapblock.Block, index int) string {
	id := b.Param0[index]
	for i := len(b.Names) - 1; i >= 0; i-- { // of duplicates, the last one counts, as in the games
		if b.Names[i].ID == id {
			return b.Names[i].Name
		}
	}
	return ""
}
