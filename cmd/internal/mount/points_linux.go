//go:build amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x

package mount

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// FileAt returns the path of the game file that is mounted at a folder, and reports whether one is. alive is false if the
// program of the mount has ended: the folder is unusable until it is unmounted.
func FileAt(dir string) (file string, alive, ok bool) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return "", false, false
	}
	if parent, err := filepath.EvalSymlinks(filepath.Dir(full)); err == nil { // a dead mount itself cannot be resolved
		full = filepath.Join(parent, filepath.Base(full))
	}
	if real, err := filepath.EvalSymlinks(full); err == nil {
		full = real
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return "", false, false
	}
	for line := range strings.Lines(string(mounts)) {
		before, after, _ := strings.Cut(line, " - ")
		point, source := strings.Fields(before), strings.Fields(after)
		if len(point) < 5 || len(source) < 2 || unescaped(point[4]) != full {
			continue
		}
		if ok = source[0] == "fuse."+typeName; ok { // the last one covers the others
			file = unescaped(source[1])
		}
	}
	_, err = os.Stat(full)
	return file, ok && !errors.Is(err, syscall.ENOTCONN), ok
}

// unescaped decodes a name in mountinfo, in which blanks and backslashes are octal numbers.
func unescaped(s string) string {
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
