package words

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPortable tests that the failures of files have the same words on every system.
func TestPortable(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	open := func(names ...string) error {
		_, err := os.Open(filepath.Join(append([]string{dir}, names...)...))
		return err
	}
	for want, err := range map[string]error{
		"no such file or directory": errors.Join(open("none"), open("none", "none")),
		"file exists":               os.Mkdir(dir, 0o777),
		"directory not empty":       os.Remove(dir),
	} {
		for line := range strings.SplitSeq(Portable(err.Error()), "\n") {
			if !strings.HasSuffix(line, ": "+want) {
				t.Errorf("%s, want %s", line, want)
			}
		}
	}
}
