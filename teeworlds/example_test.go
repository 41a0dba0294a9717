package teeworlds_test

import (
	"fmt"

	"trowel.example/teeworlds"
)

func Example() {
	fmt.Println(teeworlds.Game.Formats[0].Name)
	// Output: teeworlds-map
}
