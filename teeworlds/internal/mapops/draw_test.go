package mapops

import (
	"math/rand/v2"
	"strings"
	"testing"

	"trowel.example/internal/format"
	"trowel.example/teeworlds/internal/tiletext"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// draw draws rows at a place of a layer of the map.
func draw(m *twmap.Map, layer string, x, y int, rows ...string) error {
	e := &Editor{mapedit.New(m, nil), &format.Job{Source: format.NewSource("a.map", nil)}}
	o := Drawing{X: x, Y: y, Rows: rows, AnyTile: AnyTile{true}}
	o.Patterns = []string{layer}
	list, err := o.Select(e)
	if err != nil {
		return err
	}
	return Draw(e, list, o)
}

// TestDrawText tests that the text of a layer's rows draws the same layer, for all kinds of layers, also with repeated
// tiles.
func TestDrawText(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	m := twmap.New(20, 10)
	for kind := twmap.KindFront; kind <= twmap.KindTune; kind++ {
		m.Groups[0].Layers = append(m.Groups[0].Layers, twmap.NewTileLayer(kind, 20, 10))
	}
	leaves := twmap.NewTileLayer(twmap.KindTiles, 20, 10)
	leaves.Name = "Leaves"
	m.Groups[0].Layers = append(m.Groups[0].Layers, leaves)
	cell := func() mapedit.Cell {
		return mapedit.Cell{ID: uint8(r.IntN(4)), Flags: twmap.TileFlags(r.IntN(256)), Number: uint8(r.IntN(256)), Delay: uint8(r.IntN(256)),
			Force: uint8(r.IntN(256)), MaxSpeed: uint8(r.IntN(256)), Angle: int16(r.IntN(1<<16) - 1<<15)}
	}
	for _, l := range m.Layers() {
		l := l.(*twmap.TileLayer)
		var rows, want []string
		for range l.Height() {
			var row []string
			for range l.Width() {
				row = append(row, cellText(l.Kind(), cell()))
			}
			rows, want = append(rows, strings.Join(row, " ")), append(want, strings.Join(row, " "))
			for i := 0; i+1 < len(row); i++ { // a repeated tile is the same as two
				if row[i] == row[i+1] {
					row[i+1] += "*2"
					rows[len(rows)-1] = strings.Join(append(row[:i:i], row[i+1:]...), " ")
					break
				}
			}
		}
		name := l.Kind().String()
		if err := draw(m, name, 0, 0, rows...); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := layerText(l); got != strings.Join(want, "\n") {
			t.Errorf("%s: drawn as\n%s\nwant\n%s", name, got, strings.Join(want, "\n"))
		}
	}
}

// cellText returns the text of a cell in a kind of layer.
func cellText(kind twmap.Kind, c mapedit.Cell) string {
	switch kind {
	case twmap.KindTele:
		return tiletext.FormatCell(twmap.TeleTile{ID: c.ID, Number: c.Number})
	case twmap.KindSpeedup:
		return tiletext.FormatCell(twmap.SpeedupTile{ID: c.ID, Force: c.Force, MaxSpeed: c.MaxSpeed, Angle: c.Angle})
	case twmap.KindSwitch:
		return tiletext.FormatCell(twmap.SwitchTile{ID: c.ID, Flags: c.Flags, Number: c.Number, Delay: c.Delay})
	case twmap.KindTune:
		return tiletext.FormatCell(twmap.TuneTile{ID: c.ID, Number: c.Number})
	}
	return tiletext.FormatCell(twmap.Tile{ID: c.ID, Flags: c.Flags})
}

func layerText(l *twmap.TileLayer) string {
	var text []byte
	switch l.Kind() {
	case twmap.KindTele:
		text, _ = tiletext.FormatUpTo(l.Teles(), 1<<20)
	case twmap.KindSpeedup:
		text, _ = tiletext.FormatUpTo(l.Speedups(), 1<<20)
	case twmap.KindSwitch:
		text, _ = tiletext.FormatUpTo(l.Switches(), 1<<20)
	case twmap.KindTune:
		text, _ = tiletext.FormatUpTo(l.Tunes(), 1<<20)
	default:
		text, _ = tiletext.FormatUpTo(l.Tiles(), 1<<20)
	}
	var rows []string
	for line := range strings.Lines(string(text)) {
		rows = append(rows, strings.Join(strings.Fields(line), " "))
	}
	return strings.Join(rows, "\n")
}

// TestDrawErrors tests that wrong rows are rejected, and that huge ones cost nothing.
func TestDrawErrors(t *testing.T) {
	for _, c := range []struct {
		x    int
		rows []string
		want string
	}{
		{0, []string{"1 1", "1 q"}, "row 2: q: the number is missing: expected a form like 12xr"},
		{0, []string{"1*0"}, "row 1: 1*0: expected a number of tiles from 1 to 1,048,576 after the *"},
		{0, []string{"1*99999999999999999999"}, "row 1: 1*99999999999999999999: expected a number of tiles from 1 to 1,048,576 after the *"},
		{0, []string{"1*1048576 1"}, "row 1: expected at most 1,048,576 tiles"},
		{0, []string{"26:3"}, `row 1: 26:3: ":3" is not part of a cell of a game layer: expected a form like 12xr`},
		{0, []string{"_*4"}, "the rows have no tiles"},
		{0, []string{" "}, "the rows have no tiles"},
		{-1 << 31, []string{"1"}, "expected a place from -1048576 to 1048576, not -2147483648,0"},
		{1 << 20, []string{"1"}, "groups/Game/Game: nothing is drawn inside of its 4 x 3 tiles"},
		{-1 << 20, []string{"1*1048576"}, "groups/Game/Game: nothing is drawn inside of its 4 x 3 tiles"},
		{0, []string{"1*1048576"}, ""},
	} {
		got := ""
		if err := draw(twmap.New(4, 3), "game", c.x, 0, c.rows...); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%d %q: %q, want %q", c.x, c.rows, got, c.want)
		}
	}
}
