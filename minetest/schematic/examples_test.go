package schematic_test

import (
	"fmt"
	"io/fs"
	"testing/fstest"

	"trowel.example/check"
	"trowel.example/minetest/schematic"
)

const twoNodes = `5:return {{x=0,y=0,z=0,name="default:dirt"},{x=0,y=1,z=0,name="default:torch",param2=1}}`

func ExampleCheck() {
	for _, f := range check.Collect(func(s check.Sink) { schematic.Check([]byte("MTSM\x00"), s) }) {
		fmt.Println(f.ID)
	}
	// Output: mt-schematic-unreadable
}

// ExampleOpen opens a schematic as a folder, and builds it again.
func ExampleOpen() {
	fsys, err := schematic.Open([]byte(twoNodes), "torch.we")
	if err != nil {
		fmt.Println(err)
		return
	}
	names, err := fs.Glob(fsys, "*")
	if err != nil {
		fmt.Println(err)
		return
	}
	data, err := schematic.Build(fsys)
	fmt.Println(names, string(data) == twoNodes, err)
	// Output: [.trowel.json torch.we] true <nil>
}

// ExampleSchematic_Encode encodes a schematic of WorldEdit unchanged.
func ExampleSchematic_Encode() {
	s, err := schematic.Decode([]byte(twoNodes))
	if err != nil {
		fmt.Println(err)
		return
	}
	data, err := s.Encode()
	fmt.Println(string(data) == twoNodes, err)
	// Output: true <nil>
}

// ExampleBuild builds a schematic from its text.
func ExampleBuild() {
	s, err := schematic.Decode([]byte(twoNodes))
	if err != nil {
		fmt.Println(err)
		return
	}
	data, err := schematic.Build(fstest.MapFS{"torch.txt": {Data: s.Text()}})
	fmt.Println(len(data) > 0, err)
	// Output: true <nil>
}
