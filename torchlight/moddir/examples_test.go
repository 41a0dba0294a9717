package moddir_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"

	"trowel.example/check"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
)

// ExampleBuild builds a mod from a folder, opens it as a folder again and checks it.
func ExampleBuild() {
	f, err := os.CreateTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.Remove(f.Name())
	defer f.Close()
	report, size, err := moddir.Build(context.Background(), f, os.DirFS("../../samples/ember"), moddir.BuildOptions{Tables: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := mod.Open(f, size)
	if err != nil {
		fmt.Println(err)
		return
	}
	root, err := fs.Glob(moddir.Open(m, moddir.Options{}), "*")
	if err != nil {
		fmt.Println(err)
		return
	}
	found := check.Collect(func(s check.Sink) { moddir.Check(m.Archive, moddir.CheckOptions{}, s) })
	fmt.Println(report.Compiled > 0, root, len(found))
	// Output: true [.trowel.json MEDIA MOD.DAT] 0
}

// ExampleOpen opens an empty mod as a folder.
func ExampleOpen() {
	m, err := emptyMod()
	if err != nil {
		fmt.Println(err)
		return
	}
	names, err := fs.Glob(moddir.Open(m, moddir.Options{}), "*")
	fmt.Println(names, err)
	// Output: [.trowel.json MOD.DAT] <nil>
}

// ExampleCheck checks an empty mod.
func ExampleCheck() {
	m, err := emptyMod()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(check.Collect(func(s check.Sink) { moddir.Check(m.Archive, moddir.CheckOptions{}, s) }))
	// Output: []
}

// emptyMod returns a mod without files.
func emptyMod() (*mod.Mod, error) {
	f, err := os.CreateTemp("", "example")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	size, err := mod.Write(context.Background(), f, mod.NewHeader(), nil, nil)
	if err != nil {
		return nil, err
	}
	return mod.Open(f, size)
}
