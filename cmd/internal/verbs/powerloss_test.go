package verbs

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// TestPowerLoss holds each verb that writes to the order that survives a power loss: a file is on disk before it gets its name, a
// backup with its name before the old file is touched, and everything before the program ends.
func TestPowerLoss(t *testing.T) {
	tests.LongOnly(t, "it traces every verb that writes")
	strace := judge.Find(t, "strace")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	trowel := filepath.Join(t.TempDir(), "trowel")
	tests.Link(t, self, trowel)
	samples, err := filepath.Abs("../../../samples")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, words := range []string{
		"pack $/burrow -o m.map",
		"pack $/ember -o e.mod",
		"pack $/hollow -o w",
		"edit m.map -o n.map -- info --author Ann",
		"edit m.map --in-place -- info --license MIT",
		"edit e.mod --in-place -- info --author Ann",
		"extract m.map -o new/folder",
		"convert m.map -o m3.map --to datafile-3",
		"merge m.map m.map n.map -o merged.map",
		"render m.map -o m.png",
		"backup w new4/repo",
		"edit w --in-place -- replace default:stone default:cobble",
		"backup w new4/repo",
		"forget new4/repo --keep-last 1 --prune",
		"restore new4/repo -o restored",
		"restore new4/repo --into w --box 0,0,0:15,15,15",
		"convert w --to leveldb -o copy",
		"convert w --in-place --blocks 28",
		"repair w -o mended",
		"repair w --in-place",
		"manifest w -o w.trowel-manifest",
	} {
		trace := filepath.Join(t.TempDir(), "trace")
		args := append(strings.Fields("-f -y -qq -s 4096 -o"), trace, "-e",
			"trace=open,openat,rename,renameat,renameat2,linkat,fsync,fdatasync,syncfs,unlink,unlinkat,mkdir,mkdirat,ftruncate,pwrite64,write,rmdir",
			trowel)
		cmd := exec.Command(strace, append(args, strings.Fields(strings.ReplaceAll(words, "$", samples))...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "TROWEL_SANDBOX=off", "GOMAXPROCS=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", words, err, out)
		}
		for _, fault := range powerFaults(t, trace, dir) {
			t.Errorf("%s: %s", words, fault)
		}
	}
}

var (
	tracedCall = regexp.MustCompile(`^\d+ +(\w+)\((.*)$`)
	tracedFile = regexp.MustCompile(`^\d+<(/[^>]*)>`)
	tracedName = regexp.MustCompile(`(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"([^"]*)"`)
)

// powerFaults returns what a trace shows of files below a folder that a power loss would damage.
func powerFaults(t *testing.T, trace, dir string) (faults []string) {
	f, err := os.Open(trace)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	dirty, pending, created := make(map[string]bool), make(map[string]bool), make(map[string]bool) // pending: names that are not on disk
	passing := func(path string) bool {                                                            // files that a run may lose
		name := filepath.Base(path)
		return !strings.HasPrefix(path, dir+"/") || name == "lock" || strings.HasSuffix(name, ".lock") || strings.HasSuffix(name, "-shm") ||
			strings.Contains(name, "copy-progress")
	}
	touch := func(path string) {
		if passing(path) || created[path] || strings.Contains(path, "/.trowel-") || strings.HasSuffix(path, "-journal") {
			return
		}
		for name := range pending {
			if strings.Contains(name, ".backup-") && !strings.Contains(name, "/.") {
				faults = append(faults, path+" is changed before the name of "+name+" is on disk")
			}
		}
	}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		m := tracedCall.FindStringSubmatch(lines.Text())
		if m == nil || strings.Contains(m[2], " = -1 ") {
			continue
		}
		file := ""
		if at := tracedFile.FindStringSubmatch(m[2]); at != nil {
			file = at[1]
		}
		var names []string
		for _, n := range tracedName.FindAllStringSubmatch(m[2], -1) {
			path := n[2]
			if !filepath.IsAbs(path) {
				if path = filepath.Join(n[1], path); n[1] == "" {
					path = filepath.Join(dir, n[2])
				}
			}
			names = append(names, filepath.Clean(path))
		}
		switch call := m[1]; {
		case call == "write" || call == "pwrite64" || call == "ftruncate":
			touch(file)
			dirty[file] = true
		case call == "syncfs":
			clear(dirty)
			clear(pending)
		case call == "fsync" || call == "fdatasync":
			delete(dirty, file)
			for name := range pending {
				if filepath.Dir(name) == file {
					delete(pending, name)
				}
			}
		case strings.HasPrefix(call, "rename") && len(names) >= 2:
			from, to := names[0], names[1]
			touch(to)
			if dirty[from] && !passing(from) {
				faults = append(faults, from+" is not on disk when it becomes "+to)
			}
			delete(pending, from)
			pending[to], created[to] = true, true
		case strings.HasPrefix(call, "mkdir") && len(names) > 0,
			strings.HasPrefix(call, "open") && strings.Contains(m[2], "O_CREAT") && len(names) > 0 && !created[names[0]]:
			if strings.HasPrefix(call, "mkdir") || strings.Contains(m[2], "O_EXCL") {
				pending[names[0]], created[names[0]] = true, true
			}
		case (strings.HasPrefix(call, "unlink") || call == "rmdir") && len(names) > 0:
			delete(pending, names[0])
			delete(dirty, names[0])
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	for what, list := range map[string]map[string]bool{" is not on disk at the end": dirty, ": the name is not on disk at the end": pending} {
		for path := range list {
			if _, err := os.Lstat(path); err == nil && !passing(path) {
				faults = append(faults, path+what)
			}
		}
	}
	return faults
}
