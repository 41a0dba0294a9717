package verbs

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
)

var update = flag.Bool("update", false, "write docs/checks.md again")

// TestChecksPage tests that docs/checks.md lists every kind of finding once, with a unique ID.
func TestChecksPage(t *testing.T) {
	var page bytes.Buffer
	page.WriteString(`# Findings of check

Every finding has an ID that never changes. An *error* is data that the game, or a part of it,
rejects or misreads; a *warning* works in current versions, but a tester would object; an *info* is
worth knowing. ` + "`trowel explain`" + `
prints this table, ` + "`trowel explain ID`" + ` one finding with an example of its message, ` +
		"`trowel check --json`" + ` findings for programs.

` + "`check --resume FOLDER`" + ` resumes an interrupted run, and workers on many machines check what is too much for
one: [scale.md](scale.md).

![check in a terminal: warnings of a mod without tables, and errors of a map that lacks its end](pictures/terminal-check.svg)

This page is generated from the catalogs in the code: ` + "`go test ./cmd/internal/verbs -run ChecksPage -update`" + `.
`)
	severity := make(map[string]check.Severity)
	table := func(title string, kinds []*check.Kind) {
		fmt.Fprintf(&page, "\n## %s\n\n| ID | severity | what it means | what to do |\n| --- | --- | --- | --- |\n", title)
		for _, k := range kinds {
			if s, twice := severity[k.ID]; twice && s != k.Severity {
				t.Errorf("two kinds have the ID %s", k.ID)
			} else if twice {
				continue
			}
			severity[k.ID] = k.Severity
			if k.Meaning == "" || k.Remedy == "" {
				t.Errorf("%s lacks its meaning or remedy", k.ID)
			}
			fmt.Fprintf(&page, "| `%s` | %s | %s | %s |\n", k.ID, k.Severity, k.Meaning, k.Remedy)
		}
	}
	table("Any file", format.CheckKinds())
	for _, f := range games.Formats() {
		if n := len(f.Kinds); n > 0 {
			if _, known := severity[f.Kinds[n-1].ID]; !known {
				table(f.Title, f.Kinds)
			}
		}
	}
	const name = "../../../docs/checks.md"
	if *update {
		judge.Write(t, name, page.Bytes())
	}
	if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, page.Bytes()) {
		t.Errorf("%s is out of date, %v: run this test with -update", name, err)
	}
}
