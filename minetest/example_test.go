package minetest_test

import (
	"fmt"

	"trowel.example/minetest"
)

func Example() {
	fmt.Println(minetest.Game.Formats[0].Name)
	// Output: minetest-world
}
