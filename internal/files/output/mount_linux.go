package output

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
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
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return devicesDiffer(real)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 5 {
			continue
		}
		mount := unescape(fields[4])
		if rel, err := filepath.Rel(real, mount); err == nil && filepath.IsLocal(rel) {
			return mount
		}
	}
	return ""
}

// unescape decodes octal escapes in a path, such as \040 for a space.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
