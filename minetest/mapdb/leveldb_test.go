package mapdb

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"trowel.example/fault"
)

// tablesOf creates a database with one table per position, with a block made of the given byte.
func tablesOf(t testing.TB, dir string, of byte, all ...Pos) {
	t.Helper()
	w, err := Create(t.Context(), dir, Config{Backend: LevelDB})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if err := w.Store(t.Context(), []Block{{p, bytes.Repeat([]byte{of}, enough)}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestLevelDBLive tests that a reader sees the new state when a server merges its tables meanwhile, and that damage
// of a table is reported as damage of a block.
func TestLevelDBLive(t *testing.T) {
	dir := t.TempDir()
	a, b, c := Pos{1, 0, 0}, Pos{2, 0, 0}, Pos{3, 0, 0}
	tablesOf(t, dir, 'o', a, b, c)
	db := open(t, dir, Config{Backend: LevelDB})
	if data, err := db.Get(t.Context(), a); err != nil || data[0] != 'o' {
		t.Fatal(err)
	}
	if err := os.RemoveAll(levelPath(dir)); err != nil {
		t.Fatal(err)
	}
	tablesOf(t, dir, 'n', c)
	if data, err := db.Get(t.Context(), c); err != nil || data[0] != 'n' {
		t.Errorf("a block of a table that is gone: %v", err)
	}
	if _, err := db.Get(t.Context(), b); !errors.Is(err, ErrNotFound) {
		t.Errorf("a block that is gone: %v", err)
	}

	tables, err := filepath.Glob(levelPath(dir) + "/*.ldb")
	if err != nil || len(tables) != 1 {
		t.Fatal(tables, err)
	}
	data, err := os.ReadFile(tables[0])
	if err != nil {
		t.Fatal(err)
	}
	clear(data[100 : len(data)/2])
	if err := os.WriteFile(tables[0], data, 0o600); err != nil {
		t.Fatal(err)
	}
	fresh := open(t, dir, Config{Backend: LevelDB})
	var row *RowError
	if _, err := fresh.Get(t.Context(), c); !errors.As(err, &row) || row.Pos == nil || *row.Pos != c || !errors.Is(err, fault.ErrFormat) {
		t.Errorf("a block of a damaged table: %v", err)
	}
}
