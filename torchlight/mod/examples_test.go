package mod_test

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"trowel.example/check"
	"trowel.example/torchlight/mod"
)

// ExampleMod_Check writes a mod without files, opens it and checks it.
func ExampleMod_Check() {
	f, err := os.CreateTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.Remove(f.Name())
	defer f.Close()
	size, err := mod.Write(context.Background(), f, mod.NewHeader(), nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := mod.Open(f, size)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(check.Collect(m.Check))
	// Output: []
}

func ExampleHeader_Encode() {
	data, err := mod.NewHeader().Encode()
	if err != nil {
		fmt.Println(err)
		return
	}
	h, n, err := mod.DecodeHeader(bytes.Clone(data))
	fmt.Println(h.Version == mod.LastVersion, n == len(data), err)
	// Output: true true <nil>
}

// ExampleOpen opens a file that is not a mod.
func ExampleOpen() {
	_, err := mod.Open(bytes.NewReader(nil), 0)
	fmt.Println(err != nil)
	// Output: true
}
