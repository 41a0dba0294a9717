package worldedit_test

import (
	"math/rand/v2"
	"testing"

	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldedit"
)

// BenchmarkFix computes the light of scenes of 125 blocks, 8 of which have changed.
func BenchmarkFix(b *testing.B) {
	list, _ := definitions()
	w := make(blockSet)
	changed := scene(rand.New(rand.NewPCG(1, 2)), w, mapdb.Pos{}, false)
	n := 0
	for b.Loop() {
		fixed, err := worldedit.SpreadLight(w.source, list, changed)
		if err != nil {
			b.Fatal(err)
		}
		n = len(fixed)
	}
	b.ReportMetric(float64(n), "blocks")
}
