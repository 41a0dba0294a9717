//go:build !linux

package output

import "path/filepath"

// mountIn returns dir if it is recognizably a mount point, or "".
func mountIn(dir string) string {
	real, err := filepath.EvalSymlinks(dir)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return dir // unknown: treat it as a mount point
	}
	return devicesDiffer(real)
}
