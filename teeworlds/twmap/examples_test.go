package twmap_test

import (
	"fmt"

	"trowel.example/check"
	"trowel.example/teeworlds/twmap"
)

func ExampleMap_Check() {
	m := twmap.New(50, 50)
	m.Groups = nil
	for _, f := range check.Collect(m.Check) {
		fmt.Println(f.ID)
	}
	// Output: tw-map-no-game-layer
}
