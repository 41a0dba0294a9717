package inuse

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// By returns the name of another program that has a file, or a file in a folder, open; "" if none is visible. Locks
// are not sufficient for this: an idle server holds none.
func By(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return ""
	}
	links, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	self := fmt.Sprintf("/proc/%d/", os.Getpid())
	for _, link := range links {
		if strings.HasPrefix(link, self) {
			continue
		}
		target, err := os.Readlink(link)
		if err != nil || target != real && !strings.HasPrefix(target, strings.TrimSuffix(real, "/")+"/") {
			continue
		}
		if st, err := os.Stat(target); err == nil && st.IsDir() {
			continue // the current folder of a shell, or a folder open in a file manager
		}
		process := strings.Split(link, "/")[2]
		name, _ := os.ReadFile("/proc/" + process + "/comm")
		return fmt.Sprintf("%s (process %s)", strings.TrimSpace(string(name)), process)
	}
	return ""
}
