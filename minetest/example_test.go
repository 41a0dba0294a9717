package minetest_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"trowel.example"
	_ "trowel.example/minetest"
)

// Example builds a world from a folder, opens the world and prints the names of its players, accounts and mods with
// storage.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "hollow")
	if err := trowel.Build(ctx, path, os.DirFS("../samples/hollow")); err != nil {
		fmt.Println(err)
		return
	}
	f, err := trowel.Open(ctx, path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	names, err := fs.Glob(f.FS(), "*/*.json")
	fmt.Println(f.Format(), names, err)
	// Output: minetest-world [auth/singleplayer.json players/singleplayer.json storage/hollow.json] <nil>
}
