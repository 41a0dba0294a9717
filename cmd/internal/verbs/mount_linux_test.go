//go:build amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x

package verbs

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"trowel.example/cmd/internal/mount"
	"trowel.example/internal/testing/corpus"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// mountTest runs the program in a folder.
type mountTest struct {
	*testing.T
	trowel, dir string
}

// running is a program of a mount.
type running struct {
	*exec.Cmd
	t      *mountTest
	at     string
	errors bytes.Buffer
	ended  chan struct{}
}

func newMountTest(t *testing.T) *mountTest {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	m := &mountTest{t, filepath.Join(t.TempDir(), "trowel"), t.TempDir()}
	if err := os.Symlink(self, m.trowel); err != nil {
		t.Fatal(err)
	}
	return m
}

func (m *mountTest) path(name string) string { return filepath.Join(m.dir, name) }

func (m *mountTest) read(name string) string {
	m.Helper()
	data, err := os.ReadFile(m.path(name))
	if err != nil {
		m.Fatal(err)
	}
	return string(data)
}

// run runs a program, which must end with an exit code, and returns what it prints.
func (m *mountTest) run(code int, name string, args ...string) string {
	m.Helper()
	if name == "trowel" {
		name = m.trowel
	} else if _, err := exec.LookPath(name); err != nil {
		corpus.Missing(m, "judges", "%v", err)
	}
	cmd := exec.Command(name, args...)
	cmd.Dir = m.dir
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != code {
		m.Fatalf("%s %q: %v, want exit code %d\n%s", name, args, err, code, out)
	}
	return string(out)
}

// mount starts a mount, with arguments of which the last is the mount point, and waits until it is there.
func (m *mountTest) mount(args ...string) *running {
	m.Helper()
	r := &running{Cmd: exec.Command(m.trowel, append([]string{"mount"}, args...)...), t: m, at: m.path(args[len(args)-1]),
		ended: make(chan struct{})}
	r.Dir, r.Stderr, r.Stdout = m.dir, &r.errors, &r.errors
	if err := r.Start(); err != nil {
		m.Fatal(err)
	}
	go func() {
		_ = r.Wait() // its exit code is tested
		close(r.ended)
	}()
	m.Cleanup(func() {
		_ = r.Process.Kill()
		<-r.ended
		_ = syscall.Unmount(r.at, 0)
	})
	for {
		if _, alive, ok := mount.FileAt(r.at); ok && alive {
			return r
		}
		select {
		case <-r.ended:
			if strings.Contains(r.errors.String(), mount.ErrMount.Error()) {
				judge.CannotMount(m, errors.New(r.errors.String()))
			}
			m.Fatalf("%q ended: %s", args, r.errors.String())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// end sends a signal, waits for the end and returns what was printed. The exit code is -1 for a killed program.
func (r *running) end(s syscall.Signal, code int) string {
	r.t.Helper()
	if err := r.Process.Signal(s); err != nil {
		r.t.Fatal(err)
	}
	<-r.ended
	if got := r.ProcessState.ExitCode(); got != code {
		r.t.Fatalf("exit code %d, want %d\n%s", got, code, r.errors.String())
	}
	return r.errors.String()
}

func (m *mountTest) has(text string, parts ...string) {
	m.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			m.Errorf("%q is missing in:\n%s", part, text)
		}
	}
}

// backups returns the contents of the backups of x.map, the oldest first.
func (m *mountTest) backups() (contents []string) {
	m.Helper()
	names, err := filepath.Glob(m.path("x.backup-*.map"))
	if err != nil {
		m.Fatal(err)
	}
	for _, name := range slices.Sorted(slices.Values(names)) {
		contents = append(contents, m.read(filepath.Base(name)))
	}
	return contents
}

// TestMount mounts a map as users do: programs read and change it, the edits are packed on request and at the end, errors leave
// everything as it was, and nothing is lost if the program is killed.
func TestMount(t *testing.T) {
	m := newMountTest(t)
	samples, err := filepath.Abs("../../../samples")
	if err != nil {
		t.Fatal(err)
	}
	m.run(0, "trowel", "pack", "-q", filepath.Join(samples, "burrow"), "-o", "x.map")
	original := m.read("x.map")

	r := m.mount("x.map", "at")
	m.run(0, "trowel", "extract", "-q", "x.map", "-o", "extracted")
	want := strings.ReplaceAll(m.run(0, "find", "extracted", "-type", "f", "-printf", "%s %p\n"), "extracted/", "at/")
	lines := func(text string) []string { return slices.Sorted(strings.Lines(text)) }
	if got := m.run(0, "find", "at", "-type", "f", "-printf", "%s %p\n"); !slices.Equal(lines(got), lines(want)) || len(lines(want)) < 20 {
		t.Errorf("find prints:\n%s\nwant:\n%s", got, want)
	}
	m.has(m.run(0, "grep", "-rl", "sv_freeze_delay", "at"), "at/settings.cfg")
	m.run(0, "cp", "-r", "at", "copy")
	m.run(0, "trowel", "pack", "-q", "copy", "-o", "same.map")
	if m.read("same.map") != original {
		t.Error("a copy of the mounted folder is packed to other bytes")
	}
	m.has(m.run(1, "sh", "-c", "echo new > at/new || exit 1"), "Read-only file system")
	m.has(m.run(2, "trowel", "mount", "--sync", "at"), "without --write")
	m.has(m.run(2, "trowel", "mount", "x.map", "at"), "a file is mounted there already")
	open, err := os.Open(m.path("at/settings.cfg"))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond) // it waits, since the file is open
	if err := open.Close(); err != nil {
		t.Fatal(err)
	}
	if <-r.ended; r.ProcessState.ExitCode() != 0 {
		t.Errorf("%v\n%s", r.ProcessState, r.errors.String())
	}
	if _, err := os.Stat(m.path("at")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the folder that mount made is still there:", err)
	}

	r = m.mount("--write", "x.map", "at")
	m.run(0, "sh", "-c", "echo '# one' >> at/settings.cfg; touch at/.settings.cfg.swp")
	out := m.run(0, "trowel", "mount", "--sync", "at")
	m.has(out, "settings.cfg", "undoes it", ".settings.cfg.swp: left out")
	m.has(m.run(0, "trowel", "cat", "x.map", "settings.cfg"), "# one")
	m.has(m.read("at/settings.cfg"), "# one")
	if kept := m.backups(); !slices.Equal(kept, []string{original}) {
		t.Errorf("%d backups", len(kept))
	}
	m.run(0, "sh", "-c", "echo '# two' >> at/settings.cfg; rm at/.settings.cfg.swp")
	m.has(r.end(syscall.SIGINT, 0), "settings.cfg")
	m.has(m.run(0, "trowel", "cat", "x.map", "settings.cfg"), "# one", "# two")
	if _, err := os.Stat(m.path("x.map.edits")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("there are edits:", err)
	}

	before := m.read("x.map")
	r = m.mount("--write", "x.map", "at")
	m.run(0, "sh", "-c", "echo '# three' >> at/settings.cfg; echo nothing >> at/groups/order.txt")
	m.has(m.run(2, "trowel", "mount", "--sync", "at"), "groups/order.txt", "the edits stay in x.map.edits")
	m.has(m.run(2, "trowel", "mount", "--sync", "x.map.edits"), "a running mount has these edits open")
	r.end(syscall.SIGKILL, -1)
	m.has(m.run(2, "trowel", "mount", "x.map", "at"), "the program of the mount has ended", "makes it a folder again")
	m.has(m.run(2, "trowel", "mount", "--sync", "at"), "groups/order.txt", "makes it a folder again")
	if err := syscall.Unmount(m.path("at"), 0); err != nil {
		t.Skip(err) // a user needs fusermount
	}
	m.has(m.run(2, "trowel", "mount", "--sync", "at"), "is not mounted")
	if m.read("x.map") != before || len(m.backups()) != 2 {
		t.Error("the file has changed")
	}
	r = m.mount("--write", "x.map", "at")
	m.has(m.read("at/settings.cfg"), "# three")
	m.has(r.end(syscall.SIGTERM, 2), "groups/order.txt")
	m.run(0, "sed", "-i", "/nothing/d", "x.map.edits/groups/order.txt")
	m.has(m.run(0, "trowel", "mount", "--sync", "x.map.edits"), "settings.cfg")
	m.has(m.run(0, "trowel", "cat", "x.map", "settings.cfg"), "# three")
}

// TestMountErrors tests what cannot be mounted.
func TestMountErrors(t *testing.T) {
	m := newMountTest(t)
	samples, err := filepath.Abs("../../../samples")
	if err != nil {
		t.Fatal(err)
	}
	m.run(0, "trowel", "pack", "-q", filepath.Join(samples, "burrow"), "-o", "x.map")
	m.run(0, "trowel", "pack", "-q", filepath.Join(samples, "hollow"), "-o", "world")
	m.run(0, "sh", "-c", "mkdir full x.map.edits; echo > full/a; cp full/a x.map.edits; echo text > a.txt")
	for _, c := range []struct{ args, want string }{
		{"x.map full", "is not empty"},
		{"x.map a.txt", "a.txt"},
		{"world world/at", "is inside world"},
		{"a.txt at", "a.txt"},
		{"gone at", "gone"},
		{"x.map", "wrong number of arguments"},
		{"--sync x.map at", "wrong number of arguments"},
		{"--sync --write at", "--sync has no other options"},
		{"--sync full", "is not mounted"},
		{"--sync x.map", "is not mounted"},
		{"--sync y.map.edits", "there are no edits"},
		{"--sync x.map.edits", "is not a folder of edits"},
		{"--write x.map at", "is not a folder of edits"},
	} {
		out := m.run(2, "trowel", append([]string{"mount"}, strings.Fields(c.args)...)...)
		m.has(out, c.want)
	}
}

// TestMountVim saves a file with Vim in all of its ways, and tests that its swap files stay out of the map.
func TestMountVim(t *testing.T) {
	tests.Judges(t)
	m := newMountTest(t)
	samples, err := filepath.Abs("../../../samples")
	if err != nil {
		t.Fatal(err)
	}
	m.run(0, "trowel", "pack", "-q", filepath.Join(samples, "burrow"), "-o", "x.map")
	r := m.mount("--write", "x.map", "at")
	for i, set := range []string{"backupcopy=yes", "backupcopy=no", "backupcopy=auto nowritebackup", "backupcopy=no backup"} {
		m.run(0, "vim", "-es", "-u", "NONE", "-c", "set swapfile writebackup backupskip= "+set,
			"-c", fmt.Sprintf("$put ='# %d'", i), "-c", "wq", "at/settings.cfg")
		m.has(m.read("at/settings.cfg"), fmt.Sprintf("# %d\n", i))
	}
	out := r.end(syscall.SIGINT, 0)
	m.has(out, "settings.cfg~: left out")
	m.has(m.run(0, "trowel", "cat", "x.map", "settings.cfg"), "# 0\n# 1\n# 2\n# 3\n")
	files := m.run(0, "trowel", "ls", "-q", "x.map")
	if strings.Contains(files, "swp") || strings.Contains(files, "4913") || strings.Contains(files, "~") {
		t.Error(files)
	}
}

// TestMountKilled kills mounts while a program saves files: what was closed is in the edits, and is packed.
func TestMountKilled(t *testing.T) {
	tests.LongOnly(t, "it starts many processes")
	samples, err := filepath.Abs("../../../samples")
	if err != nil {
		t.Fatal(err)
	}
	for round := range 15 {
		m := newMountTest(t)
		m.run(0, "trowel", "pack", "-q", filepath.Join(samples, "ember"), "--tables", "-o", "x.mod")
		r := m.mount("--write", "x.mod", "at")
		time.AfterFunc(time.Duration(round*7)*time.Millisecond, func() { _ = r.Process.Kill() })
		saved := make(map[string]string)
		for i := range 10_000 {
			name, content := fmt.Sprintf("MEDIA/MUSIC/%d.OGG", i%100), strings.Repeat(fmt.Sprint(i, "\n"), 1+i%500)
			if i < 100 {
				if err := os.MkdirAll(m.path("at/MEDIA/MUSIC"), 0o777); err != nil {
					break
				}
			}
			part := m.path("at/" + name + ".part")
			if os.WriteFile(part, []byte(content), 0o666) != nil || os.Rename(part, m.path("at/"+name)) != nil {
				delete(saved, name) // it has the old content or the new one
				break
			}
			saved[name] = content
		}
		<-r.ended
		for name, content := range saved {
			if m.read("x.mod.edits/"+name) != content {
				t.Errorf("round %d: %s was saved, but differs", round, name)
			}
		}
		if err := syscall.Unmount(m.path("at"), 0); err != nil {
			t.Skip(err)
		}
		if len(saved) == 0 {
			continue
		}
		m.run(0, "trowel", "mount", "--sync", "x.mod.edits")
		for name, content := range saved {
			if m.run(0, "trowel", "cat", "x.mod", name) != content {
				t.Errorf("round %d: %s is not in the file", round, name)
			}
			break
		}
	}
}

// TestMountFiles mounts real files: a copy of the mounted folder is what extract writes.
func TestMountFiles(t *testing.T) {
	maps := corpus.Files(t, "teeworlds", ".map")
	mods := corpus.Files(t, "torchlight", ".MOD")
	minetest := corpus.Dir(t, "minetest")
	worlds := []string{filepath.Join(minetest, "generated", "v29-sqlite"), filepath.Join(minetest, "players-real")}
	var files []string
	for i := 0; i < len(maps); i += 12 {
		files = append(files, maps[i])
	}
	files = append(files, mods...)
	files = append(files, worlds...)
	same := 0
	for _, file := range files {
		m := newMountTest(t)
		cmd := exec.Command(m.trowel, "extract", "-q", file, "-o", m.path("extracted"))
		if cmd.Run() != nil {
			continue // damaged
		}
		r := m.mount(file, "at")
		m.run(0, "cp", "-r", "at", "copy")
		m.run(0, "find", "copy", "-type", "d", "-empty", "-delete") // extract makes none
		if out, err := exec.Command("diff", "-r", m.path("extracted"), m.path("copy")).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", file, err, out)
		}
		r.end(syscall.SIGINT, 0)
		same++
	}
	if same < 20 {
		t.Errorf("only %d files were compared", same)
	}
}
