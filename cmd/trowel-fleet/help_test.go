package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"trowel.example/cmd/internal/verbs"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/tests"
)

// helpOf returns what a command line prints if the variable COLUMNS has a value.
func helpOf(t *testing.T, columns string, args ...string) string {
	t.Helper()
	tests.OnHost(t, map[string]string{"variable COLUMNS": columns})
	var out, talk bytes.Buffer
	if code := verbs.Main(format.Registered(), args, strings.NewReader(""), &out, &talk, more...); code != 0 {
		t.Fatalf("%q: exit code %d\n%s", args, code, &talk)
	}
	return out.String()
}

// verbsIn returns the names of the verbs that help lists.
func verbsIn(help string) (names []string) {
	_, list, _ := strings.Cut(help, "\nVerbs:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	for line := range strings.Lines(list) {
		if name, _, _ := strings.Cut(strings.TrimPrefix(line, "  "), " "); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// TestHelpWidth tests that the help of the verbs that only this program has is no wider than COLUMNS, or than 100, and
// that -h prints a screenful of it.
func TestHelpWidth(t *testing.T) {
	lines := [][]string{{}, {"census"}, {"worker"}, {"jobs"}}
	for _, name := range verbsIn(helpOf(t, "", "jobs", "--help")) {
		lines = append(lines, []string{"jobs", name})
	}
	if len(lines) < 8 {
		t.Fatalf("the help of jobs lists only %q", lines[4:])
	}
	for columns, width := range map[string]int{"": 100, "60": 60} {
		for _, line := range lines {
			for _, flag := range []string{"-h", "--help"} {
				page := helpOf(t, columns, append(line[:len(line):len(line)], flag)...)
				for row := range strings.Lines(page) {
					if n := utf8.RuneCountInString(strings.TrimSuffix(row, "\n")); n > width && strings.Contains(strings.TrimSpace(row), " ") {
						t.Errorf("%q %s: %d columns, not %d: %s", line, flag, n, width, row)
					}
				}
				if n := strings.Count(page, "\n"); flag == "-h" && width == 100 && n > 24 {
					t.Errorf("%q -h: %d lines", line, n)
				}
			}
			if full, short := helpOf(t, columns, append(line[:len(line):len(line)], "--help")...),
				helpOf(t, columns, append(line[:len(line):len(line)], "-h")...); full == short {
				t.Errorf("%q: -h and --help are the same page", line)
			}
		}
	}
}

// TestHelpOfSubmittedVerb tests that options for help after a submitted verb explain this verb, and those before it submit.
func TestHelpOfSubmittedVerb(t *testing.T) {
	for _, flag := range []string{"-h", "--help"} {
		want := helpOf(t, "", "check", flag)
		if got := helpOf(t, "", "jobs", "submit", "check", "world", flag); got != want {
			t.Errorf("jobs submit check world %s prints\n%s", flag, got)
		}
		want = helpOf(t, "", "jobs", "submit", flag)
		if got := helpOf(t, "", "jobs", "submit", flag, "check"); got != want {
			t.Errorf("jobs submit %s check prints\n%s", flag, got)
		}
	}
}
