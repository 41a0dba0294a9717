package worldquery_test

import (
	"fmt"
	"slices"
	"testing"

	"trowel.example/minetest/internal/worldquery"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
)

// TestPositions tests that the rows of positions are what find finds, and that there are none without names.
func TestPositions(t *testing.T) {
	m := mapdb.NewMemory()
	if _, err := mapdb.Load(t.Context(), m, worldtest.Blocks(30, 28)); err != nil {
		t.Fatal(err)
	}
	read := func(words ...string) []string {
		t.Helper()
		names, err := worldquery.ParsePositions(words)
		if err != nil {
			t.Fatal(err)
		}
		all := make(seen)
		if err := worldquery.Blocks(t.Context(), m, worldquery.RowOptions{Positions: names}, all.take); err != nil {
			t.Fatal(err)
		}
		return all["minetest_positions"]
	}
	for _, pattern := range []string{"air", "*", "default:*"} {
		names, err := worldquery.ParseNames(pattern)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		if err := worldquery.FindNodes(t.Context(), m, worldquery.Where{}, names, func(n worldquery.Node) error {
			p, _ := n.At.Pos()
			want = append(want, fmt.Sprintf(`["%d" "%d" "%d" %q "%d" "%d"]`, p[0], p[1], p[2], n.Name, n.Param1, n.Param2))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if got := read(pattern, "freeze", "9"); len(want) == 0 || !slices.Equal(got, want) { // other words are for maps
			t.Errorf("%s: %d positions, want %d", pattern, len(got), len(want))
		}
	}
	if got := append(read(), read("freeze")...); len(got) > 0 {
		t.Errorf("without names: %q", got[:1])
	}
	for word, want := range map[string]bool{"air": true, "default:chest": true, "*": true, "chest": false, "": false, "9": false} {
		if err := worldquery.CheckName(word); (err == nil) != want {
			t.Errorf("%q: %v", word, err)
		}
	}
}
