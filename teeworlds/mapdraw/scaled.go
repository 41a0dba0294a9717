package mapdraw

import (
	"slices"
	"sync"
	"sync/atomic"
)

// Where tiles are a whole number of pixels large, as in pictures of a whole map and in
// pyramids of tiles, a cell looks the same in each place of a layer and is made only once.

// maxScaledSide is the largest side of tiles that are kept, in pixels, and maxScaled how
// many pixels are.
const (
	maxScaledSide = 128
	maxScaled     = 8 << 20
)

// scaledKey says for what cells are the same.
type scaledKey struct {
	sheet *sheet
	side  int        // of a tile, in pixels
	phase [2]float64 // where tiles begin between pixels
}

// scaledSheet are the cells of a sheet in a size, turned in all ways, each made when it is
// first needed.
type scaledSheet struct {
	key   scaledKey
	side  int
	cells [16 * 256]atomic.Pointer[[]shade]
	made  atomic.Int64 // pixels
}

// scaledCells are the sheets of a renderer that were used last.
type scaledCells struct {
	mu   sync.Mutex
	list []*scaledSheet // the one that was used last at the end
}

// sheet returns the cells for a key, and lets go of such as were not used for long where
// there are too many.
func (c *scaledCells) sheet(key scaledKey) *scaledSheet {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.list, func(s *scaledSheet) bool { return s.key == key })
	var s *scaledSheet
	if i >= 0 {
		s = c.list[i]
		c.list = slices.Delete(c.list, i, i+1)
	} else {
		s = &scaledSheet{key: key, side: key.side}
	}
	c.list = append(c.list, s)
	const overhead = 16 * 256 // of a sheet, in pixels
	room := int64(maxScaled)
	for i, s := range slices.Backward(c.list) {
		if room -= s.made.Load() + overhead; room < 0 {
			c.list = slices.Clone(c.list[min(i+1, len(c.list)-1):])
			break
		}
	}
	return s
}

// cell returns a cell as a tiling needs it, row by row.
func (s *scaledSheet) cell(t *tiling, c cell) []shade {
	at := &s.cells[c]
	if ready := at.Load(); ready != nil {
		return *ready
	}
	line := [2][]along{make([]along, s.side), make([]along, s.side)}
	for d := range line {
		for i := range line[d] {
			line[d][i].at = min((float64(i)+s.key.phase[d])/float64(s.side), 1)
		}
	}
	t.steps(c, line[0], line[1])
	ready := make([]shade, s.side*s.side)
	for y := range s.side {
		t.sample(ready[y*s.side:][:s.side], c, y)
	}
	if at.CompareAndSwap(nil, &ready) {
		s.made.Add(int64(len(ready)))
	}
	return ready
}
