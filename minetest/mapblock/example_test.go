package mapblock_test

import (
	"fmt"

	"trowel.example/minetest/mapblock"
)

func ExampleBlock_Nodes() {
	// A block of 2011, in which air is 254 and dirt is 8.
	b := mapblock.New(17)
	b.Param0[mapblock.Index(1, 0, 0)] = 8
	data, err := b.Encode()
	if err != nil {
		fmt.Println(err)
	}
	b, err = mapblock.Decode(data)
	if err != nil {
		fmt.Println(err)
	}
	n := b.Nodes()
	fmt.Println(n.Names, n.Counts(), n.At(1))

	// The same block in the current version.
	b, _, err = b.Convert(29, mapblock.ConvertOptions{})
	fmt.Println(b.Names, b.Param0[1], err)
	// Output:
	// [air default:dirt] [4095 1] default:dirt
	// [{0 air} {1 default:dirt}] 1 <nil>
}
