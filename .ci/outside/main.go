// Program promises uses the guarantees in the docs of the public packages, as a program of another project
// would. .ci/run builds and runs it in a separate module.
package main

import (
	"errors"
	"fmt"
	"os"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/minetest/mapblock"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/twmap"
	"trowel.example/torchlight/dat"
	"trowel.example/torchlight/layout"
	"trowel.example/trace"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("the docs keep their promises")
}

func run() error {
	whole, err := twmap.New(20, 10).Encode()
	if err != nil {
		return err
	}

	// Every decoder reports missing bytes and their offset with the same error.
	for name, decode := range map[string]func() error{
		"twmap":    func() error { _, err := twmap.Decode(whole[:20]); return err },
		"datafile": func() error { _, err := datafile.Decode(whole[:40]); return err },
		"dat":      func() error { _, err := dat.Decode([]byte{2, 0}); return err },
		"layout":   func() error { _, err := layout.Decode([]byte{0x0b, 4, 0}); return err },
		"mapblock": func() error { _, err := mapblock.Decode([]byte{28, 0}); return err },
	} {
		err := decode()
		if !errors.Is(err, fault.ErrShort) {
			return fmt.Errorf("%s: %v is no fault.ErrShort", name, err)
		}
		e, ok := errors.AsType[*fault.Error](err)
		if !ok || e.Offset < 0 || e.Want == "" {
			return fmt.Errorf("%s: %v has no offset, or does not say what was expected", name, err)
		}
	}

	// The account of a file covers every byte.
	var length int64
	err = twmap.Trace(whole, func(f trace.Field) {
		if f.Space == "" {
			length += f.Len
		}
	}, func(loss string) { fmt.Println(loss) })
	if err != nil || length != int64(len(whole)) {
		return fmt.Errorf("the fields have %d bytes of %d: %v", length, len(whole), err)
	}

	// Findings are data.
	m, err := twmap.Decode(whole)
	if err != nil {
		return err
	}
	for _, f := range check.Collect(m.Check) {
		if f.ID == "" || f.Message == "" {
			return fmt.Errorf("a finding without a name: %+v", f)
		}
	}
	return nil
}
