//go:build !unix

package output

import "path/filepath"

// devicesDiffer returns dir if it is the top of a volume. What is mounted deeper is a kind
// of link there.
func devicesDiffer(dir string) string {
	if filepath.Dir(dir) == dir {
		return dir
	}
	return ""
}
