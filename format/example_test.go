package format_test

import (
	"fmt"

	"trowel.example/format"
)

func ExampleCutExtension() {
	fmt.Println(format.CutExtension("Gold Mine.MAP", ".map"))
	// Output: Gold Mine true
}
