package minetest

import (
	"context"
	"path/filepath"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/internal/worldbackup"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldcopy"
	"trowel.example/minetest/worldedit"
)

// TestRestored tests that a backup restores what an edit in place has changed, byte for byte, in every backend and
// for every version of blocks.
func TestRestored(t *testing.T) {
	ctx := context.Background()
	plain := worldtest.World(t, filepath.Join(t.TempDir(), "plain"), mapdb.Config{Backend: mapdb.SQLite}, 60)
	for _, target := range worldcopy.Targets() {
		t.Run(target, func(t *testing.T) {
			o := worldcopy.Options{Map: target}
			switch target {
			case mapdb.Postgres:
				o.Postgres = judge.Postgres(t)
			case "redis":
				o.Redis = mapdb.Redis{Address: judge.Redis(t), Hash: "h"}
			}
			dir := filepath.Join(t.TempDir(), "world")
			if _, err := worldcopy.Copy(ctx, plain, dir, o); err != nil {
				t.Fatal(err)
			}
			before := worldtest.BlocksOf(t, dir)
			w, err := worldedit.Open(ctx, dir, worldedit.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			box := worldedit.Region{Box: worldedit.Everywhere}
			if err := w.Do(ctx, worldedit.Replace(box, worldedit.Names{"default:stone"}, "test:x", worldedit.Setting{}),
				worldedit.Delete(mapdb.All(), func(b mapdb.Block) bool { return b.Pos.X%3 == 0 })); err != nil {
				t.Fatal(err)
			}
			backup, err := w.InPlace(ctx, "")
			if err != nil {
				t.Fatal(err)
			}
			if n := len(worldtest.BlocksOf(t, dir)); n == len(before) {
				t.Error("nothing was deleted")
			}
			if err := worldbackup.Restore(ctx, dir, backup, worldbackup.Options{}); err != nil {
				t.Fatal(err)
			}
			after := worldtest.BlocksOf(t, dir)
			if len(after) != len(before) {
				t.Error("lost")
			}
			for p, d := range before {
				if after[p] != d {
					t.Error(p, "differs")
				}
			}
		})
	}
}
