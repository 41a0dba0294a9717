package contents_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"trowel.example/cmd/internal/contents"
	"trowel.example/internal/tree"
)

// Large folders are walked page by page, in their own order; small ones by name.
func TestWalk(t *testing.T) {
	var small tree.FS
	for _, name := range []string{"b/2", "b/1", "a", "c"} {
		small.AddBytes(name, nil)
	}
	var got []string
	visit := func(name string, e fs.DirEntry) error {
		if name == "c" {
			return fs.SkipAll
		}
		got = append(got, name)
		return nil
	}
	if err := contents.Walk(t.Context(), &small, ".", visit); err != fs.SkipAll || fmt.Sprint(got) != "[a b b/1 b/2]" {
		t.Errorf("walk: %v, %v", got, err)
	}
	large := fstest.MapFS{}
	for i := range 3*contents.PageSize + 1 {
		large[fmt.Sprintf("d/%d", i)] = &fstest.MapFile{}
	}
	got = nil
	if err := contents.Walk(t.Context(), large, ".", visit); err != nil || len(got) != 3*contents.PageSize+2 {
		t.Errorf("walk: %d files, %v", len(got), err)
	}
}

// A tree that names a file ".." is not followed there.
func TestWalkEvil(t *testing.T) {
	for _, name := range []string{"../x", "a/../../x", "/x", "a//x", "."} {
		var evil tree.FS
		evil.AddBytes(name, []byte("x"))
		err := contents.Walk(t.Context(), &evil, ".", func(string, fs.DirEntry) error { return nil })
		if err == nil || !strings.Contains(err.Error(), "cannot be the name of a file") {
			t.Errorf("%q: %v", name, err)
		}
	}
}
