package verbs

import (
	"fmt"
	"iter"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
)

// TestFindingPage tests that docs/finding.md describes every query as declared.
func TestFindingPage(t *testing.T) {
	testPage(t, "finding.md", `# Queries of find

`+"`trowel find FILE... -- QUERY`"+` finds things by type: tiles, nodes, items, keys. It accepts many
files, and searches folders. For each match it prints a line with the file, its part, the place
and the fields of the match; `+"`--json` and `--csv`"+` are for programs, `+"`--count`"+` prints only the
number of matches. `+"`--by FIELD`"+` groups the matches: it prints how often each value of a field
occurs, and the sums of amounts; `+"`file`, `path` and `at`"+` are fields, too. For example,

<!-- run: trowel pack -q samples/hollow -o world -->

    trowel find world -- item default:diamond --by owner

lists the owners of diamonds, with their numbers.

![Queries of find in a terminal: teleporters of a map, chests, items and ores of worlds](pictures/terminal-find.svg)

The options of find may be before `+"`--`"+` or after
the query. The exit code is 0 if something was found, 1 if nothing was found, and 2 if something
failed.

`+"`--resume FOLDER`"+` resumes an interrupted run, and workers on many machines search what is too much
for one: [scale.md](scale.md).

This page is generated from the declarations in the code:
`+"`go test ./cmd/internal/verbs -run FindingPage -update`"+`.
`+commandPage(games.Formats(), "find", queriesOf))
}

// testPage tests that a page of the docs is identical to the generated one.
func testPage(t *testing.T, name, page string) {
	name = "../../../docs/" + name
	if *update {
		judge.Write(t, name, []byte(page))
	}
	if got, err := os.ReadFile(name); err != nil || string(got) != page {
		t.Errorf("%s is out of date, %v: run this test with -update", name, err)
	}
}

// TestEditingPage tests that docs/editing.md describes every operation as declared.
func TestEditingPage(t *testing.T) {
	testPage(t, "editing.md", strings.ReplaceAll(`# Changing files

'''trowel edit''' changes files by operations. One command changes forty layers, two hundred maps or a world of millions of blocks.

<!-- run: trowel pack -q samples/burrow -o climb.map && echo 'info --license CC0' > clean.txt -->

    trowel edit climb.map -- info --author 'Ann and Bob'
    trowel edit *.map --out-dir edited -- info --license CC0 then info --credits 'tiles: Ann'
    trowel edit climb.map --in-place --script clean.txt

- Parts that no operation changes keep their bytes.
- '''edit''' reports each change: the part, by its name in the folder of '''trowel extract''', the kind of change, the number of changed
  things, and their places if they are few. '''--json''' prints all of this as data.
- '''--dry-run''' prints the same report and writes nothing.
- The result is '''NAME.edited.EXT''' next to the file, the file of '''-o''', or a file in the folder of '''--out-dir'''. With
  '''--in-place''' it replaces the file, which is kept as a backup next to it: '''trowel undo FILE''' restores it.
- Runs that change one file in place wait for each other, so no change is lost. If another program saves the file during a
  run, the run changes nothing and exits with code 2. If the program saves at the moment of replacement, its version becomes
  the backup: the run reports that and exits with code 1. On systems that cannot exchange two names in one step (Windows,
  some network file systems), the file has no name for that moment.
- If a name in an operation (a node, an item, an image, a layer, a key) is in none of the files, nothing is written, the exit
  code is 1, and the error suggests existing names. Layers, groups and images are named as they are called before the step;
  if none is called so, the names of the file before all steps are valid, too. A step that changes nothing because the value
  is already set is not an error. With several files, each name must be in one of them; the others get a warning.
  '''--allow-nothing''' accepts unknown names, for scripts. The name of a new node or item must be in the world, in '''--nodes''' or
  in the built-in definitions of minetest_game, or be confirmed by '''--new-name'''.
- The result for a folder made by '''extract''' is a folder with the same file names.
- '''then''' separates two operations. A script has one operation on each line, quotes as in a shell, and comments after '''#''':

      # clean.txt
      info --license CC0
      info --author 'Ann and Bob'

- If an operation fails, the file is not changed, and the exit code is 2.
  '''trowel help OPERATION''' describes an operation.

Each operation is also a function of a library: see '''teeworlds/mapedit''', '''minetest/worldedit''' and '''torchlight/modedit'''.

This page is generated from the declarations in the code:
'''go test ./cmd/internal/verbs -run EditingPage -update'''.
`, "'''", "`")+commandPage(games.Formats(), "edit", editCommands))
}

// TestCommands tests that every command has a description and a valid example, and that its options have other names
// than those of the verb, which find also accepts after the query.
func TestCommands(t *testing.T) {
	for _, f := range append(games, toys).Formats() {
		for _, verb := range []struct {
			of  commandsOf
			own []format.Option
		}{{queriesOf, queryOptions}, {editCommands, nil}} {
			seen := make(map[string]bool)
			var commands []*format.Command
			for _, c := range verb.of(f) {
				with := *c
				with.Options = slices.Concat(c.Options, verb.own)
				commands = append(commands, &with)
			}
			for _, c := range verb.of(f) {
				if c.Name == "" || c.Title == "" || c.Heading == "" || c.Example == "" || seen[c.Name] {
					t.Errorf("%s: command %q lacks something, or is there twice", f.Name, c.Name)
				}
				seen[c.Name] = true
				words, err := splitWords(c.Example)
				if err == nil {
					_, err = format.ParseSteps(new(format.Job), commands, words)
				}
				if err != nil || words[0] != c.Name {
					t.Errorf("%s: example %s: %v", c.Name, c.Example, err)
				}
				for _, o := range slices.Concat(c.Args, c.Options) {
					if o.Help == "" || slices.ContainsFunc(verb.own, func(own format.Option) bool { return own.Name == o.Name }) {
						t.Errorf("%s: option %s has no help, or is one of the verb", c.Name, o.Name)
					}
				}
			}
		}
	}
}

// commandPage returns a description of all commands in Markdown. What several have in common is described once.
func commandPage(formats format.Set, verb string, of commandsOf) string {
	var b strings.Builder
	described := make(map[*format.Command]string) // in the section with this title
	for _, s := range byCommands(formats, of) {
		fmt.Fprintf(&b, "\n## %s\n", s.title())
		fresh := slices.DeleteFunc(slices.Clone(s.commands), func(c *format.Command) bool { return described[c] != "" })
		shared, common := sharedLines(fresh), "Common to several: "+s.title()
		if len(shared) > 0 {
			fmt.Fprintf(&b, "\n### %s\n\nThese arguments and options have the same meaning everywhere:\n\n%s\n", common, strings.Join(shared, "\n"))
		}
		heading := ""
		for _, c := range fresh {
			described[c] = s.title()
			if c.Heading != heading {
				heading = c.Heading
				fmt.Fprintf(&b, "\n### %s\n", heading)
			}
			text := strings.TrimSuffix(c.Title, ".") + "."
			if c.Long != "" {
				text += " " + c.Long
			}
			fmt.Fprintf(&b, "\n**`%s`**: %s Example: `trowel %s %s -- %s`\n", c.Usage(), text, verb, s.file(), c.Example)
			var above []string
			for name, line := range lines(c) {
				if slices.Contains(shared, line) {
					above = append(above, "`"+name+"`")
				} else {
					fmt.Fprintln(&b, line)
				}
			}
			if len(above) > 0 {
				fmt.Fprintf(&b, "- %s: [common to several](#%s)\n", strings.Join(above, ", "), anchor(common))
			}
		}
		again := make(map[string][]string)
		for _, c := range s.commands {
			if !slices.Contains(fresh, c) {
				again[described[c]] = append(again[described[c]], "`"+c.Name+"`")
			}
		}
		for _, title := range slices.Sorted(maps.Keys(again)) {
			fmt.Fprintf(&b, "\nAs described for [%s](#%s): %s.\n", title, anchor(title), strings.Join(again[title], ", "))
		}
	}
	return b.String()
}

// lines returns the names of the arguments and options of a command, each with a line that describes it.
func lines(c *format.Command) iter.Seq2[string, string] {
	return func(yield func(name, line string) bool) {
		for _, o := range c.Args {
			name, help := argumentUsage(&o)
			if !yield(name, fmt.Sprintf("- `%s`: %s", name, help)) {
				return
			}
		}
		for _, o := range c.Options {
			usage, help := optionUsage(&o)
			if !yield("--"+o.Name, fmt.Sprintf("- `%s`: %s", usage, help)) {
				return
			}
		}
	}
}

// sharedLines returns the lines that at least three commands have, one for each name.
func sharedLines(commands []*format.Command) (shared []string) {
	count, named := make(map[string]int), make(map[string]bool)
	for _, c := range commands {
		for name, line := range lines(c) {
			if count[line]++; count[line] == 3 && !named[name] {
				named[name] = true
				shared = append(shared, line)
			}
		}
	}
	return shared
}

// anchor returns the address of a heading in a page, as Git hosts make it.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}
