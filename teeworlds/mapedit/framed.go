package mapedit

import (
	"errors"

	"trowel.example/teeworlds/twmap"
)

// window is the width and height of the squares of tiles by which [Framed] recognizes places.
const window = 4

// maxWindows limits the number of squares of a map that are compared.
const maxWindows = 1 << 16

// Framed finds out by how many tiles a whole map grew on each side: with [Editor.Extend], or where a number is negative,
// with [Editor.Crop]. All layers that move with the game decide together: by their tiles, and by their quads. The
// result is zero if the size of the game layer is the same, or if its parts moved by different distances, as where
// columns were inserted in the middle. Unreadable contents are ignored.
func Framed(old, new *twmap.Map) Sides {
	a, b := old.Physics(twmap.KindGame), new.Physics(twmap.KindGame)
	if a == nil || b == nil || a.Width() == b.Width() && a.Height() == b.Height() {
		return Sides{}
	}
	known := marksOf(old)
	votes := make(map[twmap.Point]int)
	all := 0
	for key, at := range marksOf(new) {
		was, ok := known[key]
		if !ok || at == nowhere || was == nowhere {
			continue
		}
		all++
		votes[twmap.Point{X: at.X - was.X, Y: at.Y - was.Y}]++
	}
	var best twmap.Point
	most := 0
	for at, n := range votes {
		if n > most || n == most && (at.Y < best.Y || at.Y == best.Y && at.X < best.X) {
			best, most = at, n
		}
	}
	by := Sides{Left: int(best.X), Up: int(best.Y)}
	by.Right, by.Down = b.Width()-a.Width()-by.Left, b.Height()-a.Height()-by.Up
	if most < 3 || most*10 < all*9 || !by.overlap(a) || !moved(old, new, by) {
		return Sides{}
	}
	return by
}

// overlap reports whether a layer keeps enough tiles to be read by the games.
func (s Sides) overlap(l *twmap.TileLayer) bool {
	return l.Width()+min(s.Left, 0)+min(s.Right, 0) >= MinSize && l.Height()+min(s.Up, 0)+min(s.Down, 0) >= MinSize
}

// moved reports whether more than the game layer was framed: most of the sizes that layers have in the new map are
// those that they get if the whole old map is framed. It also reports false if the new tiles are not copies of the edge.
func moved(old, new *twmap.Map, by Sides) bool {
	a := old.Clone()
	if New(a, nil).Frame(by) != nil {
		return false
	}
	type size struct{ kind, w, h int }
	sizes := func(m *twmap.Map) map[size]int {
		n := make(map[size]int)
		for _, l := range m.Layers() {
			if t, ok := l.(*twmap.TileLayer); ok {
				n[size{int(t.Kind()), t.Width(), t.Height()}]++
			}
		}
		return n
	}
	common := func(p, q map[size]int) (n int) {
		for s, k := range p {
			n += min(k, q[s])
		}
		return n
	}
	is := sizes(new)
	if common(sizes(a), is) <= common(sizes(old), is) {
		return false
	}
	p, q := openGrid(a.Physics(twmap.KindGame)), openGrid(new.Physics(twmap.KindGame))
	g := new.Physics(twmap.KindGame)
	copies, others := 0, 0
	for y := range g.Height() {
		for x := range g.Width() {
			if x >= by.Left && x < g.Width()-by.Right && y >= by.Up && y < g.Height()-by.Down {
				continue
			}
			switch is := p.at(x, y); {
			case is.ID == 0:
			case is == q.at(x, y):
				copies++
			default:
				others++
			}
		}
	}
	return copies >= others
}

// nowhere is the place of what occurs more than once.
var nowhere = twmap.Point{X: -1 << 31, Y: -1 << 31}

// marksOf returns the places, in tiles, of what occurs once in the layers of the game group: squares of tiles that are
// not all alike, and the form and texture of quads.
func marksOf(m *twmap.Map) map[uint64]twmap.Point {
	marks := make(map[uint64]twmap.Point)
	mark := func(key uint64, x, y int) {
		at := twmap.Point{X: int32(x), Y: int32(y)}
		if _, twice := marks[key]; twice {
			at = nowhere
		}
		marks[key] = at
	}
	game := (&Editor{m: m}).gameGroup()
	if game < 0 {
		return nil
	}
	for _, l := range m.Groups[game].Layers {
		switch l := l.(type) {
		case *twmap.TileLayer:
			markTiles(l, mark)
		case *twmap.QuadLayer:
			quads, _ := l.Quads()
			for i := range quads {
				markQuad(&quads[i], mark)
			}
		}
	}
	return marks
}

func mixMark(h, v uint64) uint64 {
	h = (h ^ v) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// markTiles calls mark for the squares of a layer. Of a large layer it is a fair sample.
func markTiles(l *twmap.TileLayer, mark func(key uint64, x, y int)) {
	l = l.Clone() // its cells are released with it
	if l.Load() != nil {
		return
	}
	cells, w, h := openGrid(l), l.Width(), l.Height()
	every := uint64(max(1, w*h/maxWindows))
	rows := make([][]uint64, window) // the prints of the parts of the last rows
	for i := range rows {
		rows[i] = make([]uint64, w)
	}
	row := make([]Cell, w)
	for y := range h {
		for x := range w {
			if row[x] = cells.at(x, y); row[x].ID == 0 {
				row[x] = Cell{}
			}
		}
		prints := rows[y%window]
		for x := 0; x+window <= w; x++ {
			k := uint64(1)
			for _, c := range row[x : x+window] {
				k = mixMark(k, cellPrint(c))
			}
			prints[x] = k
		}
		for x := 0; y+1 >= window && x+window <= w; x++ {
			k, alike := uint64(l.Kind()), true
			for i := range window {
				p := rows[(y+1+i)%window][x]
				k, alike = mixMark(k, p), alike && p == rows[y%window][x]
			}
			if k%every == 0 && !(alike && row[x] == row[x+1] && row[x] == row[x+2] && row[x] == row[x+3]) {
				mark(k, x, y)
			}
		}
	}
}

func markQuad(q *twmap.Quad, mark func(key uint64, x, y int)) {
	const unit = tileUnits * fixed
	k := mixMark(2, uint64(uint32(q.Pivot.X)%unit)<<32|uint64(uint32(q.Pivot.Y)%unit))
	for i, p := range q.Points {
		k = mixMark(k, uint64(uint32(p.X-q.Pivot.X))<<32|uint64(uint32(p.Y-q.Pivot.Y)))
		k = mixMark(k, uint64(uint32(q.Texture[i].X))<<32|uint64(uint32(q.Texture[i].Y)))
	}
	mark(k, floorDiv(int(q.Pivot.X), unit), floorDiv(int(q.Pivot.Y), unit))
}

// Frame enlarges the whole map on each side as [Editor.Extend] does, and reduces it where a number is negative as
// [Editor.Crop] does.
func (e *Editor) Frame(by Sides) error {
	grow := Sides{max(by.Left, 0), max(by.Right, 0), max(by.Up, 0), max(by.Down, 0)}
	if grow != (Sides{}) {
		if err := e.Extend(grow); err != nil {
			return err
		}
	}
	if grow == by {
		return nil
	}
	if e.m.Physics(twmap.KindGame) == nil {
		return errors.New("a map without a game layer cannot be cropped")
	}
	w, h := e.size()
	left, up := max(-by.Left, 0), max(-by.Up, 0)
	return e.Crop(Area{X: left, Y: up, Width: w - left - max(-by.Right, 0), Height: h - up - max(-by.Down, 0)})
}

// cellPrint returns the print of a cell.
func cellPrint(c Cell) uint64 {
	return uint64(c.ID) | uint64(c.Flags)<<8 | uint64(c.Number)<<16 | uint64(c.Delay)<<24 | uint64(c.Force)<<32 |
		uint64(c.MaxSpeed)<<40 | uint64(uint16(c.Angle))<<48
}
