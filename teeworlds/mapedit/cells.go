package mapedit

import (
	"fmt"

	"trowel.example/check"
	"trowel.example/teeworlds/twmap"
)

// Cell is a tile of a layer of any kind; fields that the kind lacks are 0.
type Cell struct {
	ID       uint8
	Flags    twmap.TileFlags // not in tele, speedup and tune layers
	Number   uint8           // of tele, switch and tune layers
	Delay    uint8           // of switch layers, in seconds
	Force    uint8           // of speedup layers, like the next two
	MaxSpeed uint8           // 0: no limit
	Angle    int16           // in degrees, clockwise, 0 to the right

	rest [2]uint8 // bytes without meaning
}

// CellOf returns a tile of any kind of layer as a cell.
func CellOf[T twmap.Cell](t T) Cell {
	switch t := any(t).(type) {
	case twmap.Tile:
		return Cell{ID: t.ID, Flags: t.Flags, rest: [2]uint8{t.Skip, t.Reserved}}
	case twmap.TeleTile:
		return Cell{ID: t.ID, Number: t.Number}
	case twmap.SpeedupTile:
		return Cell{ID: t.ID, Force: t.Force, MaxSpeed: t.MaxSpeed, Angle: t.Angle, rest: [2]uint8{t.Padding}}
	case twmap.SwitchTile:
		return Cell{ID: t.ID, Flags: t.Flags, Number: t.Number, Delay: t.Delay}
	case twmap.TuneTile:
		return Cell{ID: t.ID, Number: t.Number}
	}
	return Cell{}
}

// TileOf is the inverse of [CellOf]. Fields that T lacks are lost.
func TileOf[T twmap.Cell](c Cell) T {
	var t T
	switch t := any(&t).(type) {
	case *twmap.Tile:
		*t = twmap.Tile{ID: c.ID, Flags: c.Flags, Skip: c.rest[0], Reserved: c.rest[1]}
	case *twmap.TeleTile:
		*t = twmap.TeleTile{ID: c.ID, Number: c.Number}
	case *twmap.SpeedupTile:
		*t = twmap.SpeedupTile{ID: c.ID, Force: c.Force, MaxSpeed: c.MaxSpeed, Angle: c.Angle, Padding: c.rest[0]}
	case *twmap.SwitchTile:
		*t = twmap.SwitchTile{ID: c.ID, Flags: c.Flags, Number: c.Number, Delay: c.Delay}
	case *twmap.TuneTile:
		*t = twmap.TuneTile{ID: c.ID, Number: c.Number}
	}
	return t
}

// cells gives access to the grid of a layer of any kind. It is for one pass: at may not return what was set.
type cells interface {
	at(x, y int) Cell // air outside the grid
	set(x, y int, c Cell)
	// replace gives the layer a new grid, whose cells are returned by the function.
	replace(l *twmap.TileLayer, width, height int, of func(x, y int) Cell)
	// turn gives the layer the turned cells of a rectangle of that size, in which the cells at its edges are repeated.
	turn(l *twmap.TileLayer, t Turn, width, height int)
	missing() int // the number of unreadable cells
}

type grid[T twmap.Cell] struct {
	g     *twmap.Grid[T]
	width int
	cells []T
}

func gridOf[T twmap.Cell](g *twmap.Grid[T]) *grid[T] {
	cells, _ := g.Cells()
	return &grid[T]{g, g.Width(), cells}
}

func (g *grid[T]) at(x, y int) Cell {
	if i := y*g.width + x; x >= 0 && x < g.width && y >= 0 && i < len(g.cells) {
		return CellOf(g.cells[i])
	}
	return Cell{}
}

func (g *grid[T]) set(x, y int, c Cell) { g.g.Set(x, y, TileOf[T](c)) }

func (g *grid[T]) replace(l *twmap.TileLayer, width, height int, of func(x, y int) Cell) {
	all := make([]T, 0, width*height)
	for y := range height {
		for x := range width {
			all = append(all, TileOf[T](of(x, y)))
		}
	}
	l.SetCells(l.Kind(), twmap.NewGridOf(width, height, all))
}

func (g *grid[T]) missing() int { return g.width*g.g.Height() - len(g.cells) }

func openGrid(l *twmap.TileLayer) cells {
	switch l.Kind() {
	case twmap.KindTele:
		return gridOf(l.Teles())
	case twmap.KindSpeedup:
		return gridOf(l.Speedups())
	case twmap.KindSwitch:
		return gridOf(l.Switches())
	case twmap.KindTune:
		return gridOf(l.Tunes())
	}
	return gridOf(l.Tiles())
}

// readable returns the cells of a layer that will be changed, and reports what cannot be read.
func (e *Editor) readable(l *twmap.TileLayer) cells {
	c := openGrid(l)
	e.reportBroken(l, c.missing(), l.Load())
	return c
}

// reportBroken reports that a layer that is changed could not be read completely.
func (e *Editor) reportBroken(l *twmap.TileLayer, missing int, err error) {
	switch {
	case err == nil || e.broken[l]:
		return
	case missing == 0:
		e.reportChange(l, 1, "", "was converted to the current format: %v", err)
	default:
		e.reportChange(l, missing, "tiles", "cannot be read and became air: %v", err)
	}
	e.broken[l] = true
}

// Area is a rectangle of tiles.
type Area struct{ X, Y, Width, Height int }

// String returns x1,y1:x2,y2: two opposite corners, both inside the area.
func (a Area) String() string {
	return fmt.Sprintf("%d,%d:%d,%d", a.X, a.Y, a.X+a.Width-1, a.Y+a.Height-1)
}

// in returns the part of the area that is inside the layer.
func (a Area) in(l *twmap.TileLayer) Area {
	x, y := max(a.X, 0), max(a.Y, 0)
	return Area{x, y, max(min(a.X+a.Width, l.Width())-x, 0), max(min(a.Y+a.Height, l.Height())-y, 0)}
}

// orAll returns the part of the area that is inside a layer, or the whole layer if a is nil.
func (a *Area) orAll(l *twmap.TileLayer) Area {
	if a == nil {
		return Area{0, 0, l.Width(), l.Height()}
	}
	return a.in(l)
}

// maxPlaces is the number of places up to which all of them are reported.
const maxPlaces = 16

// edit changes cells of a layer one by one. It reports the number of changed cells, and their places if there are
// few.
func (e *Editor) edit(at LayerAt, area *Area, what string, to func(x, y int, c Cell) Cell) int {
	l := e.layer(at).(*twmap.TileLayer)
	grid, a := openGrid(l), area.orAll(l)
	missing, broken := grid.missing(), l.Load()
	n := 0
	var places []check.Place
	var changed Area
	part := e.part(at)
	for y := a.Y; y < a.Y+a.Height; y++ {
		for x := a.X; x < a.X+a.Width; x++ {
			was := grid.at(x, y)
			is := to(x, y, was)
			if is == was {
				continue
			}
			grid.set(x, y, is)
			changed = changed.union(Area{x, y, 1, 1})
			if n++; n <= maxPlaces {
				places = append(places, part.Tile(x, y))
			}
		}
	}
	if n > maxPlaces {
		places = nil
	}
	if n > 0 {
		e.reportBroken(l, missing, broken)
	}
	if n > 0 {
		within := []check.Place{part.Tile(changed.X, changed.Y), part.Tile(changed.X+changed.Width-1, changed.Y+changed.Height-1)}
		e.report(check.Change{Path: e.Path(l), What: what, Count: int64(n), Unit: "tiles", At: places, Within: within})
	}
	return n
}

func (e *Editor) layer(at LayerAt) twmap.Layer { return e.m.Groups[at.Group].Layers[at.Layer] }

// part returns a layer as a part, for places.
func (e *Editor) part(at LayerAt) *twmap.Part {
	group := &twmap.Part{Kind: twmap.PartGroup, Number: at.Group, Name: e.m.Groups[at.Group].Name}
	return &twmap.Part{Kind: twmap.PartLayer, Number: at.Layer, Name: e.layer(at).Base().Name, Group: group}
}

// tileLayers returns the tile layers among the given layers.
func (e *Editor) tileLayers(layers []LayerAt) []LayerAt {
	var tiles []LayerAt
	for _, at := range layers {
		if _, ok := e.layer(at).(*twmap.TileLayer); ok {
			tiles = append(tiles, at)
		}
	}
	return tiles
}
