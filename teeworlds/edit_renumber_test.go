package teeworlds

import (
	"strings"
	"testing"

	"trowel.example/internal/format"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// TestRenumberBounds tests that numbers of tiles must be 1 to 255.
func TestRenumberBounds(t *testing.T) {
	for to, want := range map[string]bool{"0": false, "1": true, "255": true, "256": false} {
		m := twmap.New(2, 2)
		l := twmap.NewTileLayer(twmap.KindTele, 2, 2)
		l.Teles().Set(0, 0, twmap.TeleTile{ID: 26, Number: 7})
		m.Groups[0].Layers = append(m.Groups[0].Layers, l)
		job := &format.Job{Values: map[string]string{"kind": "tele", "numbers": "7", "to": to}}
		err := renumber(t.Context(), mapedit.New(m, nil), job)
		if (err == nil) != want || err != nil && !strings.Contains(err.Error(), "from 1 to 255") {
			t.Errorf("to %s: %v", to, err)
		}
	}
}
