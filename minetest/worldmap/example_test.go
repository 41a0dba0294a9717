package worldmap_test

import (
	"context"
	"fmt"

	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldmap"
)

func ExampleInOrder() {
	ctx := context.Background()
	db := mapdb.NewMemory()
	if err := db.Store(ctx, []mapdb.Block{{Data: []byte("ab")}, {Pos: mapdb.Pos{X: 1}, Data: []byte("c")}}); err != nil {
		fmt.Println(err)
		return
	}
	total := 0
	// The work runs on all cores, what it gives comes in the order of the blocks.
	for n := range worldmap.InOrder(db.Blocks(ctx, mapdb.All()), func(b mapdb.Block, err error) int { return len(b.Data) }) {
		total += n
	}
	fmt.Println(total)
	// Output: 3
}
