package worldquery

import (
	"strings"
	"testing"

	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// TestBlockDefect tests that a block on which the search panics is reported to OnMiss, and that the others are
// searched.
func TestBlockDefect(t *testing.T) {
	db := mapdb.NewMemory()
	var blocks []mapdb.Block
	for x := range int16(5) {
		blocks = append(blocks, mapdb.Block{Pos: mapdb.Pos{X: x}, Data: worldtest.Block(1, 29)})
	}
	if err := db.Store(t.Context(), blocks); err != nil {
		t.Fatal(err)
	}
	var missed []error
	q := query[int16]{look: func(p mapdb.Pos, _ *mapblock.Block) []int16 {
		if p.X == 2 {
			panic("as requested")
		}
		return []int16{p.X}
	}}
	n := 0
	if err := q.run(t.Context(), db, Where{OnMiss: func(err error) { missed = append(missed, err) }},
		func(int16) error { n++; return nil }); err != nil {
		t.Fatal(err)
	}
	if n != 4 || len(missed) != 1 || !strings.Contains(missed[0].Error(), "(32,0,0)") && !strings.Contains(missed[0].Error(), "2") {
		t.Error(n, missed)
	}
}
