package teeworlds_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"trowel.example"
	_ "trowel.example/teeworlds"
)

// Example builds a map from a folder, opens the map and copies its embedded images to files.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "burrow.map")
	if err := trowel.Build(ctx, path, os.DirFS("../samples/burrow")); err != nil {
		fmt.Println(err)
		return
	}
	f, err := trowel.Open(ctx, path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	images, err := fs.Glob(f.FS(), "images/*.png")
	for _, name := range images {
		data, err := fs.ReadFile(f.FS(), name)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(name)), data, 0o666)
		}
		fmt.Println(name, err)
	}
	fmt.Println(f.Format(), err)
	// Output:
	// images/burrow.png <nil>
	// images/burrow_clouds.png <nil>
	// images/burrow_light.png <nil>
	// teeworlds-map <nil>
}
