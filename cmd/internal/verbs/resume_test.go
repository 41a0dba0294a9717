package verbs

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"trowel.example/internal/files/wholefile"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// manyBoxes makes a folder of small files, more than fit into a part, some of them broken.
func manyBoxes(t *testing.T, dir string) {
	t.Helper()
	for i := range tests.Of(t, 1100, 2300) {
		toys := []toy{{fmt.Sprint("toy ", i), []byte("says")}, {"red <ball>", nil}}
		if i%100 == 7 {
			toys = append(toys, toy{"bad", []byte("broken")}, toy{"bad", []byte("panic")})
		}
		writeBox(t, filepath.Join(dir, fmt.Sprint(i%7), fmt.Sprintf("%04d.box", i)), toys...)
	}
	writeBox(t, filepath.Join(dir, "bad.box"))
	judge.Write(t, filepath.Join(dir, "bad.box"), []byte("TOYB?"))
}

// samplesHere builds the samples of the games in the current folder.
func samplesHere(t *testing.T, samples string) {
	t.Helper()
	if err := os.MkdirAll("all/games", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"burrow -o all/games/x.map", "ember -o all/games/x.mod", "hollow -o all/games/world"} {
		args := strings.Fields("pack -q " + line)
		args[2] = filepath.Join(samples, args[2])
		if got := here(withToys, args...); got.code != 0 {
			t.Fatal(got)
		}
	}
	judge.Write(t, "all/games/world/force_loaded.txt", []byte("return {[")) // a finding
}

// TestResume tests that a resumed run in parts has the same result as a single run.
func TestResume(t *testing.T) {
	samples, err := filepath.Abs("../../../samples")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	manyBoxes(t, "all/boxes")
	samplesHere(t, samples)
	random := rand.New(rand.NewPCG(1, 2))
	for i, line := range []string{
		"check all --json", "check all/games all/boxes/1 --sarif --min warning",
		"check -v all/games/x.map all/games/world nothing all/boxes/0", "check all/games/world all/games/world --json",
		"find all -- toy t*", "find all/boxes/0 -- toy --json", "find all/boxes/0 -- toy --csv", "find all -- toy --by color",
		"find all/boxes/2 all/boxes/1 -- toy t* --count", "find all/boxes/0 all/boxes/bad.box -- toy --by says --json",
		"find all -- tile 1", "find all/games -- layer --json", "find all/games -- node * --by node",
		"find all/games/world all/games/world -- item * --json", "find all/games -- key * --csv",
		"find all/games/world -- object * --by path --csv", "find all/games -- players --json", "find all/games -- quad",
	} {
		args := strings.Fields(line)
		want := here(withToys, args...)
		folder := fmt.Sprint("work", i)
		if want.out == "" {
			t.Fatalf("%s: nothing is printed: %s", line, want.err)
		}
		for round := range 2 {
			got := here(withToys, append([]string{args[0], "--resume", folder}, args[1:]...)...)
			got.err = strings.Replace(got.err, folder+" is no longer needed, except to print this again\n", "", 1)
			if got != want {
				t.Fatalf("%s, round %d: it gives\n%s", line, round, cmp.Diff(want, got, cmp.AllowUnexported(performed{})))
			}
			parts, err := filepath.Glob(folder + "/parts/*")
			if err != nil || len(parts) == 0 {
				t.Fatal(parts, err)
			}
			for _, part := range parts { // as if the run had been killed
				if random.IntN(2) == 0 {
					if err := os.Remove(part); err != nil {
						t.Fatal(err)
					}
				}
			}
			if left, _ := filepath.Glob(folder + "/parts/.*"); len(left) > 0 {
				t.Errorf("%s: left: %v", line, left)
			}
			os.WriteFile(folder+"/parts/.0000000.123"+wholefile.Suffix, []byte("half"), 0o666)
		}
	}
}

// TestResumeKilled tests that a run killed at any time can be resumed.
func TestResumeKilled(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	trowel := filepath.Join(dir, "trowel")
	if runtime.GOOS == "windows" {
		trowel += ".exe"
	}
	tests.Link(t, self, trowel)
	t.Chdir(dir)
	manyBoxes(t, "all")
	want := here(withToys, "check", "--json", "all")
	kills := 0
	for wait := time.Millisecond; ; wait += 10 * time.Millisecond {
		cmd := exec.Command(trowel, "check", "--json", "all", "--resume", "work")
		cmd.Env = append(os.Environ(), "GOMAXPROCS=2")
		var out, said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(wait, func() { _ = cmd.Process.Kill() })
		err := cmd.Wait()
		timer.Stop()
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.ExitCode() == -1 {
			if kills++; kills == 1000 {
				t.Fatal("it is killed whatever time it has")
			}
			continue
		}
		if code := cmd.ProcessState.ExitCode(); code != want.code || out.String() != want.out {
			t.Errorf("after %d kills: exit code %d, want %d; %d bytes, want %d\n%s", kills, code, want.code, out.Len(), len(want.out), said.String())
		}
		break
	}
	t.Logf("%d kills", kills)
	if kills == 0 && runtime.GOOS == "linux" {
		t.Error("it was not killed once")
	}
}

// TestOddNames tests that file names that are not valid UTF-8 work in folders and in parts.
func TestOddNames(t *testing.T) {
	t.Chdir(t.TempDir())
	writeBox(t, "all/a.box")
	for _, name := range []string{"all/b\xff.box", "all/in\xfe/c.box"} {
		_ = os.MkdirAll(filepath.Dir(name), 0o777)
		_ = os.WriteFile(name, []byte("TOYB?"), 0o666)
		if found, _ := filepath.Glob(filepath.Dir(name) + "/*"); !slices.Contains(found, filepath.FromSlash(name)) {
			t.Skip("the file system has no such names") // Windows keeps another one
		}
	}
	want := here(withToys, "check", "all")
	if want.code != 1 || !strings.Contains(want.out, `b\xff.box`) || !strings.Contains(want.out, `in\xfe/c.box`) ||
		!strings.Contains(want.err, "3 files") {
		t.Errorf("%+v", want)
	}
	got := here(withToys, "check", "all", "--resume", "work")
	got.err = strings.ReplaceAll(got.err, "work is no longer needed, except to print this again\n", "")
	if d := cmp.Diff(want, got, cmp.AllowUnexported(performed{})); d != "" {
		t.Error(d)
	}
}
