package mapedit_test

import (
	"fmt"
	"image"
	"path/filepath"
	"testing"

	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// TestExtend tests that an extended map looks as before, and that cropping and shrinking undo the extension.
func TestExtend(t *testing.T) {
	by := mapedit.Sides{Left: 25, Right: 3, Up: 50, Down: 7} // whole units for each percent of parallax
	eachMap(t, func(t *testing.T, name string, m *twmap.Map) {
		if m.Physics(twmap.KindGame) == nil {
			return
		}
		extended := edited(t, m, func(e *mapedit.Editor) error { return e.Extend(by) })
		game := m.Physics(twmap.KindGame)
		back := edited(t, extended, func(e *mapedit.Editor) error {
			return e.Crop(mapedit.Area{X: by.Left, Y: by.Up, Width: game.Width(), Height: game.Height()})
		})
		if !back.Equal(m) && !back.Equal(whole(t, m)) {
			t.Errorf("%s: extending and cropping leave another map", name)
		}
		for _, physics := range []bool{true, false} {
			if len(name)%7 != 0 {
				break // a sample is enough
			}
			shrink := func(e *mapedit.Editor) error { e.Shrink(mapedit.ShrinkOptions{Physics: physics}); return nil }
			shrunk := edited(t, m, shrink)
			if physics && !plain(m) && !edited(t, extended, shrink).Equal(shrunk) {
				t.Errorf("%s: extending and shrinking leave another map than shrinking", name)
			}
			if !edited(t, shrunk, shrink).Equal(shrunk) {
				t.Errorf("%s: shrinking twice is more than once", name)
			}
		}
		if len(name)%9 != 0 || !sameCamera(m) {
			return
		}
		k := pixelsFor(m)
		before := drawn(t, m, k)
		after := drawn(t, extended, k).SubImage(before.Rect.Add(image.Pt(by.Left*k, by.Up*k))).(*image.RGBA)
		if d := meanOf(before, after); d > 0.5 {
			t.Errorf("%s: the picture of the extended map differs by %.3f", name, d)
			save(t, filepath.Base(name)+"-ext-want", before)
			save(t, filepath.Base(name)+"-ext-got", after)
		}
	})
}

// plain reports whether a layer of a map has identical columns or rows only: which of them remain after shrinking is
// irrelevant, and depends on their number.
func plain(m *twmap.Map) bool {
	for _, l := range m.Layers() {
		l, ok := l.(*twmap.TileLayer)
		if !ok {
			continue
		}
		columns, rows := true, true
		at := func(x, y int) any {
			switch {
			case l.Teles() != nil:
				return l.Teles().At(x, y)
			case l.Speedups() != nil:
				return l.Speedups().At(x, y)
			case l.Switches() != nil:
				return l.Switches().At(x, y)
			case l.Tunes() != nil:
				return l.Tunes().At(x, y)
			}
			return l.Tiles().At(x, y)
		}
		for y := range l.Height() {
			for x := range l.Width() {
				columns = columns && at(x, y) == at(0, y)
				rows = rows && at(x, y) == at(x, 0)
			}
		}
		if columns || rows {
			return true
		}
	}
	return false
}

// whole returns a map whose cells can all be read: unreadable cells become air.
func whole(t *testing.T, m *twmap.Map) *twmap.Map {
	return edited(t, m, func(e *mapedit.Editor) error {
		layers, err := e.Layers("")
		if err != nil {
			return err
		}
		return e.Shift(layers, 0, 0)
	})
}

// sameCamera reports whether all groups of a map move with the game, so that their view does not depend on the middle
// of a picture.
func sameCamera(m *twmap.Map) bool {
	for _, g := range m.Groups {
		if g.ParallaxX != 100 || g.ParallaxY != 100 {
			return false
		}
	}
	return true
}

func meanOf(a, b *image.RGBA) float64 {
	sum := 0
	for y := range a.Rect.Dy() {
		for x := range a.Rect.Dx() {
			p, q := a.RGBAAt(a.Rect.Min.X+x, a.Rect.Min.Y+y), b.RGBAAt(b.Rect.Min.X+x, b.Rect.Min.Y+y)
			most := 0
			for _, d := range [3]int{int(p.R) - int(q.R), int(p.G) - int(q.G), int(p.B) - int(q.B)} {
				most = max(most, d, -d)
			}
			sum += most
		}
	}
	return float64(sum) / float64(a.Rect.Dx()*a.Rect.Dy())
}

// TestExtendCopies tests that new tiles are copies of the edge, except tiles that must not be duplicated.
func TestExtendCopies(t *testing.T) {
	m := twmap.New(3, 2)
	game := m.Physics(twmap.KindGame).Tiles()
	game.Set(0, 0, twmap.Tile{ID: 1})
	game.Set(2, 1, twmap.Tile{ID: uint8(twmap.EntitySpawn)})
	tele := twmap.NewTileLayer(twmap.KindTele, 3, 2)
	tele.Teles().Set(0, 0, twmap.TeleTile{ID: uint8(twmap.TileTeleIn), Number: 1})
	tele.Teles().Set(2, 0, twmap.TeleTile{ID: uint8(twmap.TileTeleOut), Number: 1})
	m.Groups[0].Layers = append(m.Groups[0].Layers, tele)
	n := edited(t, m, func(e *mapedit.Editor) error { return e.Extend(mapedit.Sides{Left: 1, Right: 1, Up: 1, Down: 1}) })
	if got, want := ids(n.Physics(twmap.KindGame)), "[[1 1 0 0 0] [1 1 0 0 0] [0 0 0 192 0] [0 0 0 0 0]]"; got != want {
		t.Errorf("game: %s, want %s", got, want)
	}
	if got, want := ids(n.Physics(twmap.KindTele)), "[[26 26 0 0 0] [26 26 0 27 0] [0 0 0 0 0] [0 0 0 0 0]]"; got != want {
		t.Errorf("tele: %s, want %s", got, want)
	}
}

// ids returns the ids in a layer.
func ids(l *twmap.TileLayer) string {
	rows := make([][]uint8, l.Height())
	for y := range rows {
		rows[y] = make([]uint8, l.Width())
		for x := range rows[y] {
			if l.Teles() != nil {
				rows[y][x] = l.Teles().At(x, y).ID
			} else {
				rows[y][x] = l.Tiles().At(x, y).ID
			}
		}
	}
	return fmt.Sprint(rows)
}

// design returns a layer of tiles with the ids in rows.
func design(rows ...[]uint8) *twmap.TileLayer {
	l := twmap.NewTileLayer(twmap.KindTiles, len(rows[0]), len(rows))
	for y, row := range rows {
		for x, id := range row {
			l.Tiles().Set(x, y, twmap.Tile{ID: id})
		}
	}
	return l
}

func TestShrink(t *testing.T) {
	m := twmap.New(5, 5)
	m.Groups[0].Layers = append(m.Groups[0].Layers, design([]uint8{1, 1, 2, 3, 3}, []uint8{1, 1, 2, 3, 3}, []uint8{1, 1, 4, 3, 3}))
	sky := twmap.NewGroup("Sky", design([]uint8{1, 1, 2, 2}, []uint8{1, 1, 2, 2}),
		design([]uint8{5, 5, 5, 6}, []uint8{5, 5, 5, 7}), twmap.NewQuadLayer(twmap.NewQuad(64, 64, 32, 32)))
	m.Groups = append(m.Groups, sky)
	n := edited(t, m, func(e *mapedit.Editor) error { e.Shrink(mapedit.ShrinkOptions{}); return nil })
	// All rows are kept: the game group is not moved.
	if got, want := ids(n.Groups[0].Layers[1].(*twmap.TileLayer)), "[[1 1 2 3] [1 1 2 3] [1 1 4 3]]"; got != want {
		t.Errorf("design: %s, want %s", got, want)
	}
	if got, want := ids(n.Groups[1].Layers[0].(*twmap.TileLayer))+ids(n.Groups[1].Layers[1].(*twmap.TileLayer)),
		"[[1 2] [1 2]][[5 5 6] [5 5 7]]"; got != want {
		t.Errorf("sky: %s, want %s", got, want)
	}
	if g := n.Groups[1]; g.OffsetX != -32 || g.OffsetY != 0 {
		t.Errorf("the sky is at %d,%d", g.OffsetX, g.OffsetY)
	}
	quads, _ := n.Groups[1].Layers[2].(*twmap.QuadLayer).Quads()
	if p := quads[0].Pivot; p != (twmap.Point{X: (80 - 32) * 1024, Y: 80 * 1024}) {
		t.Errorf("the quad is at %v", p)
	}
	if n := edited(t, m, func(e *mapedit.Editor) error {
		e.Shrink(mapedit.ShrinkOptions{Physics: true})
		return nil
	}); n.Physics(twmap.KindGame).Width() != 4 {
		// The game layer is all air; the left column and the last two columns of the design layer decide.
		t.Errorf("the map has %d columns", n.Physics(twmap.KindGame).Width())
	}
}

func TestCrop(t *testing.T) {
	m := twmap.New(6, 4)
	m.Groups[0].Layers = append(m.Groups[0].Layers, design([]uint8{1, 2, 3, 4, 5, 6}, []uint8{7, 8, 9, 10, 11, 12}, []uint8{1, 1, 1, 1, 1, 1}))
	back := twmap.NewGroup("Back", design([]uint8{1, 1, 2}, []uint8{1, 1, 2}))
	back.ParallaxX, back.ParallaxY = 50, 50
	m.Groups = append(m.Groups, back)
	n := edited(t, m, func(e *mapedit.Editor) error { return e.Crop(mapedit.Area{X: 2, Y: 1, Width: 3, Height: 2}) })
	if g := n.Physics(twmap.KindGame); g.Width() != 3 || g.Height() != 2 {
		t.Errorf("the game layer has %d x %d tiles", g.Width(), g.Height())
	}
	if got, want := ids(n.Groups[0].Layers[1].(*twmap.TileLayer)), "[[9 10 11] [1 1 1]]"; got != want {
		t.Errorf("design: %s, want %s", got, want)
	}
	if got, want := ids(n.Groups[1].Layers[0].(*twmap.TileLayer)), "[[1 2] [1 2]]"; got != want {
		t.Errorf("back: %s, want %s", got, want)
	}
	// At half the parallax, moving the middle of the map by 2,1 tiles moves the group by 1,0.5; one column was
	// removed.
	if g := n.Groups[1]; g.OffsetX != -32+32 || g.OffsetY != 16 {
		t.Errorf("the back is at %d,%d", g.OffsetX, g.OffsetY)
	}
	for _, area := range []mapedit.Area{{X: -1, Y: 0, Width: 3, Height: 3}, {X: 4, Y: 0, Width: 3, Height: 3},
		{Width: 1, Height: 2}, {Width: 6, Height: 5}} {
		if err := mapedit.New(m.Clone(), nil).Crop(area); err == nil {
			t.Errorf("cropped to %v", area)
		}
	}
}

// TestCropOffset tests that a layer that moves with the game shows the same tiles after a crop, whatever the offset
// of its group is.
func TestCropOffset(t *testing.T) {
	const size, tile = 20, 32
	for _, offset := range [][2]int32{{0, -2 * tile}, {0, 2 * tile}, {-3 * tile, 0}, {3 * tile, 0}, {-tile, 4 * tile}} {
		m := twmap.New(size, size)
		back := twmap.NewTileLayer(twmap.KindTiles, size, size)
		for i := range size * size {
			back.Tiles().Set(i%size, i/size, twmap.Tile{ID: uint8(1 + i%251)})
		}
		group := twmap.NewGroup("Back", back)
		group.ParallaxX, group.ParallaxY, group.OffsetX, group.OffsetY = 100, 100, offset[0], offset[1]
		m.Groups = append(m.Groups, group)
		area := mapedit.Area{X: 4, Y: 5, Width: 12, Height: 10}
		n := edited(t, m, func(e *mapedit.Editor) error { return e.Crop(area) })
		at := func(m *twmap.Map, x, y int) twmap.Tile { // outside, a layer repeats its edge
			g := m.Groups[1]
			l := g.Layers[0].(*twmap.TileLayer)
			x, y = x+int(g.OffsetX)/tile, y+int(g.OffsetY)/tile
			return l.Tiles().At(min(max(x, 0), l.Width()-1), min(max(y, 0), l.Height()-1))
		}
		for y := range area.Height {
			for x := range area.Width {
				if got, want := at(n, x, y), at(m, x+area.X, y+area.Y); got != want {
					t.Fatalf("offset %v: %d,%d shows %v, want %v", offset, x, y, got, want)
				}
			}
		}
		if l := n.Groups[1].Layers[0].(*twmap.TileLayer); l.Width() > size-4 || l.Height() > size-2 {
			t.Errorf("offset %v: %d x %d tiles are left", offset, l.Width(), l.Height())
		}
	}
}

func TestShift(t *testing.T) {
	m := twmap.New(3, 2)
	m.Groups[0].Layers = append(m.Groups[0].Layers, design([]uint8{1, 2, 3}, []uint8{4, 5, 6}))
	for _, c := range []struct {
		x, y int
		want string
	}{{1, 0, "[[0 1 2] [0 4 5]]"}, {-1, 0, "[[2 3 0] [5 6 0]]"}, {0, 1, "[[0 0 0] [1 2 3]]"},
		{0, -1, "[[4 5 6] [0 0 0]]"}, {9, 9, "[[0 0 0] [0 0 0]]"}} {
		n := edited(t, m, func(e *mapedit.Editor) error { return e.Shift([]mapedit.LayerAt{{Layer: 1}}, c.x, c.y) })
		if got := ids(n.Groups[0].Layers[1].(*twmap.TileLayer)); got != c.want {
			t.Errorf("by %d,%d: %s, want %s", c.x, c.y, got, c.want)
		}
	}
}

// TestTooLarge tests that no grid exceeds the limit for maps.
func TestTooLarge(t *testing.T) {
	m := twmap.New(1000, 1000)
	before := m.Clone()
	if err := mapedit.New(m, nil).Extend(mapedit.Sides{Right: 1 << 30}); err == nil {
		t.Error("extended without an end")
	}
	if !m.Equal(before) {
		t.Error("what failed changed the map")
	}
}
