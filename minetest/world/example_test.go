package world_test

import (
	"fmt"

	"trowel.example/minetest/world"
)

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
