package cli

import (
	"os"
	"slices"
	"strings"
	"testing"

	"trowel.example/format"
)

// docs/finding.md describes every query, as it is declared.
func TestFindingPage(t *testing.T) {
	testPage(t, "finding.md", `# What find finds

`+"`trowel find FILE... -- QUERY`"+` looks for things by what they are: tiles, nodes, items, keys.
Files may be many, and folders, which are searched. A line for each thing says the file, the
part of it, the place, and what there is to know; `+"`--json` and `--csv`"+` are for programs,
`+"`--count`"+` is a number. `+"`--by FIELD`"+` makes groups: how often each value of a field is there,
and the sums of what are amounts; `+"`file`, `path` and `at`"+` are fields, too. So

    trowel find world -- item default:diamond --by owner

says who has diamonds in chests, and how many. The options of find may stand before `+"`--`"+` or
behind the query. The exit code is 0 if something was found, 1 if nothing was, 2 if something
failed.

This page is made from the declarations in the code:
`+"`go test ./cmd/internal/cli -run FindingPage -update`"+`.
`+commandPage(games.Formats(), "find", queriesOf))
}

// testPage makes sure that a page of the docs is what the code makes of it.
func testPage(t *testing.T, name, page string) {
	name = "../../../docs/" + name
	if *update {
		if err := os.WriteFile(name, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(name); err != nil || string(got) != page {
		t.Errorf("%s is out of date, %v: run this test with -update", name, err)
	}
}

// Every query says what it is, its example is one, and its options are not those of find.
func TestQueries(t *testing.T) {
	for _, f := range append(games, toys).Formats() {
		seen := make(map[string]bool)
		for _, c := range queriesOf(f) {
			if c.Name == "" || c.Title == "" || c.Heading == "" || c.Example == "" || seen[c.Name] {
				t.Errorf("%s: query %q lacks something, or is there twice", f.Name, c.Name)
			}
			seen[c.Name] = true
			if steps, err := format.ParseSteps(new(format.Job), queriesOf(f), shellWords(c.Example)); err != nil || steps[0].Name != c.Name {
				t.Errorf("%s: example %s: %v", c.Name, c.Example, err)
			}
			for _, o := range slices.Concat(c.Args, c.Options) {
				if o.Help == "" || slices.ContainsFunc(findOptions, func(own format.Option) bool { return own.Name == o.Name }) {
					t.Errorf("%s: option %s has no help, or is one of find", c.Name, o.Name)
				}
			}
		}
	}
}

// shellWords splits a line into words, as a shell does with words in single quotes.
func shellWords(line string) []string {
	var words []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			words[len(words)-1] += part
			continue
		}
		for j, word := range strings.Split(part, " ") {
			if j > 0 || i == 0 {
				words = append(words, "")
			}
			words[len(words)-1] += word
		}
	}
	return slices.DeleteFunc(words, func(word string) bool { return word == "" })
}
