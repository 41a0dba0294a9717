//go:build unix

package output

import (
	"os"
	"path/filepath"
	"syscall"
)

// devicesDiffer returns dir if it is on another device than its parent, which makes it a mount point, or if it has no
// parent.
func devicesDiffer(dir string) string {
	parent := filepath.Dir(dir)
	here, err := os.Stat(dir)
	above, err2 := os.Stat(parent)
	if err != nil || err2 != nil || parent == dir {
		return dir
	}
	a, ok := here.Sys().(*syscall.Stat_t)
	b, ok2 := above.Sys().(*syscall.Stat_t)
	if ok && ok2 && a.Dev == b.Dev {
		return ""
	}
	return dir
}
