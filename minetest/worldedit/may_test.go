package worldedit

import (
	"testing"

	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// TestMay tests that blocks that have none of the names are skipped, and that damaged blocks are not.
func TestMay(t *testing.T) {
	for _, version := range []int{25, 28, 29} {
		b := mapblock.New(version)
		if err := b.SetNode(7, "mod:node", 0, 0); err != nil {
			t.Fatal(err)
		}
		data, err := b.Encode()
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]bool{"mod:node": true, "mod:n*": true, "mod:other": false} {
			if got := (Names{name}).may()(mapdb.Pos{}, data); got != want {
				t.Errorf("version %d, %s: %t", version, name, got)
			}
		}
		if cut := data[:len(data)-20]; version == 29 && !(Names{"mod:other"}).may()(mapdb.Pos{}, cut) {
			t.Error("a block that cannot be inflated is skipped")
		}
	}
}
