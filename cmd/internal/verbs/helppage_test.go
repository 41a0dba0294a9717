package verbs

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"trowel.example/cmd/internal/terminal"
	"trowel.example/internal/files/host"
	"trowel.example/internal/format"
)

// helpFor returns what a command line prints.
func helpFor(t *testing.T, games format.Games, args ...string) string {
	t.Helper()
	var out, talk bytes.Buffer
	if code := run(games, args, strings.NewReader(""), &out, &talk); code != exitFine {
		t.Fatalf("%v: exit code %d\n%s", args, code, &talk)
	}
	return out.String()
}

// setColumns sets the variable COLUMNS until the test ends.
func setColumns(t *testing.T, columns string) {
	before := host.Replace(func(q host.Question) (string, bool) {
		return columns, q == host.Question{Kind: host.Variable, Name: "COLUMNS"}
	})
	t.Cleanup(func() { host.Replace(before) })
}

// TestHelpWidth tests that the help of all verbs, operations and queries is no wider than COLUMNS, or than 100, and that
// short help fits a screen.
func TestHelpWidth(t *testing.T) {
	for _, columns := range []string{"", "80", "60"} {
		setColumns(t, columns)
		width := usualWidth
		if columns != "" {
			_, _ = fmt.Sscan(columns, &width)
		}
		check := func(name, page string) {
			t.Helper()
			for line := range strings.Lines(page) {
				if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width && strings.Contains(strings.TrimSpace(line), " ") {
					t.Errorf("%s: %d columns, not %d: %s", name, n, width, line)
				}
			}
		}
		a := newTool(games, nil, io.Discard, io.Discard)
		root := rootCommand(a)
		forEach(root, func(cmd *cobra.Command) {
			if cmd.Hidden || cmd.DisableFlagParsing && cmd.Parent() == root {
				return // the help is another program's
			}
			var full, short strings.Builder
			newHelpPage(a, &full).verb(cmd)
			check(cmd.CommandPath()+" --help", full.String())
			a.out.Reset(&short)
			shortHelp(a, cmd)
			_ = a.out.Flush()
			check(cmd.CommandPath()+" -h", short.String())
			if n := strings.Count(short.String(), "\n"); n > screenful && width >= 80 {
				t.Errorf("%s -h: %d lines", cmd.CommandPath(), n)
			}
		})
		for _, verb := range []string{"edit", "find"} {
			for _, name := range commandNames(a.Formats, verbCommands[verb]) {
				var page strings.Builder
				newHelpPage(a, &page).command(a.Formats, verb, name)
				check(verb+" "+name, page.String())
			}
		}
	}
}

// TestVerbGroups tests that each verb of the table of groups exists, and each verb is in a group.
func TestVerbGroups(t *testing.T) {
	a := newTool(games, nil, io.Discard, io.Discard)
	root := rootCommand(a)
	root.InitDefaultHelpCmd()
	known := make(map[string]int)
	for _, g := range verbGroups(a, root) {
		if len(g.verbs) == 0 {
			t.Errorf("no verbs: %s", g.title)
		}
		for _, verb := range g.verbs {
			known[verb.Name()]++
		}
	}
	for _, names := range groupVerbs {
		for _, name := range names {
			if known[name] != 1 {
				t.Errorf("%s: %d verbs have this name", name, known[name])
			}
		}
	}
}

// TestHelpOfCommands tests that every way to ask for the help of an operation leads to the same page, and that help for
// a file lists the operations of its format in their groups.
func TestHelpOfCommands(t *testing.T) {
	samples, err := filepath.Abs("../../../samples")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	helpFor(t, games, "pack", "-q", filepath.Join(samples, "burrow"), "-o", "x.map")
	page := helpFor(t, games, "help", "replace-tiles")
	if !strings.Contains(page, "trowel edit FILE... -- replace-tiles FROM TO") || !strings.Contains(page, "--from-flags") {
		t.Error(page)
	}
	for _, line := range []string{
		"edit replace-tiles --help", "edit -- replace-tiles --help", "edit x.map -- replace-tiles 1 --help", "edit x.map replace-tiles -h",
		"help edit replace-tiles", "edit x.map -- info --author x then replace-tiles --help",
	} {
		if other := helpFor(t, games, strings.Fields(line)...); other != page {
			t.Errorf("%s prints another page:\n%s", line, other)
		}
	}
	// An operation that several formats have: with a file only that of its format.
	if page := helpFor(t, games, "edit", "x.map", "--", "info", "--help"); strings.Contains(page, "Torchlight") ||
		!strings.Contains(page, "Teeworlds") {
		t.Error(page)
	}
	for _, verb := range []string{"edit", "find"} {
		for _, file := range []string{"x.map", "not-there.map", filepath.Join(samples, "burrow")} {
			list := helpFor(t, games, verb, file, "--help")
			lines := strings.Split(list, "\n")
			for _, c := range verbCommands[verb](games.Formats().ByName("teeworlds-map")) {
				if !slices.Contains(lines, "  "+c.Heading) || !slices.ContainsFunc(lines,
					func(line string) bool { return strings.HasPrefix(line, "    "+c.Name+" ") }) {
					t.Errorf("%s %s: no %s in\n%s", verb, file, c.Name, list)
				}
			}
			if strings.Contains(list, "set-metadata") || strings.Contains(list, "add-key") {
				t.Errorf("commands for other files:\n%s", list)
			}
		}
	}
	if all := helpFor(t, games, "edit", "--help"); !strings.Contains(all, "set-metadata") || !strings.Contains(all, "replace-tiles") {
		t.Error(all)
	}
	if short := helpFor(t, games, "edit", "-h"); strings.Contains(short, "replace-tiles") || !strings.Contains(short, "--in-place") {
		t.Error(short)
	}
}

// TestExampleLines tests that long examples are broken only where a shell joins them again.
func TestExampleLines(t *testing.T) {
	p := &helpPage{screen: terminal.Screen{Width: 40}}
	const line = `  trowel edit climb.map -- info --author 'Ann and all the others of the team' then info --license "CC 0"`
	got := p.example(line)
	want, err := splitWords(line)
	if err != nil {
		t.Fatal(err)
	}
	words, err := splitWords(strings.ReplaceAll(got, "\\\n", ""))
	if err != nil || !slices.Equal(words, want) || !strings.Contains(got, "\\\n") {
		t.Errorf("%v\n%s", err, got)
	}
}
