package torchlight_test

import (
	"fmt"

	"trowel.example/torchlight"
)

func Example() {
	fmt.Println(torchlight.Game.Formats[0].Name)
	// Output: torchlight-mod
}
