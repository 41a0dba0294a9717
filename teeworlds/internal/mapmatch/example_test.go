package mapmatch_test

import (
	"fmt"

	"trowel.example/teeworlds/internal/mapmatch"
	"trowel.example/teeworlds/twmap"
)

func ExampleMatch() {
	old := twmap.New(10, 10)
	m := old.Clone()
	m.Groups = append([]*twmap.Group{twmap.NewGroup("Sky")}, m.Groups...)
	fmt.Println(mapmatch.Match(old, m).Groups)
	// Output: [-1 0]
}
