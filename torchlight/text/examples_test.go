package text_test

import (
	"fmt"

	"trowel.example/check"
	"trowel.example/torchlight/text"
)

func ExampleCheck() {
	for _, f := range check.Collect(func(s check.Sink) { text.Check([]byte("[UNIT]\n"), nil, s) }) {
		fmt.Println(f.ID)
	}
	// Output: tl-text-syntax
}

// ExampleEdit changes a value of a text and keeps its other lines.
func ExampleEdit() {
	data, err := text.Edit([]byte("[UNIT]\n\t<INTEGER>LEVEL:3\n[/UNIT]\n"), func(root *text.Node) error {
		for p := range root.Properties() {
			if p.Key == "LEVEL" {
				p.Value = "4"
			}
		}
		return nil
	})
	fmt.Printf("%s%v\n", data, err)
	// Output:
	// [UNIT]
	// 	<INTEGER>LEVEL:4
	// [/UNIT]
	// <nil>
}
