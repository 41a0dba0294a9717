package wholefile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	want := func(text string, mode os.FileMode) {
		t.Helper()
		data, err := os.ReadFile(path)
		if err != nil || string(data) != text {
			t.Errorf("%q, %v", data, err)
		}
		if st, err := os.Stat(path); runtime.GOOS != "windows" && (err != nil || st.Mode().Perm() != mode) {
			t.Errorf("%v, %v", st.Mode(), err)
		}
		if list, _ := os.ReadDir(dir); len(list) != 1 {
			t.Errorf("left behind: %v", list)
		}
	}
	if err := Write(path, strings.NewReader("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	want("one", 0o600)
	// An existing file keeps its permissions, and all of its content if writing the new one fails.
	if err := Write(path, strings.NewReader("two"), 0o644); err != nil {
		t.Fatal(err)
	}
	want("two", 0o600)
	failed := errors.New("failed")
	if err := Write(path, io.MultiReader(strings.NewReader("thr"), iotest.ErrReader(failed)), 0o644); !errors.Is(err, failed) {
		t.Error(err)
	}
	want("two", 0o600)
}

// TestKeep tests that the first file with a name is kept, and that no incomplete files are left, even of killed runs.
func TestKeep(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	for _, text := range []string{"first", "second"} {
		part := Part(path)
		if err := errors.Join(os.WriteFile(part, []byte(text), 0o600), Keep(part, path)); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(path); string(data) != "first" || err != nil {
			t.Errorf("%q, %v", data, err)
		}
	}
	if err := errors.Join(os.WriteFile(Part(path), nil, 0o600), os.WriteFile(filepath.Join(dir, ".other"), nil, 0o600),
		RemoveParts(dir)); err != nil {
		t.Fatal(err)
	}
	if list, _ := os.ReadDir(dir); len(list) != 2 || list[0].Name() != ".other" {
		t.Errorf("left behind: %v", list)
	}
	if err := RemoveParts(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// TestRename tests that Move replaces nothing, and that Exchange loses nothing.
func TestRename(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	put := func(name string) {
		if err := errors.Join(root.MkdirAll(filepath.Dir(name), 0o777), root.WriteFile(name, []byte(name), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	has := func(name, want string) {
		t.Helper()
		if got, err := root.ReadFile(name); string(got) != want {
			t.Errorf("%s has %q, %v, should have %q", name, got, err, want)
		}
	}
	put("a")
	put("b")
	put("in/c")
	put("in2/d")
	for from, to := range map[string]string{"a": "b", "b": "in/c", "in": "in2", "in/c": "in2/d"} {
		if err := Move(root, from, to); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s to %s: %v", from, to, err)
		}
	}
	has("b", "b")
	has("in2/d", "in2/d")
	if err := errors.Join(Move(root, "a", "in/a"), Move(root, "in2", "in/in2")); err != nil {
		t.Error(err)
	}
	has("in/a", "a")
	has("in/in2/d", "in2/d")
	err = Exchange(root, "b", "in/c")
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("names are not exchanged here")
	}
	if err != nil {
		t.Error(err)
	}
	has("b", "in/c")
	has("in/c", "b")
	if err := Exchange(root, "b", "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
