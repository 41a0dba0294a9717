package worldrepair_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/internal/worldbackup"
	"trowel.example/minetest/internal/worldrepair"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
)

// envKills makes TestKillInPlace kill the child at every system call, which takes minutes.
const envKills = "TROWEL_KILLS"

// TestInPlaceChild is the child process of TestKillInPlace.
func TestInPlaceChild(t *testing.T) {
	dir, backup, ok := strings.Cut(os.Getenv("TROWEL_TEST_REPAIR"), "|")
	if !ok {
		t.Skip("this is run by TestKillInPlace")
	}
	if _, err := worldrepair.InPlace(context.Background(), dir, backup, worldrepair.Options{}); err != nil {
		t.Fatal(err)
	}
}

// state is the contents of a world: the blocks, and all files except the databases of blocks.
type state struct {
	Blocks map[mapdb.Pos]string
	Files  map[string]string
}

func stateOf(t *testing.T, dir, backend string) state {
	t.Helper()
	db, err := mapdb.Open(t.Context(), dir, mapdb.Config{Backend: backend})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := state{make(map[mapdb.Pos]string), worldtest.Snapshot(t, dir)}
	for b, err := range db.Blocks(t.Context(), mapdb.All()) {
		var row *mapdb.RowError
		if errors.As(err, &row) {
			s.Blocks[mapdb.Pos{}] = "damaged pages"
		} else if err != nil {
			t.Fatal(err)
		} else {
			s.Blocks[b.Pos] += string(b.Data)
		}
	}
	for name := range s.Files {
		if strings.HasPrefix(name, ".trowel-") || strings.HasSuffix(name, ".trowel-part") {
			delete(s.Files, name)
		}
	}
	return s
}

// TestKillInPlace tests that a repair in place that is killed at any system call that changes the disk leaves each
// database and each file either old or new, that Restore makes the world old, and that another run makes it new.
func TestKillInPlace(t *testing.T) {
	tests.LongOnly(t, "runs many processes")
	all := os.Getenv(envKills) != ""
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	calls := strings.Fields("pwrite64 fsync renameat unlinkat")
	if all {
		calls = strings.Fields("write pwrite64 rename renameat renameat2 linkat fsync fdatasync unlink unlinkat mkdirat " +
			"ftruncate fchmodat utimensat")
	}
	pages := func(t *testing.T) string {
		dir := damage(t, mapdb.SQLite)
		path := filepath.Join(dir, "map.sqlite")
		data := judge.Read(t, path)
		clear(data[4096:8192])
		judge.Write(t, path, data)
		return dir
	}
	for _, c := range []struct {
		name, backend string
		make          func(*testing.T) string
	}{
		{"sqlite", mapdb.SQLite, func(t *testing.T) string { return damage(t, mapdb.SQLite) }},
		{"leveldb", mapdb.LevelDB, func(t *testing.T) string { return damage(t, mapdb.LevelDB) }},
		{"pages", mapdb.SQLite, pages},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			base := c.make(t)
			fresh := func() string {
				dir := filepath.Join(t.TempDir(), "world")
				if err := os.CopyFS(dir, os.DirFS(base)); err != nil {
					t.Fatal(err)
				}
				return dir
			}
			old := stateOf(t, fresh(), c.backend)
			done := fresh()
			if _, err := worldrepair.InPlace(t.Context(), done, "", worldrepair.Options{}); err != nil {
				t.Fatal(err)
			}
			want := stateOf(t, done, c.backend)
			count := map[string]int{}
			for _, call := range calls {
				for at := 1; ; {
					dir := fresh()
					backup := filepath.Join(filepath.Dir(dir), "backup.zip")
					cmd := exec.Command(self, "-test.run=^TestInPlaceChild$")
					cmd.Env = append(os.Environ(), "TROWEL_TEST_REPAIR="+dir+"|"+backup, "GOMAXPROCS=2")
					killed := judge.Killed(t, cmd, call, at)
					where := fmt.Sprintf("killed at %s %d", call, at)
					again := filepath.Join(filepath.Dir(dir), "again")
					if err := os.CopyFS(again, os.DirFS(dir)); err != nil {
						t.Fatal(err)
					}
					_, err := worldrepair.InPlace(t.Context(), again, "", worldrepair.Options{})
					if err != nil {
						t.Fatalf("%s, and run again: %v", where, err)
					}
					if diff := cmp.Diff(want, stateOf(t, again, c.backend)); diff != "" {
						t.Errorf("%s, and run again: %s", where, diff)
					}
					if _, err := os.Stat(backup); err == nil {
						if err := worldbackup.Restore(t.Context(), dir, backup, worldbackup.Options{}); err != nil {
							t.Fatalf("%s: %v", where, err)
						}
						count["restored"]++
					} else {
						count["old"]++
					}
					if diff := cmp.Diff(old, stateOf(t, dir, c.backend)); diff != "" {
						t.Errorf("%s, and restored: %s", where, diff)
					}
					for _, dir := range []string{dir, again} {
						for _, left := range leftIn(t, dir) {
							t.Errorf("%s: left %s", where, left)
						}
					}
					if !killed {
						break
					}
					at += 1 + at/20
					if !all {
						at *= 2 // a sample of the calls
					}
				}
			}
			t.Logf("killed: %v", count)
			if count["old"] < 2 || count["restored"] < 2 {
				t.Errorf("killed too seldom: %v", count)
			}
		})
	}
}

// leftIn returns the leftover files of runs in a folder.
func leftIn(t *testing.T, dir string) (left []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if strings.HasPrefix(e.Name(), ".trowel-") || strings.HasSuffix(e.Name(), ".trowel-part") {
			left = append(left, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return left
}
