//go:build unix

package worlddir_test

import (
	"context"
	"io/fs"
	"path/filepath"
	"syscall"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/worlddir"
)

// TestPipe tests that a pipe in the folder of a world is never opened, and is reported.
func TestPipe(t *testing.T) {
	dir := t.TempDir()
	judge.Write(t, filepath.Join(dir, "world.mt"), []byte("gameid = a\nbackend = dummy\n"))
	if err := syscall.Mkfifo(filepath.Join(dir, "map_meta.txt"), 0o600); err != nil {
		t.Skip(err)
	}
	var missed []string
	w, err := worlddir.OpenWorld(context.Background(), dir,
		worlddir.Opening{OnMiss: func(path string, _ error) { missed = append(missed, path) }})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := fs.ReadDir(worlddir.Open(t.Context(), w, worlddir.Options{}), "."); err != nil {
		t.Fatal(err)
	}
	if len(missed) != 1 || missed[0] != "map_meta.txt" {
		t.Errorf("%q", missed)
	}
}
