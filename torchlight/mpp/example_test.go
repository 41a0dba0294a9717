package mpp_test

import (
	"fmt"

	"trowel.example/torchlight/mpp"
)

func ExampleFile_Encode() {
	data, err := (&mpp.File{Width: 3, Height: 2, SizeX: 3, SizeZ: 2, Cells: []byte{0, 0, 1, 1, 0, 0}}).Encode()
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := mpp.Decode(data)
	fmt.Println(f.Width, f.Height, f.Cells, err)
	// Output: 3 2 [0 0 1 1 0 0] <nil>
}
