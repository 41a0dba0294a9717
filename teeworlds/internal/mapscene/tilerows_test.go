package mapscene

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// FuzzParse tests that any text is a row of at most maxRow tiles in ascending order, or an error.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"1*3 _ 12x", "26:3 0:1 .*2", "28:50/0/-90*2 29:1/2/3/4", "24r:7/5 _*9 .", "255xyor+240!3/4 1*x", "*2", "_*",
	} {
		for kind := twmap.KindTiles; kind <= twmap.KindTune; kind++ {
			f.Add(text, uint8(kind))
		}
	}
	f.Fuzz(func(t *testing.T, text string, kind uint8) {
		runs, err := ParseRow(twmap.Kind(kind%uint8(twmap.KindTune+1)), text)
		end := 0
		for _, r := range runs {
			if r.X < end || r.Length < 1 || r.Y != 0 || r.X+r.Length > maxRow {
				t.Fatalf("%q: %v", text, runs)
			}
			end = r.X + r.Length
		}
		if err != nil && runs != nil {
			t.Fatalf("%q: %v, and %v", text, runs, err)
		}
	})
}

// rowsOf returns the text of all rows of a layer, with one tile outside of it on either side.
func rowsOf(l *twmap.TileLayer) (rows []string) {
	for y := range l.Height() {
		switch l.Kind() {
		case twmap.KindTele:
			rows = append(rows, rowOf(l.Teles(), y))
		case twmap.KindSpeedup:
			rows = append(rows, rowOf(l.Speedups(), y))
		case twmap.KindSwitch:
			rows = append(rows, rowOf(l.Switches(), y))
		case twmap.KindTune:
			rows = append(rows, rowOf(l.Tunes(), y))
		default:
			rows = append(rows, rowOf(l.Tiles(), y))
		}
	}
	return rows
}

func rowOf[T twmap.Cell](g *twmap.Grid[T], y int) string {
	cells, _ := g.Cells()
	return string(appendRow(nil, cells[y*g.Width():(y+1)*g.Width()], 1, 1))
}

// randomLayer returns a layer of a kind with few tiles, so that some of them repeat.
func randomLayer(r *rand.Rand, kind twmap.Kind, w, h int) *twmap.TileLayer {
	l := twmap.NewTileLayer(kind, w, h)
	for i := range w * h {
		x, y, n := i%w, i/w, uint8(r.IntN(3))
		id := []uint8{0, 1, 9, 60, 61, 62, 65, 104, 203, 209, 221, 222}[r.IntN(12)]
		flags := twmap.TileFlags(r.IntN(16))
		switch kind {
		case twmap.KindTele:
			l.Teles().Set(x, y, twmap.TeleTile{ID: id, Number: n})
		case twmap.KindSpeedup:
			l.Speedups().Set(x, y, twmap.SpeedupTile{ID: id, Force: n, MaxSpeed: n, Angle: int16(90 * n), Padding: n})
		case twmap.KindSwitch:
			l.Switches().Set(x, y, twmap.SwitchTile{ID: id, Number: n, Flags: flags, Delay: n})
		case twmap.KindTune:
			l.Tunes().Set(x, y, twmap.TuneTile{ID: id, Number: n})
		default:
			l.Tiles().Set(x, y, twmap.Tile{ID: id, Flags: flags, Skip: n, Reserved: n})
		}
	}
	return l
}

// TestText tests that the text of rows has the tiles of the rows.
func TestText(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for kind := twmap.KindTiles; kind <= twmap.KindTune; kind++ {
		l := randomLayer(r, kind, 30, 20)
		drawn := twmap.NewTileLayer(kind, 30, 20)
		m := twmap.New(30, 20)
		m.Groups = append(m.Groups, twmap.NewGroup("", drawn))
		var all []mapedit.Run
		for y, row := range rowsOf(l) {
			runs, err := ParseRow(kind, row)
			if err != nil {
				t.Fatal(err)
			}
			for _, run := range runs {
				run.X, run.Y = run.X-1, y
				all = append(all, run)
			}
		}
		at := mapedit.LayerAt{Group: 1}
		if outside, err := mapedit.New(m, nil).Draw(at, all, mapedit.PaintOptions{Unused: true}); err != nil || outside > 0 {
			t.Fatalf("%v: %d outside, %v", kind, outside, err)
		}
		if got, want := rowsOf(drawn), rowsOf(l); !slices.Equal(got, want) {
			t.Errorf("%v: %q, want %q", kind, got, want)
		}
	}
}

// TestTurn tests that a turned block has the tiles that the turned layer has.
func TestTurn(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for kind := twmap.KindTiles; kind <= twmap.KindTune; kind++ {
		for q := range 8 {
			turn := mapedit.Turn{Mirrored: q&1 != 0, Quarters: q >> 1}
			l := randomLayer(r, kind, 9, 4)
			rows := rowsOf(l)
			for i := range rows { // without the tiles outside
				rows[i] = strings.TrimSuffix(strings.TrimPrefix(rows[i], "_ "), " _")
			}
			got, err := turnRows(kind, rows, turn)
			if err != nil {
				t.Fatal(err)
			}
			mapedit.TurnLayer(l, turn)
			want := rowsOf(l)
			for i := range got {
				got[i] = "_ " + got[i] + " _"
			}
			if !slices.Equal(got, want) {
				t.Errorf("%v, %v: %q, want %q", kind, turn, got, want)
			}
		}
	}
	got, err := turnRows(twmap.KindTiles, []string{"1 2", "_", "3x*2 _ 4"}, mapedit.LeftRight)
	if want := []string{"_*2 2x 1x", "_*4", "4x _ 3*2"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	if _, err := turnRows(twmap.KindTiles, []string{"1", "1*1048576"}, mapedit.Clockwise); err == nil {
		t.Error("a block of any size")
	}
	got, err = turnRows(twmap.KindTele, []string{"26:3 27:3"}, mapedit.Clockwise)
	if err != nil || !slices.Equal(got, []string{"26:3", "27:3"}) {
		t.Errorf("%q, %v", got, err)
	}
}
