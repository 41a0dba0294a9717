package manifest_test

import (
	"bytes"
	"context"
	"fmt"

	"trowel.example/minetest/internal/manifest"
	"trowel.example/minetest/mapdb"
)

func Example() {
	ctx := context.Background()
	db := mapdb.NewMemory()
	snapshot := func() *manifest.Manifest {
		var b bytes.Buffer
		if _, err := manifest.Make(ctx, db, &b, manifest.Options{}); err != nil {
			fmt.Println(err)
		}
		m, err := manifest.Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil {
			fmt.Println(err)
		}
		return m
	}
	_ = db.Store(ctx, []mapdb.Block{{Pos: mapdb.Pos{X: 1}, Data: []byte("stone")}})
	old := snapshot()
	_ = db.Store(ctx, []mapdb.Block{{Pos: mapdb.Pos{X: 1}, Data: []byte("dirt")}})
	_ = db.Store(ctx, []mapdb.Block{{Pos: mapdb.Pos{Z: 3}, Data: []byte("sand")}})
	for d, err := range manifest.Compare(ctx, old, snapshot(), mapdb.All()) {
		if err != nil {
			fmt.Println(err)
		}
		fmt.Println(d.Pos, "new:", d.Old == 0)
	}
	// Output:
	// (1,0,0) new: false
	// (0,0,3) new: true
}
