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

func (g *grid[T]) turn(l *twmap.TileLayer, t Turn, width, height int) {
	kind, right, bottom := l.Kind(), g.width-1, g.g.Height()-1
	of := func(c T, beyond bool) T {
		cell := CellOf(c)
		if beyond {
			cell = repeated(kind, cell)
		}
		return TileOf[T](t.cell(kind, cell))
	}
	var last T // neighbours are often equal
	turned, wasBeyond := of(last, false), false
	nw, nh := t.size(width, height)
	back := t.back()
	x0, y0 := back.place(0, 0, nw-1, nh-1)
	x1, y1 := back.place(1, 0, nw-1, nh-1)
	all := make([]T, nw*nh)
	for row := range nh {
		x, y := back.place(0, row, nw-1, nh-1)
		line := all[row*nw:][:nw]
		for i := range line {
			var c T
			if at := min(y, bottom)*g.width + min(x, right); at < len(g.cells) {
				c = g.cells[at]
			}
			if beyond := x > right || y > bottom; c != last || beyond != wasBeyond {
				last, wasBeyond, turned = c, beyond, of(c, beyond)
			}
			line[i] = turned
			x, y = x+x1-x0, y+y1-y0
		}
	}
	l.SetCells(kind, twmap.NewGridOf(nw, nh, all))
}
