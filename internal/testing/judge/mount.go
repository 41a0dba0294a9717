package judge

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"trowel.example/internal/testing/corpus"
)

// CannotMount skips a test that mounts a file system, because of an error. Where FUSE is available, and judges are
// required, it fails the test.
func CannotMount(t testing.TB, err error) {
	t.Helper()
	if _, missing := os.Stat("/dev/fuse"); missing != nil {
		t.Skipf("no FUSE here: %v", missing)
	}
	if errors.Is(err, fs.ErrPermission) && os.Getuid() == 0 {
		t.Skipf("this machine forbids mounts: %v", err) // such as a container without the right; nothing can be installed
	}
	corpus.Missing(t, "judges", "nothing can be mounted here (as a user, install fuse3): %v", err)
}
