package worldbackup_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"trowel.example/minetest/internal/worldbackup"
)

func ExampleRestore() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	settings := filepath.Join(dir, "world.mt")
	b, err := worldbackup.New(dir, filepath.Join(dir, "backup.zip"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer b.Discard()
	err = os.WriteFile(settings, []byte("gameid = minetest\n"), 0o644)
	if err == nil {
		err = b.File("world.mt")
	}
	var backup string
	if err == nil {
		backup, err = b.Finish()
	}
	if err == nil {
		err = os.WriteFile(settings, []byte("a mistake"), 0o644)
	}
	if err == nil {
		err = worldbackup.Restore(context.Background(), dir, backup, worldbackup.Options{})
	}
	text, _ := os.ReadFile(settings)
	fmt.Printf("%s%v", text, err)
	// Output:
	// gameid = minetest
	// <nil>
}
