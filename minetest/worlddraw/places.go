package worlddraw

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"

	"trowel.example/minetest/mapdb"
)

// Places are the positions of the blocks of a store at the time of reading. Several pictures can share them without
// reading them again. They take 4 bytes for each run of adjacent blocks, for each direction of the views that were
// used.
type Places struct {
	db  mapdb.DB
	top index // in the view from above
	n   int64

	rows []int // of a [Part]: rows that contain other blocks, not nearby

	mu    sync.Mutex
	sides map[View]*index
}

// ReadPlaces reads the positions of the blocks in a box of nodes. Lost receives errors about rows that are not
// blocks; may be nil.
func ReadPlaces(ctx context.Context, db mapdb.DB, box Box, lost func(error)) (*Places, error) {
	f := frames[Top]
	return readPlaces(ctx, db, f.area(f.box(box.nodes().blocks())), lost)
}

func readPlaces(ctx context.Context, db mapdb.DB, area mapdb.Area, lost func(error)) (*Places, error) {
	p, err := PlacesOf(db.Positions(ctx, area), nil, lost)
	if err == nil {
		p.db = db
	}
	return p, err
}

// PlacesOf is [ReadPlaces] for positions in any order, for uses that read no blocks. The rows are those of a [Part],
// if there is one.
func PlacesOf(all iter.Seq2[mapdb.Pos, error], rows []int, lost func(error)) (*Places, error) {
	if lost == nil {
		lost = func(error) {}
	}
	p := &Places{sides: make(map[View]*index), rows: rows}
	f := frames[Top]
	var b builder
	for pos, err := range all {
		if _, ok := errors.AsType[*mapdb.RowError](err); ok {
			lost(err)
			continue
		}
		if err != nil {
			return nil, err
		}
		b.add(f.in(coords(pos)))
	}
	b.finish(&p.top)
	for range p.top.blocks {
		p.n++
	}
	return p, nil
}

// nodes returns the part of a box of nodes that is inside the world.
func (b Box) nodes() Box {
	everything := Everything()
	for i := range b.Min {
		b.Min[i], b.Max[i] = max(b.Min[i], everything.Min[i]), min(b.Max[i], everything.Max[i])
	}
	return b
}

// blocks returns the box of the blocks that contain a box of nodes.
func (b Box) blocks() Box {
	for i := range b.Min {
		b.Min[i], b.Max[i] = floorDiv(b.Min[i], side), floorDiv(b.Max[i], side)
	}
	return b
}

// Count returns the number of blocks.
func (p *Places) Count() int64 { return p.n }

// Has reports whether there is a block at a position.
func (p *Places) Has(pos mapdb.Pos) bool {
	if !pos.Valid() {
		return false
	}
	f := frames[Top]
	at := f.in(coords(pos))
	w := window{index: &p.top, box: Box{at, at}}
	return w.at(at)
}

// index returns the positions in the coordinates of a view.
func (p *Places) index(v View) *index {
	if v == Top {
		return &p.top
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if x := p.sides[v]; x != nil {
		return x
	}
	var b builder
	top, f := frames[Top], frames[v]
	for at := range p.top.blocks {
		b.add(f.in(top.out(at)))
	}
	x := new(index)
	b.finish(x)
	p.sides[v] = x
	return x
}

// coordCount is the number of values of a block coordinate.
const coordCount = mapdb.MaxCoord - mapdb.MinCoord + 1

// An index contains the positions of blocks: for each v, beginning with MinCoord, the runs of blocks behind each
// other, sorted by u and then by d.
type index struct{ rows [coordCount][]run }

// A run is u, the first d, both relative to MinCoord, and the number of further blocks.
type run uint32

const maxRun = 256

func (r run) u() int    { return int(r>>20) + mapdb.MinCoord }
func (r run) d() int    { return int(r>>8&0xfff) + mapdb.MinCoord }
func (r run) last() int { return r.d() + int(r&0xff) }

// A builder collects positions in any order.
type builder struct{ rows [coordCount][]uint32 }

func (b *builder) add(at [3]int) {
	v := at[1] - mapdb.MinCoord
	b.rows[v] = append(b.rows[v], uint32(at[0]-mapdb.MinCoord)<<12|uint32(at[2]-mapdb.MinCoord))
}

func (b *builder) finish(x *index) {
	var runs []run
	for v, row := range b.rows {
		slices.Sort(row)
		runs = runs[:0]
		for i, p := range row {
			n := len(runs)
			switch {
			case i > 0 && row[i-1] == p:
			case i > 0 && row[i-1]+1 == p && p&0xfff != 0 && runs[n-1]&0xff < maxRun-1:
				runs[n-1]++
			default:
				runs = append(runs, run(p)<<8)
			}
		}
		x.rows[v], b.rows[v] = slices.Clone(runs), nil
	}
}

// blocks yields all blocks.
func (x *index) blocks(yield func([3]int) bool) {
	for v, row := range x.rows {
		for _, r := range row {
			for d := r.d(); d <= r.last(); d++ {
				if !yield([3]int{r.u(), v + mapdb.MinCoord, d}) {
					return
				}
			}
		}
	}
}

// Extent returns the bounding box of the existing blocks, in nodes. Its Min is greater than its Max if there are
// none.
func (p *Places) Extent() Box {
	f := frames[Top]
	return newWindow(&p.top, f.box(Everything()).blocks(), nil).extent(&f)
}

// InRow returns the positions with a z and with x from low to high, in order of x, each with the highest first.
func (p *Places) InRow(z, low, high int) []mapdb.Pos {
	row := Box{[3]int{low, -1 - z, -1 - mapdb.MaxCoord}, [3]int{high, -1 - z, -1 - mapdb.MinCoord}}
	return p.in(row)
}

// in returns the positions in a box of u, v and d of the view from above.
func (p *Places) in(b Box) (all []mapdb.Pos) {
	f, w := frames[Top], window{index: &p.top, box: b}
	for v := b.Min[1]; v <= b.Max[1]; v++ {
		for _, r := range w.runs(b.Min[0], v) {
			if r.u() > b.Max[0] {
				break
			}
			for d := max(r.d(), b.Min[2]); d <= min(r.last(), b.Max[2]); d++ {
				at := f.out([3]int{r.u(), v, d})
				all = append(all, mapdb.Pos{X: int16(at[0]), Y: int16(at[1]), Z: int16(at[2])})
			}
		}
	}
	return all
}
