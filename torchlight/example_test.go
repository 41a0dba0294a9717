package torchlight_test

import (
	"fmt"

	"trowel.example/internal/format"
	_ "trowel.example/torchlight"
)

// The game recognizes its files by their contents and computes the hashes of names.
func Example() {
	src := format.NewSource("unknown", []byte("[UNIT]\n\t<STRING>NAME:Ember\n[/UNIT]\n"))
	f, err := format.Registered().Formats().Find(src)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Name)
	fmt.Printf("%#x\n", format.Registered()[0].Hash.Of("DISPLAYNAME"))
	// Output:
	// torchlight-source
	// 0x832f7c76
}
