package filelock

import (
	"os"
	"path/filepath"
	"testing"
)

// TestMake tests that creating a folder removes the folder of a killed process, but not that of a running one.
func TestMake(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp)
	folder := func(name string) *os.File {
		dir := filepath.Join(temp, "trowel-test-"+name)
		if err := os.MkdirAll(filepath.Join(dir, "in"), 0o777); err != nil {
			t.Fatal(err)
		}
		f, err := os.Create(filepath.Join(dir, tempLock))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	folder("killed").Close()
	lives := folder("lives")
	defer lives.Close()
	if err := Try(lives); err != nil {
		t.Skip(err)
	}
	dir, end, err := TempDir("trowel-test-")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"trowel-test-killed": false, "trowel-test-lives": true, filepath.Base(dir): true} {
		if _, err := os.Stat(filepath.Join(temp, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	end()
	if _, err := os.Stat(dir); err == nil {
		t.Error("it is not removed")
	}
}
