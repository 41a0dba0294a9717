package output

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"trowel.example/internal/testing/tests"
)

// snapshot lists all files and folders in a folder, except for workshops.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		if e.IsDir() && workshopName.MatchString(e.Name()) {
			return fs.SkipDir
		}
		if strings.HasSuffix(e.Name(), ".lock") {
			return nil
		}
		rel, _ := filepath.Rel(dir, path)
		data, _ := os.ReadFile(path)
		fmt.Fprintf(&b, "%s=%s;", filepath.ToSlash(rel), data)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func put(dir string, files ...string) error {
	for _, file := range files {
		name, data, _ := strings.Cut(file, "=")
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o777), os.WriteFile(at, []byte(data), 0o666)); err != nil {
			return err
		}
	}
	return nil
}

// makeFiles writes the files target and target + suffix.
func makeFiles(target string, suffixes ...string) error {
	o, err := New(target, Options{Replace: true})
	if err != nil {
		return err
	}
	defer o.Discard()
	for _, suffix := range suffixes {
		w, err := o.Create(suffix)
		if err == nil {
			_, err = io.WriteString(w, "new"+suffix)
		}
		if err != nil {
			return err
		}
	}
	return o.Commit()
}

// makeInPlace replaces a held file and its companion files; the old ones become x.old.
func makeInPlace(target string, suffixes ...string) error {
	h, err := Hold(context.Background(), target, nil)
	if err != nil {
		return err
	}
	defer h.Release()
	o, err := New(h.Path, Options{Replace: true, Held: h, Backup: h.Path + ".old"})
	if err != nil {
		return err
	}
	defer o.Discard()
	for _, suffix := range suffixes {
		w, err := o.Create(suffix)
		if err == nil {
			_, err = io.WriteString(w, "new"+suffix)
		}
		if err != nil {
			return err
		}
	}
	return o.Commit()
}

// makeFolder writes a folder.
func makeFolder(o *Output, err error) error {
	if err != nil {
		return err
	}
	defer o.Discard()
	dir, err := o.Dir()
	if err == nil {
		err = put(dir, "a=new", "sub/b=new", "sub/deep/c=new")
	}
	if err != nil {
		return err
	}
	return o.Commit()
}

// killed lists the kinds of outputs. Old are the files that exist before. With late, a killed run may leave work that
// only the next run completes. On Windows names cannot be exchanged.
var killed = []struct {
	name string
	old  []string
	run  func(dir string) error
	late bool
}{
	{"file", nil, func(dir string) error { return makeFiles(filepath.Join(dir, "x"), "") }, false},
	{"file over a file", []string{"x=old"}, func(dir string) error { return makeFiles(filepath.Join(dir, "x"), "") }, onWindows},
	{"two files", nil, func(dir string) error { return makeFiles(filepath.Join(dir, "x"), "", ".man") }, true},
	{"two files over two", []string{"x=old", "x.man=old"},
		func(dir string) error { return makeFiles(filepath.Join(dir, "x"), "", ".man") }, true},
	{"two files over one", []string{"x=old"}, func(dir string) error { return makeFiles(filepath.Join(dir, "x"), "", ".man") }, true},
	{"file over a file, no exchange", []string{"x=old"}, func(dir string) error {
		noExchange = true
		return makeFiles(filepath.Join(dir, "x"), "")
	}, true},
	{"file in place", []string{"x=old"}, func(dir string) error { return makeInPlace(filepath.Join(dir, "x"), "") }, true},
	{"two files in place, no exchange", []string{"x=old", "x.man=old"}, func(dir string) error {
		noExchange = true
		return makeInPlace(filepath.Join(dir, "x"), "", ".man")
	}, true},
	{"folder", nil, func(dir string) error { return makeFolder(New(filepath.Join(dir, "w"), Options{Replace: true})) }, false},
	{"folder over a folder", []string{"w/a=old", "w/more=old"}, func(dir string) error {
		return makeFolder(New(filepath.Join(dir, "w"), Options{Replace: true}))
	}, onWindows},
	{"folder over a folder, no exchange", []string{"w/a=old", "w/more=old", "w.bak/mine=mine"}, func(dir string) error {
		noExchange = true
		return makeFolder(New(filepath.Join(dir, "w"), Options{Replace: true}))
	}, true},
	{"into an empty folder", []string{"w/"}, func(dir string) error {
		return makeFolder(Into(filepath.Join(dir, "w"), Options{}))
	}, onWindows},
	{"into the current folder", []string{"w/"}, func(dir string) error {
		if err := os.Chdir(filepath.Join(dir, "w")); err != nil {
			return err
		}
		return makeFolder(Into(".", Options{}))
	}, true},
	{"into a folder with others", []string{"w/a=old", "w/more=old", "w/sub/b=old"}, func(dir string) error {
		return makeFolder(Into(filepath.Join(dir, "w"), Options{Replace: true}))
	}, true},
}

// wasKilled reports whether a failed process was killed. On Windows a killed process fails without output.
func wasKilled(child *exec.Cmd, out []byte) bool {
	return child.ProcessState.ExitCode() < 0 || onWindows && len(out) == 0
}

// isLink reports whether path is a symbolic link: on Wine, creating one has no effect and no error.
func isLink(path string) bool {
	_, err := os.Readlink(path)
	return err == nil
}

const envKill = "TROWEL_TEST_KILL"

// TestKillChild is the child process of TestKill: it kills itself before a step.
func TestKillChild(t *testing.T) {
	what, dir, ok := strings.Cut(os.Getenv(envKill), "|")
	if !ok {
		t.Skip("this is run by TestKill")
	}
	scene, _ := strconv.Atoi(what)
	at, dir, _ := strings.Cut(dir, "|")
	left, _ := strconv.Atoi(at)
	Step = func() {
		if left--; left < 0 {
			self, _ := os.FindProcess(os.Getpid())
			_ = self.Kill()
			select {}
		}
	}
	if err := killed[scene].run(dir); err != nil {
		t.Fatal(err)
	}
}

// TestKill tests that a run killed at any step leaves the old or the new files, and that the next run there completes
// the new ones and removes temporary files, and nothing else.
func TestKill(t *testing.T) {
	tests.NotRaced(t, "kills and restarts what runs alone")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	lay := func(t *testing.T, old []string) (dir string) {
		dir = t.TempDir()
		for _, file := range append(slices.Clone(old), "other=other", ".trowel-mine.tmp=mine", ".trowel-0123456789abcdef.tmp=a file") {
			var err error
			if name, folder := strings.CutSuffix(file, "/"); folder {
				err = os.Mkdir(filepath.Join(dir, name), 0o777)
			} else {
				err = put(dir, file)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		// A folder that looks like a workshop but is not.
		if err := put(dir, ".trowel-fedcba9876543210.tmp/precious=mine"); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	hidden := func(t *testing.T, dir string) (list []string) {
		_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err == nil && (workshopName.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".lock")) {
				list = append(list, e.Name())
			}
			return nil
		})
		return list
	}
	for i, k := range killed {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			fresh := lay(t, k.old)
			old := snapshot(t, fresh)
			run := func(dir string, at int) error {
				child := exec.Command(self, "-test.run=^TestKillChild$")
				child.Env = append(os.Environ(), fmt.Sprintf("%s=%d|%d|%s", envKill, i, at, dir))
				out, err := child.CombinedOutput()
				if err != nil && !wasKilled(child, out) {
					t.Fatalf("%v\n%s", err, out)
				}
				return err
			}
			if err := run(fresh, 1<<30); err != nil {
				t.Fatal(err)
			}
			now := snapshot(t, fresh)
			if now == old || len(hidden(t, fresh)) != 2 {
				t.Fatalf("was %s, is %s, hidden %v", old, now, hidden(t, fresh))
			}
			seen := map[string]int{}
			for at := 0; ; at++ {
				dir := lay(t, k.old)
				ended := run(dir, at) == nil
				after := snapshot(t, dir)
				switch {
				case after == old:
					seen["old"]++
				case after == now:
					seen["new"]++
				case k.late:
					seen["late"]++
				default:
					t.Errorf("killed at step %d: neither %s nor %s but %s", at, old, now, after)
				}
				recoverRuns(dir)
				recoverRuns(filepath.Join(dir, "w"))
				recovered := snapshot(t, dir)
				if recovered != old && recovered != now && !strings.Contains(recovered, "w.bak2/a=old") &&
					!(onWindows && strings.Contains(recovered, "w.bak/a=old")) {
					t.Errorf("killed at step %d, then recovered: neither %s nor %s but %s", at, old, now, recovered)
				}
				if list := hidden(t, dir); len(list) != 2 {
					t.Errorf("killed at step %d: left behind: %v", at, list)
				}
				if ended {
					break
				}
				if recovered == old {
					if err := run(dir, 1<<30); err != nil {
						t.Fatal(err)
					}
					if again := snapshot(t, dir); again != now {
						t.Errorf("killed at step %d, and run again: %s, want %s", at, again, now)
					}
				}
			}
			if seen["old"] < 5 || seen["new"] < 3 || k.late != (seen["late"] > 0) {
				t.Errorf("how it was left: %v", seen)
			}
		})
	}
}

// TestAlive tests that files of a running process are not touched, nor files whose names only look like those of a
// workshop.
func TestAlive(t *testing.T) {
	dir := t.TempDir()
	o := start(t, filepath.Join(dir, "x"), false)
	write(t, o, "", "mine")
	recoverRuns(dir)
	makeAnother := start(t, filepath.Join(dir, "y"), false)
	write(t, makeAnother, "", "another")
	for _, o := range []*Output{makeAnother, o} {
		if err := o.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	if got := files(t, dir); got != "x=mine;y=another;" {
		t.Errorf("files %s", got)
	}
}

// TestRecoverChanged tests that recovery keeps a file that was changed after a run was killed.
func TestRecoverChanged(t *testing.T) {
	dir := t.TempDir()
	w, err := newWorkshop(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(put(w.dir, "0=new", "1=new"), put(dir, "b=old")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "b"))
	if err != nil {
		t.Fatal(err)
	}
	o := &Output{work: w}
	moves := []move{{From: "0", To: "a"}, {From: "1", To: "b", Was: stampOf(info)}}
	if err := o.replaced(&moves[1]); err != nil {
		t.Fatal(err)
	}
	if err := w.writeJournal(&journal{Moves: moves}); err != nil {
		t.Fatal(err)
	}
	w.lock.Close() // as if the run was killed
	if err := put(dir, "b=of the user"); err != nil {
		t.Fatal(err)
	}
	recoverRuns(dir)
	if got := files(t, dir); got != "a=new;b=of the user;" {
		t.Errorf("files %s", got)
	}
}

// TestOpenFile tests that the next run removes files that cannot be removed now because they are open on Windows.
func TestOpenFile(t *testing.T) {
	dir := t.TempDir()
	o, err := New(filepath.Join(dir, "w"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	at, err := o.Dir()
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(at, "open"))
	if err != nil {
		t.Fatal(err)
	}
	o.Discard()
	f.Close()
	recoverRuns(dir)
	if list, _ := os.ReadDir(dir); len(list) != 0 {
		t.Errorf("left behind: %v", list)
	}
}

// TestEveryOutputRecovers tests that each way to start an output first removes leftover files of killed runs.
func TestEveryOutputRecovers(t *testing.T) {
	for name, begin := range map[string]func(path string) error{
		"New":    func(path string) error { _, err := New(path, Options{}); return err },
		"Resume": func(path string) error { _, err := Resume(path, Options{}); return err },
		"Hold": func(path string) error {
			h, err := Hold(context.Background(), filepath.Join(filepath.Dir(path), "there"), nil)
			h.Release()
			return err
		},
		"OpenCollection": func(path string) error {
			c, err := OpenCollection(path, Options{})
			return errors.Join(err, c.Close())
		},
	} {
		dir := t.TempDir()
		if err := put(dir, "there=x"); err != nil {
			t.Fatal(err)
		}
		w, err := newWorkshop(dir)
		if err != nil {
			t.Fatal(err)
		}
		w.lock.Close() // as if the run was killed
		if err := begin(filepath.Join(dir, "x")); err != nil {
			t.Fatal(err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, ".trowel*")); len(left) > 0 {
			t.Errorf("%s: left behind: %q", name, left)
		}
	}
}
