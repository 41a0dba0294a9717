package worldsteps

import (
	"errors"
	"testing"

	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldedit"
)

// TestPutBlocks replaces, deletes and creates blocks that are far apart in all directions.
func TestPutBlocks(t *testing.T) {
	const n = 2048
	w, err := worldedit.Open(t.Context(), worldtest.World(t, t.TempDir(), mapdb.Config{}, n, 29), worldedit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	put := make(map[mapdb.Pos]*mapblock.Block)
	for i := 0; i < n; i += 97 {
		put[worldtest.Pos(i)] = mapblock.New(29)
		put[worldtest.Pos(i+1)] = nil
		put[mapdb.Pos{X: int16(1000 - i), Y: int16(i - 900), Z: 500}] = mapblock.New(29)
	}
	if err := putBlocks(t.Context(), w, put); err != nil {
		t.Fatal(err)
	}
	for p, block := range put {
		data, err := w.Get(t.Context(), p)
		switch {
		case block == nil && !errors.Is(err, mapdb.ErrNotFound):
			t.Errorf("block %v is still there: %v", p, err)
		case block != nil && (err != nil || len(data) == 0):
			t.Errorf("block %v: %d bytes, %v", p, len(data), err)
		case block != nil:
			b, err := mapblock.Decode(data)
			if err != nil || len(b.Nodes().Names) != 1 {
				t.Errorf("block %v is not the new one: %v", p, err)
			}
		}
	}
}
