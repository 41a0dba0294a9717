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

// A map whose end is missing is returned with an error. It can be changed and encoded only if the program accepts the
// losses by calling Salvage.
func Example_lost() {
	whole, err := twmap.New(20, 10).Encode()
	if err != nil {
		panic(err)
	}
	cut := whole[:len(whole)-10]

	m, err := twmap.Decode(cut)
	fmt.Println(m != nil, errors.Is(err, fault.ErrShort))
	m.Info.Settings = append(m.Info.Settings, "sv_team 1")
	_, err = m.Encode()
	fmt.Println(errors.Is(err, fault.ErrLost))

	m, err = twmap.Salvage(cut)
	fmt.Println(m != nil, err)
	m.ReportLosses(func(loss string) { fmt.Println(loss) })
	m.Info.Settings = append(m.Info.Settings, "sv_team 1")
	_, err = m.Encode()
	fmt.Println(err)
	// Output:
	// true true
	// true
	// true <nil>
	// the file is cut off: 10 of 360 bytes are missing, and with them all or a part of 1 of 1 data blocks
	// <nil>
}
