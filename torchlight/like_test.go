package torchlight_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
)

// TestLikeCloses tests that the folder of --like is closed with the mod: some systems cannot replace an open folder.
func TestLikeCloses(t *testing.T) {
	like := filepath.Join(t.TempDir(), "like")
	if err := os.MkdirAll(filepath.Join(like, "MEDIA"), 0o777); err != nil {
		t.Fatal(err)
	}
	judge.Write(t, filepath.Join(like, "MOD.DAT"), []byte("[MOD]\n[/MOD]\n"))
	mod := open(t, buildMod(t, map[string]string{"MEDIA/UNITS/A.DAT": "[UNIT]\n[/UNIT]\n"}))
	if _, err := mod.file.Tree(t.Context(), &format.Job{Values: map[string]string{"like": like}}); err != nil {
		t.Fatal(err)
	}
	if !isOpen(t, like) {
		t.Error("it is not open while the mod is")
	}
	if err := mod.file.Close(); err != nil {
		t.Fatal(err)
	}
	if isOpen(t, like) {
		t.Error("it is open when the mod is closed")
	}
}

// isOpen reports whether this process has a folder open.
func isOpen(t *testing.T, dir string) bool {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux lists what a process has open")
	}
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	for _, f := range files {
		if name, err := os.Readlink("/proc/self/fd/" + f.Name()); err == nil && name == dir {
			return true
		}
	}
	return false
}
