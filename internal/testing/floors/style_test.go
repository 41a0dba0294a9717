package floors

import (
	"bufio"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// neverRight are turns of docs/style.md that are never right in this project, wherever they are: in text, comments,
// messages or names. Turns that have a right use, such as "beside" and "by hand", are judged by reading. Each begins with
// fixed letters, which are quick to find, and matches letters of any case.
var neverRight = []string{
	`is told`, `are told`, `was told`, `were told`, `told of`, `to tell`, `tells? (what|who|whether|which|how|where|why|that|of|the|it|about|more)`,
	`sa(ys|id) (what|who|whether|which|how|where|why|so|nothing|of itself)`, `what is (not )?said`, `says? of it`,
	`is gone on`, `are gone on`, `goes on with`, `go on with`,
	`made anew`, `written anew`, `read anew`, `drawn anew`, `built anew`, `begun anew`, `computed anew`, `the very (same|bytes|one)`,
	`is the same bytes`, `are the same bytes`, `be the same bytes`, `stay the same bytes`, `gives? the same bytes`,
	`of today`, `from today`, `whoever`, `whosoever`,
	`is none`, `are none`, `was none`, `none that`,
	`is no (map|mod|world|folder|file|number|name|clone|text|picture|tile|layer|block|node|path|place|colou?r|option|archive|schematic)\b`,
	`what there is`, `what is there`, `all there is`, `everything there is`,
	`to be had`, `is had (of|from|by)`, `to be found out`,
	`by what (they|it) (are|is)`, `comes? back as`, `leads? nowhere`, `finds? fault`,
	`is another one`, `are other ones`, `another one than`, `one word too many`,
	`the like of`, `and the like\b`, `for good\b`, `wants? to be`, `want wants`,
	`small letters`, `capital letters`, `stands? (for|in|at|behind|before|beside|there)`, `stand-in`,
	`nobody knows`, `somebody else`, `as it stands`, `goes? by names?`,
	`idle again`, `made right`, `takes? (it|them) for`, `is owed`, `are owed`, `owes`, `meanwhile goes`,
	`exclude each other`, `excludes? -`, `numbers? of \d+ bits`, `integers? of \d+ bits`, `expected a text\b`, `the begin of`, `begin of the`,
	"\u2014",
}

// noneThere matches the turns that are right after "there".
var noneThere = regexp.MustCompile(`^(is|are|was) no`)

// styleExceptions lists the files in which a turn is right, with the reason, one a line: PATH: TURN: REASON.
const styleExceptions = "../../../docs/style.exceptions"

func TestStyle(t *testing.T) {
	if len(neverRight) < 40 {
		t.Fatalf("only %d turns", len(neverRight))
	}
	turns := make([]*regexp.Regexp, len(neverRight))
	for i, turn := range neverRight {
		turns[i] = regexp.MustCompile(turn)
		if prefix, _ := turns[i].LiteralPrefix(); len(prefix) < 2 {
			t.Errorf("%q begins with no fixed letters", turn)
		}
	}
	exceptions := exceptionsOf(t)
	files := 0
	walkSources(t, func(name string, data []byte) {
		files++
		lower := bytes.Clone(data)
		for i, c := range lower {
			if 'A' <= c && c <= 'Z' {
				lower[i] = c - 'A' + 'a'
			}
		}
		for _, turn := range turns {
			for _, m := range turn.FindAllIndex(lower, -1) {
				before, found := lower[:m[0]], string(lower[m[0]:m[1]])
				if inWord(before) || noneThere.MatchString(found) && bytes.HasSuffix(before, []byte("there ")) {
					continue
				}
				if _, is := exceptions[name+": "+found]; is {
					exceptions[name+": "+found] = true
					continue
				}
				t.Errorf("%s:%d: %q: docs/style.md has a plainer turn", name, 1+bytes.Count(before, []byte("\n")), found)
			}
		}
		n := 0
		for line := range bytes.Lines(data) {
			n++
			if width := utf8.RuneCount(bytes.TrimRight(line, "\r\n")); filepath.Ext(name) == ".go" && width > 140 {
				t.Errorf("%s:%d: %d columns, more than 140", name, n, width)
			}
		}
	})
	if files < 1000 {
		t.Errorf("only %d files", files)
	}
	for e, used := range exceptions {
		if !used {
			t.Errorf("%s has %q, which is not there", styleExceptions, e)
		}
	}
}

// inWord reports whether text ends within a word.
func inWord(text []byte) bool {
	if len(text) == 0 {
		return false
	}
	c := text[len(text)-1]
	return c == '-' || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z'
}

// exceptionsOf reads styleExceptions.
func exceptionsOf(t *testing.T) map[string]bool {
	t.Helper()
	f, err := os.Open(styleExceptions)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	exceptions := make(map[string]bool)
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		parts := strings.SplitN(lines.Text(), ": ", 3)
		if len(parts) < 3 || parts[2] == "" {
			t.Errorf("%s: %q: expected PATH: TURN: REASON", styleExceptions, lines.Text())
			continue
		}
		exceptions[parts[0]+": "+parts[1]] = false
	}
	return exceptions
}

// walkSources calls visit with each file of the project that people write: Go, pages, scripts of tests, the page of the
// viewer. docs/style.md quotes the turns, and minetestmapper's own output is not ours.
func walkSources(t *testing.T, visit func(name string, data []byte)) {
	t.Helper()
	err := filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel("../../..", path)
		name = filepath.ToSlash(name)
		switch {
		case d.IsDir() && (name == ".git" || name == "samples" || d.Name() == "fuzz" || d.Name() == "leaflet" || d.Name() == "axe" || strings.HasPrefix(name, "minetest/internal/minetestmapper/testdata")):
			return fs.SkipDir
		case d.IsDir(), name == "docs/style.md", name == "internal/testing/floors/style_test.go":
			return nil
		}
		switch filepath.Ext(name) {
		case ".go", ".md", ".txtar", ".html", ".js", ".css", ".yml", ".sh", "":
		default:
			return nil
		}
		data, err := os.ReadFile(path)
		if err == nil && !bytes.ContainsRune(data[:min(len(data), 8000)], 0) {
			visit(name, data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
