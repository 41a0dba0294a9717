package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocsMods tests that the commands about mods on the pages work in a folder with the samples and print what
// the pages show.
func TestDocsMods(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		page, from, to string // the tested range of the page
		before         []string
		lines          int
	}{
		{page: "README.md", from: "## A mod, without the game's editor", to: "## A world", lines: 6},
		{page: "samples/README.md", from: "    trowel pack samples/ember", to: "To play it", lines: 2},
		{page: "docs/formats/torchlight-strings.md", from: "", to: "## ", lines: 4, before: []string{
			"trowel pack samples/ember -q --tables -o WOLVES.MOD", "trowel convert -q WOLVES.MOD -o DATA.PAK", "trowel convert -q WOLVES.MOD --to po -o wolves.de.po"}},
	} {
		t.Run(c.page, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(c.page)))
			if err != nil {
				t.Fatal(err)
			}
			_, part, found := strings.Cut(string(text), c.from)
			part, _, ends := strings.Cut(c.from+part, c.to)
			if !found || !ends {
				t.Fatal("the part is not there")
			}
			t.Chdir(t.TempDir())
			if err := os.CopyFS("samples/ember", os.DirFS(filepath.Join(root, "samples", "ember"))); err != nil {
				t.Fatal(err)
			}
			output, n := "", 0
			run := func(line string) {
				words, err := splitWords(line)
				if err != nil {
					t.Fatalf("%s: %v", line, err)
				}
				var out, said bytes.Buffer
				if code := Main(games, words[1:], strings.NewReader(""), &out, &said); code != exitFine {
					t.Errorf("%s: exit code %d\n%s%s", line, code, &out, &said)
				}
				output, n = out.String()+said.String(), n+1
			}
			for _, line := range c.before {
				run(line)
			}
			n = 0
			for line := range strings.Lines(part) {
				line, shown := strings.CutPrefix(strings.TrimRight(line, "\n"), "    ")
				line, _, _ = strings.Cut(line, "   #")
				switch words := strings.Fields(line); {
				case !shown || len(words) == 0:
				case words[0] == "$":
					run(strings.TrimPrefix(line, "$ "))
				case words[0] == "trowel":
					run(line)
				case words[0] == "cp":
					data, err := os.ReadFile(words[1])
					if err == nil {
						err = os.WriteFile(words[2], data, 0o666)
					}
					if err != nil {
						t.Error(err)
					}
				case !strings.Contains(output, line+"\n"):
					t.Errorf("nothing prints %q, but\n%s", line, output)
				}
			}
			if n != c.lines {
				t.Errorf("%d commands", n)
			}
		})
	}
}
