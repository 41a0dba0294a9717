package datafile_test

import (
	"fmt"

	"trowel.example/check"
	"trowel.example/teeworlds/datafile"
)

func ExampleFile_Check() {
	f := datafile.New()
	f.Data = append(f.Data, datafile.NewBlock([]byte("nothing refers to this")))
	fmt.Println(check.Collect(f.Check))
	// Output: []
}
