package mapmerge

import (
	"fmt"
	"slices"

	"trowel.example/check"
	"trowel.example/internal/text/words"
	"trowel.example/internal/values/merge3"
	"trowel.example/teeworlds/internal/mapdiff"
	"trowel.example/teeworlds/twmap"
)

// sameCells reports whether two layers have the same cells.
func sameCells(a, b *twmap.TileLayer) bool {
	if a.Kind() != b.Kind() || a.Width() != b.Width() || a.Height() != b.Height() {
		return false
	}
	if a.SameStream(b) {
		return true
	}
	a, b = a.Clone(), b.Clone() // their cells are released with them
	return gridsOf(a.Kind()).same(a, b)
}

// grids returns the cells of layers of some kinds.
type grids[T twmap.Cell] func(*twmap.TileLayer) *twmap.Grid[T]

// anyGrids is a grids of any type of cells.
type anyGrids interface {
	same(a, b *twmap.TileLayer) bool
	fit(g *geometry, l *twmap.TileLayer, side merge3.Side) twmap.Cells
	merge(m *merger, part any, b, o, t *twmap.TileLayer) twmap.Cells
}

func gridsOf(kind twmap.Kind) anyGrids {
	switch kind {
	case twmap.KindTele:
		return grids[twmap.TeleTile]((*twmap.TileLayer).Teles)
	case twmap.KindSpeedup:
		return grids[twmap.SpeedupTile]((*twmap.TileLayer).Speedups)
	case twmap.KindSwitch:
		return grids[twmap.SwitchTile]((*twmap.TileLayer).Switches)
	case twmap.KindTune:
		return grids[twmap.TuneTile]((*twmap.TileLayer).Tunes)
	}
	return grids[twmap.Tile]((*twmap.TileLayer).Tiles)
}

func (of grids[T]) same(a, b *twmap.TileLayer) bool {
	p, e1 := of(a).Cells()
	q, e2 := of(b).Cells()
	return (e1 == nil) == (e2 == nil) && slices.Equal(p, q)
}

// cells merges the cells of a layer into that of ours; b is nil for a layer that both sides added.
func (m *merger) cells(b, o, t *twmap.TileLayer) {
	part := any(o)
	if b != nil {
		part = b
		switch {
		case sameCells(b, t) || sameCells(o, t):
			return
		case sameCells(b, o):
			m.took(b, "the tiles")
			m.takeCells(o, t)
			return
		}
	} else if b = twmap.NewTileLayer(o.Kind(), o.Width(), o.Height()); sameCells(o, t) {
		return
	}
	if o.Load() != nil || t.Load() != nil || b.Load() != nil || o.Kind() != t.Kind() {
		if m.conflict(part, check.Conflict{What: "both changed the tiles, and some of them cannot be read"}) == merge3.Theirs {
			m.takeCells(o, t)
		}
		return
	}
	if part == any(b) {
		var ok bool
		if b, t, ok = m.turnLayers(b, o, t); !ok {
			if m.conflict(part, check.Conflict{What: "both turned the tiles in different ways"}) == merge3.Theirs {
				m.takeCells(o, t)
			}
			return
		}
	}
	cells := gridsOf(o.Kind()).merge(m, part, b, o, t)
	if cells != nil {
		o.SetCells(o.Kind(), cells)
	}
}

// takeCells replaces the cells of a layer by those of another one, including their stored bytes.
func (m *merger) takeCells(o, t *twmap.TileLayer) {
	taken := t.Clone()
	taken.LayerBase.Name, taken.LayerBase.Flags = o.LayerBase.Name, o.LayerBase.Flags
	taken.Version, taken.Color, taken.ColorEnv, taken.ColorEnvOffset, taken.Image, taken.AutoMapper = o.Version, o.Color,
		o.ColorEnv, o.ColorEnvOffset, o.Image, o.AutoMapper
	*o = *taken
}

// axis holds the rows, or the columns, of the merged layer: the position of each in base, ours and theirs, or -1
// where it is missing.
type axis []triple

// mergeAxis merges the rows of two layers. ours and theirs hold, for each row, its index among the n rows of base, or
// -1 for new rows. Shifted rows keep the position that the side gave them.
func mergeAxis(n int, ours, theirs []int) axis {
	inTheirs := make(map[int]int)
	for t, b := range theirs {
		if b >= 0 {
			inTheirs[b] = t
		}
	}
	var list axis
	t := 0
	added := func() { // rows that theirs added here
		for t < len(theirs) && theirs[t] < 0 {
			list = append(list, triple{-1, -1, t})
			t++
		}
	}
	b := 0
	for o, from := range ours {
		if from < 0 {
			list = append(list, triple{-1, o, -1})
			continue
		}
		for ; b < from; b++ { // rows that ours removed
			if at, there := inTheirs[b]; there {
				added()
				t = max(t, at+1)
			}
		}
		added()
		if at, there := inTheirs[from]; there {
			list = append(list, triple{from, o, at})
			t = max(t, at+1)
		} // otherwise theirs removed it
		b = from + 1
	}
	for ; b < n; b++ {
		if at, there := inTheirs[b]; there {
			added()
			t = max(t, at+1)
		}
	}
	added()
	return list
}

// geometry holds the positions in base of the rows and columns of both sides, and the merged rows and columns.
type geometry struct {
	rowsO, colsO, rowsT, colsT []int
	rows, cols                 axis
}

// newGeometry finds the positions in base of rows and columns. Where a layer itself is inconclusive, the game layer
// decides, because extending a map extends all of its layers.
func newGeometry(b, o, t *twmap.TileLayer, game *geometry) *geometry {
	g := new(geometry)
	var inOurs, inTheirs [2]int
	if game != nil {
		inOurs = [2]int{max(0, slices.Index(game.colsO, 0)), max(0, slices.Index(game.rowsO, 0))}
		inTheirs = [2]int{max(0, slices.Index(game.colsT, 0)), max(0, slices.Index(game.rowsT, 0))}
	}
	g.rowsO, g.colsO = mapdiff.Align(b, o, inOurs[0], inOurs[1])
	g.rowsT, g.colsT = mapdiff.Align(b, t, inTheirs[0], inTheirs[1])
	g.rows, g.cols = pairAxes(b.Height(), g.rowsO, g.rowsT), pairAxes(b.Width(), g.colsO, g.colsT)
	return g
}

// pairAxes is mergeAxis, except that a layer that one side shifted completely keeps its size.
func pairAxes(n int, ours, theirs []int) axis {
	list := make(axis, n)
	switch {
	case shifted(theirs, n) && slices.Equal(ours, plain(n)):
		for t, from := range theirs {
			list[t] = triple{from, from, t}
		}
		return list
	case shifted(ours, n) && slices.Equal(theirs, plain(n)):
		for o, from := range ours {
			list[o] = triple{from, o, from}
		}
		return list
	}
	return mergeAxis(n, ours, theirs)
}

// shifted reports whether all rows were moved: as many are new at one end as are missing at the other.
func shifted(list []int, n int) bool {
	return len(list) == n && !slices.Equal(list, plain(n)) && (list[0] < 0) != (list[n-1] < 0)
}

// gameGeometry computes the geometry of the physics layers, which all have the same size, if a side resized them.
func (m *merger) gameGeometry() {
	b, o, t := m.b.Physics(twmap.KindGame), m.o.Physics(twmap.KindGame), m.t.Physics(twmap.KindGame)
	if b == nil || o == nil || t == nil || sameSize(b, o) && sameSize(b, t) || b.Load() != nil || o.Load() != nil || t.Load() != nil {
		return
	}
	m.game = newGeometry(b, o, t, nil)
}

func sameSize(a, b *twmap.TileLayer) bool {
	return a.Width() == b.Width() && a.Height() == b.Height()
}

// geometryOf returns the geometry of a layer: that of the game layer if it has the size of the game layer.
func (m *merger) geometryOf(b, o, t *twmap.TileLayer) *geometry {
	if g := m.game; g != nil && b.Kind().Physics() && sameSize(b, m.b.Physics(twmap.KindGame)) &&
		len(g.rowsO) == o.Height() && len(g.colsO) == o.Width() && len(g.rowsT) == t.Height() && len(g.colsT) == t.Width() {
		return g
	}
	return newGeometry(b, o, t, m.game)
}

// fit resizes a physics layer that one side added to the size of the merged game layer.
func (m *merger) fit(added twmap.Layer, side merge3.Side) {
	g := m.game
	l, ok := added.(*twmap.TileLayer)
	if !ok || g == nil || !l.Kind().Physics() || l.Load() != nil || len(g.rows) == 0 || len(g.cols) == 0 ||
		len(g.rows)*len(g.cols) > twmap.MaxCells ||
		len(merge3.Of(side, g.rowsO, g.rowsT)) != l.Height() || len(merge3.Of(side, g.colsO, g.colsT)) != l.Width() {
		return
	}
	l.SetCells(l.Kind(), gridsOf(l.Kind()).fit(g, l, side))
}

func (of grids[T]) fit(g *geometry, l *twmap.TileLayer, side merge3.Side) twmap.Cells {
	from, to := of(l), twmap.NewGrid[T](len(g.cols), len(g.rows))
	for y, row := range g.rows {
		for x, col := range g.cols {
			if x0, y0 := merge3.Of(side, col.o, col.t), merge3.Of(side, row.o, row.t); x0 >= 0 && y0 >= 0 {
				to.Set(x, y, from.At(x0, y0))
			}
		}
	}
	return to
}

// merge merges the cells of a layer; nil means that ours is kept.
func (of grids[T]) merge(m *merger, part any, lb, lo, lt *twmap.TileLayer) twmap.Cells {
	g := m.geometryOf(lb, lo, lt)
	rows, cols := g.rows, g.cols
	b, o, t := of(lb), of(lo), of(lt)
	if len(rows) == 0 || len(cols) == 0 || len(rows)*len(cols) > twmap.MaxCells {
		if m.conflict(part, check.Conflict{What: "both resized it"}) == merge3.Theirs {
			return t
		}
		return nil
	}
	if len(rows) != o.Height() || len(cols) != o.Width() {
		m.took(part, "the size: %d x %d", len(cols), len(rows))
	}
	merged := make([]T, len(rows)*len(cols))
	taken, conflicts := 0, 0
	var c check.Conflict // the first one, with the places of all
	layer := m.parts[part]
	for y, row := range rows {
		for x, col := range cols {
			var was, mine, yours T
			inB, inO, inT := row.b >= 0 && col.b >= 0, row.o >= 0 && col.o >= 0, row.t >= 0 && col.t >= 0
			if inB {
				was = b.At(col.b, row.b)
			}
			if inO {
				mine = o.At(col.o, row.o)
			}
			if inT {
				yours = t.At(col.t, row.t)
			}
			is := yours
			switch {
			case inO && inT: // a cell that base lacks counts as air there
				is = merge3.Value(was, mine, yours, func() { taken++ }, func() merge3.Side {
					if conflicts++; conflicts == 1 {
						c.Base, c.Ours, c.Theirs = mapdiff.CellText(was), mapdiff.CellText(mine), mapdiff.CellText(yours)
					}
					if layer != nil && len(c.At) < maxPlaces {
						c.At = append(c.At, layer.Tile(x, y))
					}
					return m.log.Prefer
				})
			case inO:
				is = mine
			}
			merged[y*len(cols)+x] = is
		}
	}
	if taken > 0 {
		m.log.Change(check.Change{Path: m.paths[part], What: "changed", Count: int64(taken), Unit: "tiles", At: m.place(part)})
	}
	switch {
	case conflicts == 1:
		c.What = fmt.Sprintf("a tile: %s became %s and %s", c.Base, c.Ours, c.Theirs)
		m.conflict(part, c)
	case conflicts > 1:
		m.conflict(part, check.Conflict{At: c.At, What: words.Count(conflicts, "tile") + " became different ones"})
	}
	return twmap.NewGridOf(len(cols), len(rows), merged)
}

// maxPlaces limits the number of places of tiles in a conflict.
const maxPlaces = 1 << 16

// plain returns the rows of a layer without changes.
func plain(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
