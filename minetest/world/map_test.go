package world_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

func TestMapConfig(t *testing.T) {
	for text, want := range map[string]mapdb.Config{
		"":                  {Backend: mapdb.SQLite},
		"backend = leveldb": {Backend: mapdb.LevelDB},
		"backend = postgresql\npgsql_connection = host=h": {Backend: mapdb.Postgres,
			Postgres: "host=h", Remote: true},
		"backend = redis\nredis_address = h\nredis_hash = x\nredis_port = 77\nredis_password = p": {Backend: mapdb.RedisDB,
			Redis: mapdb.Redis{Address: "h", Hash: "x", Port: 77, Password: "p"}, Remote: true},
	} {
		s := world.ParseSettings([]byte(text), "")
		got, err := world.MapConfig(t.TempDir(), s, world.Options{Remote: true})
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
		if got, err = world.MapConfig(t.TempDir(), s, world.Options{}); err != nil || got.Remote {
			t.Errorf("%q without permission: %+v, %v", text, got, err)
		}
	}
	s := world.ParseSettings([]byte("backend = redis\nredis_port = 70000"), "")
	if _, err := world.MapConfig(t.TempDir(), s, world.Options{Remote: true}); err == nil {
		t.Error("a port of 70000 is taken")
	}
	old := t.TempDir()
	if err := os.Mkdir(filepath.Join(old, "sectors2"), 0o755); err != nil {
		t.Fatal(err)
	}
	if c, err := world.MapConfig(old, world.ParseSettings(nil, ""), world.Options{}); err != nil || c.Backend != mapdb.Sectors {
		t.Errorf("a world of 2011: %+v, %v", c, err)
	}
}

// TestOpenMap tests that an opened database reports its schema.
func TestOpenMap(t *testing.T) {
	for _, schema := range []mapdb.Schema{mapdb.SchemaPos, mapdb.SchemaXYZ} {
		dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite, Schema: schema}, 3)
		settings, err := world.ReadWorldMT(dir)
		if err != nil {
			t.Fatal(err)
		}
		db, c, err := world.OpenMap(context.Background(), dir, settings, world.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if n := len(worldtest.All(t, db)); n != 3 || c.Schema != schema {
			t.Errorf("%d blocks, %+v", n, c)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}
