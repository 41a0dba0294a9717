package schematic_test

import (
	"testing"

	"trowel.example/minetest/schematic"
)

// What is left to chance happens about as often as it should, and the same seed gives the same.
func TestChance(t *testing.T) {
	s := must(schematic.New(schematic.MTS, [3]int{100, 100, 1}))
	for i := range s.Prob {
		s.Prob[i] = 32
	}
	s.Slices = make([]uint8, 100)
	for y := range s.Slices {
		s.Slices[y] = 64
	}
	count := func(seed uint64) (nodes, top int) {
		for at := range s.Place(schematic.Placing{Seed: seed}).All {
			nodes++
			top = max(top, at[1])
		}
		return nodes, top
	}
	nodes, top := count(1)
	if nodes < 900 || nodes > 1600 || top < 30 || top > 70 { // 127*126/4/127 is 1230 of 10000
		t.Errorf("%d nodes, up to %d", nodes, top)
	}
	if again, _ := count(1); again != nodes {
		t.Errorf("%d nodes, then %d", nodes, again)
	}
	if other, _ := count(2); other == nodes {
		t.Errorf("%d nodes with another seed, too", other)
	}
}
