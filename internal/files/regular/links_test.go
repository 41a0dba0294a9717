package regular_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"trowel.example/internal/files/regular"
	"trowel.example/internal/testing/judge"
)

func TestFollowLinks(t *testing.T) {
	base := t.TempDir()
	put := func(name string) {
		at := filepath.Join(base, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
			t.Fatal(err)
		}
		judge.Write(t, at, []byte(name))
	}
	for _, name := range []string{"outside/secret", "w/a/file", "w/b/other", "w/plain"} {
		put(name)
	}
	for name, to := range map[string]string{
		"w/file": "a/file", "w/folder": "a", "w/b/up": "../a/file", // inside
		"w/out": "../outside/secret", "w/outdir": "../outside", "w/etc": "/etc/passwd", "w/a/far": "../../outside/secret", // outside
		"w/through": "out", "w/dead": "nothing", "w/self": "self", "w/here": ".", "w/a/above": "..",
		"w/a/tob": "../b", "w/b/toa": "../a", // would be endless
		"w/null": "/dev/null",
	} {
		judge.Link(t, to, filepath.Join(base, filepath.FromSlash(name)))
	}
	root, err := os.OpenRoot(filepath.Join(base, "w"))
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	told := map[string]error{}
	fsys := regular.NewFS(root, func(name string, err error) {
		if told[name] != nil {
			t.Errorf("%s: told twice", name)
		}
		told[name] = err
	})
	var got []string
	for range 2 {
		got = nil
		err = fs.WalkDir(fsys, ".", func(name string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				data, err := fs.ReadFile(fsys, name)
				got = append(got, name+"="+string(data))
				return err
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"a/file=w/a/file", "a/tob/other=w/b/other", "a/tob/up=w/a/file", "b/other=w/b/other", "b/toa/file=w/a/file", "b/up=w/a/file",
		"file=w/a/file", "folder/file=w/a/file", "plain=w/plain",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for name, err := range map[string]error{
		"out": regular.ErrOut, "outdir": regular.ErrOut, "etc": regular.ErrOut, "a/far": regular.ErrOut,
		"through": regular.ErrOut, "null": regular.ErrOut,
		"dead": regular.ErrDead, "self": regular.ErrOut, "here": regular.ErrTwice, "a/above": regular.ErrTwice,
		"folder/above": regular.ErrTwice, "folder/tob": regular.ErrTwice, "a/tob/toa": regular.ErrTwice, "b/toa/tob": regular.ErrTwice,
	} {
		if told[name] != err {
			t.Errorf("%s: told %v, want %v", name, told[name], err)
		}
		if _, open := fsys.Open(name); open == nil && err != regular.ErrTwice {
			t.Errorf("%s is open", name)
		}
	}
	if _, err := fsys.Open("outdir/secret"); err == nil {
		t.Error("outdir/secret is open")
	}
}

// TestNoLinks tests that a folder without links is unchanged.
func TestNoLinks(t *testing.T) {
	dir := t.TempDir()
	judge.Write(t, filepath.Join(dir, "a"), []byte("a"))
	if err := os.Mkdir(filepath.Join(dir, "b"), 0o777); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := fstest.TestFS(regular.NewFS(root, nil), "a", "b"); err != nil {
		t.Error(err)
	}
}

// TestNames tests that a name that is not UTF-8 is skipped and reported.
func TestNames(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("all names there are Unicode")
	}
	dir := t.TempDir()
	for _, name := range []string{"a", "b\xff"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Skip("no such names here:", err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	told := map[string]error{}
	list, err := fs.ReadDir(regular.NewFS(root, func(name string, err error) { told[name] = err }), ".")
	if err != nil || len(list) != 1 || list[0].Name() != "a" || len(told) != 1 || told["b\xff"] != regular.ErrName {
		t.Errorf("%v, %v, told %v", list, err, told)
	}
}
