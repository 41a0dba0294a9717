package mapedit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

func layerAt(g, l int) []mapedit.LayerAt { return []mapedit.LayerAt{{Group: g, Layer: l}} }

func id(n uint8) mapedit.Tile { return mapedit.Tile{ID: &n} }

// reported edits a map and returns the reports, one per line.
func reported(t *testing.T, m *twmap.Map, do func(e *mapedit.Editor) error) string {
	t.Helper()
	var lines []string
	e := mapedit.New(m, func(c check.Change) {
		line := fmt.Sprintf("%s: %d %s %s", c.Path, c.Count, c.Unit, c.What)
		for _, p := range c.At {
			line += " " + p.String()
		}
		lines = append(lines, line)
	})
	if err := do(e); err != nil {
		lines = append(lines, "error: "+err.Error())
	}
	return strings.Join(lines, "\n")
}

// TestFill tests filling areas, with the editor's behaviour in the game layer.
func TestFill(t *testing.T) {
	m := twmap.New(4, 3)
	fill := func(layers []mapedit.LayerAt, area *mapedit.Area, tile mapedit.Tile, unused bool) string {
		return reported(t, m, func(e *mapedit.Editor) error { return e.Fill(layers, area, tile, mapedit.PaintOptions{Unused: unused}) })
	}
	if got, want := fill(layerAt(0, 0), &mapedit.Area{X: 1, Y: 1, Width: 2, Height: 1}, id(1), false),
		"groups/Game/Game: 2 tiles became 1 1,1 2,1"; got != want {
		t.Errorf("reported %q, want %q", got, want)
	}
	// Hook-through needs tiles in two layers.
	want := "groups/Game/Game: 1 tiles became 5 0,0\ngroups/Game/Front: 1 layers was made\ngroups/Game/Front: 1 tiles became 5 0,0"
	if got := fill(layerAt(0, 0), &mapedit.Area{Width: 1, Height: 1}, id(5), false); got != want {
		t.Errorf("reported %q, want %q", got, want)
	}
	if got, want := ids(m.Physics(twmap.KindGame))+ids(m.Physics(twmap.KindFront)),
		"[[3 0 0 0] [0 1 1 0] [0 0 0 0]][[5 0 0 0] [0 0 0 0] [0 0 0 0]]"; got != want {
		t.Errorf("the map is %s, want %s", got, want)
	}
	fill(layerAt(0, 0), &mapedit.Area{X: -1, Y: -1, Width: 2, Height: 2}, id(2), false) // only the part inside the layer
	if got, want := ids(m.Physics(twmap.KindGame))+ids(m.Physics(twmap.KindFront)),
		"[[2 0 0 0] [0 1 1 0] [0 0 0 0]][[0 0 0 0] [0 0 0 0] [0 0 0 0]]"; got != want {
		t.Errorf("the map is %s, want %s", got, want)
	}
	number := uint8(3)
	for want, got := range map[string]string{
		"error: groups/Game/Game: a game layer has no tile 8":                                 fill(layerAt(0, 0), nil, id(8), false),
		"groups/Game/Game: 12 tiles became 8 0,0 1,0 2,0 3,0 0,1 1,1 2,1 3,1 0,2 1,2 2,2 3,2": fill(layerAt(0, 0), nil, id(8), true),
		"error: no layer has tiles like these": fill(layerAt(0, 0), nil,
			mapedit.Tile{ID: &number, Number: &number}, false),
		"error: groups/Game/Game: the area 9,9:10,10 is outside of its 4 x 3 tiles": fill(layerAt(0, 0),
			&mapedit.Area{X: 9, Y: 9, Width: 2, Height: 2}, id(1), false),
		"error: the area 0,0:-1,0 is empty": fill(layerAt(0, 0),
			&mapedit.Area{Height: 1}, id(1), false),
	} {
		if got != want {
			t.Errorf("reported %q, want %q", got, want)
		}
	}
}

// TestReplace tests that unspecified fields are kept, and that every condition is used.
func TestReplace(t *testing.T) {
	m := twmap.New(4, 2)
	l := twmap.NewTileLayer(twmap.KindTiles, 4, 2)
	for x, c := range []twmap.Tile{{ID: 1}, {ID: 1, Flags: twmap.FlipX}, {ID: 1, Flags: twmap.FlipX | twmap.Opaque}, {ID: 2}} {
		l.Tiles().Set(x, 0, c)
	}
	sw := twmap.NewTileLayer(twmap.KindSwitch, 4, 2)
	sw.Switches().Set(0, 0, twmap.SwitchTile{ID: 22, Number: 1, Delay: 5})
	sw.Switches().Set(1, 0, twmap.SwitchTile{ID: 22, Number: 2, Delay: 5})
	m.Groups[0].Layers = append(m.Groups[0].Layers, l, sw)
	flip, rotate, one, nine := twmap.FlipX, twmap.Rotate, uint8(1), uint8(9)
	got := reported(t, m, func(e *mapedit.Editor) error {
		was, is := id(1), id(7)
		was.Flags, is.Flags = &flip, &rotate
		if err := e.Replace(layerAt(0, 1), nil, was, is, mapedit.PaintOptions{}); err != nil {
			return err
		}
		if err := e.Replace(layerAt(0, 1), nil, id(2), id(3), mapedit.PaintOptions{}); err != nil {
			return err
		}
		all, err := e.Layers("")
		if err != nil {
			return err
		}
		return e.Replace(all, nil, mapedit.Tile{Number: &one}, mapedit.Tile{Delay: &nine}, mapedit.PaintOptions{})
	})
	want := `groups/Game/tiles: 2 tiles 1, flags xflip became 7, flags rotate 1,0 2,0
groups/Game/tiles: 1 tiles 2 became 3 3,0
groups/Game/Switch: 1 tiles number 1 became delay 9 0,0`
	if got != want {
		t.Errorf("reported %s\nwant %s", got, want)
	}
	if got, want := sw.Switches().At(0, 0), (twmap.SwitchTile{ID: 22, Number: 1, Delay: 9}); got != want {
		t.Errorf("the switch is %v, want %v", got, want)
	}
	if got := l.Tiles().At(2, 0); got != (twmap.Tile{ID: 7, Flags: twmap.Rotate}) {
		t.Errorf("the tile is %v: it may not be opaque any more", got)
	}
}

// TestTurnTiles tests rotating areas and single layers.
func TestTurnTiles(t *testing.T) {
	m := twmap.New(4, 3)
	m.Groups[0].Layers = append(m.Groups[0].Layers, design([]uint8{1, 2, 3, 4}, []uint8{5, 6, 7, 8}, []uint8{9, 10, 11, 12}))
	for _, c := range []struct {
		area *mapedit.Area
		turn mapedit.Turn
		want string
	}{
		{nil, mapedit.LeftRight, "[[4 3 2 1] [8 7 6 5] [12 11 10 9]]"},
		{nil, mapedit.Clockwise, "[[9 5 1] [10 6 2] [11 7 3] [12 8 4]]"},
		{&mapedit.Area{X: 1, Y: 1, Width: 2, Height: 2}, mapedit.Clockwise, "[[1 2 3 4] [5 10 6 8] [9 11 7 12]]"},
		{&mapedit.Area{X: 0, Y: 0, Width: 3, Height: 1}, mapedit.Clockwise, "[[1 0 0 4] [2 6 7 8] [3 10 11 12]]"},
		{&mapedit.Area{X: 2, Y: 0, Width: 1, Height: 3}, mapedit.UpDown, "[[1 2 11 4] [5 6 7 8] [9 10 3 12]]"},
	} {
		n := edited(t, m, func(e *mapedit.Editor) error { return e.TurnTiles(layerAt(0, 1), c.area, c.turn) })
		if got := ids(n.Groups[0].Layers[1].(*twmap.TileLayer)); got != c.want {
			t.Errorf("%v %v: %s, want %s", c.area, c.turn, got, c.want)
		}
	}
	for _, c := range []struct {
		layer int
		area  *mapedit.Area
	}{{0, nil}, {1, &mapedit.Area{X: 3, Y: 0, Width: 1, Height: 2}}, {1, &mapedit.Area{X: 3, Y: 0, Width: 2, Height: 2}}} {
		if err := mapedit.New(m.Clone(), nil).TurnTiles(layerAt(0, c.layer), c.area, mapedit.Clockwise); err == nil {
			t.Errorf("layer %d, %v: turned", c.layer, c.area)
		}
	}
}

// TestNumbers tests renumbering, including the settings about numbers.
func TestNumbers(t *testing.T) {
	m := twmap.New(9, 1)
	tele, sw := twmap.NewTileLayer(twmap.KindTele, 9, 1), twmap.NewTileLayer(twmap.KindSwitch, 9, 1)
	for x, c := range []twmap.TeleTile{{ID: 26, Number: 2}, {ID: 27, Number: 2}, {ID: 29, Number: 2}, {ID: 30, Number: 7},
		{ID: 10, Number: 5}, {ID: 31, Number: 5}, {ID: 0, Number: 5}} {
		tele.Teles().Set(x, 0, c)
	}
	sw.Switches().Set(0, 0, twmap.SwitchTile{ID: 24, Number: 3})
	sw.Switches().Set(1, 0, twmap.SwitchTile{ID: 9, Number: 0})
	m.Groups[0].Layers = append(m.Groups[0].Layers, tele, sw)
	m.Info.Settings = []string{"switch_open 3", "tune gravity 3", "switch_open  30"}
	got := reported(t, m, func(e *mapedit.Editor) error {
		e.PackNumbers(twmap.TeleNumbers)
		e.PackNumbers(twmap.CheckpointNumbers)
		if err := e.RenumberTiles(twmap.SwitchNumbers, 1, 9, 11, mapedit.RenumberOptions{}); err != nil {
			return err
		}
		if err := e.RenumberTiles(twmap.TeleNumbers, 1, 2, 2, mapedit.RenumberOptions{}); err != nil { // each number moves by one
			return err
		}
		return e.RenumberTiles(twmap.TeleNumbers, 2, 2, 3, mapedit.RenumberOptions{})
	})
	want := `groups/Game/Tele: 2 tiles tele 2 became 1
groups/Game/Tele: 1 tiles tele 5 became 2
groups/Game/Tele: 1 tiles checkpoint 2 became 1
groups/Game/Tele: 1 tiles checkpoint 7 became 2
groups/Game/Switch: 1 tiles switch 3 became 13
: 1  setting: switch_open 3 became switch_open 13
groups/Game/Tele: 2 tiles tele 1 became 2
groups/Game/Tele: 1 tiles tele 2 became 3
error: 2 cannot become 3, the number of 1 other tile`
	if got != want {
		t.Errorf("reported %s\nwant %s", got, want)
	}
	if a, b, c := tele.Teles().At(0, 0), tele.Teles().At(4, 0), tele.Teles().At(5, 0); a.Number != 2 || b.Number != 3 || c.Number != 5 {
		t.Errorf("the numbers are %d %d %d", a.Number, b.Number, c.Number)
	}
	if got := reported(t, m, func(e *mapedit.Editor) error {
		return e.RenumberTiles(twmap.TeleNumbers, 2, 2, 3, mapedit.RenumberOptions{Join: true})
	}); got != "groups/Game/Tele: 2 tiles tele 2 became 3" {
		t.Errorf("reported %s", got)
	}
	for _, c := range [][3]uint8{{0, 1, 1}, {3, 1, 1}, {1, 9, 250}, {100, 101, 1}} {
		if err := mapedit.New(m, nil).RenumberTiles(twmap.TeleNumbers, c[0], c[1], c[2], mapedit.RenumberOptions{}); err == nil {
			t.Errorf("renumbered %v", c)
		}
	}
}

// TestClean tests the operations that normalize tiles.
func TestClean(t *testing.T) {
	const x, y, r = twmap.FlipX, twmap.FlipY, twmap.Rotate
	m := twmap.New(6, 1)
	game := m.Physics(twmap.KindGame).Tiles()
	for i, c := range []twmap.Tile{{ID: 1, Flags: x}, {ID: 60, Flags: y}, {ID: 225, Flags: x}, {ID: 197, Flags: x},
		{Flags: r, Skip: 1}, {ID: 64, Flags: r}} {
		game.Set(i, 0, c)
	}
	speedup := twmap.NewTileLayer(twmap.KindSpeedup, 6, 1)
	speedup.Speedups().Set(0, 0, twmap.SpeedupTile{ID: 28, Force: 3, Padding: 1})
	speedup.Speedups().Set(1, 0, twmap.SpeedupTile{Force: 3})
	m.Groups[0].Layers = append(m.Groups[0].Layers, speedup)
	got := reported(t, m, func(e *mapedit.Editor) error {
		e.FixRotation()
		e.NormalizeRotation()
		e.MigrateSpeedups()
		e.ZeroUnused()
		return nil
	})
	want := `groups/Game/Game: 2 tiles were mirrored, and are rotated now 1,0 2,0
groups/Game/Game: 2 tiles flags without a meaning became 0 0,0 4,0
groups/Game/Speedup: 1 tiles were deprecated speedups, and are current ones now, which compute the maximum speed differently 0,0
groups/Game/Game: 1 tiles had bytes without a meaning, which became 0 4,0
groups/Game/Speedup: 2 tiles had bytes without a meaning, which became 0 0,0 1,0`
	if got != want {
		t.Errorf("reported %s\nwant %s", got, want)
	}
	cells, _ := game.Cells()
	if want := []twmap.Tile{{ID: 1}, {ID: 60, Flags: x | y}, {ID: 225, Flags: x | y | r}, {ID: 197, Flags: x}, {},
		{ID: 64, Flags: r}}; !slices.Equal(cells, want) {
		t.Errorf("the tiles are %v, want %v", cells, want)
	}
	if got := speedup.Speedups().At(0, 0); got != (twmap.SpeedupTile{ID: 29, Force: 3}) ||
		speedup.Speedups().At(1, 0) != (twmap.SpeedupTile{}) {
		t.Errorf("the speedup is %v", got)
	}
}

// TestConstruct tests making game tiles from a layer.
func TestConstruct(t *testing.T) {
	m := twmap.New(3, 2)
	g := twmap.NewGroup("Ground", design([]uint8{0, 9, 0}, []uint8{8, 0, 7}))
	g.OffsetX, g.OffsetY = -64, 32 // two to the right, one up
	m.Groups = append(m.Groups, g)
	from := mapedit.LayerAt{Group: 1}
	got := reported(t, m, func(e *mapedit.Editor) error { return e.ConstructGameTiles(from, twmap.TileNoHook) })
	want := `groups/Game/Game: 1  3 x 2 tiles became 5 x 2
groups/Game/Game: 2 tiles became nohook, as groups/Ground/tiles has tiles there 2,0 4,0`
	if got != want {
		t.Errorf("reported %s\nwant %s", got, want)
	}
	got = reported(t, m, func(e *mapedit.Editor) error { return e.ConstructGameTiles(from, twmap.TileTeleCheckpointIn) })
	want = `groups/Game/Tele: 1 layers was made
groups/Game/Tele: 2 tiles became tele checkpoint in, as groups/Ground/tiles has tiles there 2,0 4,0`
	if got != strings.Replace(want, "tele checkpoint in", twmap.TileTeleCheckpointIn.String(), 1) {
		t.Errorf("reported %s\nwant %s", got, want)
	}
	if got := m.Physics(twmap.KindTele).Teles().At(4, 0); got != (twmap.TeleTile{ID: 31, Number: 1}) {
		t.Errorf("the tele tile is %v", got)
	}
	g.OffsetX = 5
	if got := reported(t, m, func(e *mapedit.Editor) error {
		return e.ConstructGameTiles(from,
			twmap.TileSolid)
	}); got != "error: groups/Ground: its offset is 5,32: expected whole tiles, of 32 each" {
		t.Errorf("reported %s", got)
	}
	g.ParallaxX = 50
	if got := reported(t, m, func(e *mapedit.Editor) error {
		return e.ConstructGameTiles(from,
			twmap.TileSolid)
	}); !strings.Contains(got, "its parallax is 50,100") {
		t.Errorf("reported %s", got)
	}
	if err := mapedit.New(m, nil).ConstructGameTiles(mapedit.LayerAt{}, twmap.TileSolid); err == nil {
		t.Error("constructed from the game layer")
	}
}

// TestCleanGame and TestBorder test the equivalents of the editor's tools.
func TestCleanGame(t *testing.T) {
	m := twmap.New(4, 1)
	game := m.Physics(twmap.KindGame).Tiles()
	for x, c := range []uint8{1, 3, 4, 2} {
		game.Set(x, 0, twmap.Tile{ID: c})
	}
	m.Groups[0].Layers = append(m.Groups[0].Layers, design([]uint8{0, 5}))
	if got, want := reported(t, m, (*mapedit.Editor).CleanGameTiles),
		"groups/Game/Game: 2 tiles became air, as no layer shows anything there 0,0 3,0"; got != want {
		t.Errorf("reported %s, want %s", got, want)
	}
	if got := ids(m.Physics(twmap.KindGame)); got != "[[0 3 4 0]]" {
		t.Errorf("the game layer is %s", got)
	}
}

func TestBorder(t *testing.T) {
	m := twmap.New(6, 6)
	m.Physics(twmap.KindGame).Tiles().Set(0, 0, twmap.Tile{ID: 9, Flags: twmap.FlipX})
	if err := mapedit.New(m, nil).Border(layerAt(0, 0)); err != nil {
		t.Fatal(err)
	}
	if got, want := ids(m.Physics(twmap.KindGame)),
		"[[1 1 1 1 1 1] [1 1 1 1 1 1] [1 1 0 0 1 1] [1 1 0 0 1 1] [1 1 1 1 1 1] [1 1 1 1 1 1]]"; got != want {
		t.Errorf("the border is %s, want %s", got, want)
	}
	if got := m.Physics(twmap.KindGame).Tiles().At(0, 0); got.Flags != twmap.FlipX {
		t.Errorf("the flags became %v", got.Flags)
	}
}
