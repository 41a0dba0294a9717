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

// TestImportsGoDown tests that each package imports only packages above it in the table of floors, or in the same row,
// and that each package is in the table.
func TestImportsGoDown(t *testing.T) {
	imports := importsOf(t)
	page, err := os.ReadFile("../../../docs/design.md")
	if err != nil {
		t.Fatal(err)
	}
	floor := floorsOf(t, string(page), imports)
	for pkg, list := range imports {
		own, ok := floor[pkg]
		if !ok {
			if !strings.Contains(string(page), "`"+pkg+"`") {
				t.Errorf("docs/design.md does not mention %s", pkg)
			}
			continue // for tests only
		}
		for _, other := range list {
			if below, ok := floor[other]; !ok || below > own {
				t.Errorf("%s imports %s, which does not stand below it", pkg, other)
			}
		}
	}
}

// TestGamesKnowNothing tests that no game imports another, that shared packages import no game, and that only package all
// imports the doors, all three, and is itself in both programs.
func TestGamesKnowNothing(t *testing.T) {
	games := []string{"teeworlds", "torchlight", "minetest"}
	gameOf := func(pkg string) string {
		if game, _, _ := strings.Cut(pkg, "/"); slices.Contains(games, game) {
			return game
		}
		return ""
	}
	imports := importsOf(t)
	for _, program := range []string{"cmd/trowel", "cmd/trowel-fleet"} {
		if !slices.Contains(imports[program], "all") {
			t.Errorf("%s does not import all", program)
		}
	}
	for _, game := range games {
		if !slices.Contains(imports["all"], game) {
			t.Errorf("all does not import %s", game)
		}
	}
	for pkg, list := range imports {
		if strings.HasPrefix(pkg, "internal/testing/seed") {
			continue // makes files for tests
		}
		for _, other := range list {
			game := gameOf(other)
			if game != "" && pkg != "all" && (game != gameOf(pkg) || game == other) {
				t.Errorf("%s imports %s", pkg, other)
			}
		}
	}
}

// TestNoDrivers tests that programs for maps or mods do not link database clients.
func TestNoDrivers(t *testing.T) {
	list, err := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}}", "../../../teeworlds/...", "../../../torchlight/...").Output()
	if err != nil {
		t.Skipf("no go command, or no module: %v", err)
	}
	drivers := regexp.MustCompile(`^(github\.com/(jackc|redis)|zombiezen\.com/go/sqlite|modernc\.org/sqlite)(/|$)`)
	if !drivers.MatchString("github.com/jackc/pgx/v5") || !strings.Contains(string(list), "/teeworlds\n") {
		t.Errorf("this test tests nothing: %d bytes of packages", len(list))
	}
	for pkg := range strings.Lines(string(list)) {
		if pkg = strings.TrimSpace(pkg); drivers.MatchString(pkg) {
			t.Errorf("maps or mods import %s", pkg)
		}
	}
}

// TestSmall tests that the main program does not link large dependencies, which are reserved for the second program.
func TestSmall(t *testing.T) {
	list, err := exec.Command("go", "list", "-deps", "../../../cmd/trowel").Output()
	if err != nil {
		t.Skipf("no go command, or no module: %v", err)
	}
	large := regexp.MustCompile(`^(github\.com/(riverqueue|parquet-go|apache/arrow|apache/arrow-go|aws)|gocloud\.dev|cloud\.google\.com)(/|$)`)
	for pkg := range strings.Lines(string(list)) {
		if pkg = strings.TrimSpace(pkg); large.MatchString(pkg) {
			t.Errorf("cmd/trowel has %s", pkg)
		}
	}
}

// root is the name of the module's root package in the table of floors.
const root = "trowel"

// importsOf returns the imports of each package of the module, as far as they are in the module.
func importsOf(t *testing.T) map[string][]string {
	t.Helper()
	list, err := exec.Command("go", "list", "-f", "{{.Module.Path}} {{.ImportPath}} {{join .Imports \" \"}}", "../../../...").Output()
	if err != nil {
		t.Skipf("no go command, or no module: %v", err)
	}
	imports := make(map[string][]string)
	for line := range strings.Lines(string(list)) {
		words := strings.Fields(line)
		var own []string
		for _, name := range words[1:] {
			if name == words[0] {
				own = append(own, root)
			} else if name, ok := strings.CutPrefix(name, words[0]+"/"); ok {
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

// floorsOf returns the row of each package in the table of floors. In a row, the first package has its full path, and
// others may be listed by their last element.
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
			if _, ok := known[pkg]; !ok {
				pkg = path.Join(parent, pkg)
			}
			if _, ok := known[pkg]; !ok {
				t.Errorf("docs/design.md has %s among the floors, which is no package", m[1])
			}
			floor[pkg], parent = line, path.Dir(pkg)
		}
	}
	return floor
}
