package format

import (
	"math/rand/v2"
	"testing"
)

// TestJoinRects tests with random cells that joined rectangles cover the same area without overlapping.
func TestJoinRects(t *testing.T) {
	const side = 12
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		var cells [side][side]int
		var list [][4]float64
		for range r.IntN(150) {
			x, y := r.IntN(side), r.IntN(side)
			cells[y][x] = 1
			list = append(list, [4]float64{float64(x), float64(y), float64(x + 1), float64(y + 1)})
		}
		n := len(list)
		list = JoinRects(list)
		if len(list) > n {
			t.Fatalf("%d rectangles became %d", n, len(list))
		}
		for _, b := range list {
			for y := int(b[1]); y < int(b[3]); y++ {
				for x := int(b[0]); x < int(b[2]); x++ {
					cells[y][x]--
				}
			}
		}
		if cells != [side][side]int{} {
			t.Fatalf("seed %d: %v leave %v", seed, list, cells)
		}
	}
	square := [4]float64{0, 0, 2, 2}
	if one := JoinRects([][4]float64{{0, 1, 1, 2}, {1, 1, 2, 2}, {0, 0, 1, 1}, {1, 0, 2, 1}}); len(one) != 1 || one[0] != square {
		t.Errorf("four cells of a square are %v", one)
	}
}
