package worldcopy_test

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"trowel.example/internal/files/filelock"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldcopy"
)

// change changes blocks of the world in dir: nil removes one.
func change(t testing.TB, dir string, blocks map[mapdb.Pos][]byte) {
	t.Helper()
	s, err := world.ReadWorldMT(dir)
	if err != nil {
		t.Fatal(err)
	}
	c, err := world.MapConfig(dir, s, world.Options{Remote: true})
	if err == nil {
		all := slices.Collect(maps.Keys(blocks))
		err = mapdb.Edit(t.Context(), dir, c, all, func(p mapdb.Pos, _ []byte) ([]byte, error) { return blocks[p], nil })
	}
	if err != nil {
		t.Fatal(err)
	}
}

// things returns the contents of all stores of the world in dir that are not about blocks.
func things(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := filepath.Join(t.TempDir(), "files")
	o := worldcopy.Options{Players: world.Files, Auth: world.Files, Storage: world.Files, Remote: true, Map: "sqlite"}
	if _, err := worldcopy.Copy(t.Context(), dir, files, o); err != nil {
		t.Fatal(err)
	}
	all := judge.Files(t, files)
	delete(all, "map.sqlite")
	delete(all, "world.mt")
	return all
}

// TestUpdate tests that passes between all databases copy what has changed, was added or removed in a world, and nothing else, and that
// a copy that was changed since the last pass is left alone.
func TestUpdate(t *testing.T) {
	start := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 300, 28)
	all := tests.Of(t, []string{"sqlite", mapdb.LevelDB}, worldcopy.Targets())
	for _, from := range all {
		for _, to := range all {
			t.Run(from+" to "+to, func(t *testing.T) {
				t.Parallel()
				src, dst := filepath.Join(t.TempDir(), "src"), filepath.Join(t.TempDir(), "dst")
				if _, err := worldcopy.Copy(t.Context(), start, src, target(t, from)); err != nil {
					t.Fatal(err)
				}
				o := target(t, to)
				o.Players, o.Auth, o.Storage, o.Log = "sqlite3", "leveldb", "sqlite3", true
				if to == mapdb.Postgres {
					o.Players, o.Auth, o.Storage = to, to, to
				}
				if _, err := worldcopy.Copy(t.Context(), src, dst, o); err != nil {
					t.Fatal(err)
				}
				if _, err := worldcopy.Copy(t.Context(), src, dst, o); !errors.Is(err, fs.ErrExist) {
					t.Errorf("a second copy: %v", err)
				}
				o = worldcopy.Options{Update: true, Remote: true}
				update := func(changed int64) {
					t.Helper()
					r, err := worldcopy.Copy(t.Context(), src, dst, o)
					if err != nil {
						t.Fatal(err)
					}
					if r.Changed != changed {
						t.Errorf("%d changes, want %d", r.Changed, changed)
					}
					if diff := cmp.Diff(worldtest.BlocksOf(t, src), worldtest.BlocksOf(t, dst)); diff != "" {
						t.Error(diff)
					}
				}
				change(t, src, map[mapdb.Pos][]byte{worldtest.Pos(7): worldtest.Block(8, 28), worldtest.Pos(299): nil, worldtest.Pos(9): nil,
					{X: 2000, Z: 3}: worldtest.Block(1, 28)})
				for name, text := range map[string]string{"players/cid": strings.Replace(worldtest.Files["players/ann"], "name = ann", "name = cid", 1),
					"players/ann": strings.Replace(worldtest.Files["players/ann"], "99", "12", 1), "auth.txt": "bob::shout:-1\n",
					"mod_storage/pig": `{"count":"8"}`, "worldmods/new/init.lua": "--"} {
					judge.Write(t, filepath.Join(src, filepath.FromSlash(name)), []byte(text))
				}
				if err := errors.Join(os.Remove(filepath.Join(src, "players", "bob")), os.Remove(filepath.Join(src, "ipban.txt"))); err != nil {
					t.Fatal(err)
				}
				update(4 + 3)
				if diff := cmp.Diff(things(t, src), things(t, dst)); diff != "" {
					t.Error(diff)
				}
				update(0)
				change(t, src, map[mapdb.Pos][]byte{worldtest.Pos(9): worldtest.Block(9, 28)})
				update(1)

				change(t, src, map[mapdb.Pos][]byte{worldtest.Pos(9): nil})
				change(t, dst, map[mapdb.Pos][]byte{worldtest.Pos(9): worldtest.Block(10, 28)})
				was, files := worldtest.BlocksOf(t, dst), judge.Files(t, dst)
				if _, err := worldcopy.Copy(t.Context(), src, dst, o); !errors.Is(err, worldcopy.ErrEdited) {
					t.Errorf("a changed copy: %v", err)
				}
				if diff := cmp.Diff(was, worldtest.BlocksOf(t, dst)) + cmp.Diff(files, judge.Files(t, dst)); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

// TestUpdateOfEdited tests that no change of a copy is lost: of a file, or of a player on a server.
func TestUpdateOfEdited(t *testing.T) {
	src := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 3, 28)
	edited := func(o worldcopy.Options, edit func(dst string)) {
		t.Helper()
		dst := filepath.Join(t.TempDir(), "dst")
		o.Log = true
		if _, err := worldcopy.Copy(t.Context(), src, dst, o); err != nil {
			t.Fatal(err)
		}
		edit(dst)
		was := judge.Files(t, dst)
		if _, err := worldcopy.Copy(t.Context(), src, dst, worldcopy.Options{Update: true}); !errors.Is(err, worldcopy.ErrEdited) {
			t.Error(err)
		}
		if diff := cmp.Diff(was, judge.Files(t, dst)); diff != "" {
			t.Error(diff)
		}
	}
	for _, name := range []string{"world.mt", "ipban.txt", "players/new", "map.sqlite-journal"} {
		edited(worldcopy.Options{Map: "sqlite"}, func(dst string) {
			judge.Write(t, filepath.Join(dst, filepath.FromSlash(name)), []byte("# new\n"))
		})
	}
	if tests.Long(t) {
		o := worldcopy.Options{Map: "sqlite", Players: mapdb.Postgres, Postgres: judge.Postgres(t)}
		edited(o, func(dst string) {
			s, err := world.ReadWorldMT(dst)
			if err != nil {
				t.Fatal(err)
			}
			players, err := world.OpenPlayers(t.Context(), dst, s, world.Options{Write: true})
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(players.Delete(t.Context(), "bob"), players.Commit(t.Context()), players.Close()); err != nil {
				t.Fatal(err)
			}
		})
	}
	if _, err := worldcopy.Copy(t.Context(), src, t.TempDir(), worldcopy.Options{Update: true}); !errors.Is(err, worldcopy.ErrNoLog) {
		t.Errorf("no copy: %v", err)
	}
}

// TestUpdateOfFiles tests that databases that are copied as files are updated, too.
func TestUpdateOfFiles(t *testing.T) {
	for _, backend := range []string{mapdb.SQLite, mapdb.LevelDB} {
		src := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: backend}, 30, 28)
		dst := filepath.Join(t.TempDir(), "dst")
		if _, err := worldcopy.Copy(t.Context(), src, dst, worldcopy.Options{Log: true}); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			change(t, src, map[mapdb.Pos][]byte{worldtest.Pos(7): worldtest.Block(8, 28), worldtest.Pos(9): nil})
			if _, err := worldcopy.Copy(t.Context(), src, dst, worldcopy.Options{Update: true}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(worldtest.BlocksOf(t, src), worldtest.BlocksOf(t, dst)); diff != "" {
				t.Errorf("%s: %s", backend, diff)
			}
		}
	}
}

// TestUpdateStopped tests that an update that was stopped at any place is completed by the next one, even if the world has become as it
// was before, that it removes only files that a pass made, and that the copy has no world.mt in between.
func TestUpdateStopped(t *testing.T) {
	const n = 9000
	base := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, n, 28)
	for _, at := range tests.Of(t, []string{"blocks", "verify"}, []string{"files", "blocks", "players", "verify"}) {
		for _, to := range tests.Of(t, []string{"sqlite"}, []string{"sqlite", mapdb.LevelDB}) {
			src, dst := filepath.Join(t.TempDir(), "src"), filepath.Join(t.TempDir(), "dst")
			if err := os.CopyFS(src, os.DirFS(base)); err != nil {
				t.Fatal(err)
			}
			if _, err := worldcopy.Copy(t.Context(), src, dst, worldcopy.Options{Map: to, Players: "sqlite3", Log: true}); err != nil {
				t.Fatal(err)
			}
			change(t, src, map[mapdb.Pos][]byte{worldtest.Pos(0): worldtest.Block(1, 28), worldtest.Pos(n): worldtest.Block(3, 28)})
			ctx, stop := context.WithCancel(t.Context())
			o := worldcopy.Options{Update: true, OnProgress: func(what string, _, _ int) {
				if what == at {
					stop()
				}
			}}
			if _, err := worldcopy.Copy(ctx, src, dst, o); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if _, err := os.Stat(filepath.Join(dst, "world.mt")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("stopped at %s: %v", at, err)
			}
			change(t, src, map[mapdb.Pos][]byte{worldtest.Pos(0): worldtest.Block(0, 28), worldtest.Pos(n): nil})
			notes := filepath.Join(dst, "notes.txt") // no pass made it
			judge.Write(t, notes, []byte("mine"))
			if err := os.Remove(filepath.Join(src, "ipban.txt")); err != nil {
				t.Fatal(err)
			}
			r, err := worldcopy.Copy(t.Context(), src, dst, worldcopy.Options{Update: true})
			if err != nil || r.Blocks != n {
				t.Fatalf("after a stop at %s: %v, %v", at, r, err)
			}
			if diff := cmp.Diff(worldtest.BlocksOf(t, src), worldtest.BlocksOf(t, dst)); diff != "" {
				t.Error(diff)
			}
			if _, err := os.Stat(notes); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(filepath.Join(dst, "ipban.txt")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a file that the world does not have any more: %v", err)
			}
		}
	}
}

// TestUpdateWhileServed tests that a pass reports the program that has the world open, and leaves a copy alone that one has open.
func TestUpdateWhileServed(t *testing.T) {
	src := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 3, 28)
	dst := filepath.Join(t.TempDir(), "dst")
	served := "minetestserver (process 7)"
	used := src
	filelock.FindUser = func(path string) string {
		if path == used {
			return served
		}
		return ""
	}
	t.Cleanup(func() { filelock.FindUser = nil })
	for i := range 3 {
		if i == 2 {
			served = ""
		}
		r, err := worldcopy.Copy(t.Context(), src, dst, worldcopy.Options{Map: mapdb.LevelDB, Log: true, Update: i > 0})
		if err != nil || r.Server != served {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	used, served = dst, "minetestserver (process 8)"
	was := judge.Files(t, dst)
	if _, err := worldcopy.Copy(t.Context(), src, dst, worldcopy.Options{Update: true}); !errors.Is(err, filelock.ErrInUse) {
		t.Errorf("a copy that is used: %v", err)
	}
	if diff := cmp.Diff(was, judge.Files(t, dst)); diff != "" {
		t.Error(diff)
	}
	if !tests.Long(t) {
		return
	}
	src, dst = filepath.Join(t.TempDir(), "src"), filepath.Join(t.TempDir(), "dst")
	o := target(t, mapdb.Postgres)
	if _, err := worldcopy.Copy(t.Context(), worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 3, 28), src, o); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), o.Postgres)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if r, err := worldcopy.Copy(t.Context(), src, dst, worldcopy.Options{Map: "sqlite", Log: true}); err != nil || r.Server == "" {
		t.Fatalf("%+v, %v", r, err)
	}
	if err := conn.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r, err := worldcopy.Copy(t.Context(), src, dst, worldcopy.Options{Update: true}); err != nil || r.Server != "" {
		t.Fatalf("%+v, %v", r, err)
	}
}
