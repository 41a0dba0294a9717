package fault_test

import (
	"errors"
	"fmt"

	"trowel.example/fault"
	"trowel.example/teeworlds/twmap"
)

func Example() {
	_, err := twmap.Decode([]byte("DATA\x04\x00\x00\x00"))
	fmt.Println(errors.Is(err, fault.ErrShort))
	if e, ok := errors.AsType[*fault.Error](err); ok {
		fmt.Println(e.Path, "at", e.Offset)
	}
	// Output:
	// true
	// header.size at 8
}
