package world_test

import (
	"testing"

	"trowel.example/check"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// TestBlockDefect tests that a block on which the program panics is a finding, and that the other blocks are checked.
func TestBlockDefect(t *testing.T) {
	db := mapdb.NewMemory()
	var blocks []mapdb.Block
	for x := range int16(5) {
		blocks = append(blocks, mapdb.Block{Pos: mapdb.Pos{X: x}, Data: worldtest.Block(1, 29)})
	}
	if err := db.Store(t.Context(), blocks); err != nil {
		t.Fatal(err)
	}
	var found []check.Finding
	n := 0
	err := world.EachRow(t.Context(), db, world.CheckOptions{}, func(f check.Finding) { found = append(found, f) },
		func(r world.Row) int {
			if r.Pos.X == 2 {
				panic("as requested")
			}
			return 1
		},
		func(one int) error { n += one; return nil })
	if err != nil || n != 4 || len(found) != 1 || found[0].ID != "mt-map-block-defect" || len(found[0].At) != 1 {
		t.Error(err, n, found)
	}
}
