// Package floors has the test that packages stand on each other as docs/design.md says.
package floors

import (
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestImportsGoDown tests that each package imports only such as stand above it in the
// table of floors, or in the same line, and that each is in the table.
func TestImportsGoDown(t *testing.T) {
	imports := importsOf(t)
	page, err := os.ReadFile("../../docs/design.md")
	if err != nil {
		t.Fatal(err)
	}
	floor := floorsOf(t, string(page), imports)
	for pkg, list := range imports {
		own, is := floor[pkg]
		if !is {
			if !strings.Contains(string(page), "`"+pkg+"`") {
				t.Errorf("docs/design.md says nothing of %s", pkg)
			}
			continue // what is for tests
		}
		for _, other := range list {
			if below, is := floor[other]; !is || below > own {
				t.Errorf("%s imports %s, which does not stand below it", pkg, other)
			}
		}
	}
}

// TestGamesKnowNothing tests that no game knows another, that what all share knows no
// game, and that only main opens the doors.
func TestGamesKnowNothing(t *testing.T) {
	games := []string{"teeworlds", "torchlight", "minetest"}
	gameOf := func(pkg string) string {
		if game, _, _ := strings.Cut(pkg, "/"); slices.Contains(games, game) {
			return game
		}
		return ""
	}
	for pkg, list := range importsOf(t) {
		for _, other := range list {
			game := gameOf(other)
			if game != "" && pkg != "cmd/trowel" && (game != gameOf(pkg) || game == other) {
				t.Errorf("%s imports %s", pkg, other)
			}
		}
	}
}

// importsOf returns which packages of the module each of them imports.
func importsOf(t *testing.T) map[string][]string {
	t.Helper()
	list, err := exec.Command("go", "list", "-f", "{{.Module.Path}} {{.ImportPath}} {{join .Imports \" \"}}", "../../...").Output()
	if err != nil {
		t.Skipf("no go command, or no module: %v", err)
	}
	imports := make(map[string][]string)
	for line := range strings.Lines(string(list)) {
		words := strings.Fields(line)
		var own []string
		for _, name := range words[1:] {
			if name, is := strings.CutPrefix(name, words[0]+"/"); is {
				own = append(own, name)
			}
		}
		imports[own[0]] = own[1:]
	}
	if len(imports) < 40 {
		t.Fatalf("only %d packages", len(imports))
	}
	return imports
}

// floorsOf returns in which line of the table of floors each package is. Of several in a
// line the first has its whole path and the others may be told by their last part.
func floorsOf(t *testing.T, page string, known map[string][]string) map[string]int {
	t.Helper()
	_, table, _ := strings.Cut(page, "\n| floor | package |")
	table, _, _ = strings.Cut(table, "\n\n")
	floor := make(map[string]int)
	line := 0
	for row := range strings.Lines(table) {
		cells := strings.Split(row, "|")
		if len(cells) < 4 {
			continue
		}
		line++
		parent := ""
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[2], -1) {
			pkg := m[1]
			if _, is := known[pkg]; !is {
				pkg = path.Join(parent, pkg)
			}
			if _, is := known[pkg]; !is {
				t.Errorf("docs/design.md has %s among the floors, which is no package", m[1])
			}
			floor[pkg], parent = line, path.Dir(pkg)
		}
	}
	return floor
}
