package mapedit_test

import (
	"fmt"

	"trowel.example/check"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// Example_layer opens a map, fills an area of its game layer with solid tiles, and encodes the map again.
func Example_layer() {
	file, err := twmap.New(50, 50).Encode()
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := twmap.Decode(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	solid := uint8(twmap.TileSolid)
	e := mapedit.New(m, func(c check.Change) { fmt.Println(c) })
	err = e.Fill([]mapedit.LayerAt{{}}, &mapedit.Area{X: 10, Y: 40, Width: 20, Height: 2}, mapedit.Tile{ID: &solid}, mapedit.PaintOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	file, err = m.Encode()
	fmt.Println(len(file) > 0, err)
	// Output:
	// groups/Game/Game: became 1 (40 tiles)
	// true <nil>
}
