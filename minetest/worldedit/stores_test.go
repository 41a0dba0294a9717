package worldedit_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/internal/worldbackup"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldcopy"
	"trowel.example/minetest/worldedit"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// kept describes everything in a world except the blocks.
func kept(t *testing.T, dir string) (list []string) {
	t.Helper()
	ctx := context.Background()
	w, err := worldedit.Open(ctx, dir, worldedit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	players, err1 := w.Players(ctx)
	auth, err2 := w.Auth(ctx)
	storage, err3 := w.Storage(ctx)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	for name, err := range players.Names(ctx) {
		p, err2 := players.Get(ctx, name)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		list = append(list, fmt.Sprint("player ", name, " ", p.HP, p.Pos, p.Attributes, string(p.Inventory.Append(nil))))
	}
	for name, err := range auth.Names(ctx) {
		a, err2 := auth.Get(ctx, name)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		slices.Sort(a.Privileges)
		list = append(list, fmt.Sprint("account ", name, " ", string(a.Password), a.Privileges, a.LastLogin))
	}
	for name, err := range storage.Names(ctx) {
		m, err2 := storage.Get(ctx, name)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		list = append(list, fmt.Sprintf("mod %s %q", name, m.Entries))
	}
	slices.Sort(list)
	bans, _ := os.ReadFile(filepath.Join(dir, "ipban.txt"))
	return append(list, string(bans))
}

// change makes a change of each kind.
func change(ctx context.Context, w *worldedit.World) error {
	players, err1 := w.Players(ctx)
	auth, err2 := w.Auth(ctx)
	storage, err3 := w.Storage(ctx)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	ann, err := players.Get(ctx, "ann")
	if err != nil {
		return err
	}
	ann.Name = "zoe"
	account, err := auth.Get(ctx, "ann")
	if err != nil {
		return err
	}
	account.Name = "zoe"
	return errors.Join(
		players.Put(ctx, ann), players.Delete(ctx, "ann"), players.Delete(ctx, "bob"),
		auth.Put(ctx, account), auth.Delete(ctx, "ann"),
		storage.Put(ctx, &world.ModData{Mod: "fresh", Entries: []world.Entry{{Key: []byte("k"), Value: []byte("v")}}}),
		storage.Delete(ctx, "pig"),
		w.WriteFile("ipban.txt", []byte("192.0.2.9|eve\n")),
	)
}

// TestStores tests, for every backend, that everything except the blocks can be changed in a copy and in place and be
// restored from a backup, and that changes are not visible before that.
func TestStores(t *testing.T) {
	ctx := context.Background()
	plain := worldtest.World(t, filepath.Join(t.TempDir(), "plain"), mapdb.Config{Backend: mapdb.SQLite}, 3)
	for _, backend := range []string{"files", "sqlite3", "leveldb", "postgresql"} {
		t.Run(backend, func(t *testing.T) {
			o := worldcopy.Options{Players: backend, Auth: backend, Storage: backend}
			if backend == "leveldb" {
				o.Storage = ""
			}
			if backend == "postgresql" {
				o.Postgres = judge.Postgres(t)
			}
			dir := filepath.Join(t.TempDir(), "world")
			if _, err := worldcopy.Copy(ctx, plain, dir, o); err != nil {
				t.Fatal(err)
			}
			before := kept(t, dir)
			w, err := worldedit.Open(ctx, dir, worldedit.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			if err := change(ctx, w); err != nil {
				t.Fatal(err)
			}
			if got := kept(t, dir); !slices.Equal(got, before) {
				t.Errorf("it is %q before anything is written", got)
			}
			want := []string{
				"account bob [shout] -1", "account zoe #1#c2FsdA#dmVyaWZpZXI[interact shout] 1489488299", `mod fresh [{"k" "v"}]`,
				"player zoe 20 [10 20.5 -30] [{k v}]List main 1\nWidth 0\nItem default:dirt 99\nEndInventoryList\nEndInventory\n", "192.0.2.9|eve\n",
			}
			copied, o := filepath.Join(t.TempDir(), "copied"), worldcopy.Options{}
			if backend == "postgresql" { // the copy would share it
				if _, err := w.Copy(ctx, copied, "changed", o); err == nil || !strings.Contains(err.Error(), "would share") {
					t.Errorf("a copy of a world on a server: %v", err)
				}
				o = worldcopy.Options{Players: "sqlite3", Auth: "files", Storage: "sqlite3"}
			}
			if _, err := w.Copy(ctx, copied, "changed", o); err != nil {
				t.Fatal(err)
			}
			if got := kept(t, copied); !slices.Equal(got, want) {
				t.Errorf("the copy has %q, want %q", got, want)
			}
			if got := kept(t, dir); !slices.Equal(got, before) {
				t.Errorf("the copy changed the world: %q", got)
			}
			backup, err := w.InPlace(ctx, "")
			if err != nil || backup == "" {
				t.Fatal(backup, err)
			}
			if err := w.Close(); err != nil { // some systems cannot replace open files
				t.Fatal(err)
			}
			if got := kept(t, dir); !slices.Equal(got, want) {
				t.Errorf("in place it is %q, want %q", got, want)
			}
			for range 2 { // as a killed run would be repeated
				if err := worldbackup.Restore(ctx, dir, backup, worldbackup.Options{}); err != nil {
					t.Fatal(err)
				}
			}
			if got := kept(t, dir); !slices.Equal(got, before) {
				t.Errorf("restored it is %q, want %q", got, before)
			}
		})
	}
}

// TestStoresRead tests that a store that a step only reads is not a change.
func TestStoresRead(t *testing.T) {
	ctx := context.Background()
	dir := worldtest.World(t, filepath.Join(t.TempDir(), "world"), mapdb.Config{Backend: mapdb.SQLite}, 1)
	w, err := worldedit.Open(ctx, dir, worldedit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	players, err := w.Players(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := players.Get(ctx, "ann"); err != nil {
		t.Error(err)
	}
	if err := players.Delete(ctx, "nobody"); !errors.Is(err, world.ErrNotFound) {
		t.Error(err)
	}
	if text, err := w.ReadFile("ipban.txt"); err != nil || string(text) != "192.0.2.7|mallory\n" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := w.ReadFile("areas.dat"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if backup, err := w.InPlace(ctx, ""); backup != "" || err != nil {
		t.Error(backup, err)
	}
}

// TestStoresInterrupted tests that an interrupted edit in place can be undone.
func TestStoresInterrupted(t *testing.T) {
	ctx := context.Background()
	dir := worldtest.World(t, filepath.Join(t.TempDir(), "world"), mapdb.Config{Backend: mapdb.SQLite}, 20, 29)
	was := worldtest.Snapshot(t, dir)
	blocks := func() map[mapdb.Pos]string {
		db, err := mapdb.Open(ctx, dir, mapdb.Config{Backend: mapdb.SQLite})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		return worldtest.All(t, db)
	}
	before, reached := blocks(), false
	w, err := worldedit.Open(ctx, dir, worldedit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	w.AddPart(worldedit.Part{
		Keep: func(context.Context, worldedit.Keeper) error { return nil },
		Apply: func(context.Context, string, *world.Settings) error {
			reached = !maps.Equal(blocks(), before)
			return errors.New("no room")
		},
	})
	all := worldedit.Region{Box: worldedit.Everywhere}
	err = w.Do(ctx, worldedit.Replace(all, worldedit.Names{"default:stone"}, "default:dirt", worldedit.Setting{KeepParam2: true}))
	if err := errors.Join(err, change(ctx, w)); err != nil {
		t.Fatal(err)
	}
	backup, err := w.InPlace(ctx, "")
	if err == nil || backup != "" || !reached {
		t.Fatalf("%q, %v: the last part should fail, and everything be undone", backup, err)
	}
	if !maps.Equal(blocks(), before) || !maps.Equal(worldtest.Snapshot(t, dir), was) {
		t.Error("a failure leaves another world")
	}
	if left, _ := filepath.Glob(dir + "*.zip"); len(left) > 0 {
		t.Errorf("a backup of nothing: %v", left)
	}
}

// TestStoresCopyInterrupted tests that a copy is not a world before it contains all changes, that it is resumed after
// a failure, and that it is not resumed with other blocks.
func TestStoresCopyInterrupted(t *testing.T) {
	ctx := context.Background()
	dir := worldtest.World(t, filepath.Join(t.TempDir(), "world"), mapdb.Config{Backend: mapdb.SQLite}, 20, 29)
	worldtest.SetLine(t, filepath.Join(dir, "world.mt"), "gameid = minetest", "gameid = other")
	dst := filepath.Join(t.TempDir(), "copy")
	run := func(to string, last error) error {
		w, err := worldedit.Open(ctx, dir, worldedit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		all := worldedit.Region{Box: worldedit.Everywhere}
		if err := errors.Join(w.Do(ctx, worldedit.Replace(all, worldedit.Names{"default:stone"}, to, worldedit.Setting{})),
			change(ctx, w)); err != nil {
			t.Fatal(err)
		}
		if _, err := w.ListLight(); err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{nil, last} {
			w.AddPart(worldedit.Part{
				Keep: func(context.Context, worldedit.Keeper) error { return nil },
				Apply: func(_ context.Context, dir string, s *world.Settings) error {
					if _, err := os.Lstat(filepath.Join(dir, "world.mt")); err == nil {
						t.Error("it is a world already")
					}
					return errors.Join(err, s.Set("gameid", "minetest"))
				},
			})
		}
		_, err = w.Copy(ctx, dst, "the same", worldcopy.Options{})
		return err
	}
	killed := errors.New("killed")
	if err := run("default:dirt", killed); !errors.Is(err, killed) {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(dst, "world.mt")); err == nil {
		t.Error("half a copy is a world")
	}
	if err := run("default:sand", nil); !errors.Is(err, worldcopy.ErrOther) {
		t.Errorf("with other blocks: %v", err)
	}
	if err := run("default:dirt", nil); err != nil {
		t.Fatal(err)
	}
	if s, err := world.ReadWorldMT(dst); err != nil || s.GameID() != "minetest" {
		t.Error(s.GameID(), err)
	}
	list, err := os.ReadFile(filepath.Join(dst, worldedit.LightList))
	if n := strings.Count(string(list), "\n"); err != nil || n != 20 {
		t.Errorf("the list of light has %d lines, want 20: %v", n, err)
	}
	if got := kept(t, dst); !slices.Contains(got, "192.0.2.9|eve\n") {
		t.Errorf("%q", got)
	}
}

// TestLightListRestored tests that a backup restores the list of blocks whose light may be wrong.
func TestLightListRestored(t *testing.T) {
	ctx := context.Background()
	for _, old := range []string{"", "1,2,3\n", "1,2,3"} {
		dir := worldtest.World(t, filepath.Join(t.TempDir(), "world"), mapdb.Config{Backend: mapdb.SQLite}, 2, 29)
		if old != "" {
			judge.Write(t, filepath.Join(dir, worldedit.LightList), []byte(old))
		}
		before := worldtest.Snapshot(t, dir)
		w, err := worldedit.Open(ctx, dir, worldedit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		all := worldedit.Region{Box: worldedit.Everywhere}
		if err := w.Do(ctx, worldedit.Replace(all, worldedit.Names{"default:stone"}, "default:dirt", worldedit.Setting{})); err != nil {
			t.Fatal(err)
		}
		if n, err := w.ListLight(); n != 2 || err != nil {
			t.Fatal(n, err)
		}
		backup, err := w.InPlace(ctx, "")
		if err != nil {
			t.Fatal(err)
		}
		list := worldtest.Snapshot(t, dir)[worldedit.LightList]
		if got := strings.Fields(list); len(got) != 2+min(len(old), 1) {
			t.Errorf("%q", list)
		}
		if err := worldbackup.Restore(ctx, dir, backup, worldbackup.Options{}); err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(worldtest.Snapshot(t, dir), before) {
			t.Error("restored it has another list")
		}
	}
}

// TestTwiceInPlace tests that a block with two rows is not changed in place, because a backup contains only one of
// them.
func TestTwiceInPlace(t *testing.T) {
	ctx := context.Background()
	dir := worldtest.World(t, filepath.Join(t.TempDir(), "world"), mapdb.Config{Backend: mapdb.SQLite}, 3, 29)
	conn, err := sqlite.OpenConn(filepath.Join(dir, "map.sqlite"), sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	err = sqlitex.ExecuteScript(conn, "CREATE TABLE b AS SELECT * FROM blocks; INSERT INTO b SELECT pos, data FROM "+
		"blocks LIMIT 1; DROP TABLE blocks; ALTER TABLE b RENAME TO blocks;", nil)
	if err := errors.Join(err, conn.Close()); err != nil {
		t.Fatal(err)
	}
	all := worldedit.Region{Box: worldedit.Everywhere}
	for name, step := range map[string]worldedit.Step{
		"replace": worldedit.Replace(all, worldedit.Names{"default:stone"}, "default:dirt", worldedit.Setting{}),
		"delete":  worldedit.Delete(mapdb.All(), func(mapdb.Block) bool { return true }),
	} {
		w, err := worldedit.Open(ctx, dir, worldedit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		if err := w.Do(ctx, step); err != nil {
			t.Fatal(err)
		}
		if _, err := w.InPlace(ctx, ""); !errors.Is(err, mapdb.ErrReadOnly) || !strings.Contains(fmt.Sprint(err), "several rows") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
