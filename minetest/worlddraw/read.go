package worlddraw

import (
	"context"
	"errors"
	"iter"
	"slices"

	"trowel.example/minetest/mapdb"
)

// A column is the blocks that are behind each other in a view.
type column struct {
	u, v   int
	blocks []stored // from the nearest to the farthest
	lost   []error  // errors about other blocks
}

type stored struct {
	d    int
	data []byte
}

// Approximate numbers of blocks and columns that are read at once, and the number of blocks of each column that are
// read first: usually nothing is visible behind them.
const (
	manyBlocks  = 4096
	pageColumns = 64
	firstBlocks = 8
)

// A source reads columns from a store.
type source struct {
	db    mapdb.DB
	frame *frame
	way   way
	index *window
	lost  func(error)
	bound *mapdb.Bound
}

// A way is the method of reading that suits a store.
type way int

const (
	byRow    way = iota // the store finds the area of a row at the cost of its blocks
	byColumn            // the same for a column, but not for a row
	byBlock             // blocks are requested by their positions
)

// wayOf returns the method for a store. An SQLite file whose key begins with z keeps rows together (rows of side
// views in as many pieces as there are planes). An SQLite file whose key is x, z, y keeps the columns of the view
// from above together.
func wayOf(db mapdb.DB, f *frame) way {
	if p, ok := db.(mapdb.Planer); ok && p.HasPlanes() {
		return byRow
	}
	if mapdb.SchemaOf(db) == mapdb.SchemaXYZ && f.axis[2] == 1 {
		return byColumn
	}
	return byBlock
}

// columns calls do with the columns us of a row, which must be sorted and contain blocks. Each call receives the next
// blocks of a column, from the nearest to the farthest, and whether they are the last. If do returns true, no more
// blocks of the column are read. first is the number of blocks of a column that are read first.
func (s *source) columns(ctx context.Context, v int, us []int, first int, do func(c column, last bool) (enough bool)) error {
	for len(us) > 0 {
		n, blocks := 0, 0
		for n < len(us) && (n == 0 || blocks < manyBlocks && (n < pageColumns || s.way == byRow)) {
			blocks += min(first, s.index.count(us[n], v))
			n++
		}
		if err := s.page(ctx, v, us[:n], first, do); err != nil {
			return err
		}
		us = us[n:]
	}
	return nil
}

func (s *source) page(ctx context.Context, v int, us []int, thick int, do func(c column, last bool) (enough bool)) error {
	rest := slices.Clone(us)
	for way, d := s.way, s.index.box.Min[2]; len(rest) > 0; {
		from := s.index.box.Max[2]
		for _, u := range rest {
			if next, ok := s.index.next(u, v, d); ok {
				from = min(from, next)
			}
		}
		to := min(from+thick-1, s.index.box.Max[2])
		found := make(map[int]*column, len(rest))
		for _, u := range rest {
			found[u] = &column{u: u, v: v}
		}
		var err error
		switch way {
		case byRow:
			err = s.area(ctx, Box{[3]int{rest[0], v, from}, [3]int{rest[len(rest)-1], v, to}}, found)
		case byColumn:
			for i := 0; i < len(rest) && err == nil; i++ {
				err = s.area(ctx, Box{[3]int{rest[i], v, from}, [3]int{rest[i], v, to}}, found)
			}
		case byBlock:
			err = s.singly(ctx, v, rest, from, to, found)
		}
		if err != nil {
			return err
		}
		left := rest[:0]
		for _, u := range rest {
			c := found[u]
			slices.SortFunc(c.blocks, func(a, b stored) int { return a.d - b.d })
			_, more := s.index.next(u, v, to+1)
			if enough := do(*c, !more); more && !enough {
				left = append(left, u)
			}
		}
		rest, d = left, to+1
		thick = max(thick, min(2*thick, manyBlocks/max(1, len(rest))))
		if way == byRow {
			way = byBlock // few columns are left, with others between them
		}
	}
	return nil
}

// area reads the blocks of a box, including those of columns that are not requested.
func (s *source) area(ctx context.Context, box Box, found map[int]*column) error {
	return s.sort(s.db.Blocks(ctx, s.frame.area(box)), found)
}

// singly requests the blocks of columns by their positions.
func (s *source) singly(ctx context.Context, v int, us []int, from, to int, found map[int]*column) error {
	var all []mapdb.Pos
	for _, u := range us {
		s.index.column(u, v, func(low, high int) {
			for d := max(low, from); d <= min(high, to); d++ {
				p := s.frame.out([3]int{u, v, d})
				all = append(all, mapdb.Pos{X: int16(p[0]), Y: int16(p[1]), Z: int16(p[2])})
			}
		})
	}
	return s.sort(mapdb.Fetch(ctx, s.db, all), found)
}

// sort assigns blocks to their columns.
func (s *source) sort(blocks iter.Seq2[mapdb.Block, error], found map[int]*column) error {
	for b, err := range blocks {
		if err == nil {
			err = s.bound.Spend(b.Pos, b.Data)
		}
		if _, ok := errors.AsType[*mapdb.RowError](err); ok {
			if pos, ok := posOf(err); !ok {
				s.lost(err)
			} else if c := found[s.frame.in(coords(pos))[0]]; c != nil {
				c.lost = append(c.lost, err)
			}
			continue
		}
		if err != nil {
			return err
		}
		at := s.frame.in(coords(b.Pos))
		if c := found[at[0]]; c != nil {
			c.blocks = append(c.blocks, stored{at[2], b.Data})
		}
	}
	return nil
}
