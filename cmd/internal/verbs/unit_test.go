package verbs

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"trowel.example/internal/files/tree"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"*.png", "images/a.png", true},
		{"images", "images/a.png", true},
		{"images", "x/images/a.png", true},
		{"image", "images/a.png", false},
		{"images/*", "images/a.png", true},
		{"images/*", "images/a/b.png", true}, // a folder selects its content
		{"images/*", "x/images/a.png", false},
		{"/images", "x/images/a.png", false},
		{"./images", "images/a.png", true},
		{"images/", "images/a.png", true},
		{`images\a.png`, "images/a.png", true},
		{"**/a.png", "a.png", true},
		{"**/a.png", "x/y/a.png", true},
		{"x/**/a.png", "x/a.png", true},
		{"x/**/a.png", "y/a.png", false},
		{"groups/*/t*s", "groups/Game/tiles/rows.txt", true},
		{"[x]", "[x]", true},
		{".", "a/b", true},
		{"..", "a/b", true}, // there is nothing above the root
	} {
		s, err := selectPaths([]string{c.pattern})
		if err != nil {
			t.Errorf("%q: %v", c.pattern, err)
		} else if got := s.has(c.name); got != c.want {
			t.Errorf("%q has %q: %v", c.pattern, c.name, got)
		}
	}
}

// TestMainArgs tests that double clicks and dropped files on Windows run something and keep the window open,
// and that a start from a shell does not.
func TestMainArgs(t *testing.T) {
	dir := t.TempDir()
	a, b := dir+"/a.map", dir+"/b c.map"
	for _, name := range []string{a, b} {
		judge.Write(t, name, nil)
	}
	for _, c := range []struct {
		args    []string
		byMouse bool
		want    []string
	}{
		{[]string{a}, false, []string{a}},
		{nil, false, nil},
		{nil, true, []string{"help"}},
		{[]string{a}, true, []string{"view", "--", a}},
		{[]string{a, b}, true, []string{"view", "--", a, b}},
		{[]string{dir}, true, []string{"view", "--", dir}},
		{[]string{"check", a}, true, []string{"check", a}},
	} {
		run, stay := mainArgs(c.args, c.byMouse)
		if !reflect.DeepEqual(run, c.want) || stay != c.byMouse {
			t.Errorf("mainArgs(%q, %v) = %q, %v, want %q", c.args, c.byMouse, run, stay, c.want)
		}
	}
}

// TestCheckFolds tests that many findings of a kind are folded into one line with their number, and few are
// not. With --every, -v or --json, every finding is printed.
func TestCheckFolds(t *testing.T) {
	file := t.TempDir() + "/a.box"
	if code := makeBox([]string{file, "a=", "b=", "c=", "d=", "e=", "f=", "g=", "d=1"}, io.Discard); code != 0 {
		t.Fatal("no box")
	}
	run := func(terminal bool, args ...string) (string, string) {
		var out, err bytes.Buffer
		a := newTool(format.Games{toys}, nil, &out, &err)
		a.screen.Terminal, a.screen.Width = terminal, 60
		a.run(t.Context(), append(append([]string{"check", "--color=never"}, args...), file), &err)
		return out.String(), err.String()
	}
	var out, said string
	for _, terminal := range []bool{false, true} {
		if out, said = run(terminal); strings.Count(out, "toy-empty") != 5 ||
			strings.Count(out, "(and 2 more like it)") != 1 || strings.Count(out, "toy-twice") != 1 ||
			!strings.Contains(said, "2 findings of the same kinds not shown: --every shows them") {
			t.Errorf("on a terminal: %v\n%s%s", terminal, out, said)
		}
	}
	for line := range strings.Lines(strings.TrimPrefix(out, file)) {
		if len(line) > 61 {
			t.Errorf("%q is longer than the screen", line)
		}
	}
	for _, args := range [][]string{{"-v"}, {"--every"}, {"--json"}} {
		if out, _ := run(true, args...); strings.Count(out, "toy-empty") != 7 {
			t.Errorf("%v:\n%s", args, out)
		}
	}
}

// TestJSONPage tests that docs/json.md has a section for each verb that prints JSON, with every key that the
// verb's help names.
func TestJSONPage(t *testing.T) {
	page := judge.Read(t, "../../../docs/json.md")
	keys := regexp.MustCompile(`\{([a-z][A-Za-z]*(?:,\s+[a-z][A-Za-z]*)+)\}`)
	for _, cmd := range rootCommand(newTool(games, nil, io.Discard, io.Discard)).Commands() {
		if cmd.Flags().Lookup("json") == nil {
			continue
		}
		section := regexp.MustCompile("(?ms)^## [a-z, ]*\\b" + cmd.Name() + "\\b.*?(^## |\\z)").Find(page)
		if section == nil {
			t.Errorf("there is no section on %s", cmd.Name())
			continue
		}
		for _, object := range keys.FindAllStringSubmatch(cmd.Long, -1) {
			for key := range strings.SplitSeq(object[1], ",") {
				if key = strings.TrimSpace(key); !regexp.MustCompile("\\b" + key + "\\b").Match(section) {
					t.Errorf("the section on %s lacks %s", cmd.Name(), key)
				}
			}
		}
	}
}

// TestFormatsFit tests that the list of formats is a table if the screen is wide enough.
func TestFormatsFit(t *testing.T) {
	for width, want := range map[int]string{
		0: "toy-box    Box of toys    .box .toys  open, build, check, dump, render, find, edit, merge, convert to toy-text\n",
		70: "toy-box    Box of toys    .box .toys  open, build, check, dump,\n                                      " +
			"render, find, edit, merge,\n                                      convert to toy-text\n",
		60:  "toy-box: Box of toys (.box .toys)\n    open, build, check, dump, render, find, edit, merge,\n    convert to toy-text\n",
		200: "toy-box    Box of toys    .box .toys  open, build, check, dump, render, find, edit, merge, convert to toy-text\n",
	} {
		var out bytes.Buffer
		a := newTool(format.Games{toys}, nil, &out, io.Discard)
		a.screen.Width = width
		if code := a.run(t.Context(), []string{"formats"}, io.Discard); code != exitFine || !strings.Contains(out.String(), want) {
			t.Errorf("at a width of %d: %d\n%s", width, code, out.String())
		}
	}
}

// TestExtractTotal tests that the progress of an extraction shows the total number of files.
func TestExtractTotal(t *testing.T) {
	var files tree.FS
	for i := range 3000 {
		files.AddBytes(fmt.Sprintf("a/%d.txt", i), nil)
		files.AddBytes(fmt.Sprintf("b/%d.png", i), nil)
	}
	a := newTool(format.Games{toys}, nil, io.Discard, io.Discard)
	for _, c := range []struct {
		terminal bool
		patterns []string
		want     int64
	}{{true, nil, 6000}, {true, []string{"*.png"}, 3000}, {false, nil, 0}} {
		a.talk.Terminal = c.terminal
		x := &extraction{Tool: a, fsys: &files, patterns: c.patterns}
		stop := x.count(t.Context())
		for end := time.Now().Add(time.Minute); c.want > 0 && x.total.Load() == 0 && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
		stop()
		if got := x.total.Load(); got != c.want {
			t.Errorf("%+v: %d files", c, got)
		}
	}
}

func TestExpanded(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("Deep", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.map", "B.MAP", "[c].map", "d.txt", "Deep/e.Map"} {
		judge.Write(t, name, nil)
	}
	if got := fmt.Sprint(expanded([]string{"*.map", "[c].map", "none*", "-", "d.txt",
		filepath.Join("de*", "*.map")})); got != fmt.Sprintf("[B.MAP [c].map a.map [c].map none* - d.txt %s]", filepath.Join("Deep", "e.Map")) {
		t.Error(got)
	}
}

// TestNoSecond tests that the advice about the missing second program states where to get it.
func TestNoSecond(t *testing.T) {
	tests.OnHost(t, nil)
	for _, verb := range secondVerbs {
		if got := here(games, verb[0], "x"); got.code != exitFailed ||
			!strings.Contains(got.err, "hint: trowel-fleet is in the release archive of trowel") {
			t.Errorf("%s: %+v", verb[0], got)
		}
	}
}
