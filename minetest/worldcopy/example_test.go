package worldcopy_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldcopy"
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

func ExampleCopy() {
	ctx := context.Background()
	dir, err := hollow(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	world := filepath.Join(dir, "world")
	report, err := worldcopy.Copy(ctx, world, filepath.Join(dir, "copy"), worldcopy.Options{Map: mapdb.LevelDB})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(report.Blocks, report.Dropped)
	// Output: 2 0
}
