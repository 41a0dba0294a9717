package datafile_test

import (
	"errors"
	"fmt"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/teeworlds/datafile"
)

func ExampleFile_Check() {
	f := datafile.New()
	f.Data = append(f.Data, datafile.NewBlock([]byte("nothing refers to this")))
	fmt.Println(check.Collect(f.Check))
	// Output: []
}

func ExampleDecode() {
	_, err := datafile.Decode([]byte("DATA"))
	fmt.Println(errors.Is(err, fault.ErrShort))
	// Output: true
}

func ExampleFile_Encode() {
	f := datafile.New()
	f.AddItem(0, 0, 1)
	data, err := f.Encode()
	fmt.Printf("%s %v\n", data[:4], err)
	// Output: DATA <nil>
}
