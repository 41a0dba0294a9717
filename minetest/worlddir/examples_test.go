package worlddir_test

import (
	"fmt"

	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worlddir"
)

// ExampleParts_Find finds the line of a timer in the text of a block.
func ExampleParts_Find() {
	b := mapblock.New(29)
	b.Timers.List = []mapblock.Timer{{Pos: 5, Timeout: 1000}}
	_, parts := worlddir.BlockParts(b, mapdb.Pos{})
	fmt.Println(parts.Find(worlddir.SectionTimers, 5) > 0, parts.Find(worlddir.SectionTimers, 6))
	// Output: true 0
}
