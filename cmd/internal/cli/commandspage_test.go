package cli

import (
	"os"
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/format"
)

// TestFindingPage tests that docs/finding.md describes every query as declared.
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

With `+"`--resume FOLDER`"+` it goes on where a run was stopped, and workers on many machines search what is too
much for one: [scale.md](scale.md).

This page is made from the declarations in the code:
`+"`go test ./cmd/internal/cli -run FindingPage -update`"+`.
`+commandPage(games.Formats(), "find", queriesOf))
}

// testPage tests that a page of the docs is identical to the generated one.
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

// TestEditingPage tests that docs/editing.md describes every operation as declared.
func TestEditingPage(t *testing.T) {
	testPage(t, "editing.md", strings.ReplaceAll(`# Changing files

'''trowel edit''' takes files through operations: to forty layers, two hundred maps or a world
of millions of blocks as easily as to one.

    trowel edit climb.map -- info --author 'Ann and Bob'
    trowel edit *.map --out-dir edited -- info --license CC0 then info --credits 'tiles: Ann'
    trowel edit climb.map --in-place --script clean.txt

- What no operation touches stays as it is, byte for byte.
- Each change is told: the part, by the name that it has in the folder of '''trowel extract''',
  what was done, how many things it is about, and where if they are few. With '''--json''' all
  of it is data.
- '''--dry-run''' tells the very same, and writes nothing.
- The changed file is '''NAME.edited.EXT''' beside the file, what '''-o''' names, or goes to the
  folder that '''--out-dir''' names. With '''--in-place''' it takes the place of the file, which
  becomes a backup beside it: '''trowel repair FILE --restore BACKUP''' puts it back.
- Runs that change one file in place wait for each other, so none loses what another did. If
  another program saves the file while a run works on it, nothing is changed, and the exit code
  is 2. If it saves at the very moment at which the file is replaced, what it wrote is the backup:
  the run reports that, and exits with 1. Where a system cannot exchange two names in one step
  (Windows, some network file systems), the file has no name for that moment.
- If something that an operation names (a node, an item, an image, a layer, a key) is in none of the
  files, nothing is written, the exit code is 1, and the error suggests existing names. A step that
  changes nothing because the value is already so is no error. With several files each name must
  be in one of them; files that lack it get a warning. '''--allow-nothing''' accepts names that
  are nowhere, for scripts. A name of a node or item that a world is to get must be in the world, in
  '''--nodes''' or in the built-in definitions of minetest_game, or be confirmed by '''--new-name'''.
- A folder that '''extract''' made becomes such a folder again, with the names that it has.
- '''then''' stands between two operations. A script has one operation on each line, with
  quotes as a shell knows them, and '''#''' begins a comment:

      # clean.txt
      info --license CC0
      info --author 'Ann and Bob'

- If an operation cannot do what it is told, nothing of the file is changed, and the exit
  code is 2. '''trowel edit -- OPERATION --help''' tells how one is called.

Each operation is a function of a library, too: see '''teeworlds/mapedit''',
'''minetest/worldedit''' and '''torchlight/modedit'''.

This page is made from the declarations in the code:
'''go test ./cmd/internal/cli -run EditingPage -update'''.
`, "'''", "`")+commandPage(games.Formats(), "edit", editCommands))
}

// TestCommands tests that every command has a description and a valid example, and that its options have other names
// than those of the verb, which find also accepts after the query.
func TestCommands(t *testing.T) {
	for _, f := range append(games, toys).Formats() {
		for _, verb := range []struct {
			of  commandsOf
			own []format.Option
		}{{queriesOf, findOptions}, {editCommands, nil}} {
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
