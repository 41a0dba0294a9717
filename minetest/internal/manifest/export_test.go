package manifest

import "testing"

// SetRunSize changes the number of blocks sorted in memory, for a test.
func SetRunSize(t *testing.T, n int) {
	old := runSize
	runSize = n
	t.Cleanup(func() { runSize = old })
}
