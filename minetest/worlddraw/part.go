package worlddraw

import (
	"context"
	"image"

	"trowel.example/minetest/mapdb"
)

// A Part is the information about a world that is needed to draw a part of its picture. With it, only the positions
// of nearby blocks are read.
type Part struct {
	Blocks mapdb.Area `json:"blocks"` // the nearby area
	Rows   []int      `json:"rows"`   // rows of the view with blocks anywhere; others are gaps in the relief
}

// Part returns the information that is needed to draw a part of a picture, with its relief.
func (m *Map) Part(r image.Rectangle, s Scaled) Part {
	p := Part{Blocks: mapdb.Area{Min: mapdb.Pos{X: 1}}} // no blocks
	if !m.source.index.any {
		return p
	}
	u0, v0, u1, v1 := m.around(s.nodes(r))
	if u0 > u1 || v0 > v1 {
		return p
	}
	depth := m.box.blocks()
	p.Blocks = m.frame.area(Box{[3]int{u0, v0, depth.Min[2]}, [3]int{u1, v1, depth.Max[2]}})
	for v := v0; v <= v1; v++ {
		if m.source.index.row(v) {
			p.Rows = append(p.Rows, v)
		}
	}
	return p
}

// around returns the range of columns of blocks, in u and v, that determine the appearance of some nodes.
func (m *Map) around(n image.Rectangle) (u0, v0, u1, v1 int) {
	index := m.source.index
	if m.o.Flat {
		return index.columns(n)
	}
	n.Min = n.Min.Sub(image.Pt(1, 1)) // the relief depends on the neighbours
	u0, v0, u1, v1 = index.columns(n)
	if !index.row(v0) { // and rows without blocks are skipped
		if v, ok := m.above(v0); ok {
			v0 = v
		}
	}
	return u0, v0, u1, v1
}

// ReadPart is [ReadPlaces] for the blocks that a part of a picture needs. Other pictures of the result lack the
// blocks that are farther away.
func ReadPart(ctx context.Context, db mapdb.DB, part *Part, lost func(error)) (*Places, error) {
	p, err := readPlaces(ctx, db, part.Blocks, lost)
	if err == nil {
		p.rows = part.Rows
	}
	return p, err
}
