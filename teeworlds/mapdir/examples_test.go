package mapdir_test

import (
	"fmt"
	"io/fs"
	"os"

	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/twmap"
)

// ExampleOpen reads a map from a folder, and prints the names of its layers as folders of other maps show them.
func ExampleOpen() {
	m, err := mapdir.Read(os.DirFS("../../samples/burrow"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	names, err := fs.Glob(mapdir.Open(m), "groups/Game/*.txt")
	fmt.Println(len(names), err)
	// Output: 7 <nil>
}

// ExampleNames_Open keeps the names of the files after a group was renamed.
func ExampleNames_Open() {
	m := twmap.New(4, 2)
	names := mapdir.NamesOf(m)
	m.Groups[0].Name = "Play"
	list, err := fs.Glob(names.Open(), "groups/*/*.txt")
	fmt.Println(list, err)
	// Output: [groups/Game/Game.txt groups/Game/order.txt] <nil>
}
