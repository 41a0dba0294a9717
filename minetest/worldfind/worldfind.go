// Package worldfind finds things in worlds: nodes, what they keep, objects, items, by what
// they are called, with their places. Blocks are read as they stream, on all cores, and no
// more of them than what is asked for takes.
//
//	names, err := worldfind.ParseNames("default:chest*")
//	err = worldfind.Nodes(ctx, db, worldfind.Where{}, names, func(n worldfind.Node) error {
//		fmt.Println(n.At, n.Name)
//		return nil
//	})
//
// Blocks of all versions are shown as a game of today understands them. What a function finds
// comes in the order of [mapdb.InSlabs], and within a block in that of the block. An error of
// the function that is called with it ends the search and is returned.
package worldfind

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"trowel.example/internal/parallel"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/place"
	"trowel.example/minetest/worldedit"
)

// NodeOf returns the node in which a place is, whose x, y and z are in nodes; those of the
// middle of a node are whole numbers.
func NodeOf(pos [3]float64) (v worldedit.Vec) {
	for i := range v {
		v[i] = int(math.Floor(pos[i] + 0.5))
	}
	return v
}

// Where says what is searched, and who hears of what cannot be.
type Where struct {
	Box *worldedit.Box             // nil: everything
	In  func(v worldedit.Vec) bool // reports whether a node of the box is searched; nil: all are

	// Slab is the part of the database that is searched; "" is all of it.
	Slab mapdb.Slab

	// OnMiss is told of each block or row that cannot be read, so that things may be in it
	// that are not found; nil: nobody.
	OnMiss func(error)
	// OnProgress is told how many blocks have been looked at, of how many; of is 0 where that
	// is not known. Nil: nobody.
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

// spare are blocks, which are large, and so used again.
var spare = sync.Pool{New: func() any { return new(mapblock.Block) }}

// query is what is asked of each block.
type query[T any] struct {
	nodesOnly bool
	may       func(data []byte) bool // whether something may be in a block by its bytes; nil: always
	look      func(p mapdb.Pos, b *mapblock.Block) []T
}

// run asks all blocks.
func (q query[T]) run(ctx context.Context, db mapdb.DB, where Where, yield func(T) error) error {
	type result struct {
		found []T
		err   error // of a row or of a block
		last  bool  // nothing comes behind the error
	}
	total, done := 0, 0
	if where.OnProgress != nil && where.Box == nil && where.Slab == "" {
		if n, err := db.Count(ctx); err == nil {
			total = int(n)
		}
	}
	for r := range mapdb.Parallel(mapdb.In(ctx, db, where.Slab, where.area()), func(data mapdb.Block, err error) (r result) {
		var row *mapdb.RowError
		switch {
		case err != nil:
			return result{err: err, last: !errors.As(err, &row)}
		case q.may != nil && !q.may(data.Data):
			return result{}
		}
		if p := parallel.Catch(func() { r.found, r.err = q.block(data) }); p != nil { // the others are asked
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

// block asks a block.
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

// nodeAt is a node of a block.
func nodeAt(p mapdb.Pos, index int) place.Node { return place.InBlock(index).In(p.X, p.Y, p.Z) }

// holds reports whether a block may have a node of which the name is known in part: the
// blocks of most versions have names as they are.
func holds(data []byte, literal string) bool {
	const first, last = 22, 28
	return len(data) == 0 || data[0] < first || data[0] > last || bytes.Contains(data, []byte(literal))
}

// nameOf returns the name of a node, "" if its id has none.
func nameOf(b *mapblock.Block, index int) string {
	id := b.Param0[index]
	for i := len(b.Names) - 1; i >= 0; i-- { // the last counts, as in the games
		if b.Names[i].ID == id {
			return b.Names[i].Name
		}
	}
	return ""
}
