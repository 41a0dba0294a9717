package teeworlds_test

import (
	"context"
	"fmt"
	"io/fs"
	"log"

	"trowel.example/format"
	"trowel.example/teeworlds"
	"trowel.example/teeworlds/twmap"
)

// Whatever is known of a game is opened as a folder.
func Example() {
	data, err := twmap.New(50, 30).Encode()
	if err != nil {
		log.Fatal(err)
	}
	src := format.NewSource("small.map", data) // or format.OpenSource

	f, err := format.Games{teeworlds.Game}.Formats().Find(src)
	if err != nil {
		log.Fatal(err)
	}
	ctx, job := context.Background(), new(format.Job)
	file, err := f.Open(ctx, job, src)
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	tree, err := file.Tree(ctx, job)
	if err != nil {
		log.Fatal(err)
	}
	names, err := fs.Glob(tree, "groups/*")
	fmt.Println(f.Name, names, err)
	// Output: teeworlds-map [groups/Game groups/order.txt] <nil>
}
