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

func ExampleDecode() {
	_, err := twmap.Decode([]byte("no map"))
	fmt.Println(err != nil)
	// Output: true
}

// ExampleMap_Encode encodes a new map for DDNet, and for Teeworlds 0.7.
func ExampleMap_Encode() {
	m := twmap.New(50, 30)
	data, err := m.Encode()
	if err != nil {
		fmt.Println(err)
		return
	}
	lost := m.To07()
	vanilla, err := m.Encode()
	fmt.Println(len(data) > 0, len(vanilla) > 0, lost, err)
	// Output: true true [] <nil>
}

// Example_teleporters lists the entries of a map whose number has no exit.
func Example_teleporters() {
	m := twmap.New(50, 30)
	teles := twmap.NewTileLayer(twmap.KindTele, 50, 30)
	m.Groups[0].Layers = append(m.Groups[0].Layers, teles)
	teles.Teles().Set(3, 4, twmap.TeleTile{Number: 1, ID: uint8(twmap.TileTeleIn)})
	teles.Teles().Set(9, 4, twmap.TeleTile{Number: 1, ID: uint8(twmap.TileTeleOut)})
	teles.Teles().Set(5, 6, twmap.TeleTile{Number: 2, ID: uint8(twmap.TileTeleIn)})

	cells, err := m.Physics(twmap.KindTele).Teles().Cells()
	if err != nil {
		fmt.Println(err)
		return
	}
	exits := make(map[uint8]bool)
	for _, t := range cells {
		exits[t.Number] = exits[t.Number] || t.ID == uint8(twmap.TileTeleOut)
	}
	for i, t := range cells {
		if t.ID == uint8(twmap.TileTeleIn) && !exits[t.Number] {
			fmt.Printf("teleporter %d at %d,%d has no exit\n", t.Number, i%50, i/50)
		}
	}
	// Output: teleporter 2 at 5,6 has no exit
}
