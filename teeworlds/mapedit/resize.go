package mapedit

import (
	"errors"
	"fmt"

	"trowel.example/internal/limits/effort"
	"trowel.example/teeworlds/twmap"
)

// MinSize is the smallest width and height of a layer, in tiles, that the games read.
const MinSize = 2

// Sides holds numbers of tiles on four sides.
type Sides struct{ Left, Right, Up, Down int }

func (s Sides) String() string {
	text := ""
	for _, side := range []struct {
		n    int
		name string
	}{{s.Left, "left"}, {s.Right, "right"}, {s.Up, "up"}, {s.Down, "down"}} {
		if side.n != 0 {
			text += fmt.Sprintf(", %d %s", side.n, side.name)
		}
	}
	if text == "" {
		return "nothing"
	}
	return text[2:]
}

// Extend enlarges the whole map by a number of tiles on each side. All tile layers grow by copies of their outer
// tiles, so that the map looks and plays as before: the game repeats edges in the same way. Entities and exits of
// teleporters are not copied, because copies would add to them.
func (e *Editor) Extend(by Sides) error {
	if by.Left < 0 || by.Right < 0 || by.Up < 0 || by.Down < 0 {
		return errors.New("a map cannot be extended by a negative number of tiles: crop makes it smaller")
	}
	all := effort.MapMade.Start(0)
	for _, l := range e.m.Layers() {
		if t, ok := l.(*twmap.TileLayer); ok {
			if err := fits(t.Width()+by.Left+by.Right, t.Height()+by.Up+by.Down, all); err != nil {
				return fmt.Errorf("%s: %w", e.Path(l), err)
			}
		}
	}
	for i, g := range e.m.Groups {
		for _, l := range g.Layers {
			if t, ok := l.(*twmap.TileLayer); ok {
				e.reframe(t, by)
			}
		}
		e.moveGroup(g, i == e.gameGroup(), by.Left, by.Up, by.Left, by.Up)
	}
	return nil
}

// Crop reduces the map to an area of its game layer. Layers that move with the game are cropped; other layers only
// where tiles repeat, because all of their tiles may be visible from the area. Quads and sound sources are kept,
// wherever they are.
func (e *Editor) Crop(area Area) error {
	w, h := e.size()
	if area.Width < MinSize || area.Height < MinSize || area.X < 0 || area.Y < 0 || area.X+area.Width > w || area.Y+area.Height > h {
		return fmt.Errorf("the area %v: expected at least %d x %d tiles inside of the map, which has %d x %d", area, MinSize, MinSize, w, h)
	}
	by := Sides{area.X, w - area.X - area.Width, area.Y, h - area.Y - area.Height}
	for i, g := range e.m.Groups {
		isGame := i == e.gameGroup()
		e.cut(g, isGame, by, func(t *twmap.TileLayer) (least, most Sides) { return outside(g, t, isGame, by, area), by })
	}
	return nil
}

// outside returns how many tiles of a layer are outside of an area of the game layer, but at most the number that is
// cut off from the game layer.
func outside(g *twmap.Group, t *twmap.TileLayer, isGame bool, by Sides, area Area) Sides {
	var out Sides
	ox, oy := int(g.OffsetX), int(g.OffsetY)
	if isGame {
		ox, oy = 0, 0
	}
	if isGame || g.ParallaxX == 100 {
		out.Left = floorDiv(area.X*tileUnits+ox, tileUnits)
		out.Right = t.Width() + floorDiv(-(area.X+area.Width)*tileUnits-ox, tileUnits)
	}
	if isGame || g.ParallaxY == 100 {
		out.Up = floorDiv(area.Y*tileUnits+oy, tileUnits)
		out.Down = t.Height() + floorDiv(-(area.Y+area.Height)*tileUnits-oy, tileUnits)
	}
	return Sides{min(max(out.Left, 0), by.Left), min(max(out.Right, 0), by.Right), min(max(out.Up, 0), by.Up), min(max(out.Down, 0), by.Down)}
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// cut shrinks the layers of a group in a map that shrinks by the given sides: each layer by its required minimum, and
// by repeated tiles up to its maximum.
func (e *Editor) cut(g *twmap.Group, isGame bool, by Sides, limits func(*twmap.TileLayer) (least, most Sides)) {
	off := make(map[*twmap.TileLayer]Sides)
	left, up := by.Left, by.Up
	for _, l := range g.Layers {
		if t, ok := l.(*twmap.TileLayer); ok {
			s := e.repeats(t, limits)
			if len(off) == 0 {
				left, up = s.Left, s.Up
			}
			left, up = min(left, s.Left), min(up, s.Up) // all layers start at the same position
			off[t] = s
		}
	}
	for _, l := range g.Layers {
		if t, ok := l.(*twmap.TileLayer); ok {
			e.reframe(t, Sides{-left, -off[t].Right, -up, -off[t].Down})
		}
	}
	e.moveGroup(g, isGame, -left, -up, -by.Left, -by.Up)
}

// repeats returns the number of columns and rows to cut off at each side of a layer: at least the minimum, and up to
// the maximum of those that equal the next one inside.
func (e *Editor) repeats(l *twmap.TileLayer, limits func(*twmap.TileLayer) (least, most Sides)) Sides {
	s, most := limits(l)
	cells, w, h, kind := openGrid(l), l.Width(), l.Height(), l.Kind()
	same := func(x, y, inX, inY int) bool {
		a, b := cells.at(x, y), repeated(kind, cells.at(inX, inY))
		return a.ID == 0 && b.ID == 0 || a == b
	}
	column := func(x1, x2 int) bool {
		for y := range h {
			if !same(x1, y, x2, y) {
				return false
			}
		}
		return true
	}
	for s.Left < most.Left && w-s.Left-s.Right > MinSize && column(s.Left, s.Left+1) {
		s.Left++
	}
	for s.Right < most.Right && w-s.Left-s.Right > MinSize && column(w-1-s.Right, w-2-s.Right) {
		s.Right++
	}
	row := func(y1, y2 int) bool { // without the columns that are cut off
		for x := s.Left; x < w-s.Right; x++ {
			if !same(x, y1, x, y2) {
				return false
			}
		}
		return true
	}
	for s.Up < most.Up && h-s.Up-s.Down > MinSize && row(s.Up, s.Up+1) {
		s.Up++
	}
	for s.Down < most.Down && h-s.Up-s.Down > MinSize && row(h-1-s.Down, h-2-s.Down) {
		s.Down++
	}
	return s
}

// reframe enlarges a layer on each side, or shrinks it where the number is negative, but never below the smallest
// size that the games read.
func (e *Editor) reframe(l *twmap.TileLayer, by Sides) {
	if by == (Sides{}) {
		return
	}
	cells, kind := e.readable(l), l.Kind()
	right, bottom := l.Width()-1, l.Height()-1
	w, h := max(l.Width()+by.Left+by.Right, MinSize), max(l.Height()+by.Up+by.Down, MinSize)
	was := fmt.Sprintf("%d x %d", l.Width(), l.Height())
	cells.replace(l, w, h, func(x, y int) Cell {
		ox, oy := x-by.Left, y-by.Up
		cx, cy := min(max(ox, 0), right), min(max(oy, 0), bottom)
		if cx != ox || cy != oy {
			return repeated(kind, cells.at(cx, cy))
		}
		return cells.at(cx, cy)
	})
	e.reportChange(l, 1, "", "%s tiles became %d x %d", was, w, h)
}

// moveGroup moves everything except the tiles of a group by x, y tiles, in a map that grew by left, up tiles on these
// sides, so that everything is visible at its old position.
func (e *Editor) moveGroup(g *twmap.Group, isGame bool, x, y, left, up int) {
	if x != 0 || y != 0 {
		for _, l := range g.Layers {
			by := twmap.Point{X: int32(x * tileUnits * fixed), Y: int32(y * tileUnits * fixed)}
			switch l := l.(type) {
			case *twmap.QuadLayer:
				e.eachQuad(l, fmt.Sprintf("moved by %d,%d tiles", x, y), func(q *twmap.Quad) {
					for i := range q.Points {
						q.Points[i] = plus(q.Points[i], by)
					}
					q.Pivot = plus(q.Pivot, by)
				})
			case *twmap.SoundLayer:
				e.eachSource(l, fmt.Sprintf("moved by %d,%d tiles", x, y), func(s *twmap.SoundSource) { s.Position = plus(s.Position, by) })
			}
		}
	}
	if c := g.Clip; c != nil {
		c.X, c.Y = c.X+int32(left*tileUnits), c.Y+int32(up*tileUnits)
	}
	if isGame {
		return
	}
	// Position x of the group is drawn at x - offset - camera * parallax / 100.
	ox := int(g.OffsetX) + x*tileUnits - percent(left*tileUnits, int(g.ParallaxX))
	oy := int(g.OffsetY) + y*tileUnits - percent(up*tileUnits, int(g.ParallaxY))
	if ox != int(g.OffsetX) || oy != int(g.OffsetY) {
		e.reportChange(g, 1, "", "offset: %d,%d became %d,%d", g.OffsetX, g.OffsetY, ox, oy)
	}
	g.OffsetX, g.OffsetY = int32(ox), int32(oy)
}

func plus(a, b twmap.Point) twmap.Point { return twmap.Point{X: a.X + b.X, Y: a.Y + b.Y} }

// ShrinkOptions are the options of [Editor.Shrink].
type ShrinkOptions struct {
	// Physics also shrinks the map, as far as all layers of the game group allow; the border, beyond which players die,
	// then moves too.
	Physics bool
}

// Shrink removes columns and rows at the sides of layers that equal the next ones inside: the map looks the same.
// Without o.Physics only design layers shrink, and those in the game group only at the
// right and the bottom.
func (e *Editor) Shrink(o ShrinkOptions) {
	const any = 1 << 30
	game := e.gameGroup()
	var by Sides // of the map
	if o.Physics && game >= 0 {
		by = Sides{any, any, any, any}
		for _, l := range e.m.Groups[game].Layers {
			t, ok := l.(*twmap.TileLayer)
			switch {
			case ok && t.Kind().Physics():
				by = e.repeats(t, func(*twmap.TileLayer) (least, most Sides) { return Sides{}, by })
			case ok:
				s := e.repeats(t, func(*twmap.TileLayer) (least, most Sides) { return Sides{}, Sides{by.Left, any, by.Up, any} })
				by.Left, by.Up = s.Left, s.Up
			}
		}
	}
	for i, g := range e.m.Groups {
		e.cut(g, i == game, by, func(t *twmap.TileLayer) (least, most Sides) {
			switch {
			case i == game && t.Kind().Physics():
				return by, by
			case i == game:
				return Sides{Left: by.Left, Up: by.Up}, Sides{by.Left, any, by.Up, any}
			}
			return Sides{}, Sides{any, any, any, any}
		})
	}
}

// Shift moves the tiles of layers by x to the right and y down, within the layers. Uncovered tiles become air, and
// tiles that leave the layer are lost.
func (e *Editor) Shift(layers []LayerAt, x, y int) error {
	layers = e.tileLayers(layers)
	switch {
	case len(layers) == 0:
		return errNoTiles
	case x == 0 && y == 0:
		return nil
	}
	for _, at := range layers {
		l := e.layer(at).(*twmap.TileLayer)
		cells, w, h := e.readable(l), l.Width(), l.Height()
		moved, lost := 0, 0
		for ty := range h {
			for tx := range w {
				switch nx, ny := tx+x, ty+y; {
				case cells.at(tx, ty) == Cell{}:
				case nx < 0 || nx >= w || ny < 0 || ny >= h:
					lost++
				default:
					moved++
				}
			}
		}
		cells.replace(l, w, h, func(tx, ty int) Cell {
			if ox, oy := tx-x, ty-y; ox >= 0 && ox < w && oy >= 0 && oy < h {
				return cells.at(ox, oy)
			}
			return Cell{}
		})
		e.reportChange(l, moved, "tiles", "moved by %d,%d", x, y)
		e.reportChange(l, lost, "tiles", "are now outside of the layer and are lost")
	}
	return nil
}

var errNoTiles = errors.New("expected layers of tiles")
