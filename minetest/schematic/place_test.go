package schematic_test

import (
	"testing"

	"trowel.example/minetest/schematic"
)

// TestChanceBounds tests the extreme probabilities: 0 and 1 place nothing, as in the engine, and Always - 1 leaves
// out a few nodes.
func TestChanceBounds(t *testing.T) {
	s := must(schematic.New(schematic.MTS, [3]int{100, 100, 1}))
	for prob, want := range map[uint8][2]int{0: {0, 0}, 1: {0, 0}, 2: {40, 130}, schematic.Always - 1: {9700, 9960},
		schematic.Always: {10000, 10000}} {
		for i := range s.Prob {
			s.Prob[i] = prob
		}
		n := 0
		for range s.Place(schematic.Placing{Seed: 1}).All {
			n++
		}
		if n < want[0] || n > want[1] {
			t.Errorf("probability %d: %d nodes of 10000", prob, n)
		}
	}
}

// TestChance tests that nodes are placed about as often as their probability, and that equal seeds give equal
// results.
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
