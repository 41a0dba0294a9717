package worldrepo_test

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/stores/sealed"
	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/internal/worldrepo"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldcopy"
)

// TestRedis tests that a world in Redis is restored as it was at each moment, to Redis and to a file, and that no
// backup contains its password.
func TestRedis(t *testing.T) {
	c := mapdb.Redis{Address: judge.Redis(t), Hash: "world"}
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.RedisDB, Redis: c}, 200, 28)
	repo := newFolder(t)
	if err := worldrepo.Create(t.Context(), repo, sealed.Readers{}); err != nil {
		t.Fatal(err)
	}
	moments := make(map[string]map[mapdb.Pos]string)
	for i := range 2 {
		if i > 0 {
			change(t, dir, rand.New(rand.NewPCG(1, 2)), 30)
		}
		moments[backup(t, dir, repo).Snapshot.ID] = worldtest.BlocksOf(t, dir)
	}
	for id, want := range moments {
		to := mapdb.Redis{Address: c.Address, Hash: id}
		back := restore(t, repo, id, worldcopy.Options{Redis: to}) // to the original kind of database
		if text, err := os.ReadFile(filepath.Join(back, "world.mt")); err != nil || !strings.Contains(string(text), "redis_hash = "+id) {
			t.Errorf("%s, %v", text, err)
		}
		if got := worldtest.BlocksOf(t, back); !maps.Equal(got, want) {
			t.Errorf("%s: %d blocks in Redis, and not the %d that there were", id, len(got), len(want))
		}
		if got := worldtest.BlocksOf(t, restore(t, repo, id, worldcopy.Options{Map: "sqlite"})); !maps.Equal(got, want) {
			t.Errorf("%s: %d blocks in SQLite, and not the %d that there were", id, len(got), len(want))
		}
	}
	if got := worldtest.BlocksOf(t, dir); len(moments) != 2 || !maps.Equal(got, moments[newest(moments)]) {
		t.Error("the world itself differs now")
	}
}

func newest[V any](m map[string]V) (id string) {
	for one := range m {
		id = max(id, one)
	}
	return id
}
