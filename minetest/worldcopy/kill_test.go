package worldcopy_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldcopy"
)

// The arguments of the child process of TestKill.
const (
	envSource = "TROWEL_TEST_COPY_SOURCE"
	envTarget = "TROWEL_TEST_COPY_TARGET"
	envKind   = "TROWEL_TEST_COPY_KIND"
)

func killOptions(kind string) worldcopy.Options {
	return worldcopy.Options{Map: kind, Blocks: 29, Players: "sqlite3", Auth: "leveldb"}
}

// TestKillChild is the child process of TestKill. It reports its progress and waits for permission to continue.
func TestKillChild(t *testing.T) {
	src := os.Getenv(envSource)
	if src == "" {
		t.Skip("this is run by TestKill")
	}
	o := killOptions(os.Getenv(envKind))
	goOn := bufio.NewReader(os.Stdin)
	o.OnProgress = func(what string, done, of int) {
		fmt.Printf("at %d %s\n", done, what)
		goOn.ReadString('\n')
	}
	r, err := worldcopy.Copy(context.Background(), src, os.Getenv(envTarget), o)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("resumed %d\n", r.Resumed)
}

// TestKill tests that a copy that is killed repeatedly, while it copies blocks or players or is verified, is
// continued each time and gives the same result.
func TestKill(t *testing.T) {
	tests.LongOnly(t, "it takes a few seconds")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const n = 11000 // three transactions
	src := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, n, 28, 25, 22, 29)
	for _, kind := range []string{"sqlite", "sqlite-pos", mapdb.LevelDB} {
		t.Run(kind, func(t *testing.T) {
			whole, killed := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "killed")
			want, err := worldcopy.Copy(context.Background(), src, whole, killOptions(kind))
			if err != nil {
				t.Fatal(err)
			}
			at := map[string]bool{"files": true, "blocks": true, "players": true, "accounts": true, "mods": true, "verify": true}
			kills := 0
			for {
				child := exec.Command(self, "-test.run=^TestKillChild$", "-test.v")
				child.Env = append(os.Environ(), envSource+"="+src, envTarget+"="+killed, envKind+"="+kind)
				out, err := child.StdoutPipe()
				in, err2 := child.StdinPipe()
				if err := errors.Join(err, err2); err != nil {
					t.Fatal(err)
				}
				if err := child.Start(); err != nil {
					t.Fatal(err)
				}
				lines := bufio.NewScanner(out)
				var said strings.Builder
				for lines.Scan() {
					said.WriteString(lines.Text() + "\n")
					var done int
					var what string
					if _, err := fmt.Sscanf(lines.Text(), "at %d %s", &done, &what); err != nil {
						continue
					}
					if !at[what] {
						io.WriteString(in, "\n")
					} else {
						// Kill once at each stage and at each transaction.
						at[what] = what == "blocks" && done < n
						kills++
						if err := child.Process.Kill(); err != nil {
							t.Fatal(err)
						}
					}
				}
				if err := child.Wait(); err == nil {
					if !strings.Contains(said.String(), fmt.Sprintf("resumed %d", n)) {
						t.Errorf("the last run says %s", &said)
					}
					break
				} else if child.ProcessState.ExitCode() > 0 {
					t.Fatalf("%v: %s", err, &said)
				}
			}
			if kills <= len(at)+1 {
				t.Errorf("only %d kills", kills)
			}
			if diff := cmp.Diff(worldtest.BlocksOf(t, whole), worldtest.BlocksOf(t, killed)); diff != "" {
				t.Error(diff)
			}
			if len(worldtest.BlocksOf(t, killed)) != n || want.Blocks != n {
				t.Errorf("%+v", want)
			}
			a, b := judge.Files(t, whole), judge.Files(t, killed)
			for name := range a {
				if binary := strings.HasPrefix(name, "map.") || strings.HasPrefix(name, "auth.db") ||
					name == "players.sqlite"; !binary && a[name] != b[name] {
					t.Errorf("%s: %q, after kills %q", name, a[name], b[name])
				}
			}
			for name := range b {
				if strings.Contains(name, "trowel") {
					t.Errorf("left behind: %s", name)
				}
			}
		})
	}
}

// TestCancel tests that a canceled copy is continued, and that a different copy is rejected.
func TestCancel(t *testing.T) {
	n := tests.Of[int64](t, 4500, 9000)
	src := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, int(n), 28)
	want := worldtest.BlocksOf(t, src)
	for _, kind := range worldcopy.Targets() {
		t.Run(kind, func(t *testing.T) {
			o := target(t, kind)
			dst := filepath.Join(t.TempDir(), "dst")
			ctx, cancel := context.WithCancel(context.Background())
			o.OnProgress = func(what string, done, _ int) {
				if what == "blocks" {
					cancel()
				}
			}
			if _, err := worldcopy.Copy(ctx, src, dst, o); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if _, err := os.Stat(filepath.Join(dst, "world.mt")); err == nil {
				t.Error("half a copy has a world.mt")
			}
			o.OnProgress = nil
			other := o
			other.Blocks = 29
			if _, err := worldcopy.Copy(context.Background(), src, dst, other); !errors.Is(err, worldcopy.ErrOther) {
				t.Errorf("with other options: %v", err)
			}
			r, err := worldcopy.Copy(context.Background(), src, dst, o)
			if err != nil || r.Blocks != n || r.Resumed == 0 || r.Resumed == n {
				t.Errorf("%+v, %v", r, err)
			}
			if diff := cmp.Diff(want, worldtest.BlocksOf(t, dst)); diff != "" {
				t.Error(diff)
			}
			if kind == mapdb.Postgres || kind == mapdb.RedisDB {
				again := filepath.Join(t.TempDir(), "again")
				if _, err := worldcopy.Copy(context.Background(), src, again, o); !errors.Is(err, fs.ErrExist) {
					t.Errorf("onto blocks that are there: %v", err)
				}
			}
		})
	}
}

// TestSystemCrash tests that a later run detects what a system crash lost: the progress, parts of the database, or
// both.
func TestSystemCrash(t *testing.T) {
	tests.NotRaced(t, "kills and restarts what runs alone")
	n := tests.Of[int64](t, 4500, 9000)
	src := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, int(n), 28)
	want := worldtest.BlocksOf(t, src)
	zero := func(t *testing.T, path string, part int64) { // fills a file with zeros from part on
		info, err := os.Stat(path)
		if err == nil {
			size := info.Size()
			err = errors.Join(os.Truncate(path, size*part/4), os.Truncate(path, size))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	note, database := ".trowel-copy-progress", "map.sqlite"
	for _, c := range []struct {
		name, kind, until string
		crash             func(t *testing.T, dst string)
	}{
		{"the note", "sqlite-pos", "blocks", func(t *testing.T, dst string) { zero(t, filepath.Join(dst, note), 0) }},
		{"the end of the database", "sqlite-pos", "blocks", func(t *testing.T, dst string) { zero(t, filepath.Join(dst, database), 3) }},
		{"most of the database", "sqlite", "blocks", func(t *testing.T, dst string) { zero(t, filepath.Join(dst, database), 1) }},
		{"all of the database", "sqlite", "blocks", func(t *testing.T, dst string) { zero(t, filepath.Join(dst, database), 0) }},
		{"the note after the blocks", mapdb.LevelDB, "verify", func(t *testing.T, dst string) { zero(t, filepath.Join(dst, note), 0) }},
		{"both after the blocks", "sqlite-pos", "verify", func(t *testing.T, dst string) {
			zero(t, filepath.Join(dst, note), 0)
			zero(t, filepath.Join(dst, database), 2)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dst := filepath.Join(t.TempDir(), "dst")
			ctx, cancel := context.WithCancel(context.Background())
			o := worldcopy.Options{Map: c.kind, OnProgress: func(what string, _, _ int) {
				if what == c.until {
					cancel()
				}
			}}
			if _, err := worldcopy.Copy(ctx, src, dst, o); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			c.crash(t, dst)
			o.OnProgress = nil
			if r, err := worldcopy.Copy(context.Background(), src, dst, o); err != nil || r.Blocks != n {
				t.Fatalf("%+v, %v", r, err)
			}
			if diff := cmp.Diff(want, worldtest.BlocksOf(t, dst)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestChanged tests that a change of the world between two runs is reported.
func TestChanged(t *testing.T) {
	const n = 9000
	src := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, n, 28)
	dst := filepath.Join(t.TempDir(), "dst")
	ctx, cancel := context.WithCancel(context.Background())
	o := worldcopy.Options{Map: mapdb.LevelDB, OnProgress: func(what string, _, _ int) {
		if what == "blocks" {
			cancel()
		}
	}}
	if _, err := worldcopy.Copy(ctx, src, dst, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	w, err := mapdb.OpenForWriting(context.Background(), src, mapdb.Config{Backend: mapdb.SQLite})
	if err != nil {
		t.Fatal(err)
	}
	err = w.Update(context.Background(), func(tx mapdb.Tx) error { return tx.Delete(worldtest.Pos(0)) })
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := worldcopy.Copy(context.Background(), src, dst, worldcopy.Options{Map: mapdb.LevelDB}); !errors.Is(err, worldcopy.ErrChanged) {
		t.Error(err)
	}
}

// TestJournal tests that invalid journals are rejected.
func TestJournal(t *testing.T) {
	src := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, 1)
	for _, text := range []string{"", "{", `{"Stage":-1}`, `{"Stage":99}`, `[]`} {
		dst := t.TempDir()
		judge.Write(t, filepath.Join(dst, ".trowel-copy"), []byte(text))
		if _, err := worldcopy.Copy(context.Background(), src, dst, worldcopy.Options{}); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}
