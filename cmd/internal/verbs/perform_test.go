package verbs

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/cmd/internal/service"
	"trowel.example/cmd/internal/work"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// performed is the result of a command line.
type performed struct {
	out, err string
	code     int
}

// here runs the tool in one run.
func here(games format.Games, args ...string) performed {
	var out, said bytes.Buffer
	code := run(games, args, strings.NewReader(""), &out, &said)
	return performed{out.String(), said.String(), code}
}

// inParts runs the tool part by part, each part in a separate run.
func inParts(t *testing.T, games format.Games, access *service.Access, args ...string) performed {
	t.Helper()
	var output func(string) string // of the last run
	var part *work.Part
	call := func(out, said io.Writer, do func(context.Context, work.Work) error) int {
		return Perform(t.Context(), Call{Games: games, Args: args, Stdin: strings.NewReader(""), Stdout: out, Stderr: said,
			Handover: service.Handover{Part: part, Access: access, Work: do, Output: output}})
	}
	var plan work.Plan
	var said bytes.Buffer
	if code := call(io.Discard, &said, func(ctx context.Context, w work.Work) error {
		if err := w.Split(ctx, func(p work.Part) error { plan.Parts = append(plan.Parts, p); return nil }); err != nil {
			return err
		}
		return service.ErrPart
	}); code != 0 {
		return performed{"", said.String(), code}
	}
	results := make(map[string][]byte)
	for _, p := range plan.Parts {
		var printed, said bytes.Buffer
		part = &p
		if code := call(&printed, &said, func(ctx context.Context, w work.Work) error {
			var b bytes.Buffer
			if err := w.Do(ctx, p, &b); err != nil {
				return err
			}
			results[p.Name] = b.Bytes()
			return service.ErrPart
		}); code != 0 || said.Len() > 0 {
			return performed{printed.String(), said.String(), code}
		}
	}
	var out bytes.Buffer
	part = nil
	said.Reset()
	output = func(name string) string { return filepath.Join("output", name) }
	code := call(&out, &said, func(ctx context.Context, w work.Work) error {
		parts := func(yield func(work.Part, error) bool) {
			for _, p := range plan.Parts {
				if !yield(p, nil) {
					return
				}
			}
		}
		return w.Merge(ctx, parts, func(p work.Part) (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(results[p.Name])), nil
		}, nil)
	})
	return performed{out.String(), said.String(), code}
}

func writeBox(t *testing.T, path string, toys ...toy) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	judge.Write(t, path, (&box{version: 1, toys: toys}).encode())
}

func TestPerform(t *testing.T) {
	games := format.Games{toys}
	t.Chdir(t.TempDir())
	writeBox(t, "a/1.box", toy{"red <ball>", []byte("x")}, toy{"empty", nil})
	writeBox(t, "a/b/2.box", toy{"car", []byte("y")}, toy{"car", []byte("z")})
	writeBox(t, "a/b/3.box", toy{"car", []byte("panic")})
	writeBox(t, "c.box")
	os.WriteFile("a/no.txt", []byte("no toy"), 0o666)
	os.WriteFile("a/bad.box", []byte("TOYB?"), 0o666)
	for _, line := range []string{
		"check a c.box", "check --json a", "check --sarif a c.box", "check --min error -v a", "check none", "check a none c.box", "check -q a",
		"find a c.box -- toy", "find a -- toy --json", "find c.box a/1.box -- toy --csv", "find a -- toy --by color",
		"find a -- toy --by says --json", "find a -- toy --by none", "find a none -- toy --count",
		"find a/1.box a/bad.box a/no.txt -- toy --least 1", "find c.box -- toy nothing", "find a -- many 25000",
		"find a/1.box a/b/2.box -- many 2 --csv --by n",
	} {
		args := strings.Fields(line)
		if want, got := here(games, args...), inParts(t, games, nil, args...); want != got {
			t.Errorf("%s: in parts it gives\n%+v, want\n%+v", line, got, want)
		}
	}
}

// TestPerformManifest tests that a manifest made in parts is identical to that of one run, for any output name.
func TestPerformManifest(t *testing.T) {
	samples, err := filepath.Abs("../../../samples")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if got := here(games, "pack", "-q", filepath.Join(samples, "hollow"), "-o", "w"); got.code != 0 {
		t.Fatal(got)
	}
	os.Mkdir("output", 0o777)
	for _, line := range []string{"manifest w -o m", "manifest w -o m --json", "convert w --to minetest-manifest -o m", "manifest w -o -"} {
		want := here(games, strings.Fields(line)...)
		made, _ := os.ReadFile("m")
		os.Remove("m")
		got := inParts(t, games, nil, strings.Fields(line)...)
		parts, _ := os.ReadFile("output/m")
		if _, err := os.Stat("m"); err == nil || want != got || want.code != 0 || !bytes.Equal(made, parts) ||
			!strings.Contains(line, "-o -") && len(made) == 0 {
			t.Errorf("%s: %d bytes, want %d: %+v, want %+v", line, len(parts), len(made), got, want)
		}
		os.Remove("output/m")
		if strings.HasPrefix(line, "convert") {
			continue
		}
		resumed := here(games, append(strings.Fields(line), "--resume", "work", "-q")...)
		again, _ := os.ReadFile("m")
		if resumed.code != 0 || !bytes.Equal(made, again) || resumed.out != want.out {
			t.Errorf("%s, resumed: %d bytes, want %d: %+v", line, len(again), len(made), resumed)
		}
		// Completed parts are not repeated.
		os.Remove("m")
		os.Rename("w", "moved")
		os.Mkdir("w", 0o777)
		os.WriteFile("w/world.mt", []byte("backend = sqlite3\ngameid = minetest\n"), 0o666)
		resumed = here(games, append(strings.Fields(line), "--resume", "work", "-q")...)
		if again, _ := os.ReadFile("m"); resumed.code != 0 || !bytes.Equal(made, again) {
			t.Errorf("%s, resumed again: %d bytes, want %d: %+v", line, len(again), len(made), resumed)
		}
		os.Remove("m")
		os.RemoveAll("w")
		os.Rename("moved", "w")
		os.RemoveAll("work")
	}
	for line, want := range map[string]string{"manifest w w -o m": "one file at a time",
		"convert w --to leveldb -o m": "cannot be divided", "manifest none -o m": "no such file", "manifest w --dry-run": "no work"} {
		if got := inParts(t, games, nil, strings.Fields(line)...); got.code != exitFailed && want != "no work" ||
			want != "no work" && !strings.Contains(got.err, want) {
			t.Errorf("%s: %+v", line, got)
		}
		if _, err := os.Stat("m"); err == nil {
			t.Errorf("%s: made something", line)
		}
	}
}

// TestPerformNothing tests that command lines without work are errors and have no effect.
func TestPerformNothing(t *testing.T) {
	games := format.Games{toys}
	t.Chdir(t.TempDir())
	writeBox(t, "a.box", toy{"ball", []byte("x")})
	for _, line := range []string{"", "a.box", "extract a.box", "pack a -o b", "--help", "check --help", "help check",
		"explain", "check", "check -h a.box", "check -", "check a.box --no-such", "version", "view a.box",
		"__complete check a", "completion bash", "check a.box --json --sarif", "find a.box", "find a.box -- none",
		"find a.box -- toy --help", "find - -- toy", "find a.box -- toy --csv --json", "--version", "extract a.box check"} {
		if got := inParts(t, games, nil, strings.Fields(line)...); got.code != exitFailed || got.err == "" {
			t.Errorf("%q: %+v", line, got)
		}
		if left, _ := filepath.Glob("*"); len(left) != 1 {
			t.Fatalf("%q: made %v", line, left)
		}
	}
}

// TestAccess tests that nothing outside of the roots is opened.
func TestAccess(t *testing.T) {
	games := format.Games{toys}
	dir := t.TempDir()
	t.Chdir(dir)
	writeBox(t, "root/a.box", toy{"ball", []byte("x")})
	writeBox(t, "root/deep/a.box", toy{"ball", []byte("x")})
	writeBox(t, "other/secret.box", toy{"secret", nil})
	os.MkdirAll("root/shelf", 0o777)
	os.MkdirAll("root/linked", 0o777)
	os.WriteFile("root/shelf/shelf.txt", nil, 0o666)
	os.WriteFile("root/linked/shelf.txt", nil, 0o666)
	for to, at := range map[string]string{"../other/secret.box": "root/link.box", "../other": "root/folder",
		"a.box": "root/fine.box", "../../other/secret.box": "root/linked/secret.txt", "gone": "root/gone.box",
		"loop": "root/loop", "linked": "root/way"} {
		tests.Link(t, to, at)
	}
	t.Chdir("root")
	access := &service.Access{Roots: []string{filepath.Join(dir, "none"), filepath.Join(dir, "root")}}
	for name, may := range map[string]bool{
		"a.box": true, "./deep/../a.box": true, filepath.Join(dir, "root/a.box"): true, "fine.box": true, "shelf": true, "../root/a.box": true,
		"../other/secret.box": false, filepath.Join(dir, "other/secret.box"): false, "link.box": false,
		"folder/secret.box": false, "folder": false,
		"linked": false, "gone.box": false, "loop": false, "/": false, "..": false, "../root/../other/secret.box": false,
		"/dev/null": false, "/proc/self/environ": false, "way": false,
	} {
		got := inParts(t, games, access, "check", name)
		if refused := strings.Contains(got.err, service.ErrOutside.Error()); refused == may || !may && got.code != exitFailed {
			t.Errorf("%s: %+v", name, got)
		}
		if strings.Contains(got.err+got.out, "secret:") || strings.Contains(got.out, "toy-empty") {
			t.Errorf("%s: %+v", name, got)
		}
	}
	// Links to files are not followed; a link in a folder that is a game file is refused.
	if got := inParts(t, games, access, "check", "."); strings.Contains(got.out, "toy-empty") ||
		!strings.HasPrefix(got.err, "trowel: linked/secret.txt: "+service.ErrOutside.Error()+"\n3 files") {
		t.Errorf("a folder: %+v", got)
	}
}

// TestAccessBeside tests that files named by options, and neighbors of files, cannot be outside of the roots
// either.
func TestAccessBeside(t *testing.T) {
	samples := samplesDir(t)
	dir := t.TempDir()
	t.Chdir(dir)
	for _, line := range []string{"pack -q " + filepath.Join(samples, "ember") + " -o x.mod",
		"convert -q x.mod --to torchlight-pak -o x.pak"} {
		if got := here(games, strings.Fields(line)...); got.code != 0 {
			t.Fatal(line, got)
		}
	}
	for _, name := range []string{"in", "out"} {
		os.Mkdir(name, 0o777)
		for _, ext := range []string{".pak", ".pak.MAN"} {
			data, err := os.ReadFile("x" + ext)
			if err == nil {
				err = os.WriteFile(name+"/x"+ext, data, 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	os.WriteFile("names.txt", []byte("SECRET\n"), 0o666)
	access := &service.Access{Roots: []string{filepath.Join(dir, "in")}}
	if got := inParts(t, games, access, "check", "in/x.pak"); strings.Contains(got.err, service.ErrOutside.Error()) || got.code == exitFailed {
		t.Errorf("inside: %+v", got)
	}
	for _, line := range []string{"check in/x.pak --names names.txt", "check in/x.pak --base x.mod",
		"find in/x.pak --names names.txt -- key LEVEL"} {
		if got := inParts(t, games, access, strings.Fields(line)...); got.code != exitFailed ||
			!strings.Contains(got.err, service.ErrOutside.Error()) {
			t.Errorf("%s: %+v", line, got)
		}
	}
	os.Remove("in/x.pak.MAN")
	tests.Link(t, "../out/x.pak.MAN", "in/x.pak.MAN")
	if got := inParts(t, games, access, "check", "in/x.pak"); !strings.Contains(got.err+got.out, service.ErrOutside.Error()) {
		t.Errorf("beside: %+v", got)
	}
	// Remote servers are not contacted without permission.
	if got := inParts(t, games, access, "check", "in", "--remote"); got.code != exitFailed || !strings.Contains(got.err, "other machines") {
		t.Errorf("remote: %+v", got)
	}
}
