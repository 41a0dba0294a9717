package minetest_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"trowel.example/internal/format"
	_ "trowel.example/minetest"
	"trowel.example/minetest/worlddir"
)

// Example opens a world as a tree of ordinary files.
func Example() {
	if err := list(context.Background(), "../samples/hollow"); err != nil {
		fmt.Println(err)
	}
	// Output:
	// minetest-world
	// [auth/singleplayer.json players/singleplayer.json storage/hollow.json]
}

// list builds the world of a sample and prints some of the names in its tree.
func list(ctx context.Context, sample string) error {
	temp, err := os.MkdirTemp("", "example")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	dir := filepath.Join(temp, "world")
	if _, err := worlddir.Build(ctx, dir, os.DirFS(sample), worlddir.BuildOptions{}); err != nil {
		return err
	}
	src, err := format.OpenSource(dir)
	if err != nil {
		return err
	}
	defer src.Close()
	f, err := format.Registered().Formats().Find(src)
	if err != nil {
		return err
	}
	fmt.Println(f.Name)
	job := new(format.Job)
	world, err := f.Open(ctx, job, src)
	if err != nil {
		return err
	}
	defer world.Close()
	tree, err := world.Tree(ctx, job)
	if err != nil {
		return err
	}
	names, err := fs.Glob(tree, "*/*.json")
	fmt.Println(names)
	return err
}
