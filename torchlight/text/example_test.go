package text_test

import (
	"fmt"

	"trowel.example/torchlight/text"
)

func ExampleParse() {
	f, err := text.Parse([]byte("[UNIT]\r\n\t<STRING>NAME:Ember\r\n[/UNIT]\r\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	name, ok := f.Root.Get("NAME")
	fmt.Println(f.Root.Name, name, ok)
	// Output: UNIT Ember true
}
