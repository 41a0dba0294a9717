package viewer

import (
	"testing"

	"trowel.example/internal/format"
)

// TestClusters tests that labels close to each other are combined, per layer, with all of them counted.
func TestClusters(t *testing.T) {
	var all []format.Label
	for i := range 10 {
		all = append(all, format.Label{Layer: "a", At: [2]float64{float64(i), 2}, Text: "x"})
	}
	all = append(all, format.Label{Layer: "b", At: [2]float64{1, 1}, Text: "alone"},
		format.Label{Layer: "a", At: [2]float64{500, 1}, Text: "far"})
	got := clusters(all, 1)
	if len(got) != 3 || got[0].count != 10 || got[0].Text != "10" || got[0].At != [2]float64{4.5, 2} ||
		got[1].Text != "alone" || got[2].count != 1 {
		t.Errorf("from far: %+v", got)
	}
	if got := clusters(all, 100); len(got) != len(all) {
		t.Errorf("from near: %+v", got)
	}
}
