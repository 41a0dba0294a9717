package world_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// quickly returns the findings of a quick check, as ID and message.
func quickly(t *testing.T, dir string) (found []string) {
	t.Helper()
	err := world.Check(context.Background(), dir, world.CheckOptions{Quick: true}, func(f check.Finding) {
		found = append(found, f.ID+" "+f.Message)
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestQuick(t *testing.T) {
	ctx := context.Background()
	for _, backend := range []string{mapdb.SQLite, mapdb.LevelDB} {
		dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: backend}, 1234, 28)
		w, err := mapdb.OpenForWriting(ctx, dir, mapdb.Config{Backend: backend})
		if err == nil {
			err = w.Update(ctx, func(tx mapdb.Tx) error { return tx.Put(mapdb.Pos{Y: 100}, []byte("no block")) })
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		judge.Write(t, filepath.Join(dir, "env_meta.txt"), []byte("EnvArgsEnd\n"))
		settings, err := world.ReadWorldMT(dir)
		if err != nil {
			t.Fatal(err)
		}
		players, err := world.OpenPlayers(ctx, dir, settings, world.Options{Write: true})
		if err == nil {
			err = players.Put(ctx, &world.Player{Name: "ann", HP: -5})
		}
		if err == nil {
			err = players.Commit(ctx)
		}
		if err != nil {
			t.Fatal(err)
		}
		players.Close()
		want := []string{"mt-world-env-meta-time game_time is missing",
			"mt-world-counts blocks: 1,235, players: 2, accounts: 2, mods with storage: 1"}
		if found := quickly(t, dir); !slices.Equal(found, want) {
			t.Errorf("%s: %q", backend, found)
		}
		all := run(t, dir, world.CheckOptions{})
		if !slices.ContainsFunc(all, func(f string) bool { return strings.HasPrefix(f, "mt-world-player-value") }) ||
			!slices.ContainsFunc(all, func(f string) bool { return strings.HasPrefix(f, "mt-block-") }) {
			t.Errorf("%s: the whole check finds %q: this test needs damage that the quick one does not read", backend, all)
		}
		for _, slab := range []mapdb.Slab{mapdb.SlabRest, mapdb.SlabAll} {
			n := 0
			opts := world.CheckOptions{Quick: true, Slab: slab}
			if err := world.Check(ctx, dir, opts, func(check.Finding) { n++ }); err != nil || (n == 2) != (slab == mapdb.SlabRest) {
				t.Errorf("%s, slab %s: %d findings, %v", backend, slab, n, err)
			}
		}
	}
}

// TestQuickDamage tests that a quick check finds damaged pages of a database, a truncated one, and a missing one.
func TestQuickDamage(t *testing.T) {
	for name, c := range map[string]struct {
		backend string
		damage  func(path string)
		want    string
	}{
		"zeroes": {mapdb.SQLite, func(path string) {
			data := judge.Read(t, path)
			clear(data[40*4096 : 60*4096])
			judge.Write(t, path, data)
		}, "mt-map-pages"},
		"truncated": {mapdb.SQLite, func(path string) {
			if err := os.Truncate(path, int64(len(judge.Read(t, path))/2)); err != nil {
				t.Fatal(err)
			}
		}, "mt-map-pages"},
		"no database": {mapdb.SQLite, func(path string) { judge.Write(t, path, []byte("something else, and not short")) }, "mt-map"},
		"missing": {mapdb.SQLite, func(path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}, "mt-map-unreadable"},
		"a table of LevelDB": {mapdb.LevelDB, func(path string) {
			tables, err := filepath.Glob(filepath.Join(path, "*.ldb"))
			if err != nil || len(tables) == 0 {
				t.Fatal(tables, err)
			}
			data := judge.Read(t, tables[0])
			clear(data[1000:9000])
			judge.Write(t, tables[0], data)
		}, "mt-map-pages"},
	} {
		dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: c.backend}, 3000, 28)
		path := filepath.Join(dir, "map.sqlite")
		if c.backend == mapdb.LevelDB {
			path = filepath.Join(dir, "map.db")
		}
		c.damage(path)
		found := quickly(t, dir)
		if !slices.ContainsFunc(found, func(f string) bool { return strings.HasPrefix(f, c.want) }) {
			t.Errorf("%s: %q", name, found)
		}
	}
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 10, mapblock.Newest)
	if err := os.Remove(filepath.Join(dir, "world.mt")); err != nil {
		t.Fatal(err)
	}
	if found := quickly(t, dir); !slices.ContainsFunc(found, func(f string) bool { return strings.HasPrefix(f, "mt-world-no-settings") }) {
		t.Errorf("without world.mt: %q", found)
	}
}
