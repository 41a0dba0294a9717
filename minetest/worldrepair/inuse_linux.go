package worldrepair

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// free fails if another program has a file of the world open. A server that does
// nothing just now holds no lock, so that locks do not tell.
func free(dir string, force bool) error {
	real, err := filepath.EvalSymlinks(dir)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil || force {
		return err
	}
	links, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	self := fmt.Sprintf("/proc/%d/", os.Getpid())
	for _, link := range links {
		if strings.HasPrefix(link, self) {
			continue
		}
		if target, err := os.Readlink(link); err == nil && strings.HasPrefix(target, real+"/") {
			return fmt.Errorf("%s: %w: by process %s", target, ErrInUse, strings.Split(link, "/")[2])
		}
	}
	return nil
}
