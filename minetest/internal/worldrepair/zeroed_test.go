package worldrepair_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"trowel.example/minetest/internal/worldrepair"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/item"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// TestZeroedWorldMT tests that the repair of a world.mt of zero bytes names the backends whose databases exist.
func TestZeroedWorldMT(t *testing.T) {
	ctx := context.Background()
	for _, inPlace := range []bool{false, true} {
		dir := worldtest.World(t, filepath.Join(t.TempDir(), "world"), mapdb.Config{Backend: mapdb.SQLite}, 1, 29)
		for _, name := range []string{"players", "auth.txt"} {
			if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		text := []byte("player_backend = sqlite3\nauth_backend = leveldb\n")
		p, err := world.OpenPlayers(ctx, dir, world.ParseSettings(text, ""), world.Options{Write: true})
		if err == nil {
			err = errors.Join(p.Put(ctx, &world.Player{Name: "ann", Inventory: &item.Inventory{}}), p.Commit(ctx), p.Close())
		}
		a, err2 := world.OpenAuth(ctx, dir, world.ParseSettings(text, ""), world.Options{Write: true})
		if err2 == nil {
			err2 = errors.Join(a.Put(ctx, &world.Account{Name: "ann"}), a.Commit(ctx), a.Close())
		}
		if err := errors.Join(err, err2, os.WriteFile(filepath.Join(dir, "world.mt"), make([]byte, 200), 0o644)); err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(t.TempDir(), "repaired")
		if inPlace {
			to = dir
			_, err = worldrepair.InPlace(ctx, dir, "", worldrepair.Options{})
		} else {
			_, err = worldrepair.Repair(ctx, dir, to, worldrepair.Options{})
		}
		if err != nil {
			t.Fatal(err)
		}
		s, err := world.ReadWorldMT(to)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{"backend": "sqlite3", "player_backend": "sqlite3", "auth_backend": "leveldb"} {
			if got, _ := s.Get(name); got != want {
				t.Errorf("in place %v: %s is %q, want %q", inPlace, name, got, want)
			}
		}
	}
}
