package modedit_test

import (
	"context"
	"fmt"
	"os"

	"trowel.example/check"
	"trowel.example/torchlight/dat"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/pak"
)

// Example_values changes one value in a thousand data files of a mod.
func Example_values() {
	compiled, err := dat.Compile([]byte("[UNIT]\n\t<STRING>NAME:Wolf\n\t<INTEGER>LEVEL:3\n[/UNIT]\n"), nil, dat.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var files []pak.NewFile
	for i := range 1000 {
		files = append(files, pak.NewFile{
			Path:    fmt.Sprintf("MEDIA/UNITS/WOLF%d.DAT", i),
			Content: func() ([]byte, error) { return compiled, nil },
		})
	}
	f, err := os.CreateTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.Remove(f.Name())
	defer f.Close()
	size, err := mod.Write(context.Background(), f, mod.NewHeader(), files, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := mod.Open(f, size)
	if err != nil {
		fmt.Println(err)
		return
	}
	e := modedit.OfMod(m, modedit.Options{})
	n, err := e.Set("**/*.DAT", "LEVEL", "4", modedit.Choice{})
	fmt.Println(n, err)
	// Output: 1000 <nil>
}

// Example_rename renames a file of a mod, with the values that refer to it, and writes the new mod.
func Example_rename() {
	f, err := os.CreateTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.Remove(f.Name())
	defer f.Close()
	_, size, err := moddir.Build(context.Background(), f, os.DirFS("../../samples/ember"), moddir.BuildOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := mod.Open(f, size)
	if err != nil {
		fmt.Println(err)
		return
	}
	e := modedit.OfMod(m, modedit.Options{Report: func(c check.Change) { fmt.Println(c.Path, c.Count, c.Unit) }})
	if err := e.Rename("MEDIA/SKILLS/EMBER/LEAP.LAYOUT", "MEDIA/SKILLS/EMBER/JUMP.LAYOUT"); err != nil {
		fmt.Println(err)
		return
	}
	renamed, err := os.CreateTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.Remove(renamed.Name())
	defer renamed.Close()
	fmt.Println(e.WriteMod(context.Background(), renamed))
	// Output:
	// MEDIA/SKILLS/EMBER/LEAP.LAYOUT 1 files
	// MEDIA/SKILLS/EMBER/EMBER LEAP.DAT 2 references
	// <nil>
}
