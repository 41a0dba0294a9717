package worlddraw

import (
	"image"
	"slices"

	"trowel.example/minetest/mapdb"
)

// A window is the part of an index that is in a box.
type window struct {
	*index
	box Box // of blocks; reduced to existing blocks, if any
	any bool
	has [coordCount]bool // by v: whether the row contains blocks
}

// newWindow returns the window of an index in a box of blocks. The given rows contain other blocks, outside of the
// box.
func newWindow(x *index, box Box, rows []int) *window {
	w := &window{index: x}
	found := Box{box.Max, box.Min}
	for v := box.Min[1]; v <= box.Max[1]; v++ {
		for _, r := range x.rows[v-mapdb.MinCoord] {
			low, high := max(r.d(), box.Min[2]), min(r.last(), box.Max[2])
			if u := r.u(); low > high || u < box.Min[0] || u > box.Max[0] {
				continue
			} else {
				found.Min[0], found.Max[0] = min(found.Min[0], u), max(found.Max[0], u)
			}
			found.Min[1], found.Max[1] = min(found.Min[1], v), max(found.Max[1], v)
			found.Min[2], found.Max[2] = min(found.Min[2], low), max(found.Max[2], high)
			w.has[v-mapdb.MinCoord], w.any = true, true
		}
	}
	for _, v := range rows {
		if v >= mapdb.MinCoord && v <= mapdb.MaxCoord {
			found.Min[1], found.Max[1] = min(found.Min[1], v), max(found.Max[1], v)
			w.has[v-mapdb.MinCoord] = true
		}
	}
	w.box = found
	return w
}

// row reports whether a row contains blocks.
func (w *window) row(v int) bool {
	return v >= mapdb.MinCoord && v <= mapdb.MaxCoord && w.has[v-mapdb.MinCoord]
}

// runs returns the runs of a row, beginning with column u.
func (w *window) runs(u, v int) []run {
	if v < w.box.Min[1] || v > w.box.Max[1] || u > w.box.Max[0] {
		return nil
	}
	row := w.rows[v-mapdb.MinCoord]
	i, _ := slices.BinarySearch(row, run(max(u, w.box.Min[0])-mapdb.MinCoord)<<20)
	return row[i:]
}

// column calls do for the runs of blocks in a column, from the nearest to the farthest, with the first and last d of
// each.
func (w *window) column(u, v int, do func(low, high int)) {
	if u < w.box.Min[0] {
		return
	}
	for _, r := range w.runs(u, v) {
		if r.u() != u {
			return
		}
		if low, high := max(r.d(), w.box.Min[2]), min(r.last(), w.box.Max[2]); low <= high {
			do(low, high)
		}
	}
}

// count returns the number of blocks in a column.
func (w *window) count(u, v int) (n int) {
	w.column(u, v, func(low, high int) { n += high - low + 1 })
	return n
}

// next returns the first block of a column at or after d, or false if there is none.
func (w *window) next(u, v, d int) (first int, ok bool) {
	w.column(u, v, func(low, high int) {
		if !ok && high >= d {
			first, ok = max(low, d), true
		}
	})
	return first, ok
}

// among returns the columns from u0 to u1 of a row that contain blocks.
func (w *window) among(v, u0, u1 int) (us []int) {
	if !w.row(v) {
		return nil
	}
	u1 = min(u1, w.box.Max[0])
	for _, r := range w.runs(u0, v) {
		u := r.u()
		if u > u1 {
			break
		}
		if (len(us) == 0 || us[len(us)-1] != u) && r.d() <= w.box.Max[2] && r.last() >= w.box.Min[2] {
			us = append(us, u)
		}
	}
	return us
}

// columns returns the range of columns, in u and v, that may contain blocks in a rectangle of pixels.
func (w *window) columns(r image.Rectangle) (u0, v0, u1, v1 int) {
	return max(floorDiv(r.Min.X, side), w.box.Min[0]), max(floorDiv(r.Min.Y, side), w.box.Min[1]),
		min(floorDiv(r.Max.X-1, side), w.box.Max[0]), min(floorDiv(r.Max.Y-1, side), w.box.Max[1])
}

// before returns the last row before v that contains blocks.
func (w *window) before(v int) (int, bool) {
	for v--; v >= w.box.Min[1]; v-- {
		if w.row(v) {
			return v, true
		}
	}
	return 0, false
}

// at reports whether there is a block at a position.
func (w *window) at(at [3]int) bool {
	d, ok := w.next(at[0], at[1], at[2])
	return ok && d == at[2]
}

// extent returns the bounding box of all blocks, in nodes. Its Min is greater than its Max if there are none.
func (w *window) extent(f *frame) Box {
	if !w.any {
		return Box{[3]int{1, 1, 1}, [3]int{}}
	}
	b := w.box
	for i := range b.Min {
		b.Min[i], b.Max[i] = b.Min[i]*side, b.Max[i]*side+side-1
	}
	low, high := f.out(b.Min), f.out(b.Max)
	for i := range low {
		low[i], high[i] = min(low[i], high[i]), max(low[i], high[i])
	}
	return Box{low, high}
}
