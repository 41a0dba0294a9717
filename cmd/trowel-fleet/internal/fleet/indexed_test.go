package fleet

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// offline returns a bench without a queue.
func offline(t *testing.T) *bench {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"in", "tmp"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return &bench{t: t, dir: dir, env: append(os.Environ(), envProgram+"=1", "TMPDIR="+filepath.Join(dir, "tmp"))}
}

// TestIndexed tests that workers with shares of a work and a merge give the output of one process, whatever fails meanwhile.
func TestIndexed(t *testing.T) {
	b := offline(t)
	words := []string{"--results", "results", "toy", "11", "in"}
	worker := func(part string, more ...string) said {
		return b.run(append(append([]string{"worker", "--part", part}, more...), words...)...)
	}
	merge := func() said { return b.run(append([]string{"jobs", "merge"}, words...)...) }
	want := b.run("toy", "11", "in")
	b.remove("in/did")

	if s := merge(); s.code != 2 || !strings.Contains(s.err, "no results of this command") {
		t.Fatalf("before all: %d\n%s", s.code, s.err)
	}
	b.write("in/fail-00004", "")
	s := worker("1/3", "--json")
	if s.code != 2 || !strings.Contains(s.err, "00004: fails as requested") || !strings.Contains(s.err, "1 part failed") {
		t.Fatalf("a part that fails: %d\n%s", s.code, s.err)
	}
	lines := make(map[string]observed)
	for text := range strings.Lines(s.out) {
		var l observed
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatal(err)
		}
		lines[l.Part] = l
	}
	for _, part := range []string{"00001", "00004", "00007", "00010"} {
		l := lines[part]
		if (l.Error != "") != (part == "00004") || l.Begin.IsZero() || l.End.Before(l.Begin) || l.CPU <= 0 || l.Existed {
			t.Errorf("%s: %+v", part, l)
		}
	}
	if len(lines) != 4 {
		t.Errorf("%d lines", len(lines))
	}
	if s := merge(); s.code != 2 || !strings.Contains(s.err, "8 parts of 11 without results: 00000 (number 0), 00002 (number 2)") ||
		s.out != "" {
		t.Errorf("the merge of a part: %d, %q\n%s", s.code, s.out, s.err)
	}
	b.remove("in/fail-00004")
	for i := range 3 {
		if s := worker(fmt.Sprintf("%d/3", i), "--max", "1"); s.code != 0 || s.out != "" {
			t.Fatalf("share %d: %d\n%s", i, s.code, s.err)
		}
	}
	if s := merge(); s.code != want.code || s.out != want.out {
		t.Errorf("the output differs: %d\n%s%s", s.code, s.out, s.err)
	}
	did, err := os.ReadFile(b.path("in/did"))
	if err != nil || len(strings.Fields(string(did))) != 12 { // one of them failed
		t.Errorf("%q, %v", did, err)
	}
	if s := worker("0/1", "--json"); s.code != 0 || strings.Count(s.out, `"existed":true`) != 11 {
		t.Errorf("again: %d\n%s%s", s.code, s.out, s.err)
	}

	if !tests.Long(t) {
		return
	}
	if runtime.GOOS == "linux" {
		b.write("in/large-00000", "")
		limited := []string{"worker", "--json", "--part", "0/1", "--memory", "100M", "--results", "limited", "toy", "2", "in"}
		if s := b.run(limited...); s.code != 2 || !strings.Contains(s.err, "needs more than its memory of 100 MB") ||
			strings.Contains(s.err, "goroutine") {
			t.Errorf("a part that is too large: %d\n%s", s.code, s.err)
		}
		b.remove("in/large-00000")
		if s := b.run(limited...); s.code != 0 {
			t.Errorf("then it fits: %d\n%s", s.code, s.err)
		}
	}
	for _, c := range []struct{ args, words string }{
		{"--part 3/3 --results results toy 11 in", "with N from 0 to M-1"},
		{"--part x/3 --results results toy 11 in", "with N from 0 to M-1"},
		{"--part 0/3 toy 11 in", "no --results given"}, {"--part 0/3 --results results", "too few arguments"},
		{"--part 0/3 --results results --queue postgres://x/y toy 11 in", "--queue is only for a worker without --part"},
		{"--part 0/3 --results results --root in toy 11 in", "--root is only for a worker without --part"},
		{"--results results toy 11 in", "too many arguments"}, {"--results results --root in", "--results is only for a worker with --part"},
		{"--part 0/3 --results results toy 0 in", "expected a number of parts"}, {"--part 0/3 --results results nothing 11 in", "nothing"},
	} {
		if s := b.run(append([]string{"worker"}, strings.Fields(c.args)...)...); s.code != 2 || !strings.Contains(s.err, c.words) {
			t.Errorf("%s: %d\n%s", c.args, s.code, s.err)
		}
	}
}

// TestIndexedCheck tests a check of maps and tiles of a world by two workers without a queue.
func TestIndexedCheck(t *testing.T) {
	tests.LongOnly(t, "starts thirty processes")
	b := offline(t)
	samples, err := filepath.Abs("../../../../samples")
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"pack", "-q", filepath.Join(samples, "burrow"), "-o", "burrow.map"},
		{"pack", "-q", filepath.Join(samples, "hollow"), "-o", "hollow"}} {
		if s := b.run(args...); s.code != 0 {
			t.Fatal(s.err)
		}
	}
	for _, words := range [][]string{{"check", "burrow.map", "hollow"}, {"find", "hollow", "--", "node", "*"}} {
		want := b.run(words...)
		for _, n := range []string{"1/2", "0/2"} {
			if s := b.run(append([]string{"worker", "--part", n, "--results", "results"}, words...)...); s.code != 0 {
				t.Fatal(s.err)
			}
		}
		s := b.run(append([]string{"jobs", "merge", "--results", "results"}, words...)...)
		if s.code != want.code || s.out != want.out || len(s.out) < 20 {
			t.Errorf("%q: %d, %q\n%q", words, s.code, s.out, want.out)
		}
	}
	words := []string{"render", "hollow", "--tiles", "tiles", "--view", "top"}
	for _, n := range []string{"0/2", "1/2"} {
		if s := b.run(append([]string{"worker", "--part", n, "--results", "results"}, words...)...); s.code != 0 {
			t.Fatal(s.err)
		}
	}
	if s := b.run(append([]string{"jobs", "merge", "--results", "results"}, words...)...); s.code != 0 {
		t.Fatal(s.err)
	}
	words[3] = "other"
	if s := b.run(words...); s.code != 0 {
		t.Fatal(s.err)
	}
	for _, name := range filesOf(t, b.path("other")) {
		one := judge.Read(t, b.path("other/"+name))
		if two, err := os.ReadFile(b.path("tiles/" + name)); err != nil || string(one) != string(two) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// filesOf returns the names of the files in a folder.
func filesOf(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			name, _ := filepath.Rel(dir, path)
			names = append(names, name)
		}
		return err
	})
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	return names
}
