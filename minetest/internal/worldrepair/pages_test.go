package worldrepair_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trowel.example/check"
	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/internal/worldbackup"
	"trowel.example/minetest/internal/worldrepair"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// TestDamagedPages tests that a database with damaged pages is replaced by its readable part, in a copy and in place,
// and that it is restored from the backup.
func TestDamagedPages(t *testing.T) {
	ctx := context.Background()
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 300, 28)
	path := filepath.Join(dir, "map.sqlite")
	truth := blocksOf(t, dir, mapdb.SQLite)
	data := judge.Read(t, path)
	for _, page := range []int{2, len(data) / 4096 / 2} {
		clear(data[(page-1)*4096 : page*4096])
	}
	judge.Write(t, path, data)
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	var planned, done []string
	plan, err := worldrepair.Plan(ctx, dir, worldrepair.Options{Sink: func(f check.Finding) { planned = append(planned, f.String()) }})
	if err != nil || cmp.Diff(plan.Databases, []string{"map.sqlite"}) != "" || plan.Lost == 0 {
		t.Fatalf("%+v, %v", plan, err)
	}
	dst := filepath.Join(t.TempDir(), "dst")
	r, err := worldrepair.Repair(ctx, dir, dst, worldrepair.Options{Sink: func(f check.Finding) { done = append(done, f.String()) }})
	if diff := cmp.Diff(plan, r); err != nil || diff != "" {
		t.Errorf("%v, %s", err, diff)
	}
	if diff := cmp.Diff(planned, done); diff != "" {
		t.Errorf("the plan told other things than the repair: %s", diff)
	}
	sound := func(name, dir string) {
		t.Helper()
		got := blocksOf(t, dir, mapdb.SQLite)
		if len(got) < len(truth)*3/4 || len(got) == len(truth) {
			t.Errorf("%s: %d of %d blocks", name, len(got), len(truth))
		}
		for p, data := range got {
			if truth[p] != data {
				t.Errorf("%s: %v is wrong", name, p)
			}
		}
		for _, f := range check.Collect(func(sink check.Sink) {
			if err := world.Check(ctx, dir, world.CheckOptions{}, sink); err != nil {
				t.Error(err)
			}
		}) {
			if f.Severity == check.Error {
				t.Errorf("%s: %v", name, f)
			}
		}
	}
	sound("copy", dst)
	if r, err = worldrepair.InPlace(ctx, dir, "", worldrepair.Options{}); err != nil {
		t.Fatal(err)
	}
	sound("in place", dir)
	if st, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
	for i := range 2 { // repairing twice gives the same result
		if err := worldbackup.Restore(ctx, dir, r.Backup, worldbackup.Options{}); err != nil {
			t.Fatal(i, err)
		}
		if !bytes.Equal(judge.Read(t, path), data) {
			t.Error("what was restored is not what was there")
		}
	}
}

// TestKilledRepair tests that a killed repair in place is completed by the next one.
func TestKilledRepair(t *testing.T) {
	ctx := context.Background()
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 100, 28)
	path := filepath.Join(dir, "map.sqlite")
	data := judge.Read(t, path)
	clear(data[len(data)/8192*4096:][:4096])
	judge.Write(t, path, data)
	dst := filepath.Join(t.TempDir(), "dst")
	if _, err := worldrepair.Repair(ctx, dir, dst, worldrepair.Options{}); err != nil {
		t.Fatal(err)
	}
	want := blocksOf(t, dst, mapdb.SQLite)
	for i, state := range []map[string]string{
		{".trowel-part-map.sqlite": "half"},
		{".trowel-rescued-map.sqlite": string(judge.Read(t, filepath.Join(dst, "map.sqlite"))), "map.sqlite-wal": "old"},
		{".trowel-rescued-map.sqlite": string(judge.Read(t, filepath.Join(dst, "map.sqlite")))},
	} {
		killed := filepath.Join(t.TempDir(), "killed")
		if err := os.CopyFS(killed, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		for name, text := range state {
			judge.Write(t, filepath.Join(killed, name), []byte(text))
		}
		if _, err := worldrepair.InPlace(ctx, killed, "", worldrepair.Options{}); err != nil {
			t.Fatal(i, err)
		}
		if diff := cmp.Diff(want, blocksOf(t, killed, mapdb.SQLite)); diff != "" {
			t.Error(fmt.Sprint(i, diff))
		}
		if left, _ := filepath.Glob(filepath.Join(killed, ".trowel*")); len(left) > 0 {
			t.Errorf("%d: left behind: %v", i, left)
		}
	}
}

// TestRepairLevelDB tests that a LevelDB database without its manifest, or with damaged tables, is repaired in place
// and in a copy, that it contains the blocks that reading finds, and that no damage is left.
func TestRepairLevelDB(t *testing.T) {
	file := func(dir, pattern string) string {
		files, err := filepath.Glob(filepath.Join(dir, "map.db", pattern))
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		return files[0]
	}
	remove := func(pattern string) func(string) {
		return func(dir string) {
			if err := os.Remove(file(dir, pattern)); err != nil {
				t.Fatal(err)
			}
		}
	}
	cut := func(pattern string, n int) func(string) {
		return func(dir string) {
			data := judge.Read(t, file(dir, pattern))
			judge.Write(t, file(dir, pattern), data[:len(data)-n])
		}
	}
	source := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.LevelDB}, 300, 28)
	for name, c := range map[string]struct {
		damage func(string)
		least  int
		lost   bool
	}{
		"no CURRENT":      {remove("CURRENT"), 300, false},
		"no manifest":     {remove("MANIFEST*"), 300, false},
		"manifest cut":    {cut("MANIFEST*", 30), 300, true}, // it names a log that does not exist
		"table cut":       {cut("*.ldb", 100), 300, true},
		"half of a table": {cut("*.ldb", len(judge.Read(t, file(source, "*.ldb")))/2), 100, true},
	} {
		dir := filepath.Join(t.TempDir(), "world")
		if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
			t.Fatal(err)
		}
		c.damage(dir)
		plan, err := worldrepair.Plan(t.Context(), dir, worldrepair.Options{})
		if err != nil {
			t.Fatal(name, err)
		}
		dst := filepath.Join(t.TempDir(), "dst")
		if _, err := worldrepair.Repair(t.Context(), dir, dst, worldrepair.Options{}); err != nil {
			t.Fatal(name, err)
		}
		r, err := worldrepair.InPlace(t.Context(), dir, "", worldrepair.Options{})
		if err != nil {
			t.Fatal(name, err)
		}
		if !slices.Equal(r.Databases, []string{"map.db"}) || !slices.Equal(plan.Databases, r.Databases) ||
			r.Lost > 0 != c.lost || r.Blocks < int64(c.least) {
			t.Errorf("%s: plan %+v, done %+v", name, plan, r)
		}
		done, copied := blocksOf(t, dir, mapdb.LevelDB), blocksOf(t, dst, mapdb.LevelDB)
		if diff := cmp.Diff(done, copied); diff != "" || len(done) != int(r.Blocks) {
			t.Errorf("%s: %d blocks in place, %d in the copy of %d", name, len(done), len(copied), r.Blocks)
		}
		if again, err := worldrepair.Plan(t.Context(), dir, worldrepair.Options{}); err != nil || again.Changes() || again.Rows > 0 {
			t.Errorf("%s: once more: %+v, %v", name, again, err)
		}
		if err := worldbackup.Restore(t.Context(), dir, r.Backup, worldbackup.Options{}); err != nil {
			t.Fatal(name, err)
		}
		if again, err := worldrepair.Plan(t.Context(), dir, worldrepair.Options{}); err != nil ||
			again.Blocks != plan.Blocks || !again.Changes() {
			t.Errorf("%s: restored: %+v, %v", name, again, err)
		}
	}
}

// TestHopelessStores tests that a store of any backend that cannot be read is not changed, and is reported.
func TestHopelessStores(t *testing.T) {
	for _, c := range []struct{ line, backend, file, text string }{
		{"auth_backend = ", "leveldb", "auth.db/CURRENT", "version https://git-lfs.github.com/spec/v1\n"},
		{"auth_backend = ", "sqlite3", "auth.sqlite", "version https://git-lfs.github.com/spec/v1\n"},
		{"mod_storage_backend = ", "files", "mod_storage/amod", "{\"a\":"},
		{"mod_storage_backend = ", "sqlite3", "mod_storage.sqlite", "version https://git-lfs.github.com/spec/v1\n"},
		{"auth_backend = ", "paper", "world.mt", ""},
	} {
		dir := damage(t, mapdb.SQLite)
		before, err := worldrepair.Plan(context.Background(), dir, worldrepair.Options{})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "world.mt")
		text := judge.Read(t, path)
		lines := slices.DeleteFunc(strings.SplitAfter(string(text), "\n"), func(l string) bool { return strings.HasPrefix(l, c.line) })
		judge.Write(t, path, []byte(strings.Join(lines, "")+c.line+c.backend+"\n"))
		if c.file != "world.mt" {
			judge.Write(t, filepath.Join(dir, filepath.FromSlash(c.file)), []byte(c.text))
		}
		r, err := worldrepair.Plan(context.Background(), dir, worldrepair.Options{})
		if err != nil || r.Hopeless != before.Hopeless+1 {
			t.Errorf("%s: %+v, %v", c.file, r, err)
		}
	}
}
