package mpp_test

import (
	"fmt"

	"trowel.example/check"
	"trowel.example/torchlight/mpp"
)

func ExampleDecode() {
	_, err := mpp.Decode([]byte("no grid"))
	fmt.Println(err != nil)
	// Output: true
}

func ExampleCheck() {
	for _, f := range check.Collect(func(s check.Sink) { mpp.Check([]byte("no grid"), s) }) {
		fmt.Println(f.ID)
	}
	// Output: tl-mpp-unreadable
}
