//go:build !unix

package output

import "path/filepath"

// devicesDiffer returns dir if it is the root of a volume. Volumes mounted in folders are links on this
// system.
func devicesDiffer(dir string) string {
	if filepath.Dir(dir) == dir {
		return dir
	}
	return ""
}
