package mapdraw

import (
	"slices"
	"sync"
	"sync/atomic"
	"weak"
)

// Where the size of tiles is an integer number of pixels, as in pictures of a whole map and in tile pyramids, a cell
// looks the same at each position of a layer and is scaled only once.

// maxScaledSide is the largest side of the kept tiles, in pixels, and maxScaled the largest number of kept pixels.
const (
	maxScaledSide = 128
	maxScaled     = 8 << 20
)

// scaledKey identifies cells with the same scaled form.
type scaledKey struct {
	sheet weak.Pointer[sheet] // sheets of a large map are made again for each picture, and released before
	side  int                 // of a tile, in pixels
	phase [2]float64          // the offset of tiles within a pixel
}

// scaledSheet holds the cells of a sheet in a size, with all flags, each made when it is first needed.
type scaledSheet struct {
	key   scaledKey
	side  int
	cells [16 * 256]atomic.Pointer[[]shade]
	made  atomic.Int64 // pixels
}

// scaledCells holds the most recently used sheets of a renderer.
type scaledCells struct {
	mu   sync.Mutex
	list []*scaledSheet // the most recently used one is last
}

// sheet returns the cells for a key, and removes the least recently used sheets if there are too many.
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

// cell returns a cell in the form that a tiling needs, row by row.
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
