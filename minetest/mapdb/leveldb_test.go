package mapdb

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/fault"
	"trowel.example/internal/stores/leveldb"
	"trowel.example/internal/testing/judge"
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
	files, err := os.ReadDir(levelPath(dir))
	if err != nil {
		t.Fatal(err)
	}
	away := t.TempDir()
	for _, f := range files { // moved, because Windows may keep the name of a removed file that is open
		if err := os.Rename(filepath.Join(levelPath(dir), f.Name()), filepath.Join(away, f.Name())); err != nil {
			t.Fatal(err)
		}
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
	data := judge.Read(t, tables[0])
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

// TestFreeminer tests that a database of Freeminer is named, also if it began as one of Minetest.
func TestFreeminer(t *testing.T) {
	dir := t.TempDir()
	tablesOf(t, dir, 'o', Pos{1, 0, 0})
	w, err := leveldb.Reopen(levelPath(dir))
	if err == nil {
		err = errors.Join(w.WriteTable([]leveldb.Record{{Key: []byte("a1,-2,3"), Value: []byte("x")}}), w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), dir, Config{Backend: LevelDB})
	if err == nil || !strings.Contains(err.Error(), "one of Freeminer, with keys such as a1,-2,3") {
		t.Errorf("a database of Freeminer: %v", err)
	}
}
