package output

import (
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
	points, err := mountPoints()
	if err != nil {
		return devicesDiffer(real)
	}
	for _, point := range points {
		if rel, err := filepath.Rel(real, point); err == nil && filepath.IsLocal(rel) {
			return point
		}
	}
	return ""
}

// mountPoints returns the absolute paths of all mounts that this process sees.
func mountPoints() (list []string, err error) {
	data, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(data)) {
		if fields := strings.Fields(line); len(fields) >= 5 {
			list = append(list, unescape(fields[4]))
		}
	}
	return list, nil
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
