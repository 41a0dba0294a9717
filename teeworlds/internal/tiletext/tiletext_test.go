package tiletext_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"trowel.example/teeworlds/internal/tiletext"
	"trowel.example/teeworlds/twmap"
)

// roundTrip converts cells to text and back.
func roundTrip[T twmap.Cell](t *testing.T, kind twmap.Kind, text string, cells ...T) {
	t.Helper()
	g := twmap.NewGridOf(len(cells), 1, cells)
	if got := string(format(g)); got != text+"\n" {
		t.Errorf("%v: %q, want %q", kind, got, text)
	}
	for x, cell := range cells { // At finds each cell at its column, and in the space after it
		column := tiletext.Column(cells, x)
		if own := tiletext.FormatCell(cell); !strings.HasPrefix(text[column-1:], own) || tiletext.At(cells, column) != x ||
			tiletext.At(cells, column+len(own)) != x {
			t.Errorf("%v: cell %d is at column %d of %q, where cell %d is", kind, x, column, text, tiletext.At(cells, column))
		}
	}
	back, errs := tiletext.Parse[T]([]byte(text), kind, len(cells), len(cells))
	if len(errs) > 0 || !slices.Equal(back, cells) {
		t.Errorf("%v: came back as %v, %v", kind, back, errs)
	}
}

func TestFormat(t *testing.T) {
	roundTrip(t, twmap.KindTiles, ".   1   12xr", twmap.Tile{}, twmap.Tile{ID: 1}, twmap.Tile{ID: 12, Flags: twmap.FlipX | twmap.Rotate})
	roundTrip(t, twmap.KindGame, "255xyor+240!3/4 .", twmap.Tile{ID: 255, Flags: 255, Skip: 3, Reserved: 4}, twmap.Tile{})
	roundTrip(t, twmap.KindTele, "26:3 0:1", twmap.TeleTile{ID: 26, Number: 3}, twmap.TeleTile{Number: 1})
	roundTrip(t, twmap.KindTune, "68:7", twmap.TuneTile{ID: 68, Number: 7})
	roundTrip(t, twmap.KindSpeedup, "28:50/0/-90 29:1/2/3/4", twmap.SpeedupTile{ID: 28, Force: 50, Angle: -90},
		twmap.SpeedupTile{ID: 29, Force: 1, MaxSpeed: 2, Angle: 3, Padding: 4})
	roundTrip(t, twmap.KindSwitch, "24r:7/5", twmap.SwitchTile{ID: 24, Flags: twmap.Rotate, Number: 7, Delay: 5})
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"1 2\n3 300\n", `line 2:3: 300: the number must be 0 to 255: expected a form like 12xr`},
		{"1 2q\n3 4\n", `line 1:3: 2q: "q" is not part of a cell of a game layer: expected a form like 12xr`},
		{"1 2 3\n4 5\n", "line 1: a row of 3 tiles: expected 2"},
		{"1 2\n", "line 1: the last row is number 1: expected 2 rows"},
		{"1 2\n3 4\n5 6\n", "line 3: a row too many: expected 2"},
		{"1 2\n3 4\n\n\n", ""},
	} {
		_, errs := tiletext.Parse[twmap.Tile]([]byte(c.text), twmap.KindGame, 2, 4)
		var all []string
		for _, e := range errs {
			all = append(all, e.Error())
		}
		if got := strings.Join(all, "; "); got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
}

// FuzzParse tests that parsed cells round-trip through their text.
func FuzzParse(f *testing.F) {
	f.Add([]byte(".   1   12xr\n255xyor+240!3/4 . .\n"), 3, 6)
	f.Fuzz(func(t *testing.T, text []byte, width, n int) {
		if width < 1 || width > 100 || n < 1 || n > 1000 {
			return
		}
		cells, errs := tiletext.Parse[twmap.Tile](text, twmap.KindTiles, width, n)
		if len(errs) > 0 {
			return
		}
		g := twmap.NewGridOf(width, (n+width-1)/width, cells)
		again, errs := tiletext.Parse[twmap.Tile](format(g), twmap.KindTiles, width, n)
		if len(errs) > 0 || !slices.Equal(again, cells) {
			t.Errorf("came back as %v, %v", again, errs)
		}
	})
}

func ExampleParse() {
	cells, errs := tiletext.Parse[twmap.SwitchTile]([]byte(". 24r:7/5\n"), twmap.KindSwitch, 2, 2)
	fmt.Println(len(errs), cells[1].Number, cells[1].Delay)
	fmt.Println(tiletext.FormatCell(cells[1]))
	// Output:
	// 0 7 5
	// 24r:7/5
}

func format[T twmap.Cell](g *twmap.Grid[T]) []byte {
	text, _ := tiletext.FormatUpTo(g, math.MaxInt)
	return text
}
