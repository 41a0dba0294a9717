package verbs

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// envKills enables TestKillVerbs, which takes minutes.
const envKills = "TROWEL_KILLS"

// deadly are the system calls at which runs are killed, at the first, second and further occurrence.
// Occurrences are counted per thread: differences between threads are covered by package output, whose own test
// counts steps.
var deadly = strings.Fields("write pwrite64 rename renameat renameat2 linkat fsync fdatasync syncfs unlink unlinkat " +
	"mkdirat ftruncate fchmod utimensat")

// toBeKilled returns the path of the program, for a test that takes minutes.
func toBeKilled(t *testing.T) string {
	t.Helper()
	if os.Getenv(envKills) == "" {
		t.Skipf("this takes minutes: set %s", envKills)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	trowel := filepath.Join(t.TempDir(), "trowel")
	tests.Link(t, self, trowel)
	return trowel
}

// seen is the content of a folder: file names and digests, without the hidden files of running processes.
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
		if strings.HasPrefix(e.Name(), ".trowel-") && strings.HasSuffix(e.Name(), ".lock") {
			return nil
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

// same compares the content of folders, except for files whose content varies.
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

// TestKillVerbs kills every verb that writes, at every call that changes the disk, and tests that the output is
// the old or the new one, and that the next run completes the output and removes leftover data. Late are verbs
// whose next run completes an earlier one. In-place repairs are tested by package worldrepair.
func TestKillVerbs(t *testing.T) {
	trowel := toBeKilled(t)
	bin := filepath.Dir(trowel)
	samples, err := filepath.Abs("../../../samples")
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
	triple := []string{"trowel pack " + s + "burrow -o x.map", "trowel edit x.map -o y.map -- info --author Ann",
		"trowel edit x.map -o z.map -- info --license MIT"}
	for _, c := range []struct {
		name  string
		setup []string // commands
		in    string   // the folder in which it runs
		args  string
		late  bool
		loose bool // a resumed output may have other bytes with the same meaning
	}{
		{"pack a map", nil, "", "pack " + s + "burrow -o x.map", false, false},
		{"pack over a map", []string{"touch x.map"}, "", "pack " + s + "burrow -o x.map -f", false, false},
		{"pack a mod", nil, "", "pack " + s + "ember --tables -o x.mod", false, false},
		{"convert to two files", []string{"trowel pack " + s + "ember -o x.mod"}, "", "convert x.mod -o x.pak --to torchlight-pak", true, false},
		{"convert over two files", []string{"trowel pack " + s + "ember -o x.mod", "touch x.pak x.pak.MAN"}, "",
			"convert x.mod -o x.pak --to torchlight-pak -f", true, false},
		{"pack a world", nil, "", "pack " + s + "hollow -o w", false, false},
		{"pack over a world", []string{"trowel pack " + s + "hollow -o w", "touch w/old.txt"}, "", "pack " + s + "hollow -o w -f", false, false},
		{"extract a map", []string{"trowel pack " + s + "burrow -o x.map"}, "", "extract x.map -o x", false, false},
		{"extract to an empty folder", []string{"trowel pack " + s + "burrow -o x.map", "mkdir x"}, "", "extract x.map -o x", false, false},
		{"extract to the current folder", []string{"trowel pack " + s + "burrow -o x.map", "mkdir x"}, "x", "extract ../x.map -o .", true, false},
		{"extract over a tree", []string{"trowel pack " + s + "burrow -o x.map", "trowel extract x.map",
			"sh -c 'echo old | tee x/map.json x/mine'"}, "", "extract x.map -o x -f", true, false},
		{"extract a world", []string{"trowel pack " + s + "hollow -o w"}, "", "extract w -o tree", false, false},
		{"repair a copy", []string{"trowel pack " + s + "hollow -o w"}, "", "repair w -o mended", false, false},
		{"repair over a copy", []string{"trowel pack " + s + "hollow -o w", "cp -r w mended", "touch mended/old.txt"}, "",
			"repair w -o mended -f", false, false},
		{"convert a map", []string{"trowel pack " + s + "burrow -o x.map"}, "", "convert x.map -o y.map --to ddnet", false, false},
		{"edit a map", []string{"trowel pack " + s + "burrow -o x.map"}, "", "edit x.map -o y.map -- mirror", false, false},
		{"edit a map in place", []string{"trowel pack " + s + "burrow -o x.map"}, "",
			"edit x.map --in-place --backup b.map -- info --author Ann", true, false},
		{"edit a mod in place", []string{"trowel pack " + s + "ember -o x.mod"}, "",
			"edit x.mod --in-place --backup b.mod -- info --author Ann", true, false},
		{"edit an archive in place", []string{"trowel pack " + s + "ember -o x.mod",
			"trowel convert x.mod -o x.pak --to torchlight-pak"}, "",
			"edit x.pak --in-place --backup b.pak -- set SKILLS/** TARGET_ALIGNMENT GOOD", true, false},
		{"edit a folder", nil, "", "edit " + s + "burrow -o tree -- mirror", false, false},
		{"apply in place", []string{"trowel pack " + s + "burrow -o x.map", "trowel extract x.map -o piece map.json",
			"sed -i s/CC0/MIT/ piece/map.json"}, "", "apply piece x.map --in-place --backup b.map", true, false},
		{"merge", triple, "", "merge x.map y.map z.map -o new.map", false, false},
		{"merge over a map", append(triple, "touch new.map"), "", "merge x.map y.map z.map -o new.map -f", false, false},
		{"merge to a folder", triple, "", "merge x.map y.map z.map -o tree", false, false},
		{"merge for git", triple, "", "git merge x.map y.map z.map", false, false},
		{"convert a world", []string{"trowel pack " + s + "hollow -o w"}, "", "convert w -o copy --to sqlite --auth files", true, true},
		{"edit a copy of a world", []string{"trowel pack " + s + "hollow -o w"}, "", "edit w -o copy -- " + editWorld +
			" then rename-player singleplayer zoe", true, true},
		{"merge worlds", []string{"trowel pack " + s + "hollow -o w",
			"trowel edit w -o ours -- replace default:stone default:cobble",
			"trowel edit w -o theirs -- ban 192.0.2.9 eve then set-metadata text warm --all --where node=default:sign_wall_wood"}, "",
			"merge w ours theirs -o both", false, true},
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
				varies[name] = wants[1][name] != digest || c.loose && strings.HasSuffix(name, ".sqlite")
			}
			args := strings.Fields(os.Expand(c.args, func(string) string { return samples }))
			count := map[string]int{}
			for _, call := range deadly {
				for at := 1; ; at += 1 + at/20 { // all early calls, fewer of the later, similar ones
					dir := fresh()
					killed := judge.Killed(t, run(filepath.Join(dir, c.in), append([]string{trowel}, args...)...), call, at)
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
					for name, digest := range old { // the old content is b.map or is about to become it
						if strings.Contains(c.args, "--backup b.") && after[name] != digest && after["b"+name[1:]] != digest && !inWorkshop(t, dir, digest) {
							t.Errorf("killed at %s %d: %s has changed without a backup", call, at, name)
						}
					}
					said, again := shell(filepath.Join(dir, c.in), "trowel "+c.args)
					if done := look(t, dir); !done.same(now, varies) {
						t.Errorf("killed at %s %d, and run again (%v): %v, want %v\n%s", call, at, again, names(done), names(now), said)
					}
					if left, _ := filepath.Glob(filepath.Join(dir, ".trowel*")); len(left) > 0 {
						t.Errorf("killed at %s %d, and run again: left %q", call, at, left)
					}
					if !killed {
						break
					}
				}
			}
			t.Logf("killed: %v", count)
			if count["old"]+count["late"] < 3 && !c.loose {
				t.Errorf("killed too seldom: %v", count)
			}
		})
	}
}

// inWorkshop reports whether the hidden folder of a run contains a file with this digest.
func inWorkshop(t *testing.T, dir, digest string) bool {
	hidden, _ := filepath.Glob(filepath.Join(dir, ".trowel-*.tmp", "*"))
	return slices.ContainsFunc(hidden, func(path string) bool {
		data, err := os.ReadFile(path)
		return err == nil && fmt.Sprintf("%x", sha256.Sum256(data)) == digest
	})
}

// editWorld changes blocks, a store and a file of a world.
const editWorld = "replace default:stone default:cobble then set-storage x k v then ban 192.0.2.9 eve"

// TestKillInPlace kills in-place changes of a world at every call that changes the disk, and tests that a
// changed world has a backup that restores the old content, and that repeating the command completes the
// change.
func TestKillInPlace(t *testing.T) {
	trowel := toBeKilled(t)
	hollow, err := filepath.Abs("../../../samples/hollow")
	if err != nil {
		t.Fatal(err)
	}
	run := func(dir string, args ...string) *exec.Cmd {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOMAXPROCS=2")
		return cmd
	}
	must := func(dir string, args ...string) {
		t.Helper()
		if out, err := run(dir, args...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
	}
	base := t.TempDir()
	must(base, trowel, "pack", hollow, "-o", "w")
	must(base, trowel, "extract", "w", "-o", "piece", "blocks/*", "players/*")
	for name, words := range map[string][2]string{"blocks/z0/y0/0,0,0.txt": {"it is hot", "it is warm"},
		"players/singleplayer.json": {"\"hp\": 20", "\"hp\": 7"}} {
		path := filepath.Join(base, "piece", name)
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), words[0]) {
			t.Fatalf("%v: no %s in\n%s", err, words[0], text)
		}
		judge.Write(t, path, []byte(strings.Replace(string(text), words[0], words[1], 1)))
	}
	for name, args := range map[string][]string{
		"edit":  append(strings.Fields("edit w --in-place --allow-nothing --"), strings.Fields(editWorld)...),
		"apply": strings.Fields("apply piece w --in-place"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fresh := func(from string) string {
				dir := filepath.Join(t.TempDir(), "dir")
				must(base, "cp", "-a", from, dir)
				return dir
			}
			now := fresh(base)
			must(now, append([]string{trowel}, args...)...)
			same := func(dir, want string) bool {
				files, wants := look(t, filepath.Join(dir, "w")), look(t, filepath.Join(want, "w"))
				delete(files, "map.sqlite-journal") // SQLite ignores an empty journal and rolls back a valid one
				list := filepath.Join(dir, "w", "trowel_light.txt")
				if text, err := os.ReadFile(list); err == nil { // blocks may be listed twice
					lines := slices.Compact(slices.Sorted(strings.Lines(strings.TrimLeft(string(text), "\n"))))
					judge.Write(t, list, []byte(strings.TrimLeft(strings.Join(lines, ""), "\n")))
				}
				varies := map[string]bool{"trowel_light.txt": true} // files whose bytes vary; diff compares them
				for name := range wants {
					varies[name] = varies[name] || strings.HasSuffix(name, ".sqlite")
				}
				out, err := run(dir, trowel, "diff", "w", filepath.Join(want, "w")).CombinedOutput()
				if err != nil || !files.same(wants, varies) {
					t.Logf("%v, want %v: %v\n%s", names(files), names(wants), err, out)
				}
				return err == nil && files.same(wants, varies)
			}
			count := map[string]int{}
			for _, call := range deadly {
				for at := 1; ; at += 1 + at/20 {
					dir := fresh(base)
					killed := judge.Killed(t, run(dir, append([]string{trowel}, args...)...), call, at)
					again := fresh(dir)
					backups, _ := filepath.Glob(filepath.Join(dir, "w.backup-*.zip"))
					for _, backup := range backups {
						must(dir, trowel, "repair", "w", "--restore", backup)
						count["restored"]++
					}
					if !same(dir, base) {
						t.Errorf("killed at %s %d: with %d backups it is not what it was", call, at, len(backups))
					}
					must(again, append([]string{trowel}, args...)...)
					if !same(again, now) {
						t.Errorf("killed at %s %d, and run again: it is not what it should be", call, at)
					}
					if left, _ := filepath.Glob(filepath.Join(again, ".*")); len(left) > 0 {
						t.Errorf("killed at %s %d, and run again: left %q", call, at, left)
					}
					if count["runs"]++; !killed {
						break
					}
				}
			}
			t.Logf("killed: %v", count)
			if count["restored"] < 3 || count["restored"] == count["runs"] {
				t.Errorf("killed too seldom: %v", count)
			}
		})
	}
}

// TestKillUndo kills undo at every call that changes the disk, and tests that neither the file nor the undone state is lost, and that the
// next undo completes it.
func TestKillUndo(t *testing.T) {
	trowel := toBeKilled(t)
	burrow, err := filepath.Abs("../../../samples/burrow")
	if err != nil {
		t.Fatal(err)
	}
	base := t.TempDir()
	run := func(dir string, args ...string) *exec.Cmd {
		cmd := exec.Command(trowel, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOMAXPROCS=2")
		return cmd
	}
	must := func(dir string, args ...string) {
		t.Helper()
		if out, err := run(dir, args...).CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
	}
	must(base, "pack", burrow, "-o", "x.map")
	old := look(t, base)["x.map"]
	must(base, "edit", "x.map", "--in-place", "--", "info", "--author", "Ann")
	edited := look(t, base)["x.map"]
	count := map[string]int{}
	for _, call := range deadly {
		for at := 1; ; at++ {
			dir := filepath.Join(t.TempDir(), "dir")
			if out, err := exec.Command("cp", "-a", base, dir).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			killed := judge.Killed(t, run(dir, "undo", "x.map"), call, at)
			now := look(t, dir)
			kept := slices.Collect(maps.Values(now))
			if file := now["x.map"]; file != old && file != edited && !inWorkshop(t, dir, edited) || !slices.Contains(kept, old) ||
				!slices.Contains(kept, edited) && !inWorkshop(t, dir, edited) {
				t.Errorf("killed at %s %d: %v", call, at, now)
			}
			if now["x.map"] == edited {
				count["edited"]++
			} else {
				count["undone"]++
			}
			out, err := run(dir, "undo", "x.map").CombinedOutput() // an error if the killed one was complete
			if now = look(t, dir); now["x.map"] != old || !slices.Contains(slices.Collect(maps.Values(now)), edited) || len(now) != 2 {
				t.Errorf("killed at %s %d, and run again (%v): %v\n%s", call, at, err, now, out)
			}
			if !killed {
				break
			}
		}
	}
	if t.Logf("killed: %v", count); count["edited"] < 3 || count["undone"] < 3 {
		t.Error("killed too seldom")
	}
}

// TestKillLarge kills runs with large files and folders at random times.
func TestKillLarge(t *testing.T) {
	trowel := toBeKilled(t)
	large := func(version uint16, toys int) []byte {
		b := &box{version: version}
		r := rand.New(rand.NewPCG(uint64(version), 0))
		for i := range toys {
			data := make([]byte, 10000)
			for j := range data {
				data[j] = byte(r.Uint32())
			}
			b.toys = append(b.toys, toy{fmt.Sprintf("%d/%d", i%100, i), data})
		}
		return b.encode()
	}
	base := t.TempDir()
	for name, data := range map[string][]byte{"old.box": large(1, 1000), "new.box": large(2, 1200)} {
		judge.Write(t, filepath.Join(base, name), data)
	}
	run := func(args ...string) *exec.Cmd {
		cmd := exec.Command(trowel, args...)
		cmd.Dir = base
		return cmd
	}
	if out, err := run("extract", "new.box", "-o", "tree").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, c := range []struct {
		name, old string // the existing target
		target    string
		args      []string
		late      bool
	}{
		{"pack", "", "x.box", []string{"pack", "tree", "-o", "x.box"}, false},
		{"pack over a file", "old.box", "x.box", []string{"pack", "tree", "-o", "x.box", "-f"}, false},
		{"extract", "", "x", []string{"extract", "new.box", "-o", "x"}, false},
		{"extract over a tree", "old.box", "x", []string{"extract", "new.box", "-o", "x", "-f"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			lay := func() seen {
				target := filepath.Join(base, c.target)
				err := os.RemoveAll(target)
				switch {
				case err != nil || c.old == "":
				case c.target == "x":
					_, err = run("extract", c.old, "-o", "x").CombinedOutput()
				default:
					var data []byte
					if data, err = os.ReadFile(filepath.Join(base, c.old)); err == nil {
						err = os.WriteFile(target, data, 0o666)
					}
				}
				if err != nil {
					t.Fatal(err)
				}
				return look(t, base)
			}
			old := lay()
			began := time.Now()
			if out, err := run(c.args...).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			took := time.Since(began)
			now := look(t, base)
			count := map[string]int{}
			for range 10 {
				lay()
				cmd := run(c.args...)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				time.Sleep(rand.N(took))
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
				switch after := look(t, base); {
				case after.same(old, nil):
					count["old"]++
				case after.same(now, nil):
					count["new"]++
				case c.late:
					count["late"]++
				default:
					t.Error("neither old nor new")
				}
				said, err := run(c.args...).CombinedOutput()
				if done := look(t, base); !done.same(now, nil) {
					t.Errorf("run again: not the new (%v)\n%s", err, said)
				}
				if left, _ := filepath.Glob(filepath.Join(base, ".trowel*")); len(left) > 0 {
					t.Errorf("left behind: %q", left)
				}
			}
			t.Logf("killed: %v", count)
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
