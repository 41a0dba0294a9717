package regular

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// LinkTargets returns the targets of the symbolic links in a folder and its subfolders, up to a depth. Of a large folder it reads only
// a part.
func LinkTargets(dir string, depth int) (targets []string) {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	entries, _ := d.ReadDir(4096)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.Type()&fs.ModeSymlink != 0:
			if real, err := filepath.EvalSymlinks(path); err == nil && !slices.Contains(targets, real) {
				targets = append(targets, real)
			}
		case e.IsDir() && depth > 1 && !strings.HasPrefix(e.Name(), "."):
			targets = append(targets, LinkTargets(path, depth-1)...)
		}
	}
	return targets
}
