package mapedit_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// TestDraw tests that runs are cut off at the edges of a layer, that the last of several counts, and that the tiles that
// depend on others are drawn with them.
func TestDraw(t *testing.T) {
	m := twmap.New(4, 3)
	leaves := twmap.NewTileLayer(twmap.KindTiles, 3, 2)
	leaves.Name = "Leaves"
	leaves.Tiles().Set(1, 1, twmap.Tile{ID: 7, Flags: twmap.Opaque})
	leaves.Tiles().Set(2, 1, twmap.Tile{ID: 8, Flags: twmap.Opaque | twmap.FlipX})
	m.Groups[0].Layers = append(m.Groups[0].Layers, leaves, twmap.NewQuadLayer())
	run := func(x, y, n int, id uint8) mapedit.Run {
		return mapedit.Run{X: x, Y: y, Length: n, Cell: mapedit.Cell{ID: id}}
	}
	for _, c := range []struct {
		layer  int
		unused bool
		runs   []mapedit.Run
		want   string
	}{
		{0, false, []mapedit.Run{run(-2, 0, 4, 1), run(1, 0, 9, 3), run(0, 9, 2, 1)},
			"outside 10\ngroups/Game/Game: 4 tiles drawn 0,0 1,0 2,0 3,0"},
		{0, false, []mapedit.Run{run(0, 0, 2, 1)}, "outside 0\ngroups/Game/Game: 1 tiles drawn 1,0"},
		{0, false, []mapedit.Run{run(0, 1, 1, 1), run(0, 1, 1, 83)}, "error: groups/Game/Game: a game layer has no tile 83"},
		{0, true, []mapedit.Run{run(0, 1, 1, 83)}, "outside 0\ngroups/Game/Game: 1 tiles drawn 0,1"},
		{0, false, []mapedit.Run{run(2, 2, 1, 5)},
			"outside 0\ngroups/Game/Game: 1 tiles drawn 2,2\ngroups/Game/Front: 1 layers was made\ngroups/Game/Front: 1 tiles drawn 2,2"},
		{1, false, []mapedit.Run{run(1, 1, 2, 7)}, "outside 0\ngroups/Game/Leaves: 1 tiles drawn 2,1"}, // the first one stays opaque
		{1, false, []mapedit.Run{run(3, 0, 5, 7), run(0, -1, 1, 7)},
			"error: groups/Game/Leaves: nothing is drawn inside of its 3 x 2 tiles"},
		{2, false, []mapedit.Run{run(0, 0, 1, 7)}, "error: expected layers of tiles"},
	} {
		before, _ := m.Clone().Encode()
		outside := -1
		got := reported(t, m, func(e *mapedit.Editor) (err error) {
			outside, err = e.Draw(mapedit.LayerAt{Layer: c.layer}, c.runs, mapedit.PaintOptions{Unused: c.unused})
			return err
		})
		after, _ := m.Clone().Encode()
		if failed := strings.HasPrefix(got, "error"); failed && !bytes.Equal(before, after) {
			t.Errorf("%v: failed, and changed the map", c.runs)
		} else if !failed {
			got = fmt.Sprintf("outside %d\n%s", outside, got)
		}
		if got != c.want {
			t.Errorf("%v: %q, want %q", c.runs, got, c.want)
		}
	}
}
