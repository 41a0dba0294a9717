package worldquery_test

import (
	"context"
	"fmt"

	"trowel.example/internal/format"
	"trowel.example/minetest/internal/worldquery"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

func ExampleBlocks() {
	db := mapdb.NewMemory()
	data, err := mapblock.New(28).Encode()
	if err == nil {
		err = db.Store(context.Background(), []mapdb.Block{{Data: data}})
	}
	if err != nil {
		fmt.Println(err)
	}
	err = worldquery.Blocks(context.Background(), db, worldquery.RowOptions{}, func(t *format.Table, values []format.Cell) error {
		if t.Name == "minetest_nodes" {
			fmt.Println(values)
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: [0 0 0 air 4096]
}
