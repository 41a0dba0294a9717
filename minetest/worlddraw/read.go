package worlddraw

import (
	"context"
	"errors"
	"iter"
	"slices"

	"trowel.example/minetest/mapdb"
)

// A column is the blocks that are behind each other for the eye.
type column struct {
	u, v   int
	blocks []stored // from the eye on
}

type stored struct {
	d    int
	data []byte
}

// How many blocks are read at once, about, and for how many columns.
const (
	manyBlocks  = 4096
	pageColumns = 64
)

// A source reads columns from a store.
type source struct {
	db    mapdb.DB
	frame *frame
	way   way
	index *index
	lost  func(error)
}

// A way to read is the one that suits a store.
type way int

const (
	byRow    way = iota // a row is an area that the store finds at the cost of its blocks
	byColumn            // so is a column, but not a row
	byBlock             // blocks are asked for by their positions, which are in memory
)

// wayOf returns the way for a store: an SQLite file whose key begins with z has its rows
// together (those of a side in as many pieces as there are planes), one whose key is x, z
// and y the columns that are seen from above.
func wayOf(db mapdb.DB, f *frame) way {
	if p, ok := db.(mapdb.Planer); ok && p.HasPlanes() {
		return byRow
	}
	if mapdb.SchemaOf(db) == mapdb.SchemaXYZ && f.axis[2] == 1 {
		return byColumn
	}
	return byBlock
}

// columns calls do with those columns of a row that are in us, which is sorted and has only
// columns in which there are blocks.
func (s *source) columns(ctx context.Context, v int, us []int, do func(column)) error {
	for len(us) > 0 {
		n, blocks := 0, 0
		for n < len(us) && (n == 0 || blocks < manyBlocks && n < pageColumns || s.way == byRow && blocks < manyBlocks) {
			blocks += s.index.count(us[n], v)
			n++
		}
		var err error
		switch s.way {
		case byRow:
			err = s.area(ctx, v, us[:n], do)
		case byColumn:
			for i := 0; i < n && err == nil; i++ {
				err = s.area(ctx, v, us[i:i+1], do)
			}
		case byBlock:
			err = s.singly(ctx, v, us[:n], do)
		}
		if err != nil {
			return err
		}
		us = us[n:]
	}
	return nil
}

// area reads columns as one area. What is between them is read, too, and dropped.
func (s *source) area(ctx context.Context, v int, us []int, do func(column)) error {
	box := Box{[3]int{us[0], v, s.index.box.Min[2]}, [3]int{us[len(us)-1], v, s.index.box.Max[2]}}
	return s.sort(s.db.Blocks(ctx, s.frame.area(box)), v, us, do)
}

// singly asks for the blocks of columns by their positions.
func (s *source) singly(ctx context.Context, v int, us []int, do func(column)) error {
	var all []mapdb.Pos
	for _, u := range us {
		for _, d := range s.index.column(u, v) {
			p := s.frame.out([3]int{u, v, d})
			all = append(all, mapdb.Pos{X: int16(p[0]), Y: int16(p[1]), Z: int16(p[2])})
		}
	}
	return s.sort(mapdb.Fetch(ctx, s.db, all), v, us, do)
}

// sort makes columns of blocks, and drops what is not in one of them.
func (s *source) sort(blocks iter.Seq2[mapdb.Block, error], v int, us []int, do func(column)) error {
	found := make(map[int][]stored, len(us))
	for b, err := range blocks {
		var row *mapdb.RowError
		if errors.As(err, &row) {
			s.lost(err)
			continue
		}
		if err != nil {
			return err
		}
		at := s.frame.in(coords(b.Pos))
		found[at[0]] = append(found[at[0]], stored{at[2], b.Data})
	}
	for _, u := range us {
		blocks := found[u]
		slices.SortFunc(blocks, func(a, b stored) int { return a.d - b.d })
		do(column{u, v, blocks})
	}
	return nil
}
