package verbs

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/work"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

func samplesDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../../samples")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func sameFiles(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s: %s differs", what, name)
		}
	}
	if len(got) != len(want) || len(want) < 2 {
		t.Errorf("%s: %d files, not %d", what, len(got), len(want))
	}
}

// TestTilesInParts tests that tiles drawn in parts, and the messages, are the same as those of one run, in a
// new and in an existing folder.
func TestTilesInParts(t *testing.T) {
	tests.NotRaced(t, "draws one pyramid after the other")
	games := append(format.Games{toys}, games...)
	samples := samplesDir(t)
	t.Chdir(t.TempDir())
	here(games, "pack", filepath.Join(samples, "hollow"), "-o", "hollow")
	for i, toysNow := range [][]toy{
		{{"a", []byte("#ff0000")}, {"b", []byte("#00ff00")}, {"c", []byte("#0000ff")}},
		{{"a", []byte("#ff0000")}, {"b", []byte("#ffffff")}},
	} {
		writeBox(t, "a.box", toysNow...)
		for _, line := range []string{"a.box --scale 300", "a.box --scale 50 --background none --json", "hollow --scale 3",
			"hollow --view iso --scale 40 --json"} {
			words := strings.Fields("render " + line + " --tiles")
			name := strings.NewReplacer(" ", "", "/", "").Replace(line)
			want := here(games, append(words, "1"+name)...)
			got := inParts(t, games, nil, append(words, "2"+name)...)
			got.out, got.err = strings.ReplaceAll(got.out, "2"+name, "1"+name), strings.ReplaceAll(got.err, "2"+name, "1"+name)
			if want != got || want.code == exitFailed {
				t.Errorf("%s, %d: in parts it gives\n%+v, want\n%+v", line, i, got, want)
			}
			sameFiles(t, line, judge.Files(t, filepath.Join("output", "2"+name)), judge.Files(t, "1"+name))
		}
	}
	// A command line without such a work is refused.
	before, _ := filepath.Glob("*")
	for _, line := range []string{"render a.box -o a.png", "render a.box", "render a.box --list",
		"convert hollow -o b --to sqlite-pos", "convert a.box --to x"} {
		if got := inParts(t, games, nil, strings.Fields(line)...); got.code != exitFailed || got.err == "" {
			t.Errorf("%q: %+v", line, got)
		}
	}
	if after, _ := filepath.Glob("*"); len(after) != len(before) {
		t.Errorf("was made: %v", after)
	}
}

// TestPerformRefuses tests that impossible command lines are refused before any work.
func TestPerformRefuses(t *testing.T) {
	samples := samplesDir(t)
	t.Chdir(t.TempDir())
	here(games, "pack", filepath.Join(samples, "hollow"), "-o", "hollow")
	for _, line := range []string{"check -", "find hollow - -- node x", "convert hollow --in-place --backup b",
		"convert hollow --in-place --backup b --blocks 30", "check --min nothing hollow"} {
		var said bytes.Buffer
		work := func(context.Context, work.Work) error {
			t.Errorf("%s: it is work", line)
			return service.ErrPart
		}
		if code := Perform(t.Context(), Call{Games: games, Args: strings.Fields(line), Stdin: strings.NewReader(""),
			Stdout: io.Discard, Stderr: &said, Handover: service.Handover{Work: work}}); code != exitFailed || said.Len() == 0 {
			t.Errorf("%s: exit code %d, %s", line, code, said.String())
		}
	}
}

var backupSize = regexp.MustCompile(`,"size":[0-9]+`)

// TestConvertInParts tests that an in-place conversion in parts has the same messages and results as one run.
func TestConvertInParts(t *testing.T) {
	samples := samplesDir(t)
	t.Chdir(t.TempDir())
	here(games, "pack", filepath.Join(samples, "hollow"), "-o", "hollow")
	server := miniredis.RunT(t)
	for _, name := range []string{"one", "two"} {
		if got := here(games, "convert", "hollow", "-o", name, "--to", "redis", "--redis", server.Addr(), "--redis-hash", name); got.code != 0 {
			t.Fatal(got)
		}
	}
	for _, line := range []string{"--blocks 25 --drop", "--blocks 17", "--blocks 29 --json"} {
		args := func(name string) []string {
			return append([]string{"convert", name, "--in-place", "--backup", name + strings.ReplaceAll(line, " ", "")}, strings.Fields(line)...)
		}
		want, got := here(games, args("one")...), inParts(t, games, nil, args("two")...)
		got.out, got.err = strings.ReplaceAll(got.out, "two", "one"), strings.ReplaceAll(got.err, "two", "one")
		// The size of a backup depends on the length of its time stamp.
		want.out, got.out = backupSize.ReplaceAllString(want.out, ""), backupSize.ReplaceAllString(got.out, "")
		if want != got || want.code == exitFailed {
			t.Errorf("%s: in parts it gives\n%+v, want\n%+v", line, got, want)
		}
		one, _ := server.HKeys("one")
		for _, key := range one {
			if server.HGet("one", key) != server.HGet("two", key) || len(one) != 2 {
				t.Errorf("%s: block %s differs", line, key)
			}
		}
	}
	// Without permission to change files, nothing is changed; backups go to writable folders.
	root, _ := os.Getwd()
	for _, c := range []struct {
		access service.Access
		backup string
		may    bool
	}{
		{service.Access{Roots: []string{root}}, "kept", false},
		{service.Access{Roots: []string{root}, Changes: true}, "../kept", false},
		{service.Access{Roots: []string{root}, Changes: true}, "", false},
		{service.Access{Roots: []string{root}, Changes: true}, "kept", true},
	} {
		args := []string{"convert", "two", "--in-place", "--blocks", "28"}
		if c.backup != "" {
			args = append(args, "--backup", c.backup)
		}
		if got := inParts(t, games, &c.access, args...); (got.code != exitFailed) != c.may {
			t.Errorf("%+v: %+v", c, got)
		}
		if _, err := os.Stat("kept"); (err == nil) != c.may {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestHostileShards tests that an invalid shard in a requested part is an error.
func TestHostileShards(t *testing.T) {
	samples := samplesDir(t)
	t.Chdir(t.TempDir())
	here(games, "pack", filepath.Join(samples, "hollow"), "-o", "hollow")
	for _, shard := range []format.Shard{"../../x", "z=3..1", "all/..", "x=0..15", "key=1", "rest/../../y"} {
		var said bytes.Buffer
		code := Perform(t.Context(), Call{
			Games: games, Args: []string{"convert", "hollow", "--in-place", "--blocks", "29", "--backup", "kept"},
			Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &said,
			Handover: service.Handover{Work: func(ctx context.Context, w work.Work) error {
				return w.Do(ctx, work.Part{Name: "a", Shard: shard}, io.Discard)
			}},
		})
		if code != exitFailed || said.Len() == 0 {
			t.Errorf("%q: %d, %s", shard, code, said.String())
		}
	}
	if list, _ := filepath.Glob("kept/*.zip"); len(list) > 0 {
		t.Errorf("was made: %v", list)
	}
}
