package place_test

import (
	"fmt"

	"trowel.example/minetest/internal/place"
)

func ExampleNode_In() {
	n := place.InBlock(1 + 2*16) // x 1, y 2 in a block
	fmt.Println(n.In(0, -1, 0).Pos())
	// Output: [1 -14 0] true
}
