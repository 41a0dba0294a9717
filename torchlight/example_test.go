package torchlight_test

import (
	"fmt"

	"trowel.example/format"
	"trowel.example/torchlight"
)

// The game recognizes its files by their contents and computes the hashes of names.
func Example() {
	src := format.NewSource("unknown", []byte("[UNIT]\n\t<STRING>NAME:Ember\n[/UNIT]\n"))
	f, err := format.Set(torchlight.Game.Formats).Find(src)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Name)
	fmt.Printf("%#x\n", torchlight.Game.Hash.Of("DISPLAYNAME"))
	// Output:
	// torchlight-source
	// 0x832f7c76
}
