package tests

import (
	"os"
	"testing"
)

// Link makes a symbolic link from path to another one. It skips the test where links cannot be made: on Windows the user needs
// rights for them, and Wine makes none and returns no error.
func Link(t testing.TB, to, path string) {
	t.Helper()
	if err := link(to, path); err != nil {
		t.Skipf("symbolic links cannot be made here: %v", err)
	}
}

// Links reports whether symbolic links can be made in a folder.
func Links(dir string) bool {
	path, err := os.MkdirTemp(dir, "")
	if err != nil {
		return false
	}
	defer os.RemoveAll(path)
	return link("to", path+"/link") == nil
}

func link(to, path string) error {
	if err := os.Symlink(to, path); err != nil {
		return err
	}
	_, err := os.Readlink(path)
	return err
}
