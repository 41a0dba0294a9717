package torchlight_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"trowel.example"
	"trowel.example/check"
	_ "trowel.example/torchlight"
)

// Example builds a mod from a folder of texts, which compiles them, and lists the errors and the items of the mod.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "EMBER.MOD")
	if err := trowel.Build(ctx, path, os.DirFS("../samples/ember")); err != nil {
		fmt.Println(err)
		return
	}
	f, err := trowel.Open(ctx, path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	err = f.Check(ctx, func(f check.Finding) {
		if f.Severity == check.Error {
			fmt.Println(f)
		}
	})
	if err != nil {
		fmt.Println(err)
	}
	items, err := fs.Glob(f.FS(), "MEDIA/UNITS/ITEMS/*/*.DAT")
	fmt.Println(f.Format(), items, err)
	// Output: torchlight-mod [MEDIA/UNITS/ITEMS/RINGS/EMBER_RING.DAT MEDIA/UNITS/ITEMS/RINGS/EMBER_RING_BASE.DAT] <nil>
}
