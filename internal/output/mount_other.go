//go:build !linux

package output

import "path/filepath"

// mountIn returns dir if it is a mount point, as far as that can be seen, or "".
func mountIn(dir string) string {
	real, err := filepath.EvalSymlinks(dir)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return dir // not known: it stays
	}
	return devicesDiffer(real)
}
