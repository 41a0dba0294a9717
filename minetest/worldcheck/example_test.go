package worldcheck_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"trowel.example/check"
	"trowel.example/minetest/worldcheck"
	"trowel.example/minetest/worlddir"
)

// hollow makes the sample world in a folder of its own.
func hollow(ctx context.Context) (dir string, err error) {
	if dir, err = os.MkdirTemp("", "example"); err != nil {
		return "", err
	}
	_, err = worlddir.Build(ctx, filepath.Join(dir, "world"), os.DirFS("../../samples/hollow"), worlddir.BuildOptions{})
	return dir, err
}

func ExampleCheck() {
	ctx := context.Background()
	dir, err := hollow(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	world := filepath.Join(dir, "world")
	err = worldcheck.Check(ctx, world, worldcheck.Options{}, func(f check.Finding) { fmt.Println(f) })
	fmt.Println("checked:", err)
	// Output: checked: <nil>
}
