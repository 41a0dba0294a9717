package schematic_test

import (
	"fmt"

	"trowel.example/minetest/schematic"
)

func ExampleDecode() {
	s, err := schematic.Decode([]byte(`5:return {{x=0,y=0,z=0,name="default:dirt"},{x=0,y=1,z=0,name="default:torch",param2=1}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	s, lost := s.Convert(schematic.MTS)
	data, err := s.Encode()
	fmt.Printf("%.4s %v %v\n", data, lost, err)
	for at, n := range s.Place(schematic.Placing{Quarters: 1}).All {
		fmt.Println(at, n.Name)
	}
	// Output:
	// MTSM [] <nil>
	// [0 0 0] default:dirt
	// [0 1 0] default:torch
}
