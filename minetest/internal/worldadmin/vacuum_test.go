package worldadmin_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/internal/worldadmin"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/item"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldcopy"
	"trowel.example/minetest/worldedit"
)

func TestVacuum(t *testing.T) {
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 2000)
	path := filepath.Join(dir, "map.sqlite")
	size := func() int64 {
		st, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return st.Size()
	}
	full := size()
	most := mapdb.All()
	most.Min.X = 1
	must(t, dir, worldedit.Delete(most, func(mapdb.Block) bool { return true }))
	was, unused := blocks(t, dir), size()
	if unused < full {
		t.Fatalf("%d bytes became %d without vacuum", full, unused)
	}
	w, err := worldedit.Open(ctx, dir, worldedit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	counts := new(worldedit.Counts)
	if err := w.Do(ctx, worldadmin.Vacuum(counts)); err != nil {
		t.Fatal(err)
	}
	if now := size(); now != unused {
		t.Errorf("the step itself changed the database: %d bytes", now)
	}
	if lines := said(counts); len(lines) != 1 || !strings.HasPrefix(lines[0], "map.sqlite: packed, without ") {
		t.Errorf("it reports %q", lines)
	}
	if _, err := w.Copy(ctx, filepath.Join(t.TempDir(), "copy"), "vacuum", worldcopy.Options{}); err != nil {
		t.Error(err)
	}
	w.Close()
	must(t, dir, worldadmin.Vacuum(nil))
	if now := size(); now > full*3/4 || !maps.Equal(blocks(t, dir), was) {
		t.Errorf("of %d bytes %d are left, or the blocks have changed", unused, now)
	}

	// Players that the same run deletes leave no space, either.
	judge.Write(t, filepath.Join(dir, "world.mt"), []byte("gameid = minetest\nbackend = sqlite3\nplayer_backend = sqlite3\n"))
	s, err := world.ReadWorldMT(dir)
	if err != nil {
		t.Fatal(err)
	}
	players, err := world.OpenPlayers(ctx, dir, s, world.Options{Write: true})
	for i := 0; err == nil && i < 300; i++ {
		err = players.Put(ctx, &world.Player{Name: fmt.Sprintf("guest%d", i), HP: 20, Breath: 10, Inventory: new(item.Inventory)})
	}
	if err == nil {
		err = players.Commit(ctx)
	}
	if err != nil {
		t.Fatal(err)
	}
	players.Close()
	path = filepath.Join(dir, "players.sqlite")
	full = size()
	must(t, dir, worldadmin.Vacuum(nil), worldadmin.Purge{Rule: worldadmin.Rule{Names: []string{"guest*"}}, All: true}.Step())
	if now := size(); now > full*2/3 {
		t.Errorf("of %d bytes of players %d are left", full, now)
	}

	other := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.LevelDB}, 10)
	if _, err := do(t, other, worldadmin.Vacuum(nil)); err == nil || !strings.Contains(err.Error(), "no SQLite database") {
		t.Errorf("a world in LevelDB: %v", err)
	}
}

// TestSingleBlocks tests that only the blocks of a selection are deleted, and are exported and restored like chunks.
func TestSingleBlocks(t *testing.T) {
	part := worldadmin.Selection{Box: worldedit.BoxOf(worldedit.Vec{0, 0, 0}, worldedit.Vec{80 + 14, 15, 15})} // 0,0,0 and a part of 5,0,0
	origin, second := mapdb.Pos{}, mapdb.Pos{X: 5}
	for name, c := range map[string]struct {
		chunks worldadmin.Chunks
		gone   func(mapdb.Pos) bool
	}{
		"whole":    {worldadmin.Chunks{Selection: part}, func(p mapdb.Pos) bool { return p == origin }},
		"touching": {worldadmin.Chunks{Selection: part, Touching: true}, func(p mapdb.Pos) bool { return p == origin || p == second }},
		"outside":  {worldadmin.Chunks{Selection: part, Outside: true}, func(p mapdb.Pos) bool { return p != origin && p != second }},
	} {
		dir := wild(t, mapdb.Config{Backend: mapdb.SQLite})
		was := blocks(t, dir)
		c.chunks.Single, c.chunks.Export, c.chunks.Counts = true, filepath.Join(t.TempDir(), "export"), new(worldedit.Counts)
		backup := must(t, dir, c.chunks.Step())
		now, exported := blocks(t, dir), blocks(t, c.chunks.Export)
		for p, data := range was {
			if _, there := now[p]; there == c.gone(p) || (exported[p] == data) != c.gone(p) {
				t.Errorf("%s: the block at %v is there: %v, exported: %v", name, p, there, exported[p] != "")
			}
		}
		if lines := strings.Join(said(c.chunks.Counts), "\n"); strings.Contains(lines, "chunk") {
			t.Errorf("%s: it reports %q", name, lines)
		}
		restore(t, dir, backup)
		if !maps.Equal(blocks(t, dir), was) {
			t.Errorf("%s: restored it is another world", name)
		}
	}
}
