package viewer

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"trowel.example/internal/testing/judge"
)

// TestStamp tests that a stamp changes with every change of a file, and only then.
func TestStamp(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	old := time.Now().Add(-time.Hour)
	put := func(name, text string, at time.Time) {
		t.Helper()
		judge.Write(t, name, []byte(text))
		if err := os.Chtimes(name, at, at); err != nil {
			t.Fatal(err)
		}
	}
	w := &fileWatch{name: name}
	last := ""
	expect := func(what string, changed bool) {
		t.Helper()
		now := w.stamp()
		if (now != last) != changed {
			t.Errorf("%s: %q, before it %q", what, now, last)
		}
		last = now
	}
	expect("not there", false)
	put(name, "abc", old)
	expect("there", true)
	expect("the same", false)
	put(name, "abcd", old)
	expect("longer", true)
	put(name, "abcx", old.Add(time.Nanosecond*100))
	expect("a moment later", true)
	put(name+"2", "abcy", old.Add(time.Nanosecond*100))
	if err := os.Rename(name+"2", name); err != nil {
		t.Fatal(err)
	}
	expect("replaced by one of the same size and time", true)
	expect("the same again", false)
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	expect("removed", true)
	if err := os.Mkdir(name, 0o777); err != nil {
		t.Fatal(err)
	}
	expect("a folder", false)

	dir := t.TempDir()
	tree := func(what string, changed bool) {
		t.Helper()
		now := treeStamp(dir)
		if (now != last) != changed {
			t.Errorf("%s: %q, before it %q", what, now, last)
		}
		last = now
	}
	tree("a tree", true)
	if err := os.MkdirAll(filepath.Join(dir, "b/c"), 0o777); err != nil {
		t.Fatal(err)
	}
	tree("empty folders", false)
	put(filepath.Join(dir, "b/c/d"), "1", old)
	tree("a file", true)
	put(filepath.Join(dir, "b/c/d"), "2", old.Add(time.Second))
	tree("another text", true)
	tree("the same tree", false)
	if err := os.Rename(filepath.Join(dir, "b/c/d"), filepath.Join(dir, "b/d")); err != nil {
		t.Fatal(err)
	}
	tree("moved", true)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	tree("removed", true)
}
