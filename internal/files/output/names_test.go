package output

import (
	"io/fs"
	"syscall"
	"testing"
)

type fullDisk struct{ path string }

func (d fullDisk) Write([]byte) (int, error) {
	return 0, &fs.PathError{Op: "write", Path: d.path, Err: syscall.ENOSPC}
}

// TestFullDisk tests that a write error names the target as the user gave it.
func TestFullDisk(t *testing.T) {
	_, err := stepped{fullDisk{".trowel-0123456789abcdef.tmp/0"}, "out.map"}.Write([]byte("x"))
	if want := "write out.map: " + syscall.ENOSPC.Error(); err == nil || err.Error() != want {
		t.Errorf("%v instead of %s", err, want)
	}
}
