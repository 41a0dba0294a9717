package raw_test

import (
	"fmt"

	"trowel.example/check"
	"trowel.example/torchlight/raw"
)

func ExampleEncode() {
	data, err := raw.Encode(&raw.UI{})
	fmt.Println(len(data) > 0, err)
	// Output: true <nil>
}

func ExampleCheck() {
	for _, f := range check.Collect(func(s check.Sink) { raw.Check([]byte{1}, "MEDIA/UI.RAW", s) }) {
		fmt.Println(f.ID)
	}
	// Output: tl-raw-unreadable
}
