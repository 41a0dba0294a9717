package output

import (
	"path/filepath"

	"trowel.example/internal/files/mountinfo"
)

// mountIn returns a mount point that is dir or is inside it, or "".
func mountIn(dir string) string {
	real, err := filepath.EvalSymlinks(dir)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return dir // unknown: treat it as a mount point
	}
	mounts, err := mountinfo.Read()
	if err != nil {
		return devicesDiffer(real)
	}
	for _, m := range mounts {
		if rel, err := filepath.Rel(real, m.Point); err == nil && filepath.IsLocal(rel) {
			return m.Point
		}
	}
	return ""
}
