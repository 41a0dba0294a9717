package treediff_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"trowel.example/cmd/internal/treediff"
	"trowel.example/internal/files/tree"
)

// backwards lists the entries of folders in reverse order, as systems may do.
type backwards struct{ fs.FS }

func (b backwards) Open(name string) (fs.File, error) {
	f, err := b.FS.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.IsDir() {
		return f, err
	}
	list, err := fs.ReadDir(b.FS, name)
	slices.Reverse(list)
	return &backwardsDir{f, list}, err
}

type backwardsDir struct {
	fs.File
	left []fs.DirEntry
}

func (d *backwardsDir) ReadDir(n int) ([]fs.DirEntry, error) {
	page := d.left[:min(n, len(d.left))]
	if d.left = d.left[len(page):]; len(page) == 0 {
		return nil, io.EOF
	}
	return page, nil
}

// TestWalk tests that folders are walked in the order of names, whatever their size, and that large folders of
// trees with their own order are walked in that order, page by page.
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
	if err := treediff.Walk(t.Context(), &small, ".", visit); err != fs.SkipAll || fmt.Sprint(got) != "[a b b/1 b/2]" {
		t.Errorf("walk: %v, %v", got, err)
	}
	large := fstest.MapFS{}
	for i := range 3*treediff.PageSize + 1 {
		name := fmt.Sprintf("d/%d", i)
		large[fmt.Sprintf("d/%d.d/a", i)] = &fstest.MapFile{}
		large[fmt.Sprintf("d/%d.d-/a", i)] = &fstest.MapFile{}
		large[name] = &fstest.MapFile{Data: make([]byte, i)}
	}
	got = nil
	files := func(name string, e fs.DirEntry) error {
		if e.IsDir() {
			return nil
		}
		info, err := e.Info()
		if size := len(large[name].Data); err == nil && info.Size() != int64(size) {
			err = fmt.Errorf("%s has %d bytes", name, info.Size())
		}
		return errors.Join(err, visit(name, e))
	}
	if err := treediff.Walk(t.Context(), backwards{large}, ".", files); err != nil || len(got) != len(large) || !slices.IsSorted(got) {
		t.Errorf("walk: %d files, sorted: %v, %v", len(got), slices.IsSorted(got), err)
	}
	read := 0
	own := folder{Name: ".", List: func() (tree.List, error) {
		return tree.List{N: 1 << 30, At: func(i int) tree.Node {
			read++
			return tree.Node{Name: fmt.Sprint("n", i)}
		}}, nil
	}}
	got = nil
	enough := errors.New("enough")
	if err := treediff.Walk(t.Context(), own, ".", func(name string, _ fs.DirEntry) error {
		if got = append(got, name); len(got) == 12 {
			return enough
		}
		return nil
	}); err != enough || read != treediff.PageSize || got[10] != "n10" {
		t.Errorf("walk: %d entries were read: %v, %v", read, got, err)
	}
}

// folder is a folder of a tree.
type folder tree.Node

func (f folder) Open(name string) (fs.File, error) { return tree.Node(f).Open(name) }

// TestWalkEvil tests that a file named ".." in a tree is not followed.
func TestWalkEvil(t *testing.T) {
	for _, name := range []string{"../x", "a/../../x", "/x", "a//x", "."} {
		var evil tree.FS
		evil.AddBytes(name, []byte("x"))
		err := treediff.Walk(t.Context(), &evil, ".", func(string, fs.DirEntry) error { return nil })
		if err == nil || !strings.Contains(err.Error(), "cannot be the name of a file") {
			t.Errorf("%q: %v", name, err)
		}
	}
}
