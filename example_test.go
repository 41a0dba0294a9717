package trowel_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"

	"trowel.example"
	_ "trowel.example/all"
	"trowel.example/check"
	"trowel.example/fault"
)

// Example builds a map from a folder, and opens the map as a folder again.
func Example() {
	ctx := context.Background() // import "trowel.example"; import _ "trowel.example/all"
	if err := trowel.Build(ctx, "burrow.map", os.DirFS("samples/burrow")); err != nil {
		log.Fatal(err)
	}
	f, err := trowel.Open(ctx, "burrow.map")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	layers, err := fs.Glob(f.FS(), "groups/*/*.json")
	fmt.Println(f.Format(), len(layers), err)
	// Output: teeworlds-map 34 <nil>
}

// ExampleOpen opens a map and reads one of its files.
func ExampleOpen() {
	f, err := trowel.Open(context.Background(), sample("burrow"))
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	settings, err := fs.ReadFile(f.FS(), "settings.cfg")
	fmt.Println(len(settings) > 0, err)
	// Output: true <nil>
}

// ExampleBuild builds a mod from a folder of text files.
func ExampleBuild() {
	err := trowel.Build(context.Background(), "ember.mod", os.DirFS("samples/ember"))
	fmt.Println(err)
	// Output: <nil>
}

// ExampleFile_Info prints two of the facts that trowel info prints.
func ExampleFile_Info() {
	f, err := trowel.Open(context.Background(), sample("burrow"))
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	info, err := f.Info(context.Background())
	for _, fact := range info.Fields {
		if fact.Key == "author" || fact.Key == "width" {
			fmt.Printf("%s: %v\n", fact.Label, fact.Value)
		}
	}
	fmt.Println(info.Title, err)
	// Output:
	// author: Trowel
	// width in tiles: 60
	// Teeworlds/DDNet map <nil>
}

// ExampleFile_Check prints all problems of a file.
func ExampleFile_Check() {
	f, err := trowel.Open(context.Background(), sample("burrow"))
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	err = f.Check(context.Background(), func(finding check.Finding) { fmt.Println(finding.Severity, finding.ID) })
	fmt.Println(err)
	// Output:
	// info tw-map-tile-deprecated
	// <nil>
}

// ExampleSalvage opens a damaged file that Open rejects, and counts the losses.
func ExampleSalvage() {
	path := sample("burrow")
	if err := os.Truncate(path, 20_000); err != nil {
		log.Fatal(err)
	}
	_, err := trowel.Open(context.Background(), path)
	fmt.Println(errors.Is(err, fault.ErrShort) || errors.Is(err, fault.ErrLost))
	lost := 0
	f, err := trowel.Salvage(context.Background(), path, func(path, what string) { lost++ })
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	fmt.Println(lost)
	// Output:
	// true
	// 1
}

// sample builds the sample with the given name, and returns its path.
func sample(name string) string {
	folder, err := os.MkdirTemp(".", name)
	if err != nil {
		log.Fatal(err)
	}
	path := filepath.Join(folder, name)
	if err := trowel.Build(context.Background(), path, os.DirFS(filepath.Join("samples", name))); err != nil {
		log.Fatal(err)
	}
	return path
}
