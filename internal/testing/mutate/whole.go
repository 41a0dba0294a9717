package mutate

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"trowel.example/fault"
)

// Whole is a file. Its decoder must return an error unless it has read everything.
type Whole struct {
	Name string
	Data []byte

	// Read reads everything. The error comes from decoding, or from reading a part later.
	Read func(data []byte) error

	// Edits are ways to change one value: each decodes data, changes a value and encodes the result. It returns the
	// first error of these steps. A lenient decoder reports losses as an error that wraps [fault.ErrLost].
	Edits map[string]func(data []byte) ([]byte, error)

	// Parts lists everything in a file that Edits do not change: items, layers, rows, files, each with its content or
	// with the fact that it cannot be read.
	Parts func(data []byte) ([]string, error)

	// Blocks returns the parts of Data to damage, each of which contains one block.
	Blocks [][]byte

	Prefixes int  // number of prefixes to test; 0: all
	Text     bool // a prefix may fail with [fault.ErrFormat], as for a text that ends within a word
}

// Test tests prefixes of the file, and the file with each block damaged. Read must fail with an error of package
// fault, for a prefix with [fault.ErrShort] or [fault.ErrLost]. Every edit must fail in the same way, or return a file
// that still has all parts, including those that it could not read.
func (w Whole) Test(t *testing.T) {
	t.Helper()
	if w.Parts == nil {
		w.Parts = func([]byte) ([]string, error) { return nil, nil }
	}
	all, err := w.Parts(w.Data)
	if err == nil {
		err = w.Read(w.Data)
	}
	if err != nil {
		t.Fatalf("the whole file: %v", err)
	}
	counts := make(map[string]int)
	try := func(what string, data []byte, accepted ...error) {
		among := func(err error) bool {
			return slices.ContainsFunc(accepted, func(target error) bool { return errors.Is(err, target) })
		}
		if err := w.Read(bytes.Clone(data)); !among(err) && accepted != nil {
			t.Errorf("%s: the error of reading all is %v, expected one of %q", what, err, accepted)
		}
		want := all
		if len(data) == len(w.Data) { // the representation of the damaged part must be kept
			if damaged, err := w.Parts(data); err == nil {
				want = damaged
			}
		}
		for name, edit := range w.Edits {
			edited, err := edit(bytes.Clone(data))
			switch {
			case err != nil && !among(err):
				t.Errorf("%s: %s: the error is %v, expected one of %q", name, what, err, accepted)
			case err != nil:
				counts["refused"]++
			default:
				counts["edited"]++
				got, err := w.Parts(edited)
				if lost := firstLost(want, got); err != nil || lost != "" {
					t.Errorf("%s: %s: no error, and the edited file lacks %.100q (%v)", name, what, lost, err)
				}
			}
		}
	}
	try("whole", w.Data)
	if counts["refused"] > 0 {
		t.Fatalf("the whole file is refused")
	}
	cut := []error{fault.ErrShort, fault.ErrLost}
	if w.Text {
		cut = append(cut, fault.ErrFormat)
	}
	step := 1
	if w.Prefixes > 0 {
		step = max(len(w.Data)/w.Prefixes, 1)
	}
	for n := 0; n < len(w.Data); n += step {
		try(fmt.Sprintf("%d of %d bytes", n, len(w.Data)), w.Data[:n], cut...)
	}
	for i, block := range w.Blocks {
		at := bytes.Index(w.Data, block)
		if at < 0 || len(block) == 0 {
			t.Fatalf("block %d is not in the file", i)
		}
		for _, damage := range []func([]byte){
			func(b []byte) { b[len(b)/2] ^= 0x55 },
			func(b []byte) { clear(b) },
			func(b []byte) { clear(b[len(b)-1-len(b)/4:]) },
		} {
			data := bytes.Clone(w.Data)
			damage(data[at : at+len(block)])
			try(fmt.Sprintf("block %d damaged", i), data, fault.ErrLost, fault.ErrShort, fault.ErrFormat)
		}
	}
	t.Logf("%v", counts)
}

// firstLost returns the first element of want that got lacks, counting duplicates.
func firstLost(want, got []string) string {
	have := make(map[string]int)
	for _, part := range got {
		have[part]++
	}
	for _, part := range want {
		if have[part]--; have[part] < 0 {
			return part
		}
	}
	return ""
}

// Reads adapts a decoder to [Whole.Read].
func Reads[T any](decode func([]byte) (T, error)) func([]byte) error {
	return func(data []byte) error {
		_, err := decode(data)
		return err
	}
}

// Must ends the test if err is not nil.
func Must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
