package judge

import (
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
	corpus.Missing(t, "judges", "nothing can be mounted here (as a user, install fuse3): %v", err)
}
