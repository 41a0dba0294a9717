package item_test

import (
	"fmt"

	"trowel.example/minetest/item"
)

func ExampleParseStack() {
	s, err := item.ParseStack("default:pick_wood 1 9000")
	fmt.Println(s.Name, s.Count, s.Wear, err)
	// Output: default:pick_wood 1 9000 <nil>
}
