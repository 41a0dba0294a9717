package filelock

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// TestHold tests that a path can be held only once at a time, by any of its names, and that no lock files are left.
func TestHold(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.map")
	judge.Write(t, path, nil)
	h, err := TryHold(path)
	if err != nil {
		t.Fatal(err)
	}
	if h.file == nil {
		t.Skip("no locks here")
	}
	names := []string{path, dir + "/./x.map"}
	if link := filepath.Join(dir, "link"); tests.Links(dir) && os.Symlink("x.map", link) == nil {
		names = append(names, link)
	}
	for _, name := range names {
		if _, err := TryHold(name); !errors.Is(err, ErrTaken) {
			t.Errorf("%s: %v", name, err)
		}
	}
	other, err := TryHold(filepath.Join(dir, "y.map"))
	if err != nil {
		t.Error(err)
	}
	other.Release()
	Sweep(dir) // keeps files that are held

	defer func(old time.Duration) { moment = old }(moment)
	moment = pause
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := Hold(ctx, path, cancel); !errors.Is(err, ErrTaken) || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled while it waited: %v", err)
	}
	time.AfterFunc(20*time.Millisecond, h.Release)
	if h, err = Hold(t.Context(), path, nil); err != nil {
		t.Fatal(err)
	}
	h.file.Close() // as if the process was killed
	Sweep(dir)
	if left, _ := filepath.Glob(filepath.Join(dir, ".trowel*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// TestHoldReadOnly tests that a path in a folder without write permission is an error about the permission, not
// about a missing file.
func TestHoldReadOnly(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	if f, err := os.Create(filepath.Join(dir, "probe")); err == nil {
		f.Close()
		t.Skip("this user, or this system, may write to every folder")
	}
	if _, err := TryHold(filepath.Join(dir, "a.map")); !errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
