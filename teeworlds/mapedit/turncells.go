package mapedit

import "trowel.example/teeworlds/twmap"

// Cells returns a block of cells of a kind of layers after the turn, as [Editor.TurnTiles] turns an area: tiles keep their
// function. All rows have the same length, and a nil cell stays nil.
func (t Turn) Cells(kind twmap.Kind, rows [][]*Cell) [][]*Cell {
	if len(rows) == 0 || len(rows[0]) == 0 {
		return rows
	}
	h, w := len(rows), len(rows[0])
	nw, nh := t.size(w, h)
	turned := make([][]*Cell, nh)
	for y := range turned {
		turned[y] = make([]*Cell, nw)
	}
	for y, row := range rows {
		for x, c := range row {
			if c == nil {
				continue
			}
			nx, ny := t.place(x, y, w-1, h-1)
			is := t.cell(kind, *c)
			turned[ny][nx] = &is
		}
	}
	return turned
}
