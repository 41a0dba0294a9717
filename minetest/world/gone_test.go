package world_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// TestGone tests what check reports about stores that world.mt names and that are empty or missing, and about areas.dat.
func TestGone(t *testing.T) {
	const settings = "gameid = minetest\nbackend = sqlite3\nplayer_backend = sqlite3\nauth_backend = files\nmod_storage_backend = sqlite3\n"
	for _, c := range []struct {
		name, auth, run, areas string
		empty                  bool
		want                   []string
	}{
		{name: "never run"},
		{name: "nobody entered", run: "x", want: []string{"mt-world-store-none", "mt-world-store-none"}},
		{name: "made by a mod", run: "x", auth: "ann:x:shout:-1\n", want: []string{"mt-world-store-none", "mt-world-store-none"}},
		{name: "alone", run: "x", auth: "singleplayer::shout:-1\n", want: []string{"mt-world-store-gone", "mt-world-store-gone"}},
		{name: "lost", run: "x", auth: "ann:x:shout\n", want: []string{"mt-world-store-gone", "mt-world-store-gone"}},
		{name: "emptied", run: "x", auth: "ann:x:shout\n", empty: true, want: []string{"mt-world-store-gone", "mt-world-store-gone"}},
		{name: "no areas", areas: "null"},
		{name: "zeroed areas", areas: "\x00\x00\x00", want: []string{"mt-world-unreadable"}},
		{name: "cut areas", areas: `[{"owner":"ann","pos1":`, want: []string{"mt-world-unreadable"}},
	} {
		dir := worldtest.World(t, filepath.Join(t.TempDir(), "world"), mapdb.Config{Backend: mapdb.SQLite}, 1, 29)
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Name() != "map.sqlite" {
				os.RemoveAll(filepath.Join(dir, e.Name()))
			}
		}
		files := map[string]string{"world.mt": settings, "auth.txt": c.auth, "env_meta.txt": c.run, "areas.dat": c.areas}
		if c.run != "" {
			files["env_meta.txt"] = "game_time = 1\nEnvArgsEnd\n"
		}
		for name, text := range files {
			if text != "" {
				judge.Write(t, filepath.Join(dir, name), []byte(text))
			}
		}
		for _, name := range []string{"players.sqlite", "mod_storage.sqlite"} {
			if c.empty {
				judge.Write(t, filepath.Join(dir, name), nil)
			}
		}
		var got []string
		err = world.CheckRest(context.Background(), dir, world.CheckOptions{}, func(f check.Finding) {
			switch f.ID {
			case "mt-world-store-none", "mt-world-store-gone", "mt-world-unreadable":
				got = append(got, f.ID)
			}
		})
		if err != nil || len(got) != len(c.want) {
			t.Errorf("%s: %v, %v", c.name, got, err)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: %v", c.name, got)
			}
		}
	}
}
