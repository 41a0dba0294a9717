package worlddraw

import (
	"image"
	"math"
	"slices"
)

// A diagonal is the set of columns of blocks with the same x-z, which are behind each other in the picture: their z,
// sorted. A line passes through two or three diagonals only.
type diagonal []int16

// diagonalCount is the number of diagonals.
const diagonalCount = 2*coordCount - 1

// diagonals sorts the columns of the view from above into diagonals.
func diagonals(w *window, f *frame) *[diagonalCount]diagonal {
	all := new([diagonalCount]diagonal)
	for v := w.box.Min[1]; v <= w.box.Max[1]; v++ {
		for _, u := range w.among(v, w.box.Min[0], w.box.Max[0]) {
			at := f.out([3]int{u, v, 0})
			d := &all[at[0]-at[2]+coordCount-1]
			*d = append(*d, int16(at[2]))
		}
	}
	for _, d := range all {
		slices.Sort(d)
	}
	return all
}

// near returns the range of the diagonals that contain nodes with x-z from low to high.
func near(low, high int) (first, last int) {
	return max(0, floorDiv(low, side)+coordCount-1), min(diagonalCount-1, floorDiv(high+side-1, side)+coordCount-1)
}

// next returns the z of the first node, at or after z, in a column of blocks of a range of diagonals. It returns
// math.MaxInt if there is none.
func (s *Iso) next(first, last, z int) int {
	nearest := math.MaxInt
	for n := first; n <= last; n++ {
		d := s.diagonals[n]
		if i, _ := slices.BinarySearch(d, int16(floorDiv(z, side))); i < len(d) {
			nearest = min(nearest, max(z, int(d[i])*side))
		}
	}
	return nearest
}

// shows reports whether a rectangle of pixels may show blocks, for a size of cubes.
func (s *Iso) shows(r image.Rectangle, c *cube) bool {
	if s.box.Min[0] > s.box.Max[0] {
		return false
	}
	first, last := near(floorDiv(r.Min.X, c.half)-1, floorDiv(r.Max.X-1, c.half))
	for n := first; n <= last; n++ {
		for _, z := range s.diagonals[n] {
			// The middle of a cube is at -y*half - (x+z)*half/2.
			sum := (2*int(z) + n - coordCount + 1) * side // x+z of the first node
			top := -(s.box.Max[1]+1)*c.half - (sum+2*side)*c.half/2
			bottom := -(s.box.Min[1]-2)*c.half - (sum-2)*c.half/2
			if top < r.Max.Y && bottom >= r.Min.Y {
				return true
			}
		}
	}
	return false
}
