package floors

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// asksHost matches the functions that internal/files/host calls or replaces.
var asksHost = regexp.MustCompile(`^(os\.(Getenv|LookupEnv|ExpandEnv|User(Home|Cache|Config)Dir|Hostname)|syscall\.Getenv|` +
	`user\.\w+|exec\.(LookPath|Command|CommandContext))$`)

// hostPath matches folders in which systems install programs and data.
var hostPath = regexp.MustCompile(`^(/(usr|etc|opt|var|home|root|snap|Applications|Library)(/|$)|[A-Z]:[/\\])`)

// mayAsk lists the files and packages that may ask the host without internal/files/host.
var mayAsk = map[string]string{
	"internal/files/host":                      "the seam itself",
	"internal/testing/tests":                   "for tests: which form of a test runs",
	"internal/testing/judge":                   "for tests: the programs of others",
	"internal/testing/judge/chromium":          "for tests: the programs of others",
	"internal/testing/judge/firefox":           "for tests: the programs of others",
	"internal/testing/mutate":                  "for tests: how many files to damage",
	"minetest/internal/worldtest":              "for tests: the engine and its game",
	"cmd/internal/verbs/second.go":             "starts the second program by the path that internal/files/host found",
	"cmd/internal/verbs/second_other.go":       "starts the second program by the path that internal/files/host found",
	"cmd/trowel-fleet/internal/fleet/child.go": "starts the program itself by its own path",
	"cmd/internal/sandbox":                     "restricts the process, which tests cannot simulate",
	"internal/testing/breakout":                "for tests: tries to leave a sandbox",
	"cmd/trowel-page/main.go":                  "runs Go, which builds the program of the page; no part of the tool",
}

// TestOneHost tests that the program gets information about the host through internal/files/host only, so that tests can run
// as on a host that has nothing.
func TestOneHost(t *testing.T) {
	used := make(map[string]bool)
	eachSource(t, func(fset *token.FileSet, own string, f *ast.File) {
		asks(f, func(at token.Pos, what string) {
			for _, who := range []string{own, path.Dir(own)} {
				if mayAsk[who] != "" {
					used[who] = true
					return
				}
			}
			t.Errorf("%v: %s: ask through internal/files/host, or give the reason in mayAsk", fset.Position(at), what)
		})
	})
	for who := range mayAsk {
		if !used[who] {
			t.Errorf("mayAsk has %s, which asks for nothing", who)
		}
	}
}

// eachSource calls do for each source file of both modules outside tests, with its path from the root.
func eachSource(t *testing.T, do func(fset *token.FileSet, own string, f *ast.File)) {
	t.Helper()
	eachFile(t, false, do)
}

// eachFile calls do for each file of tests, or for each other source file, of both modules, with its path from the root.
func eachFile(t *testing.T, tests bool, do func(fset *token.FileSet, own string, f *ast.File)) {
	t.Helper()
	err := filepath.WalkDir("../../..", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		own, _ := filepath.Rel("../../..", name)
		own = filepath.ToSlash(own)
		if d.IsDir() && own != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(own, ".go") || strings.HasSuffix(own, "_test.go") != tests {
			return nil
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err == nil {
			do(fset, own, f)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// flushes lists the files that may call a method Sync.
var flushes = map[string]string{
	"internal/files/wholefile/wholefile.go":    "the seam itself",
	"minetest/mapdb/leveldb.go":                "the method of leveldb.Writer",
	"cmd/trowel-fleet/internal/census/verb.go": "the method of a store",
}

// TestOneFlush tests that the program flushes files to disk through wholefile.Flush only, so that the short forms of tests
// can skip it.
func TestOneFlush(t *testing.T) {
	used := make(map[string]bool)
	eachSource(t, func(fset *token.FileSet, own string, f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) > 0 {
				return true
			}
			if s, ok := call.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Sync" {
				if used[own] = true; flushes[own] == "" {
					t.Errorf("%v: call wholefile.Flush, or give the reason in flushes", fset.Position(n.Pos()))
				}
			}
			return true
		})
	})
	for own := range flushes {
		if !used[own] {
			t.Errorf("flushes has %s, which calls no Sync", own)
		}
	}
}

// asks reports each place where a file asks the host directly, except for arguments of host.Folders.
func asks(f *ast.File, report func(token.Pos, string)) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			return selector(n.Fun) != "host.Folders"
		case *ast.SelectorExpr:
			if name := selector(n); asksHost.MatchString(name) {
				report(n.Pos(), name)
			}
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING && hostPath.MatchString(text) {
				report(n.Pos(), n.Value)
			}
		}
		return true
	})
}

// selector returns an expression of the form package.Name as text, or "" for other expressions.
func selector(e ast.Expr) string {
	if s, ok := e.(*ast.SelectorExpr); ok {
		if x, ok := s.X.(*ast.Ident); ok {
			return x.Name + "." + s.Sel.Name
		}
	}
	return ""
}

func TestAsks(t *testing.T) {
	const source = `package p
var a, b = os.Getenv("HOME"), exec.Command
var c = []string{"/usr/share/games", "usr", host.Env("/usr"), host.Folders("/usr/share", "/opt/x")[0], "C:\\Games"}`
	f, err := parser.ParseFile(token.NewFileSet(), "", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	asks(f, func(_ token.Pos, what string) { got = append(got, what) })
	if want := `os.Getenv exec.Command "/usr/share/games" "/usr" "C:\\Games"`; strings.Join(got, " ") != want {
		t.Errorf("%s, want %s", strings.Join(got, " "), want)
	}
}

// TestTestsHaveNoHost tests that the tests of each package that asks the host use internal/testing/tests, so that they run as
// on a host that has nothing.
func TestTestsHaveNoHost(t *testing.T) {
	imports := importsOf(t)
	n := 0
	for pkg, list := range importsIn(t, true) {
		all := map[string]bool{pkg: true}
		for next := append(list, imports[pkg]...); len(next) > 0; next = next[1:] {
			if own := next[0]; !all[own] {
				all[own] = true
				next = append(next, imports[own]...)
			}
		}
		if all["internal/files/host"] {
			n++
			if !all["internal/testing/tests"] {
				t.Errorf("%s asks the machine: its tests need to import internal/testing/tests", pkg)
			}
		}
	}
	if n < 5 {
		t.Errorf("only %d packages of tests ask the machine", n)
	}
}
