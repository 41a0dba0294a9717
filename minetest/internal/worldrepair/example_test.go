package worldrepair_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"trowel.example/minetest/internal/worldrepair"
	"trowel.example/minetest/worlddir"
)

// hollow builds the sample world in a temporary folder.
func hollow(ctx context.Context) (dir string, err error) {
	if dir, err = os.MkdirTemp("", "example"); err != nil {
		return "", err
	}
	_, err = worlddir.Build(ctx, filepath.Join(dir, "world"), os.DirFS("../../../samples/hollow"), worlddir.BuildOptions{})
	return dir, err
}

func ExamplePlan() {
	ctx := context.Background()
	dir, err := hollow(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	world := filepath.Join(dir, "world")
	plan, err := worldrepair.Plan(ctx, world, worldrepair.Options{}) // Repair and InPlace make the changes
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(plan.Blocks, plan.Changes())
	// Output: 2 false
}
