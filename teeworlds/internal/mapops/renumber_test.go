package mapops

import (
	"strings"
	"testing"

	_ "trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// TestRenumberBounds tests that numbers of tiles must be 1 to 255.
func TestRenumberBounds(t *testing.T) {
	for to, want := range map[int]bool{0: false, 1: true, 255: true, 256: false} {
		m := twmap.New(2, 2)
		l := twmap.NewTileLayer(twmap.KindTele, 2, 2)
		l.Teles().Set(0, 0, twmap.TeleTile{ID: 26, Number: 7})
		m.Groups[0].Layers = append(m.Groups[0].Layers, l)
		err := Renumber(&Editor{Editor: mapedit.New(m, nil)}, Renumbering{TileKind{"tele"}, "7", to, false})
		if (err == nil) != want || err != nil && !strings.Contains(err.Error(), "from 1 to 255") {
			t.Errorf("to %d: %v", to, err)
		}
	}
}
