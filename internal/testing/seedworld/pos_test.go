package seedworld_test

import (
	"testing"

	"trowel.example/internal/testing/seedworld"
	"trowel.example/minetest/mapdb"
)

// TestPos tests that the positions of blocks are distinct, and that each world extends to both sides of each axis
// along which stores are split.
func TestPos(t *testing.T) {
	for _, n := range []int{64, 500, 2000, 32768, 32769, 100_000} {
		seen := make(map[mapdb.Pos]bool)
		var low, high mapdb.Pos
		for i := range n {
			p := seedworld.Pos(i, n)
			if seen[p] {
				t.Fatalf("%d of %d: %v twice", i, n, p)
			}
			seen[p] = true
			low.X, high.X, low.Z, high.Z = min(low.X, p.X), max(high.X, p.X), min(low.Z, p.Z), max(high.Z, p.Z)
		}
		if n >= 500 && (low.X >= 0 || high.X < 0) || low.Z >= 0 || high.Z < 0 {
			t.Errorf("%d: from %v to %v", n, low, high)
		}
	}
}
