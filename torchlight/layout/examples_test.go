package layout_test

import (
	"fmt"

	"trowel.example/check"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/text"
)

const lamp = "[Layout]\n\t<STRING>VERSION:3.4.0.4\n\t<UNSIGNED INT>COUNT:1\n\t[OBJECTS]\n\t\t[BASEOBJECT]\n\t\t\t[PROPERTIES]\n" +
	"\t\t\t\t<STRING>DESCRIPTOR:Light\n\t\t\t\t<STRING>NAME:Lamp\n\t\t\t\t<INTEGER64>ID:7\n\t\t\t[/PROPERTIES]\n" +
	"\t\t[/BASEOBJECT]\n\t[/OBJECTS]\n[/Layout]\n"

// ExampleFile_Edit renames an object of a compiled layout.
func ExampleFile_Edit() {
	data, err := layout.Compile([]byte(lamp), nil, layout.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := layout.Decode(data)
	if err != nil {
		fmt.Println(err)
		return
	}
	err = f.Edit(layout.Options{}, func(root *text.Node) error {
		for p := range root.Child("OBJECTS").Child("BASEOBJECT").Child("PROPERTIES").Properties() {
			if p.Key == "NAME" {
				p.Value = "Lantern"
			}
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	data, err = f.Encode()
	fmt.Println(len(data) > 0, f.Objects[0].Title(), err)
	// Output: true Lantern <nil>
}

// ExampleDecode decodes a layout and encodes it again.
func ExampleDecode() {
	data, err := layout.Compile([]byte(lamp), nil, layout.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := layout.Decode(data)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Objects[0].Title(), f.Objects[0].ID)
	// Output: Lamp 7
}

// ExampleFile_Encode removes all objects of a layout.
func ExampleFile_Encode() {
	data, err := layout.Compile([]byte(lamp), nil, layout.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := layout.Decode(data)
	if err != nil {
		fmt.Println(err)
		return
	}
	f.Objects = nil
	empty, err := f.Encode()
	fmt.Println(len(empty) < len(data), err)
	// Output: true <nil>
}

func ExampleCheck() {
	for _, f := range check.Collect(func(s check.Sink) { layout.Check([]byte("no layout"), s) }) {
		fmt.Println(f.ID)
	}
	// Output: tl-layout-unreadable
}
