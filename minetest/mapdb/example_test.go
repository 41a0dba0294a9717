package mapdb_test

import (
	"context"
	"fmt"

	"trowel.example/minetest/mapdb"
)

func Example() {
	ctx := context.Background()
	db := mapdb.NewMemory()
	defer db.Close()
	err := db.Store(ctx, []mapdb.Block{{Pos: mapdb.Pos{Y: -1}, Data: []byte("deep")}, {Pos: mapdb.Pos{}, Data: []byte("here")}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for b, err := range db.Blocks(ctx, mapdb.All()) {
		fmt.Println(b.Pos.Y, string(b.Data), err)
	}
	// Unordered output:
	// -1 deep <nil>
	// 0 here <nil>
}
