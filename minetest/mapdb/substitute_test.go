package mapdb_test

import (
	"errors"
	"path/filepath"
	"testing"

	"trowel.example/minetest/mapdb"
)

// TestSubstitute tests that a substitute is opened instead of the store of a folder, until it ends.
func TestSubstitute(t *testing.T) {
	dir, m := t.TempDir(), mapdb.NewMemory()
	p := mapdb.Pos{X: 1, Y: -2, Z: 3}
	if err := m.Store(t.Context(), []mapdb.Block{{Pos: p, Data: []byte("block")}}); err != nil {
		t.Fatal(err)
	}
	end, err := mapdb.Substitute(dir, m)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // Close does not close the store
		db, err := mapdb.Open(t.Context(), filepath.Join(dir, "x", ".."), mapdb.Config{Backend: "unknown"})
		if err != nil {
			t.Fatal(err)
		}
		if data, err := db.Get(t.Context(), p); string(data) != "block" || err != nil {
			t.Errorf("%q, %v", data, err)
		}
		if n, err := db.Count(t.Context()); n != 1 || err != nil {
			t.Errorf("%d blocks, %v", n, err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
	if !mapdb.IsSubstituted(dir) || mapdb.IsSubstituted(filepath.Dir(dir)) {
		t.Error("IsSubstituted is wrong")
	}
	end()
	if _, err := mapdb.Open(t.Context(), dir, mapdb.Config{Backend: mapdb.SQLite}); err == nil || errors.Is(err, mapdb.ErrNotFound) {
		t.Errorf("after its end: %v", err)
	}
}
