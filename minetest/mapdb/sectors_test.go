package mapdb

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
)

// TestSectors tests files that are not blocks in the folders of an old world, and the precedence of the two layouts.
func TestSectors(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"sectors2/000/fff/0000":   "new",
		"sectors2/000/fff/meta":   "\x14",
		"sectors2/000/001/0001":   "hidden",
		"sectors/00000001/fffe":   "old",
		"sectors/00000001/meta":   "\x14",
		"sectors/0000/0000":       "bad name of a sector",
		"sectors/nonsense/0000":   "bad name of a sector",
		"sectors2/00/0/0":         "bad name of a sector",
		"sectors2/000/FFF/0000":   "bad name of a sector",
		"sectors2/000/002/9999":   "outside of the world",
		"sectors2/001":            "a file, not a folder",
		"sectors2/000/004":        "a file, not a folder",
		"sectors2/000/002/0.bak":  "bad name of a block",
		"sectors2/000/002/0003/x": "a folder, not a block",
	}
	for _, path := range slices.Backward(slices.Sorted(maps.Keys(files))) { // fff before FFF, which is the same on Windows
		text := files[path]
		path = filepath.Join(dir, filepath.FromSlash(path))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	odd := 10 // with the hidden one
	if runtime.GOOS == "windows" {
		odd = 9
		judge.Write(t, filepath.Join(dir, "sectors2/000/fff/0000"), []byte("new"))
	}
	db := open(t, dir, Config{Backend: Sectors})
	all, bad := read(t, db)
	if len(all) != 2 || string(all[Pos{0, 0, -1}]) != "new" || string(all[Pos{0, -2, 1}]) != "old" {
		t.Errorf("blocks: %q", all)
	}
	for _, row := range bad {
		t.Log(row)
	}
	if len(bad) != odd {
		t.Errorf("%d errors", len(bad))
	}
	if _, err := db.Get(t.Context(), Pos{0, 1, 1}); !errors.Is(err, ErrNotFound) {
		t.Errorf("a block that another layout hides: %v", err)
	}
	if _, err := Open(t.Context(), t.TempDir(), Config{Backend: Sectors}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folders: %v", err)
	}
}

// TestOddSectorNames tests that each file and folder name is either a position or reported as invalid.
func TestOddSectorNames(t *testing.T) {
	dir := t.TempDir()
	names := []string{
		"sectors2/00000/000/0000", "sectors2/000/00000000000000000/0000", "sectors2/000/000/00000", "sectors2/000/000/123456789",
		"sectors/0000000000/0000", "sectors/00000000/00000000", "sectors2/-01/000/0000", "sectors2/0x1/000/0000", "sectors2/000/000/",
	}
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(name, "/") {
			judge.Write(t, path, []byte{1})
		}
	}
	db, err := Open(t.Context(), dir, Config{Backend: Sectors})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if all, bad := read(t, db); len(all) != 0 || len(bad) != 6 {
		t.Errorf("%d blocks, %v", len(all), bad)
	}
	for length := range 40 {
		if _, ok := coordOf(strings.Repeat("0", length)); ok != (length > 0 && length <= 4) {
			t.Errorf("%d digits are a coordinate: %v", length, ok)
		}
	}
}
