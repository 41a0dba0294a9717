package worlddir_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"io/fs"

	"trowel.example/minetest/worlddir"
)

// hollow builds the sample world in a temporary folder.
func hollow(ctx context.Context) (dir string, err error) {
	if dir, err = os.MkdirTemp("", "example"); err != nil {
		return "", err
	}
	_, err = worlddir.Build(ctx, filepath.Join(dir, "world"), os.DirFS("../../samples/hollow"), worlddir.BuildOptions{})
	return dir, err
}

func ExampleOpen() {
	ctx := context.Background()
	dir, err := hollow(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	world := filepath.Join(dir, "world")
	w, err := worlddir.OpenWorld(ctx, world, worlddir.Opening{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Close()
	names, err := fs.Glob(worlddir.Open(ctx, w, worlddir.Options{}), "players/*")
	fmt.Println(names, err)
	// Output: [players/singleplayer.json] <nil>
}

// ExampleBuild builds a world from a folder and prints the number of its blocks and players.
func ExampleBuild() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	report, err := worlddir.Build(context.Background(), filepath.Join(dir, "world"), os.DirFS("../../samples/hollow"),
		worlddir.BuildOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Blocks, report.Players)
	// Output: 2 1
}
