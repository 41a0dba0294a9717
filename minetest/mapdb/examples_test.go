package mapdb_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"trowel.example/minetest/mapdb"
)

// ExampleEdit creates a database of blocks, changes one block and reads it.
func ExampleEdit() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	config := mapdb.Config{Backend: mapdb.SQLite}
	w, err := mapdb.Create(ctx, dir, config)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := w.Close(); err != nil {
		fmt.Println(err)
		return
	}
	err = mapdb.Edit(ctx, dir, config, []mapdb.Pos{{X: 1}}, func(_ mapdb.Pos, old []byte) ([]byte, error) {
		return append(old, "new"...), nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	db, err := mapdb.Open(ctx, dir, config)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()
	data, err := db.Get(ctx, mapdb.Pos{X: 1})
	fmt.Println(string(data), err)
	// Output: new <nil>
}

// ExampleOpen opens the database of a new world, which does not exist yet.
func ExampleOpen() {
	_, err := mapdb.Open(context.Background(), "no world", mapdb.Config{Backend: mapdb.SQLite})
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	// Output: true
}
