package automap

import (
	"slices"

	"trowel.example/teeworlds/twmap"
)

// cellsOf returns the ids and flags of the cells of a layer; they must not be changed.
func cellsOf(l *twmap.TileLayer) ([]twmap.Tile, error) {
	switch l.Kind() {
	case twmap.KindTele:
		return tilesOf(l.Teles(), func(c twmap.TeleTile) twmap.Tile { return twmap.Tile{ID: c.ID} })
	case twmap.KindSpeedup:
		return tilesOf(l.Speedups(), func(c twmap.SpeedupTile) twmap.Tile { return twmap.Tile{ID: c.ID} })
	case twmap.KindSwitch:
		return tilesOf(l.Switches(), func(c twmap.SwitchTile) twmap.Tile { return twmap.Tile{ID: c.ID, Flags: c.Flags} })
	case twmap.KindTune:
		return tilesOf(l.Tunes(), func(c twmap.TuneTile) twmap.Tile { return twmap.Tile{ID: c.ID} })
	}
	return l.Tiles().Cells()
}

func tilesOf[T twmap.Cell](g *twmap.Grid[T], tile func(T) twmap.Tile) ([]twmap.Tile, error) {
	cells, err := g.Cells()
	tiles := make([]twmap.Tile, len(cells))
	for i, c := range cells {
		tiles[i] = tile(c)
	}
	return tiles, err
}

// settle clears flags that tiles of a physics layer cannot have.
func settle(kind twmap.Kind, cells []twmap.Tile) {
	if kind == twmap.KindTiles {
		return
	}
	flagged := kind == twmap.KindGame || kind == twmap.KindFront || kind == twmap.KindSwitch
	for i := range cells {
		if c := &cells[i]; c.ID == 0 || !flagged {
			c.Flags = 0
		}
	}
}

// setCells changes the ids and flags of the cells of a layer. Air has no other fields.
func setCells(l *twmap.TileLayer, tiles []twmap.Tile) {
	switch l.Kind() {
	case twmap.KindTele:
		setTiles(l, l.Teles(), tiles, func(c *twmap.TeleTile, t twmap.Tile) { c.ID = t.ID })
	case twmap.KindSpeedup:
		setTiles(l, l.Speedups(), tiles, func(c *twmap.SpeedupTile, t twmap.Tile) { c.ID = t.ID })
	case twmap.KindSwitch:
		setTiles(l, l.Switches(), tiles, func(c *twmap.SwitchTile, t twmap.Tile) { c.ID, c.Flags = t.ID, t.Flags })
	case twmap.KindTune:
		setTiles(l, l.Tunes(), tiles, func(c *twmap.TuneTile, t twmap.Tile) { c.ID = t.ID })
	default:
		l.SetCells(l.Kind(), twmap.NewGridOf(l.Width(), l.Height(), tiles))
	}
}

func setTiles[T twmap.Cell](l *twmap.TileLayer, g *twmap.Grid[T], tiles []twmap.Tile, set func(*T, twmap.Tile)) {
	cells, _ := g.Cells()
	cells = slices.Clone(cells)
	for i, t := range tiles {
		if t.ID == 0 {
			cells[i] = *new(T)
		} else {
			set(&cells[i], t)
		}
	}
	l.SetCells(l.Kind(), any(twmap.NewGridOf(l.Width(), l.Height(), cells)).(twmap.Cells))
}
