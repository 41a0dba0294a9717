package tree_test

import (
	"errors"
	"io/fs"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"trowel.example/internal/files/tree"
)

func TestFS(t *testing.T) {
	var fsys tree.FS
	fsys.AddBytes("map.json", []byte("{}"))
	fsys.AddBytes("images/grass.png", []byte("png"))
	fsys.Add("groups/00/layer.txt", tree.Meta{Stored: 7, Note: "note"}, func() ([]byte, error) { return []byte("rows"), nil })
	if err := fstest.TestFS(&fsys, "map.json", "images/grass.png", "groups/00/layer.txt"); err != nil {
		t.Fatal(err)
	}
	info, err := fsys.Stat("groups/00/layer.txt")
	if err != nil || !reflect.DeepEqual(info.Sys(), tree.Meta{Stored: 7, Note: "note"}) {
		t.Errorf("Sys() = %v, %v", info.Sys(), err)
	}
}

// TestLazy tests that a listing creates no contents, and that an error of one file does not affect others.
func TestLazy(t *testing.T) {
	var fsys tree.FS
	made := 0
	broken := errors.New("broken block")
	fsys.Add("a/good", tree.Meta{}, func() ([]byte, error) { made++; return []byte("x"), nil })
	fsys.Add("a/bad", tree.Meta{}, func() ([]byte, error) { made++; return nil, broken })
	var names []string
	err := fs.WalkDir(&fsys, ".", func(path string, d fs.DirEntry, err error) error {
		names = append(names, path)
		return err
	})
	if got := strings.Join(names, " "); err != nil || got != ". a a/bad a/good" {
		t.Fatalf("walk: %q, %v", got, err)
	}
	if made != 0 {
		t.Fatalf("listing made %d files", made)
	}
	if _, err := fs.ReadFile(&fsys, "a/bad"); !errors.Is(err, broken) {
		t.Errorf("error = %v, want the file's own", err)
	}
	if data, err := fs.ReadFile(&fsys, "a/good"); err != nil || string(data) != "x" {
		t.Errorf("a/good = %q, %v", data, err)
	}
}
