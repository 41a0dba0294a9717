package teeworlds_test

import (
	"context"
	"fmt"
	"io/fs"

	"trowel.example/internal/format"
	_ "trowel.example/teeworlds"
	"trowel.example/teeworlds/twmap"
)

// Example opens a file of the game, of any format, as a tree of ordinary files.
func Example() {
	data, err := twmap.New(50, 50).Encode()
	if err != nil {
		fmt.Println(err)
		return
	}
	src := format.NewSource("new.map", data)
	f, err := format.Registered().Formats().Find(src)
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, job := context.Background(), new(format.Job)
	file, err := f.Open(ctx, job, src)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer file.Close()
	tree, err := file.Tree(ctx, job)
	if err != nil {
		fmt.Println(err)
		return
	}
	names, err := fs.Glob(tree, "groups/*/*")
	fmt.Println(f.Name, names, err)
	// Output: teeworlds-map [groups/Game/Game.json groups/Game/Game.txt groups/Game/group.json groups/Game/order.txt] <nil>
}
