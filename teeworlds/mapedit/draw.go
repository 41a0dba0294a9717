package mapedit

import (
	"fmt"

	"trowel.example/teeworlds/twmap"
)

// Run is a row of equal tiles, from X to the right.
type Run struct {
	X, Y, Length int
	Cell         Cell
}

// Draw sets the tiles of a layer that runs cover; of runs that overlap, the last one counts. A tile that keeps its id
// also keeps [twmap.Opaque], which depends on the picture. Draw returns the number of tiles that lie outside of the
// layer and are skipped.
//
// Draw fails if all tiles are outside, or if the layer is a physics layer in which a tile has no meaning, unless Unused
// is set. In the game layer, it treats hook-through as [Editor.Fill] does.
func (e *Editor) Draw(at LayerAt, runs []Run, o PaintOptions) (outside int, err error) {
	l, ok := e.layer(at).(*twmap.TileLayer)
	if !ok {
		return 0, errNoTiles
	}
	area, inside := Area{}, 0
	for _, r := range runs {
		if l.Kind().Physics() && !o.Unused && !twmap.ValidTile(l.Kind(), r.Cell.ID) {
			return 0, fmt.Errorf("%s: a %v layer has no tile %d", e.Path(l), l.Kind(), r.Cell.ID)
		}
		a := Area{r.X, r.Y, r.Length, 1}.in(l)
		if outside += r.Length - a.Width*a.Height; a.Width > 0 && a.Height > 0 {
			inside += a.Width
			area = area.union(a)
		}
	}
	if inside == 0 {
		return 0, fmt.Errorf("%s: nothing is drawn inside of its %d x %d tiles", e.Path(l), l.Width(), l.Height())
	}
	rows := make([]*Cell, area.Width*area.Height)
	for i, r := range runs {
		if a := (Area{r.X, r.Y, r.Length, 1}.in(l)); a.Height > 0 {
			start := (a.Y-area.Y)*area.Width + a.X - area.X
			for x := range a.Width {
				rows[start+x] = &runs[i].Cell
			}
		}
	}
	to := func(x, y int, was Cell) Cell {
		drawn := rows[(y-area.Y)*area.Width+x-area.X]
		if drawn == nil {
			return was
		}
		is := *drawn
		if is.ID == was.ID {
			is.Flags |= was.Flags & twmap.Opaque
		}
		return is
	}
	if l == e.m.Physics(twmap.KindGame) {
		e.paintGame(at, &area, "drawn", to)
	} else {
		e.edit(at, &area, "drawn", to)
	}
	return outside, nil
}

// union returns the smallest area that contains both.
func (a Area) union(b Area) Area {
	if a == (Area{}) {
		return b
	}
	x, y := min(a.X, b.X), min(a.Y, b.Y)
	return Area{x, y, max(a.X+a.Width, b.X+b.Width) - x, max(a.Y+a.Height, b.Y+b.Height) - y}
}
