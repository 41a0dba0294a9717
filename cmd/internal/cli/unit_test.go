package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"trowel.example/internal/files/host"
	"trowel.example/internal/files/tree"
	"trowel.example/internal/format"
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

// TestProgress tests that progress is shown only on a terminal, only after some time, and is erased at the end.
func TestProgress(t *testing.T) {
	var b bytes.Buffer
	talk := newTalk(&b, bufio.NewWriter(&b))
	talk.progress("files", 1, 2)
	talk.terminal = true
	talk.progress("files", 1, 2)
	if b.Len() > 0 {
		t.Errorf("too early: %q", b.String())
	}
	talk.started = talk.started.Add(-10 * time.Second)
	talk.progress("files", 10_001, 20_001)
	talk.progress("files", 10_002, 20_001)
	talk.say("done")
	want := regexp.MustCompile(`^\r\x1b\[Kfiles 10,001 of 20,001, 50 %, [89]\d\d a second, 1\ds left\r\x1b\[Kdone\n$`)
	if !want.MatchString(b.String()) {
		t.Errorf("said %q, want %q", b.String(), want)
	}
	talk.clear()
	talk.quiet = true
	talk.say("quiet")
	if strings.Contains(b.String(), "quiet") {
		t.Error("not quiet")
	}
}

// TestMainArgs tests that double clicks and dropped files on Windows run something and keep the window open,
// and that a start from a shell does not.
func TestMainArgs(t *testing.T) {
	dir := t.TempDir()
	a, b := dir+"/a.map", dir+"/b c.map"
	for _, name := range []string{a, b} {
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
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

func TestPagerCommand(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		less bool
		want string
	}{
		{nil, true, "[/bin/less]"},
		{nil, false, "[]"},
		{map[string]string{"PAGER": "more -s"}, true, "[more -s]"},
		{map[string]string{"PAGER": "cat"}, true, "[]"},
		{map[string]string{"PAGER": ""}, true, "[]"},
		{map[string]string{"PAGER": "more", "TROWEL_PAGER": "less -S"}, false, "[less -S]"},
		{map[string]string{"PAGER": "more", "TROWEL_PAGER": ""}, true, "[]"},
	} {
		answers := make(map[string]string)
		for name, value := range c.env {
			answers["variable "+name] = value
		}
		if c.less {
			answers["program less"] = "/bin/less"
		}
		asked := tests.OnHost(t, answers)
		got := pagerCommand()
		if list := fmt.Sprint(asked.Asked()); c.env == nil && list != "[program less variable PAGER variable TROWEL_PAGER]" {
			t.Errorf("asked for %s", list)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%v: %v, want %s", c.env, got, c.want)
		}
	}
}

// TestPager tests that output that fits the screen is printed directly, and that longer output goes to the
// pager as a whole, together with messages.
func TestPager(t *testing.T) {
	tests.OnHostOf(t, host.System)
	for lines, paged := range map[int]bool{0: false, 9: false, 10: true, 50_000: true} {
		var direct bytes.Buffer
		file := t.TempDir() + "/paged"
		started := false
		p := &pager{to: &direct, height: 10, command: []string{"tee", file}, started: func() { started = true }}
		var want strings.Builder
		for i := range lines {
			line := fmt.Sprintln("line", i)
			want.WriteString(line)
			if _, err := io.WriteString(p, line); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.end(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(file); (err == nil) != paged || started != paged || direct.String() != want.String() {
			t.Errorf("%d lines: paged %v, %v, %d bytes of %d", lines, started, err, direct.Len(), want.Len())
		}
	}
	var direct bytes.Buffer
	p := &pager{to: &direct, command: []string{"/no/such/pager"}}
	if _, err := io.WriteString(p, "x\n"); err != nil || p.end() != nil || direct.String() != "x\n" {
		t.Errorf("without a pager: %q, %v", direct.String(), err)
	}
}

func TestScreen(t *testing.T) {
	s := screen{width: 30}
	if got, want := s.wrapped("error: a long message that goes on", 2, 6), "error: a long message that\n      goes on"; got != want {
		t.Errorf("wrapped %q, want %q", got, want)
	}
	for _, c := range []struct {
		terminal bool
		mode     colorMode
		noColor  string
		want     bool
	}{
		{true, "auto", "", true}, {true, "auto", "1", false}, {false, "auto", "", false}, {true, "never", "", false}, {false, "always", "1", true}, {true, "", "", false},
	} {
		tests.OnHost(t, map[string]string{"variable TERM": "xterm", "variable NO_COLOR": c.noColor})
		s := screen{terminal: c.terminal, color: c.mode}
		if got := s.paint(colorError, "x") != "x"; got != c.want {
			t.Errorf("%+v: %v", c, got)
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
		a := newApp(format.Games{toys}, nil, &out, &err)
		a.screen.terminal, a.screen.width = terminal, 60
		a.run(t.Context(), append(append([]string{"check", "--color=never"}, args...), file), &err)
		return out.String(), err.String()
	}
	var out, said string
	for _, terminal := range []bool{false, true} {
		if out, said = run(terminal); strings.Count(out, "toy-empty") != 5 || strings.Count(out, "(and 2 more like it)") != 1 || strings.Count(out, "toy-twice") != 1 || !strings.Contains(said, "2 findings like others not shown: --every shows them") {
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
	page, err := os.ReadFile("../../../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	keys := regexp.MustCompile(`\{([a-z][A-Za-z]*(?:,\s+[a-z][A-Za-z]*)+)\}`)
	for _, cmd := range newApp(games, nil, io.Discard, io.Discard).root().Commands() {
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
		0:   "toy-box    Box of toys    .box .toys  open, build, check, dump, render, find, edit, merge, convert to toy-text\n",
		70:  "toy-box    Box of toys    .box .toys  open, build, check, dump,\n                                      render, find, edit, merge,\n                                      convert to toy-text\n",
		60:  "toy-box: Box of toys (.box .toys)\n    open, build, check, dump, render, find, edit, merge,\n    convert to toy-text\n",
		200: "toy-box    Box of toys    .box .toys  open, build, check, dump, render, find, edit, merge, convert to toy-text\n",
	} {
		var out bytes.Buffer
		a := newApp(format.Games{toys}, nil, &out, io.Discard)
		a.screen.width = width
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
	a := newApp(format.Games{toys}, nil, io.Discard, io.Discard)
	for _, c := range []struct {
		terminal bool
		patterns []string
		want     int64
	}{{true, nil, 6000}, {true, []string{"*.png"}, 3000}, {false, nil, 0}} {
		a.talk.terminal = c.terminal
		x := &extraction{app: a, fsys: &files, patterns: c.patterns}
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
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if got := fmt.Sprint(expanded([]string{"*.map", "[c].map", "none*", "-", "d.txt", filepath.Join("de*", "*.map")})); got != fmt.Sprintf("[B.MAP [c].map a.map [c].map none* - d.txt %s]", filepath.Join("Deep", "e.Map")) {
		t.Error(got)
	}
}

// TestQuotedFor tests that commands in hints can be pasted into the shells of each system.
func TestQuotedFor(t *testing.T) {
	for _, c := range []struct{ system, word, want string }{
		{"linux", "a.map", "a.map"},
		{"linux", "it's.map", `'it'\''s.map'`},
		{"linux", `a\b`, `'a\b'`},
		{"windows", `C:\maps\a.map`, `C:\maps\a.map`},
		{"windows", `Gold Mine.map`, `"Gold Mine.map"`},
		{"windows", "it's.map", `"it's.map"`},
		{"windows", "a,b.map", `"a,b.map"`},
		{"windows", "", `""`},
	} {
		if got := quotedFor(c.system, c.word); got != c.want {
			t.Errorf("%s: %s, want %s", c.system, got, c.want)
		}
	}
}

// TestChangelog tests that the first release in the changelog is the current version.
func TestChangelog(t *testing.T) {
	log, err := os.ReadFile("../../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	heading := regexp.MustCompile(`(?m)^## [0-9].*$`).Find(log)
	if want := "## " + release + " (" + releaseDate + ")"; string(heading) != want {
		t.Errorf("the changelog begins with %q, the version is %q", heading, want)
	}
	got := builtFrom([]debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.time", Value: "2031-02-03T23:59:59+02:00"}, {Key: "vcs.modified", Value: "true"}})
	if want := release + " (0123456789ab with changes, 2031-02-03)"; got.String() != want {
		t.Errorf("version %q, want %q", got, want)
	}
}

func TestDistance(t *testing.T) {
	if d := distance("images/grass.png", "Images/gras.png", 5); d != 1 {
		t.Errorf("distance = %d", d)
	}
}

// TestNoSecond tests that the advice about the missing second program says where to get it.
func TestNoSecond(t *testing.T) {
	tests.OnHost(t, nil)
	for _, verb := range secondVerbs {
		if got := here(games, verb[0], "x"); got.code != exitFailed || !strings.Contains(got.err, "hint: trowel-fleet is in the release archive of trowel") {
			t.Errorf("%s: %+v", verb[0], got)
		}
	}
}

// TestProgram tests that programs without a commit are identified by their content.
func TestProgram(t *testing.T) {
	b := readBuilt()
	sum, err := hashOfSelf()
	if err != nil {
		t.Fatal(err)
	}
	want := b.String()
	if b.revision == "" || b.changed {
		want += fmt.Sprintf(", program %x", sum[:6])
	}
	if got := program(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
