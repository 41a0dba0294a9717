package regular_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"trowel.example/internal/files/regular"
	"trowel.example/internal/testing/judge"
)

// TestOpenShared tests that an open file can be renamed and removed, also on Windows, and that its content stays; and
// that an open folder can be listed.
func TestOpenShared(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	judge.Write(t, path, []byte("old"))
	f, _, err := regular.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Rename(path, path+".old"); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(path, []byte("new"), 0o666); err != nil {
		t.Error(err)
	}
	d, _, err := regular.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if list, err := d.ReadDir(-1); err != nil || len(list) != 2 {
		t.Errorf("%v, %v", list, err)
	}
	d.Close()
	if err := os.Remove(path + ".old"); err != nil {
		t.Error(err)
	}
	if data, err := io.ReadAll(f); err != nil || string(data) != "old" {
		t.Errorf("%q, %v", data, err)
	}
}
