package mapdb

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// userOf names a program that has a file open, if one can be seen: a server holds
// no lock while it does nothing, so that locks do not tell.
func userOf(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	if real, err = filepath.Abs(real); err != nil {
		return ""
	}
	links, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	self := fmt.Sprintf("/proc/%d/", os.Getpid())
	for _, link := range links {
		if strings.HasPrefix(link, self) {
			continue
		}
		if target, err := os.Readlink(link); err == nil && target == real {
			process := strings.Split(link, "/")[2]
			name, _ := os.ReadFile("/proc/" + process + "/comm")
			return fmt.Sprintf("%s (process %s)", strings.TrimSpace(string(name)), process)
		}
	}
	return ""
}
