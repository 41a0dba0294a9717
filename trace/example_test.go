package trace_test

import (
	"fmt"

	"trowel.example/torchlight/mpp"
	"trowel.example/trace"
)

func Example() {
	data, err := (&mpp.File{Width: 2, Height: 1, SizeX: 2, SizeZ: 1, Cells: []byte{0, 1}}).Encode()
	if err != nil {
		fmt.Println(err)
		return
	}
	var bytes int64
	err = mpp.Dump(data, func(f trace.Field) { bytes += f.Len })
	fmt.Println(bytes == int64(len(data)), err) // every byte belongs to a field
	// Output: true <nil>
}
