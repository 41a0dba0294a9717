package cli

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel/internal/judge"
)

// envKills makes TestKillVerbs run: it takes minutes.
const envKills = "TROWEL_KILLS"

// deadly are the system calls at which runs are killed, each at its first, second and so
// on time. Which is which is counted for each thread: what moves between threads is covered by
// the steps of package output, which its own test counts.
var deadly = strings.Fields("write pwrite64 rename renameat renameat2 linkat fsync fdatasync syncfs unlink unlinkat mkdirat ftruncate fchmodat utimensat")

// seen is what a folder has in it: what files there are, with digests, but for what is hidden
// in the folders of runs.
type seen map[string]string

func look(t *testing.T, dir string) seen {
	t.Helper()
	s := make(seen)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		if strings.HasPrefix(e.Name(), ".trowel-") && strings.HasSuffix(e.Name(), ".tmp") {
			return fs.SkipDir
		}
		if e.IsDir() {
			s[rel] = "folder"
			return nil
		}
		data, err := os.ReadFile(path)
		s[rel] = fmt.Sprintf("%x", sha256.Sum256(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// same compares what folders have, but for what is in files that never are the same twice.
func (s seen) same(o seen, varies map[string]bool) bool {
	if len(s) != len(o) {
		return false
	}
	for name, digest := range s {
		if have, ok := o[name]; !ok || have != digest && !varies[name] {
			return false
		}
	}
	return true
}

// Every verb that writes, killed at every call that changes something on the disk: it leaves
// the old or the new, and when it is called again it makes the new and removes all it left.
// Late are those of which the next run ends what was begun.
func TestKillVerbs(t *testing.T) {
	if os.Getenv(envKills) == "" {
		t.Skipf("this takes minutes: set %s", envKills)
	}
	strace := judge.Find(t, "strace")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	trowel := filepath.Join(bin, "trowel")
	if err := os.Symlink(self, trowel); err != nil {
		t.Skip(err)
	}
	samples, err := filepath.Abs("../../samples")
	if err != nil {
		t.Fatal(err)
	}
	run := func(dir string, args ...string) *exec.Cmd {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "SAMPLES="+samples, "GOMAXPROCS=2")
		return cmd
	}
	const s = "$SAMPLES/"
	for _, c := range []struct {
		name  string
		setup []string // commands
		in    string   // the folder below, in which it runs
		args  string
		late  bool
	}{
		{"pack a map", nil, "", "pack " + s + "burrow -o x.map", false},
		{"pack over a map", []string{"touch x.map"}, "", "pack " + s + "burrow -o x.map -f", false},
		{"pack a mod", nil, "", "pack " + s + "ember --tables -o x.mod", false},
		{"convert to two files", []string{"trowel pack " + s + "ember -o x.mod"}, "", "convert x.mod -o x.pak --to torchlight-pak", true},
		{"convert over two files", []string{"trowel pack " + s + "ember -o x.mod", "touch x.pak x.pak.MAN"}, "", "convert x.mod -o x.pak --to torchlight-pak -f", true},
		{"pack a world", nil, "", "pack " + s + "hollow -o w", false},
		{"pack over a world", []string{"trowel pack " + s + "hollow -o w", "touch w/old.txt"}, "", "pack " + s + "hollow -o w -f", false},
		{"extract a map", []string{"trowel pack " + s + "burrow -o x.map"}, "", "extract x.map -o x", false},
		{"extract to an empty folder", []string{"trowel pack " + s + "burrow -o x.map", "mkdir x"}, "", "extract x.map -o x", false},
		{"extract to the current folder", []string{"trowel pack " + s + "burrow -o x.map", "mkdir x"}, "x", "extract ../x.map -o .", true},
		{"extract over a tree", []string{"trowel pack " + s + "burrow -o x.map", "trowel extract x.map", "sh -c 'echo old | tee x/map.json x/mine'"}, "", "extract x.map -o x -f", true},
		{"extract a world", []string{"trowel pack " + s + "hollow -o w"}, "", "extract w -o tree", false},
		{"repair a copy", []string{"trowel pack " + s + "hollow -o w"}, "", "repair w -o mended", false},
		{"repair over a copy", []string{"trowel pack " + s + "hollow -o w", "cp -r w mended", "touch mended/old.txt"}, "", "repair w -o mended -f", false},
		{"convert a map", []string{"trowel pack " + s + "burrow -o x.map"}, "", "convert x.map -o y.map --to ddnet", false},
		{"convert a world", []string{"trowel pack " + s + "hollow -o w"}, "", "convert w -o copy --to leveldb --auth files", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			shell := func(dir, line string) (string, error) {
				cmd := run(dir, "sh", "-c", line)
				cmd.Env = append(cmd.Env, "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
				out, err := cmd.CombinedOutput()
				return string(out), err
			}
			base := t.TempDir()
			for _, line := range c.setup {
				if out, err := shell(base, line); err != nil {
					t.Fatalf("%s: %v\n%s", line, err, out)
				}
			}
			old := look(t, base)
			fresh := func() string {
				dir := filepath.Join(t.TempDir(), "dir")
				if out, err := run(base, "cp", "-a", base, dir).CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				return dir
			}
			var wants []seen
			for range 2 {
				dir := fresh()
				if out, err := shell(filepath.Join(dir, c.in), "trowel "+c.args); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				wants = append(wants, look(t, dir))
			}
			now, varies := wants[0], make(map[string]bool)
			for name, digest := range now {
				varies[name] = wants[1][name] != digest
			}
			args := strings.Fields(os.Expand(c.args, func(string) string { return samples }))
			count := map[string]int{}
			for _, call := range deadly {
				for at := 1; ; at += 1 + at/20 { // each of the first, fewer of those that are alike
					dir := fresh()
					cmd := run(filepath.Join(dir, c.in), append([]string{strace, "-f", "-qqq", "-o", os.DevNull, "-e", "trace=" + call,
						"-e", fmt.Sprintf("inject=%s:signal=KILL:when=%d", call, at), trowel}, args...)...)
					out, err := cmd.CombinedOutput()
					var exit *exec.ExitError
					if err != nil && (!errors.As(err, &exit) || exit.ExitCode() > 0 && exit.ExitCode() < 128) {
						t.Fatalf("%v\n%s", err, out)
					}
					after := look(t, dir)
					switch {
					case after.same(old, varies):
						count["old"]++
					case after.same(now, varies):
						count["new"]++
					case c.late:
						count["late"]++
					default:
						t.Errorf("killed at %s %d: neither old nor new: %v", call, at, names(after))
					}
					said, again := shell(filepath.Join(dir, c.in), "trowel "+c.args)
					if done := look(t, dir); !done.same(now, varies) {
						t.Errorf("killed at %s %d, and run again (%v): %v, want %v\n%s", call, at, again, names(done), names(now), said)
					}
					if left, _ := filepath.Glob(filepath.Join(dir, ".trowel*")); len(left) > 0 {
						t.Errorf("killed at %s %d, and run again: left %q", call, at, left)
					}
					if err == nil {
						break
					}
				}
			}
			t.Logf("killed: %v", count)
			if count["old"] < 3 {
				t.Errorf("killed too seldom: %v", count)
			}
		})
	}
}

func names(s seen) []string {
	var list []string
	for name := range s {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}
