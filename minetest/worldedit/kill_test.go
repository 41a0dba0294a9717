package worldedit_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/files/filelock"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/internal/worldbackup"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldcopy"
	"trowel.example/minetest/worldedit"
)

// envKills makes TestKillInPlace kill the child at every system call, which takes minutes.
const envKills = "TROWEL_KILLS"

// edit replaces a name in a world in place.
func edit(ctx context.Context, dir, backup string) error {
	w, err := worldedit.Open(ctx, dir, worldedit.Options{})
	if err != nil {
		return err
	}
	defer w.Close()
	everywhere := worldedit.Region{Box: worldedit.Everywhere}
	if err := w.Do(ctx, worldedit.Replace(everywhere, worldedit.Names{"default:stone"}, "test:new", worldedit.Setting{})); err != nil {
		return err
	}
	_, err = w.InPlace(ctx, backup)
	return err
}

// TestInPlaceChild is the child process of TestKillInPlace.
func TestInPlaceChild(t *testing.T) {
	dir, backup, ok := strings.Cut(os.Getenv("TROWEL_TEST_EDIT"), "|")
	if !ok {
		t.Skip("this is run by TestKillInPlace")
	}
	if err := edit(context.Background(), dir, backup); err != nil {
		t.Fatal(err)
	}
}

// TestKillInPlace tests that an edit in place that is killed at a system call that changes the disk leaves all blocks
// old or all blocks new, that the backup, if it exists, restores the old blocks, and that another run completes the
// edit.
func TestKillInPlace(t *testing.T) {
	tests.LongOnly(t, "runs many processes")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	step := 9
	if os.Getenv(envKills) != "" {
		step = 1
	}
	ctx := context.Background()
	for _, backend := range []string{mapdb.SQLite, mapdb.LevelDB} {
		t.Run(backend, func(t *testing.T) {
			base := worldtest.World(t, filepath.Join(t.TempDir(), "base"), mapdb.Config{Backend: backend}, 60)
			old := worldtest.BlocksOf(t, base)
			fresh := func() string {
				dir := filepath.Join(t.TempDir(), "world")
				if err := os.CopyFS(dir, os.DirFS(base)); err != nil {
					t.Fatal(err)
				}
				return dir
			}
			done := fresh()
			if err := edit(ctx, done, ""); err != nil {
				t.Fatal(err)
			}
			want := worldtest.BlocksOf(t, done)
			count := make(map[string]int)
			for _, call := range strings.Fields("pwrite64 fsync renameat unlinkat") {
				for at := 1; ; at += step {
					dir := fresh()
					backup := filepath.Join(filepath.Dir(dir), "backup.zip")
					cmd := exec.Command(self, "-test.run=^TestInPlaceChild$")
					cmd.Env = append(os.Environ(), "TROWEL_TEST_EDIT="+dir+"|"+backup, "GOMAXPROCS=2")
					killed := judge.Killed(t, cmd, call, at)
					where := fmt.Sprintf("killed at %s %d", call, at)
					again := filepath.Join(filepath.Dir(dir), "again")
					if err := os.CopyFS(again, os.DirFS(dir)); err != nil {
						t.Fatal(err)
					}
					switch now := worldtest.BlocksOf(t, dir); {
					case maps.Equal(now, old):
						count["old"]++
					case maps.Equal(now, want):
						count["new"]++
					default:
						t.Errorf("%s: some blocks are old and some new", where)
					}
					if err := edit(ctx, again, ""); err != nil {
						t.Fatalf("%s, and run again: %v", where, err)
					}
					same(t, worldtest.BlocksOf(t, again), want)
					if _, err := os.Stat(backup); err == nil {
						if err := worldbackup.Restore(ctx, dir, backup, worldbackup.Options{}); err != nil {
							t.Fatalf("%s: %v", where, err)
						}
						count["restored"]++
						same(t, worldtest.BlocksOf(t, dir), old)
					}
					if !killed {
						break
					}
				}
			}
			if t.Logf("killed: %v", count); count["old"] < 2 || count["new"] < 1 || count["restored"] < 2 {
				t.Errorf("killed too seldom: %v", count)
			}
		})
	}
}

// TestInUse tests that a world that a program has open can be read, but not changed in place.
func TestInUse(t *testing.T) {
	ctx := context.Background()
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 20)
	before := worldtest.BlocksOf(t, dir)
	server := exec.Command("tail", "-f", filepath.Join(dir, "map.sqlite"))
	if err := server.Start(); err != nil {
		t.Skip(err)
	}
	defer func() {
		server.Process.Kill()
		server.Wait()
	}()
	for i := 0; filelock.CheckUnused(dir) == nil; i++ {
		if i == 1000 {
			t.Skip("nobody can say here which program has a file open")
		}
		exec.Command("sleep", "0.01").Run()
	}
	if err := edit(ctx, dir, ""); !errors.Is(err, mapdb.ErrInUse) {
		t.Errorf("in use: %v", err)
	}
	same(t, worldtest.BlocksOf(t, dir), before)
}

// TestCopyGoesOn tests that a copy that was stopped while blocks were written is resumed by the same steps with the
// same name, and by nothing else.
func TestCopyGoesOn(t *testing.T) {
	tests.NotRaced(t, "kills and restarts what runs alone")
	dir := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, tests.Of(t, 1500, 5000), 29)
	dst := filepath.Join(t.TempDir(), "copy")
	run := func(ctx context.Context, name string, stop func(done int)) (*worldedit.World, error) {
		w := open(t, dir)
		everywhere := worldedit.Region{Box: worldedit.Everywhere}
		if err := w.Do(context.Background(), worldedit.Replace(everywhere, worldedit.Names{"default:dirt"}, "test:new",
			worldedit.Setting{})); err != nil {
			t.Fatal(err)
		}
		_, err := w.Copy(ctx, dst, name, worldcopy.Options{OnProgress: func(what string, done, _ int) {
			if what == "blocks" {
				stop(done)
			}
		}})
		return w, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := run(ctx, "x", func(int) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if _, err := run(context.Background(), "y", func(int) {}); !errors.Is(err, worldcopy.ErrOther) {
		t.Errorf("other steps: %v", err)
	}
	w, err := run(context.Background(), "x", func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	same(t, worldtest.BlocksOf(t, dst), worldtest.All(t, w))
}
