package worldcopy_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trowel.example/fault"
	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldcopy"
)

// TestReadonlyBackend tests that a world with a second, read-only database can be converted to one with a single
// database, and that a plain copy keeps both.
func TestReadonlyBackend(t *testing.T) {
	src := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.LevelDB}, 40, 28)
	under := filepath.Join(src, mapdb.UnderFolder)
	if err := errors.Join(os.Mkdir(under, 0o755), os.Rename(filepath.Join(src, "map.db"), filepath.Join(under, "map.db"))); err != nil {
		t.Fatal(err)
	}
	worldtest.SetLine(t, filepath.Join(src, "world.mt"), "backend = leveldb", "backend = sqlite3\nreadonly_backend = leveldb")
	top, err := mapdb.Create(t.Context(), src, mapdb.Config{Backend: mapdb.SQLite})
	if err == nil {
		err = errors.Join(top.Store(t.Context(), []mapdb.Block{{Pos: mapdb.Pos{X: 99}, Data: worldtest.Block(3, 28)}}), top.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	all := func(dir string) map[mapdb.Pos]string {
		s, err := world.ReadWorldMT(dir)
		if err != nil {
			t.Fatal(err)
		}
		db, _, err := world.OpenMap(t.Context(), dir, s, world.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		return worldtest.All(t, db)
	}
	want := all(src)
	if len(want) != 41 {
		t.Fatalf("%d blocks", len(want))
	}
	for _, target := range []string{"", "leveldb", "sqlite"} {
		dst := filepath.Join(t.TempDir(), "copy")
		r, err := worldcopy.Copy(t.Context(), src, dst, worldcopy.Options{Map: target})
		if err != nil || target != "" && r.Blocks != 41 {
			t.Fatalf("%q: %+v, %v", target, r, err)
		}
		if diff := cmp.Diff(want, all(dst)); diff != "" {
			t.Errorf("%q: %s", target, diff)
		}
		_, err = os.Stat(filepath.Join(dst, mapdb.UnderFolder, "map.db"))
		text := string(judge.Read(t, filepath.Join(dst, "world.mt")))
		if kept := target == ""; strings.Contains(text, "readonly_backend") != kept || errors.Is(err, fs.ErrNotExist) == kept {
			t.Errorf("%q: %v, %s", target, err, text)
		}
	}
	if err := os.RemoveAll(under); err != nil {
		t.Fatal(err)
	}
	if _, err := worldcopy.Copy(t.Context(), src, filepath.Join(t.TempDir(), "copy"),
		worldcopy.Options{Map: "leveldb"}); !errors.Is(err, fault.ErrFormat) {
		t.Errorf("without the second database: %v", err)
	}
}

// TestNoEmptyWorld tests that an unfinished copy cannot be opened as a world, and that a world whose database is
// missing is not treated as empty.
func TestNoEmptyWorld(t *testing.T) {
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 3, 28)
	open := func() error {
		s, err := world.ReadWorldMT(dir)
		if err != nil {
			t.Fatal(err)
		}
		db, _, err := world.OpenMap(t.Context(), dir, s, world.Options{})
		if err == nil {
			err = db.Close()
		}
		return err
	}
	judge.Write(t, filepath.Join(dir, world.CopyJournal), []byte(`{"Source":"hollow","Report":{"Blocks":7}}`))
	if err := open(); !errors.Is(err, world.ErrUnfinished) || !strings.Contains(err.Error(), "7 blocks of hollow") {
		t.Errorf("an unfinished copy: %v", err)
	}
	if err := errors.Join(os.Remove(filepath.Join(dir, world.CopyJournal)), os.Remove(filepath.Join(dir, "map.sqlite"))); err != nil {
		t.Fatal(err)
	}
	judge.Write(t, filepath.Join(dir, "env_meta.txt"), []byte("game_time = 1\nEnvArgsEnd\n"))
	if err := open(); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a played world without its database: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "env_meta.txt")); err != nil {
		t.Fatal(err)
	}
	if err := open(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a world that nobody has entered: %v", err)
	}
}
