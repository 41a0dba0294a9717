package worlddir

import (
	"io"
	"testing"
)

// TestCloseFolder tests that Close closes the folder of a world that a tree has opened.
func TestCloseFolder(t *testing.T) {
	w := makeWorld(t, "sqlite")
	tree := Open(w, Options{})
	read := func() error {
		f, err := tree.Open("world.mt")
		if err == nil {
			_, err = io.Copy(io.Discard, f)
			f.Close()
		}
		return err
	}
	if err := read(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := read(); err == nil {
		t.Error("the folder is still open")
	}
}
