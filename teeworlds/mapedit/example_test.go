package mapedit_test

import (
	"fmt"

	"trowel.example/check"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

func Example() {
	m := twmap.New(50, 30)
	e := mapedit.New(m, func(c check.Change) { fmt.Println(c.What) })
	if err := e.SetInfo(mapedit.Author, "Ann"); err != nil {
		fmt.Println(err)
	}
	layers, err := e.Layers("game")
	fmt.Println(layers, err)
	// Output:
	// author: "" became "Ann"
	// [{0 0}] <nil>
}
