package worlddraw

import (
	"context"
	"image"

	"trowel.example/minetest/mapdb"
)

// A Part is what has to be known of a world to draw a part of a picture of it and no more: with
// that only the positions of the blocks near by are read.
type Part struct {
	Blocks mapdb.Area `json:"blocks"` // near by
	Rows   []int      `json:"rows"`   // of these in which there are blocks anywhere, as the view sees them: the others are gaps in the relief
}

// Part returns what has to be known to draw a part of a picture, with its relief.
func (m *Map) Part(r image.Rectangle, s Scaled) Part {
	p := Part{Blocks: mapdb.Area{Min: mapdb.Pos{X: 1}}} // none
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

// around returns the first and the last column of blocks, in u and v, that decide how some nodes
// look.
func (m *Map) around(n image.Rectangle) (u0, v0, u1, v1 int) {
	index := m.source.index
	if m.o.Flat {
		return index.columns(n)
	}
	n.Min = n.Min.Sub(image.Pt(1, 1)) // relief looks at the neighbours
	u0, v0, u1, v1 = index.columns(n)
	if !index.row(v0) { // and rows without blocks are skipped
		if v, ok := m.above(v0); ok {
			v0 = v
		}
	}
	return u0, v0, u1, v1
}

// ReadPart is [ReadPlaces] of the blocks that a part of a picture needs. What else is drawn with
// these places lacks what is farther away.
func ReadPart(ctx context.Context, db mapdb.DB, part *Part, lost func(error)) (*Places, error) {
	p, err := readPlaces(ctx, db, part.Blocks, lost)
	if err == nil {
		p.rows = part.Rows
	}
	return p, err
}
