//go:build !linux

package fleet

import "runtime/debug"

// limitMemory makes the garbage collector keep to four fifths of a limit. This system has no bound that ends the process.
func limitMemory(bytes int64) error {
	if bytes > 0 {
		debug.SetMemoryLimit(bytes / 5 * 4)
	}
	return nil
}
