package worlddir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/minetest/mapdb"
)

// TestReplaces tests that a folder with a part of a world must not replace the world.
func TestReplaces(t *testing.T) {
	w := makeWorld(t, "sqlite")
	all := extract(t, Open(t.Context(), w, Options{}))
	if err := Replaces(t.Context(), os.DirFS(all), w); err != nil {
		t.Error(err)
	}
	p, _ := firstPos(t, w)
	some := extract(t, Open(t.Context(), w, Options{Area: &mapdb.Area{Min: p, Max: p}}))
	if err := Replaces(t.Context(), os.DirFS(some), w); err == nil ||
		!strings.HasPrefix(err.Error(), "the folder lacks 42 of the 43 blocks of the world, such as ") {
		t.Error(err)
	}
	for _, dir := range []string{playersDir, authDir, storageDir} {
		files, err := os.ReadDir(filepath.Join(all, dir))
		if err != nil || len(files) == 0 {
			t.Fatal(err)
		}
		name := filepath.Join(all, dir, files[0].Name())
		if err := os.Rename(name, name+".away"); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(name+".away", filepath.Join(t.TempDir(), "x")); err != nil {
			t.Fatal(err)
		}
		if err := Replaces(t.Context(), os.DirFS(all), w); err == nil || !strings.HasPrefix(err.Error(), "the folder lacks 1 of the ") {
			t.Errorf("without one of %s: %v", dir, err)
		}
		os.WriteFile(name, []byte("{}"), 0o666)
	}
}

func firstPos(t *testing.T, w *World) (p mapdb.Pos, err error) {
	t.Helper()
	for p, err = range w.Map.Positions(t.Context(), mapdb.All()) {
		break
	}
	return p, err
}
