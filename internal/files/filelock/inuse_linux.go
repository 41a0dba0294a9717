package filelock

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// UsedBy returns the name of another program that has a file, or a file in a folder, open; "" if none is visible. Locks
// are not sufficient for this: an idle server holds none.
func UsedBy(path string) string { return UsedByOther(path, os.Getpid()) }

// UsedByOther is By for programs other than the process of that number.
func UsedByOther(path string, process int) string {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return ""
	}
	if FindUser != nil {
		return FindUser(real)
	}
	self := strconv.Itoa(process)
	for _, process := range namesIn("/proc") {
		if process < "0" || process > "9~" || process == self {
			continue // no process
		}
		fds := "/proc/" + process + "/fd/"
		for _, fd := range namesIn(fds) {
			target, err := os.Readlink(fds + fd)
			if err != nil || target != real && !strings.HasPrefix(target, strings.TrimSuffix(real, "/")+"/") {
				continue
			}
			if st, err := os.Stat(target); err == nil && st.IsDir() {
				continue // the current folder of a shell, or a folder open in a file manager
			}
			name, _ := os.ReadFile("/proc/" + process + "/comm")
			return fmt.Sprintf("%s (process %s)", strings.TrimSpace(string(name)), process)
		}
	}
	return ""
}

// namesIn returns the names in a folder that is readable, in no order: filepath.Glob takes several times as long.
func namesIn(dir string) []string {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	return names
}
