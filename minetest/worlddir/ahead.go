package worlddir

import (
	"slices"
	"sync"

	"trowel.example/minetest/mapdb"
)

// A walk through the tree reads the blocks of a plane one after the other. Each read of a block is a transaction, so after
// some of them the following rows are read at once.
const (
	aheadAfter  = 4       // blocks of a plane that are read alone
	aheadBlocks = 1024    // blocks that are read at once, rounded up to a row
	aheadBytes  = 8 << 20 // and their bytes; blocks beyond are read alone
	aheadReads  = 8       // kept reads: names of rows are in the order of text
)

type ahead struct {
	mu    sync.Mutex
	z     int16
	alone int // blocks of the plane that were read alone
	reads []aheadRead
}

// aheadRead is the blocks of rows of a plane.
type aheadRead struct {
	z, low, high int16
	blocks       map[mapdb.Pos][]byte
}

// read reads a block, and those that a walk will read next.
func (s *shown) read(pos mapdb.Pos) ([]byte, error) {
	if data, ok := s.readAhead(pos); ok {
		return slices.Clone(data), nil
	}
	return s.w.Map.Get(s.ctx, pos)
}

// readAhead returns a block if it is among those that are read at once.
func (s *shown) readAhead(pos mapdb.Pos) ([]byte, bool) {
	db, ok := s.w.Map.(mapdb.Planer)
	if !ok || !db.HasPlanes() { // reading a plane may read all blocks
		return nil, false
	}
	a := &s.ahead
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, r := range a.reads {
		if r.z == pos.Z && r.low <= pos.Y && pos.Y <= r.high {
			data, ok := r.blocks[pos]
			return data, ok
		}
	}
	if a.z != pos.Z {
		a.z, a.alone, a.reads = pos.Z, 0, nil
	}
	if a.alone++; a.alone <= aheadAfter {
		return nil, false
	}
	r, err := s.readRows(db, pos)
	if err != nil { // reading the block itself reports it
		a.alone = 0
		return nil, false
	}
	if len(a.reads) == aheadReads {
		a.reads = slices.Delete(a.reads, 0, 1)
	}
	a.reads = append(a.reads, r)
	data, ok := r.blocks[pos]
	return data, ok
}

// readRows reads the row of a position and rows after it. Unreadable blocks are not among the blocks.
func (s *shown) readRows(db mapdb.DB, pos mapdb.Pos) (r aheadRead, err error) {
	all, err := s.inPlane(pos.Z)
	if err != nil {
		return r, err
	}
	first, end := all.plane(pos.Z)
	low, high := all.row(pos.Z, pos.Y)
	if low == high {
		return r, mapdb.ErrNotFound
	}
	r = aheadRead{z: pos.Z, low: pos.Y, high: pos.Y, blocks: make(map[mapdb.Pos][]byte)}
	if pos.Y < 0 { // names of rows are in the order of text: y-1, y-10, y-2, y0, y1
		r.low = all.at(max(high-aheadBlocks, first)).Y
	} else {
		r.high = all.at(min(low+aheadBlocks, end) - 1).Y
	}
	area := s.area
	area.Min.Z, area.Max.Z, area.Min.Y, area.Max.Y = pos.Z, pos.Z, max(area.Min.Y, r.low), min(area.Max.Y, r.high)
	size := 0
	for b, err := range db.Blocks(s.ctx, area) {
		if err != nil {
			continue
		}
		if size += len(b.Data); size > aheadBytes {
			break
		}
		if _, twice := r.blocks[b.Pos]; !twice { // reading the block alone returns the first one, too
			r.blocks[b.Pos] = b.Data
		}
	}
	return r, s.ctx.Err()
}
