package wholefile

import (
	"errors"
	"io"
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
	// What is there keeps its permissions, and all of it if the new one fails.
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
