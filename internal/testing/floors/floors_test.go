package floors

import (
	"go/ast"
	"go/token"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
)

// TestImportsGoDown tests that each package imports only packages above it in the table of floors, or in the same row,
// and that each package is in the table or, if it is for tests only, on the page.
func TestImportsGoDown(t *testing.T) {
	imports := importsOf(t)
	page := judge.Read(t, "../../../docs/design.md")
	floor := floorsOf(t, string(page), imports)
	for pkg, list := range imports {
		own, ok := floor[pkg]
		if !ok {
			if !strings.HasPrefix(pkg, "internal/testing/") && !strings.Contains(string(page), "`"+pkg+"`") {
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

// importsOf returns the imports of each package of both modules on any system, as far as they are in the modules.
func importsOf(t *testing.T) map[string][]string {
	t.Helper()
	imports := importsIn(t, false)
	if len(imports) < 40 {
		t.Fatalf("only %d packages", len(imports))
	}
	return imports
}

// importsIn is importsOf for the files of tests, or for all others.
func importsIn(t *testing.T, tests bool) map[string][]string {
	t.Helper()
	mod := judge.Read(t, "../../../go.mod")
	module := strings.Fields(string(mod))[1]
	imports := make(map[string][]string)
	eachFile(t, tests, func(_ *token.FileSet, own string, f *ast.File) {
		pkg := path.Dir(own)
		if pkg == "." {
			pkg = root
		}
		imports[pkg] = append(imports[pkg], nil...)
		for _, i := range f.Imports {
			name, _ := strconv.Unquote(i.Path.Value)
			if name == module {
				name = module + "/" + root
			}
			if name, ok := strings.CutPrefix(name, module+"/"); ok && !slices.Contains(imports[pkg], name) {
				imports[pkg] = append(imports[pkg], name)
			}
		}
	})
	return imports
}

// floorsOf returns the row of each package in the table of floors. In a row, the first package of a folder has its full path, and
// others may be listed by their last element.
func floorsOf(t *testing.T, page string, known map[string][]string) map[string]int {
	t.Helper()
	_, table, _ := strings.Cut(page, "\n| floor | packages |")
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
