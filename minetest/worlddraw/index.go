package worlddraw

import (
	"context"
	"errors"
	"image"
	"slices"

	"trowel.example/minetest/mapdb"
)

// coordCount is how many values a coordinate of a block has.
const coordCount = mapdb.MaxCoord - mapdb.MinCoord + 1

// An index tells where there are blocks: a count of two bytes for each column of a row in
// which there are any.
type index struct {
	rows  [coordCount][]uint16 // by v and u, both from MinCoord on; nil: nothing is there
	lists [coordCount][]uint32 // by v: u and d of each block, sorted; only if the store needs it
	box   Box                  // of the columns, in blocks; d is that of all blocks that count
	any   bool
}

// readIndex reads the positions of all blocks in a box of u, v and d.
func readIndex(ctx context.Context, db mapdb.DB, f *frame, box Box, lists bool, lost func(error)) (*index, error) {
	x := &index{box: Box{box.Max, box.Min}}
	for p, err := range db.Positions(ctx, f.area(box)) {
		var row *mapdb.RowError
		if errors.As(err, &row) {
			lost(err)
			continue
		}
		if err != nil {
			return nil, err
		}
		at := f.in(coords(p))
		u, v := at[0]-mapdb.MinCoord, at[1]-mapdb.MinCoord
		row2 := x.rows[v]
		if row2 == nil {
			row2 = make([]uint16, coordCount)
			x.rows[v] = row2
		}
		row2[u]++
		if lists {
			x.lists[v] = append(x.lists[v], uint32(u)<<16|uint32(at[2]-mapdb.MinCoord))
		}
		for i := range at {
			x.box.Min[i], x.box.Max[i] = min(x.box.Min[i], at[i]), max(x.box.Max[i], at[i])
		}
		x.any = true
	}
	for _, l := range x.lists {
		slices.Sort(l)
	}
	return x, nil
}

// count returns how many blocks are in a column.
func (x *index) count(u, v int) int {
	if row := x.row(v); row != nil {
		return int(row[u-mapdb.MinCoord])
	}
	return 0
}

// columns returns the first and the last column, in u and v, of those that may have blocks
// in a rectangle of pixels.
func (x *index) columns(r image.Rectangle) (u0, v0, u1, v1 int) {
	return max(floorDiv(r.Min.X, side), x.box.Min[0]), max(floorDiv(r.Min.Y, side), x.box.Min[1]),
		min(floorDiv(r.Max.X-1, side), x.box.Max[0]), min(floorDiv(r.Max.Y-1, side), x.box.Max[1])
}

func (x *index) row(v int) []uint16 {
	if v < mapdb.MinCoord || v > mapdb.MaxCoord {
		return nil
	}
	return x.rows[v-mapdb.MinCoord]
}

// before returns the last row before v in which there are blocks.
func (x *index) before(v int) (int, bool) {
	for v--; v >= x.box.Min[1]; v-- {
		if x.row(v) != nil {
			return v, true
		}
	}
	return 0, false
}

// column returns the positions of the blocks of a column, from the eye on.
func (x *index) column(u, v int) (d []int) {
	list := x.lists[v-mapdb.MinCoord]
	i, _ := slices.BinarySearch(list, uint32(u-mapdb.MinCoord)<<16)
	for ; i < len(list) && int(list[i]>>16) == u-mapdb.MinCoord; i++ {
		d = append(d, int(list[i]&0xffff)+mapdb.MinCoord)
	}
	return d
}
