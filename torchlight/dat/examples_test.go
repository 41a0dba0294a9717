package dat_test

import (
	"fmt"

	"trowel.example/check"
	"trowel.example/torchlight/dat"
	"trowel.example/torchlight/text"
)

const ember = "[UNIT]\n\t<STRING>NAME:Ember\n\t<INTEGER>LEVEL:3\n[/UNIT]\n"

// ExampleFile_Edit changes one value of a compiled file.
func ExampleFile_Edit() {
	data, err := dat.Compile([]byte(ember), nil, dat.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := dat.Decode(data)
	if err != nil {
		fmt.Println(err)
		return
	}
	err = f.Edit(dat.Options{}, func(root *text.Node) error {
		for p := range root.Properties() {
			if p.Key == "LEVEL" {
				p.Value = "4"
			}
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	edited, err := f.Encode()
	fmt.Println(len(edited) == len(data), err)
	// Output: true <nil>
}

// ExampleFile_Encode removes all properties of a data file but the first.
func ExampleFile_Encode() {
	data, err := dat.Compile([]byte(ember), nil, dat.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := dat.Decode(data)
	if err != nil {
		fmt.Println(err)
		return
	}
	f.Root.Properties = f.Root.Properties[:1]
	shorter, err := f.Encode()
	fmt.Println(len(data)-len(shorter), err)
	// Output: 12 <nil>
}

func ExampleCheck() {
	for _, f := range check.Collect(func(s check.Sink) { dat.Check([]byte("no file"), dat.Options{}, s) }) {
		fmt.Println(f.ID)
	}
	// Output: tl-dat-damaged
}
