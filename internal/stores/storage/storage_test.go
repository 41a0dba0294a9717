package storage_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"trowel.example/internal/stores/storage"
	"trowel.example/internal/testing/storetest"
	_ "trowel.example/internal/testing/tests"
)

func TestFolder(t *testing.T) {
	storetest.Run(t, storage.Folder(filepath.Join(t.TempDir(), "new")))
}

// TestTidy tests that Lock removes what killed runs left behind, and nothing else.
func TestTidy(t *testing.T) {
	s := storage.Folder(t.TempDir())
	if err := storage.WriteFile(t.Context(), s, "a/b", []byte("x")); err != nil {
		t.Fatal(err)
	}
	w, err := s.Create(t.Context(), "a/half")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Discard()
	dir, err := s.Scratch()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(string(s), ".mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := s.Lock(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Unlock()
	if _, err := os.Stat(dir); err == nil {
		t.Error("the folder of a run that was killed is there")
	}
	left, _ := filepath.Glob(filepath.Join(string(s), "a", ".*"))
	if _, err := os.Stat(filepath.Join(string(s), ".mine")); err != nil || runtime.GOOS != "windows" && len(left) > 0 {
		t.Errorf("%v, %q", err, left)
	}
	if w, err := s.Create(t.Context(), "a/b"); err == nil {
		w.Discard()
		t.Error("a file that is there was begun again")
	}
}

// TestModes tests that only the owner can read stored files: they can contain a whole world.
func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes of files are those of Unix")
	}
	dir := filepath.Join(t.TempDir(), "new")
	s := storage.Folder(dir)
	if err := storage.WriteFile(t.Context(), s, "a/b", []byte("x")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{"": 0o700, "a": 0o700, "a/b": 0o600} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%q has the mode %v, %v", name, info.Mode(), err)
		}
	}
}

// TestParents tests that the parents of a folder are created, and that a lock under which nothing was stored leaves no
// folders behind.
func TestParents(t *testing.T) {
	top := t.TempDir()
	s := storage.Folder(filepath.Join(top, "disk", "folder"))
	for _, keep := range []bool{false, true, false} {
		l, err := s.Lock(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Lock(t.Context(), false); !errors.Is(err, storage.ErrLocked) {
			t.Error(err)
		}
		if w, err := s.Create(t.Context(), "a/half"); err != nil {
			t.Error(err)
		} else {
			w.Discard()
		}
		if keep {
			err = storage.WriteFile(t.Context(), s, "a/b", nil)
		}
		if err := errors.Join(err, l.Unlock()); err != nil {
			t.Error(err)
		}
		if !keep {
			_, kept := os.Stat(s.Path("a/b"))
			if list, _ := os.ReadDir(top); kept != nil && len(list) > 0 {
				t.Errorf("left: %v", list)
			}
		}
	}
	if _, err := os.Stat(s.Path("a/b")); err != nil {
		t.Error(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := storage.Folder(file).List(t.Context(), "", func(storage.Info) error { return nil }); err == nil {
		t.Error("a file is listed as a folder")
	}
}

func TestUnavailable(t *testing.T) {
	cause := errors.New("connection refused")
	err := fmt.Errorf("x: %w", storage.Unavailable(cause))
	if !storage.IsUnavailable(err) || !errors.Is(err, cause) || err.Error() != "x: connection refused" {
		t.Error(err)
	}
	if storage.IsUnavailable(cause) || storage.IsUnavailable(nil) || !storage.IsUnavailable(context.Canceled) {
		t.Error("an error is taken for another")
	}
}

func ExampleFolder() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	s := storage.Folder(filepath.Join(dir, "kept"))
	if err := storage.WriteFile(ctx, s, "notes/first", []byte("text")); err != nil {
		fmt.Println(err)
		return
	}
	err = s.List(ctx, "", func(i storage.Info) error {
		fmt.Println(i.Name, i.Size)
		return nil
	})
	fmt.Println(strings.Contains(s.Path("notes/first"), "kept"), err)
	// Output:
	// notes/first 4
	// true <nil>
}
