package worlddir

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"testing"
)

// TestCloseFolder tests that Close closes the folder of a world that a tree has opened.
func TestCloseFolder(t *testing.T) {
	w := makeWorld(t, "sqlite")
	tree := Open(t.Context(), w, Options{})
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

// TestCanceled tests that a tree reads with the context that it was opened with.
func TestCanceled(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "world")
	if _, err := Build(t.Context(), dir, os.DirFS("../../samples/hollow"), BuildOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"blocks", "players", "auth", "storage", ".trowel.json", "blocks/z0/y0/0,0,0.txt",
		"players/singleplayer.json"} {
		w, err := OpenWorld(t.Context(), dir, Opening{})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		ctx, cancel := context.WithCancel(t.Context())
		fsys := Open(ctx, w, Options{})
		cancel()
		read := func(fsys fs.FS) (err error) {
			if path.Ext(name) == "" {
				_, err = fs.ReadDir(fsys, name)
			} else {
				_, err = fs.ReadFile(fsys, name)
			}
			return err
		}
		if err := read(fsys); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		if err := read(Open(t.Context(), w, Options{})); err != nil {
			t.Errorf("%s with another context: %v", name, err)
		}
	}
}
