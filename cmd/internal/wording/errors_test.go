package wording

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"testing"

	_ "trowel.example/internal/testing/tests" // an empty machine
)

// TestTextOf tests that no error text contains the name of a system call.
func TestTextOf(t *testing.T) {
	no := errors.New("no")
	for want, err := range map[string]error{
		"x.map: no":    &fs.PathError{Op: "CreateFile", Path: "x.map", Err: no},
		"a: b.map: no": fmt.Errorf("a: %w", &fs.PathError{Op: "GetFileAttributesEx", Path: "b.map", Err: no}),
		"x.map: no; y.map: no": errors.Join(&fs.PathError{Op: "open", Path: "x.map", Err: no},
			&os.LinkError{Op: "MoveFileEx", Old: "y.map", New: "z", Err: no}),
		"no":                os.NewSyscallError("LockFileEx", no),
		"replace x.map: no": &fs.PathError{Op: "replace", Path: "x.map", Err: no},
	} {
		if got := Text(err); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
