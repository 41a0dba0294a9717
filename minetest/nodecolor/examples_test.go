package nodecolor_test

import (
	"fmt"
	"os"
	"path/filepath"

	"trowel.example/minetest/nodecolor"
)

func ExampleFind() {
	world, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(world)
	if err := os.WriteFile(filepath.Join(world, nodecolor.FileName), []byte("default:stone 97 94 93\n"), 0o666); err != nil {
		fmt.Println(err)
		return
	}
	path, own := nodecolor.Find(world)
	fmt.Println(filepath.Base(path), own)
	// Output: colors.txt true
}
