package mountinfo

import (
	"os"
	"strconv"
	"strings"
)

// Mount is a mounted file system.
type Mount struct {
	Point        string // absolute path
	Type, Source string // such as ext4 and /dev/sda1
}

// Read returns all mounts that this process sees. A later one covers earlier ones at its point.
func Read() (list []Mount, err error) {
	data, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(data)) {
		before, after, _ := strings.Cut(line, " - ")
		point, source := strings.Fields(before), strings.Fields(after)
		if len(point) < 5 {
			continue
		}
		m := Mount{Point: unescape(point[4])}
		if len(source) >= 2 {
			m.Type, m.Source = source[0], unescape(source[1])
		}
		list = append(list, m)
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
