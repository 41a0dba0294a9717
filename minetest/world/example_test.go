package world_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"trowel.example/check"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worlddir"
)

func ExampleCheck() {
	ctx := context.Background()
	temp, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(temp)
	dir := filepath.Join(temp, "world")
	if _, err := worlddir.Build(ctx, dir, os.DirFS("../../samples/hollow"), worlddir.BuildOptions{}); err != nil {
		fmt.Println(err)
		return
	}
	err = world.Check(ctx, dir, world.CheckOptions{}, func(f check.Finding) { fmt.Println(f) })
	fmt.Println("checked:", err)
	// Output: checked: <nil>
}

func ExampleSettings() {
	s := world.ParseSettings([]byte("gameid = minetest\n# mine\nbackend = sqlite3\n"), "")
	if err := s.Set("backend", "leveldb"); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(string(s.Append(nil)))
	// Output:
	// gameid = minetest
	// # mine
	// backend = leveldb
}
