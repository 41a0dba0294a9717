package output

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
)

var _ format.Output = (*Output)(nil)

// files lists the files of a folder with their contents, including temporary files.
func files(t *testing.T, dir string) string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range list {
		data, _ := os.ReadFile(filepath.Join(dir, e.Name()))
		b.WriteString(e.Name() + "=" + string(data) + ";")
	}
	return b.String()
}

func write(t *testing.T, o *Output, suffix, data string) {
	t.Helper()
	w, err := o.Create(suffix)
	if err == nil {
		_, err = io.WriteString(w, data)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func start(t *testing.T, path string, force bool) *Output {
	t.Helper()
	o, err := New(path, Options{Replace: force})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.Discard)
	return o
}

func TestCommit(t *testing.T) {
	dir := t.TempDir()
	o := start(t, filepath.Join(dir, "a.map"), false)
	write(t, o, "", "one")
	if got := files(t, dir); strings.Contains(got, "a.map") {
		t.Errorf("to be seen too early: %s", got)
	}
	if err := o.Commit(); err != nil {
		t.Fatal(err)
	}
	o.Discard()
	if got := files(t, dir); got != "a.map=one;" || o.Size() != 3 {
		t.Errorf("files %s, size %d", got, o.Size())
	}
	var exists *ExistsError
	if _, err := New(filepath.Join(dir, "a.map"), Options{}); !errors.As(err, &exists) {
		t.Errorf("over an existing file: %v", err)
	}
	o = start(t, filepath.Join(dir, "a.map"), true)
	write(t, o, "", "two")
	write(t, o, ".MAN", "list")
	if err := o.Commit(); err != nil {
		t.Fatal(err)
	}
	if got := files(t, dir); got != "a.map=two;a.map.MAN=list;" {
		t.Errorf("files %s", got)
	}
}

// TestDiscard tests that a failed or cancelled build leaves no files, and keeps the old file unchanged.
func TestDiscard(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.map")
	judge.Write(t, path, []byte("old"))
	o := start(t, path, true)
	write(t, o, "", strings.Repeat("half", 1<<16))
	write(t, o, ".MAN", "half")
	o.Discard()
	if got := files(t, dir); got != "a.map=old;" {
		t.Errorf("files %s", got)
	}
	o = start(t, filepath.Join(dir, "world"), false)
	at, err := o.Dir()
	if err != nil {
		t.Fatal(err)
	}
	judge.Write(t, filepath.Join(at, "map.sqlite"), []byte("db"))
	o.Discard()
	if got := files(t, dir); got != "a.map=old;" {
		t.Errorf("files %s", got)
	}
}

// TestTogether tests that if the second of two files cannot be renamed, the rename of the first is undone.
func TestTogether(t *testing.T) {
	if onWindows {
		t.Skip("removes a file that is open")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "a.pak")
	judge.Write(t, path, []byte("old"))
	o := start(t, path, true)
	write(t, o, "", "new")
	write(t, o, ".MAN", "new")
	if err := os.Remove(o.parts[1].temp); err != nil {
		t.Fatal(err)
	}
	if err := o.Commit(); err == nil {
		t.Fatal("no error")
	}
	o.Discard()
	if got := files(t, dir); got != "a.pak=old;" {
		t.Errorf("files %s", got)
	}
}

func TestDir(t *testing.T) {
	dir := t.TempDir()
	for _, data := range []string{"one", "two"} {
		o := start(t, filepath.Join(dir, "world"), data == "two")
		at, err := o.Dir()
		if err != nil {
			t.Fatal(err)
		}
		judge.Write(t, filepath.Join(at, data), []byte(data))
		if err := o.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	if got := files(t, dir) + files(t, filepath.Join(dir, "world")); got != "world=;two=two;" {
		t.Errorf("files %s", got)
	}
}

func TestStream(t *testing.T) {
	var b bytes.Buffer
	o := Stream(&b)
	write(t, o, "", "bytes")
	if b.Len() > 0 {
		t.Error("to be seen too early")
	}
	if _, err := o.Create(".MAN"); err == nil {
		t.Error("a neighbour of standard output")
	}
	if err := o.Commit(); err != nil || b.String() != "bytes" {
		t.Errorf("%q, %v", b.String(), err)
	}
	if _, err := Stream(&b).Dir(); err == nil {
		t.Error("a folder on standard output")
	}
}

func TestSpecial(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no /dev/null")
	}
	o := start(t, os.DevNull, true)
	write(t, o, "", "gone")
	if err := o.Commit(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("%s is a file now", os.DevNull)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "a.map")
	if err := errors.Join(os.WriteFile(path, nil, 0o640), os.Chmod(path, 0o640)); err != nil { // independent of umask
		t.Fatal(err)
	}
	if err := os.Symlink("a.map", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	o = start(t, filepath.Join(dir, "link"), true)
	write(t, o, "", "new")
	if err := o.Commit(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if got := files(t, dir); err != nil || got != "a.map=new;link=new;" || info.Mode().Perm() != 0o640 {
		t.Errorf("files %s, %v, %v", got, info.Mode(), err)
	}
}
