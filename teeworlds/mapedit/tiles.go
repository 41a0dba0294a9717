package mapedit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"trowel.example/teeworlds/twmap"
)

// Tile specifies some properties of a tile; nil fields are not specified.
type Tile struct {
	ID       *uint8
	Flags    *twmap.TileFlags // [twmap.FlipX], [twmap.FlipY], [twmap.Rotate], or several of them
	Number   *uint8
	Delay    *uint8 // in seconds
	Force    *uint8
	MaxSpeed *uint8
	Angle    *int16 // in degrees, clockwise, 0 to the right
}

// fits reports whether layers of a kind have all specified properties.
func (t *Tile) fits(kind twmap.Kind) bool {
	speedup, sw := kind == twmap.KindSpeedup, kind == twmap.KindSwitch
	numbers := sw || kind == twmap.KindTele || kind == twmap.KindTune
	flags := sw || !numbers && !speedup
	return (t.Flags == nil || flags) && (t.Number == nil || numbers) && (t.Delay == nil || sw) &&
		(t.Force == nil && t.MaxSpeed == nil && t.Angle == nil || speedup)
}

// matches reports whether a cell has all specified properties.
func (t *Tile) matches(c Cell) bool {
	return same(t.ID, c.ID) && same(t.Number, c.Number) && same(t.Delay, c.Delay) && same(t.Force, c.Force) &&
		same(t.MaxSpeed, c.MaxSpeed) && same(t.Angle, c.Angle) && (t.Flags == nil || *t.Flags == c.Flags&turning)
}

func same[T comparable](want *T, v T) bool { return want == nil || *want == v }

// on returns the cell with the specified properties changed.
func (t *Tile) on(c Cell) Cell {
	if t.ID != nil && *t.ID != c.ID {
		c.Flags &^= twmap.Opaque // which depends on the picture
	}
	put(t.ID, &c.ID)
	put(t.Number, &c.Number)
	put(t.Delay, &c.Delay)
	put(t.Force, &c.Force)
	put(t.MaxSpeed, &c.MaxSpeed)
	put(t.Angle, &c.Angle)
	if t.Flags != nil {
		c.Flags = c.Flags&^turning | *t.Flags&turning
	}
	return c
}

func put[T any](v *T, to *T) {
	if v != nil {
		*to = *v
	}
}

// Or returns a tile with the fields of t, and those of o where t has nil.
func (t Tile) Or(o Tile) Tile {
	return Tile{ID: cmp.Or(t.ID, o.ID), Flags: cmp.Or(t.Flags, o.Flags), Number: cmp.Or(t.Number, o.Number), Delay: cmp.Or(t.Delay, o.Delay),
		Force: cmp.Or(t.Force, o.Force), MaxSpeed: cmp.Or(t.MaxSpeed, o.MaxSpeed), Angle: cmp.Or(t.Angle, o.Angle)}
}

func (t *Tile) String() string {
	text := ""
	add := func(format string, v any) { text += ", " + fmt.Sprintf(format, v) }
	if t.ID != nil {
		add("%d", *t.ID)
	}
	if t.Flags != nil {
		add("flags %v", *t.Flags)
	}
	if t.Number != nil {
		add("number %d", *t.Number)
	}
	if t.Delay != nil {
		add("delay %d", *t.Delay)
	}
	if t.Force != nil {
		add("force %d", *t.Force)
	}
	if t.MaxSpeed != nil {
		add("maximum speed %d", *t.MaxSpeed)
	}
	if t.Angle != nil {
		add("angle %d", *t.Angle)
	}
	if text == "" {
		return "any"
	}
	return text[2:]
}

// PaintOptions are the options of [Editor.Fill], [Editor.Replace] and [Editor.Holding].
type PaintOptions struct {
	// Unused includes physics layers in which the tile has no meaning.
	Unused bool
}

// Fill fills an area, or whole layers if area is nil, with a tile; fields that are nil become 0. It skips layers that
// cannot hold the tile (see [Editor.Holding]) and, unless Unused is set, physics layers in which the tile has no
// meaning. It fails if no layer is left.
//
// In the game layer, hook-through (5) becomes solid and unhookable, with hook-through in the front layer, which is
// added if there is none. The editor does the same.
func (e *Editor) Fill(layers []LayerAt, area *Area, tile Tile, o PaintOptions) error {
	return e.paint(layers, area, tile, o, fmt.Sprintf("became %v", &tile), func(Cell) Cell { return tile.on(Cell{}) })
}

// Replace changes tiles that match was: the fields of is that are not nil are changed, the others are kept. The
// layers are selected as for [Editor.Fill].
func (e *Editor) Replace(layers []LayerAt, area *Area, was, is Tile, o PaintOptions) error {
	both := is.Or(was)
	both.ID = is.ID
	return e.paint(layers, area, both, o, fmt.Sprintf("%v became %v", &was, &is), func(c Cell) Cell {
		if !was.matches(c) {
			return c
		}
		return is.on(c)
	})
}

// Has reports whether one of the layers has a tile with the given id.
func (e *Editor) Has(layers []LayerAt, id uint8) bool {
	return slices.ContainsFunc(layers, func(at LayerAt) bool {
		l, ok := e.layer(at).(*twmap.TileLayer)
		if !ok {
			return false
		}
		cells := openGrid(l)
		for y := range l.Height() {
			for x := range l.Width() {
				if cells.at(x, y).ID == id {
					return true
				}
			}
		}
		return false
	})
}

// Holding returns the layers that can hold a tile, and that overlap the area if it is not nil. The error states why
// there are none.
func (e *Editor) Holding(layers []LayerAt, area *Area, tile Tile, o PaintOptions) (fit []LayerAt, err error) {
	if area != nil && (area.Width < 1 || area.Height < 1) {
		return nil, fmt.Errorf("the area %v is empty", *area)
	}
	err = errors.New("no layer has tiles like these")
	for _, at := range layers {
		l, ok := e.layer(at).(*twmap.TileLayer)
		if !ok || !tile.fits(l.Kind()) {
			continue
		}
		switch a := area.orAll(l); {
		case tile.ID != nil && !o.Unused && !twmap.ValidTile(l.Kind(), *tile.ID) && l.Kind().Physics():
			err = fmt.Errorf("%s: a %v layer has no tile %d", e.Path(l), l.Kind(), *tile.ID)
		case a.Width == 0 || a.Height == 0:
			err = fmt.Errorf("%s: the area %v is outside of its %d x %d tiles", e.Path(l), *area, l.Width(), l.Height())
		default:
			fit = append(fit, at)
		}
	}
	if fit != nil {
		err = nil
	}
	return fit, err
}

// paint changes tiles of the layers that can hold a tile.
func (e *Editor) paint(layers []LayerAt, area *Area, tile Tile, o PaintOptions, what string, to func(Cell) Cell) error {
	fit, err := e.Holding(layers, area, tile, o)
	if err != nil {
		return err
	}
	for _, at := range fit {
		if e.layer(at) == twmap.Layer(e.m.Physics(twmap.KindGame)) {
			e.paintGame(at, area, what, func(_, _ int, c Cell) Cell { return to(c) })
		} else {
			e.edit(at, area, what, func(_, _ int, c Cell) Cell { return to(c) })
		}
	}
	return nil
}

// paintGame is edit for the game layer, which the editor paints together with the front layer.
func (e *Editor) paintGame(at LayerAt, area *Area, what string, to func(x, y int, c Cell) Cell) {
	front := make(map[[2]int]uint8) // the new ids of tiles in the front layer
	var cut cells
	if l := e.m.Physics(twmap.KindFront); l != nil {
		cut = openGrid(l)
	}
	e.edit(at, area, what, func(x, y int, c Cell) Cell {
		is := to(x, y, c)
		switch {
		case is.ID == uint8(twmap.TileThroughCut) && is != c:
			is = Cell{ID: uint8(twmap.TileNoHook)}
			front[[2]int{x, y}] = uint8(twmap.TileThroughCut)
		case is != c && cut != nil && cut.at(x, y).ID == uint8(twmap.TileThroughCut):
			front[[2]int{x, y}] = 0
		}
		return is
	})
	if len(front) == 0 {
		return
	}
	frontAt := e.physicsLayer(twmap.KindFront)
	e.edit(frontAt, area, what, func(x, y int, c Cell) Cell {
		if id, ok := front[[2]int{x, y}]; ok {
			return Cell{ID: id}
		}
		return c
	})
}

// physicsLayer returns a physics layer of the map, which must have a game layer. It adds a missing one.
func (e *Editor) physicsLayer(kind twmap.Kind) LayerAt {
	want := twmap.Layer(e.m.Physics(kind))
	if e.m.Physics(kind) == nil {
		game := e.m.Physics(twmap.KindGame)
		want = twmap.NewTileLayer(kind, game.Width(), game.Height())
		g := e.m.Groups[e.gameGroup()]
		g.Layers = append(g.Layers, want)
		e.reportChange(want, 1, "layers", "was made")
	}
	return e.placeOf(want)
}

// placeOf returns the position of a layer that the map has.
func (e *Editor) placeOf(want twmap.Layer) LayerAt {
	for i, g := range e.m.Groups {
		if j := slices.Index(g.Layers, want); j >= 0 {
			return LayerAt{i, j}
		}
	}
	return LayerAt{}
}

// TurnTiles mirrors or rotates an area of layers, or whole layers if area is nil, as the editor does with a brush. An
// area that is not square keeps its top left corner when it is rotated by 90 degrees, and tiles that it no longer
// covers become air. A whole design layer changes its size.
func (e *Editor) TurnTiles(layers []LayerAt, area *Area, t Turn) error {
	t.Quarters &= 3
	layers = e.tileLayers(layers)
	if len(layers) == 0 {
		return errNoTiles
	}
	for _, at := range layers {
		l := e.layer(at).(*twmap.TileLayer)
		a := area.orAll(l)
		w, h := t.size(a.Width, a.Height)
		switch {
		case area != nil && a != *area:
			return fmt.Errorf("%s: the area %v is not all inside of its %d x %d tiles", e.Path(l), *area, l.Width(), l.Height())
		case area != nil && (a.X+w > l.Width() || a.Y+h > l.Height()):
			return fmt.Errorf("%s: the area %v does not fit into the %d x %d tiles when it is %v", e.Path(l), *area, l.Width(), l.Height(), t)
		case area == nil && w != l.Width() && l.Kind().Physics():
			return fmt.Errorf("%s: its size of %d x %d tiles is fixed, so only a square area of it can be %v", e.Path(l), l.Width(), l.Height(), t)
		}
	}
	for _, at := range layers {
		l := e.layer(at).(*twmap.TileLayer)
		if area == nil {
			e.turnLayer(t, l, l.Width(), l.Height())
			continue
		}
		grid, back := openGrid(l), t.back()
		block := make([]Cell, 0, area.Width*area.Height)
		for y := range area.Height {
			for x := range area.Width {
				block = append(block, grid.at(area.X+x, area.Y+y))
			}
		}
		w, h := t.size(area.Width, area.Height)
		both := Area{area.X, area.Y, max(w, area.Width), max(h, area.Height)}
		e.edit(at, &both, t.String(), func(x, y int, c Cell) Cell {
			x, y = x-area.X, y-area.Y
			switch {
			case x < w && y < h:
				ox, oy := back.place(x, y, w-1, h-1)
				return t.cell(l.Kind(), block[oy*area.Width+ox])
			case x < area.Width && y < area.Height:
				return Cell{}
			}
			return c
		})
	}
	return nil
}
