package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocsExamples tests that the examples of the pages work: it runs every line that begins with trowel, in
// order, with files of the names used.
func TestDocsExamples(t *testing.T) {
	samples, err := filepath.Abs("../../../samples")
	if err != nil {
		t.Fatal(err)
	}
	docs, err := filepath.Abs("../../../docs")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{"editing.md", "merging.md"} {
		t.Run(page, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(docs, page))
			if err != nil {
				t.Fatal(err)
			}
			// The rest is tested as examples of commands.
			head, _, _ := strings.Cut(string(text), "\nThis page is made from the declarations")
			t.Chdir(t.TempDir())
			run := func(want int, line string) {
				t.Helper()
				words, err := splitWords(line)
				if err != nil {
					t.Fatalf("%s: %v", line, err)
				}
				var args []string
				for _, word := range words[1:] {
					if found, err := filepath.Glob(word); err == nil && len(found) > 0 && strings.Contains(word, "*") {
						args = append(args, found...) // expanded as by a shell
					} else {
						args = append(args, word)
					}
				}
				var out, said bytes.Buffer
				if code := Main(games, args, strings.NewReader(""), &out, &said); code > want {
					t.Errorf("%s: exit code %d\n%s%s", line, code, &out, &said)
				}
			}
			for _, line := range []string{
				"trowel pack -q " + samples + "/burrow -o climb.map",
				"trowel edit -q climb.map -o mine.map -- info --author Ann",
				"trowel edit -q climb.map -o yours.map -- info --license MIT",
				"trowel extract -q climb.map -o base", "trowel extract -q mine.map -o ours", "trowel extract -q yours.map -o theirs",
				"trowel pack -q " + samples + "/hollow -o world",
				"trowel edit -q world -o world-ann -- replace default:stone default:cobble",
				"trowel edit -q world -o world-bob -- replace default:dirt default:gravel",
				"trowel pack -q " + samples + "/ember -o ember.MOD",
				"trowel pack -q " + samples + "/ember -o A.MOD", "trowel edit -q A.MOD -o B.MOD -- info --id new",
				"trowel edit -q A.MOD -o wolves.mod -- info --id 11", "trowel edit -q A.MOD -o bears.mod -- info --id 12", "trowel edit -q A.MOD -o hud.mod -- info --id 13",
				"trowel extract -q A.MOD -o MEDIA",
			} {
				run(exitFine, line)
			}
			if err := os.WriteFile("clean.txt", []byte("info --license CC0\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			n := 0
			for line := range strings.Lines(head) {
				line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "$ "))
				if !strings.HasPrefix(line, "trowel ") {
					continue
				}
				line, _, _ = strings.Cut(line, "   #")
				run(exitFound, line) // the examples include conflicts and losses
				n++
			}
			if n < 2 {
				t.Errorf("%d lines were run", n)
			}
		})
	}
}

// TestDocsLinks tests that every link to a file has a target.
func TestDocsLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#\s]+)[^)\s]*\)`)
	var pages []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "samples/*.md", "contrib/*/*.md", "contrib/*/*/*.md"} {
		found, err := filepath.Glob(filepath.Join("../../..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	links := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(m[1], ":") {
				continue // on another host
			}
			links++
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), filepath.FromSlash(m[1]))); err != nil {
				t.Errorf("%s: the link %s has no target", page, m[1])
			}
		}
	}
	if links < 50 {
		t.Errorf("%d links in %d pages", links, len(pages))
	}
}
