package floors

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestOptionsAreDeclared tests that each option name that the code of a game reads is declared there: a misspelt name
// would be treated as an option that was not given.
func TestOptionsAreDeclared(t *testing.T) {
	job := regexp.MustCompile(`^(job|j|query|[a-z]+\.query|q|[a-z]+\.Job|query\.Job)$`)
	reads := []string{"Value", "Given", "On", "Integer", "Number", "Color", "Place", "List"}
	for _, door := range []string{"teeworlds"} {
		names, err := filepath.Glob(filepath.Join("../../..", door, "*.go"))
		if err != nil || len(names) == 0 {
			t.Fatal(names, err)
		}
		declared, read := map[string]bool{}, map[string]token.Position{}
		fset := token.NewFileSet()
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			file, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			text := func(n ast.Node) string {
				return string(src[fset.Position(n.Pos()).Offset:fset.Position(n.End()).Offset])
			}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.KeyValueExpr:
					if name, err := strconv.Unquote(text(n.Value)); err == nil && text(n.Key) == "Name" {
						declared[name] = true
					}
				case *ast.CallExpr:
					f, is := n.Fun.(*ast.SelectorExpr)
					if !is || len(n.Args) == 0 || !slices.Contains(reads, f.Sel.Name) || !job.MatchString(text(f.X)) {
						break
					}
					if name, err := strconv.Unquote(text(n.Args[0])); err == nil {
						read[name] = fset.Position(n.Pos())
					}
				}
				return true
			})
		}
		if len(read) < 10 {
			t.Errorf("%s: %d options are read: this test tests nothing", door, len(read))
		}
		for name, at := range read {
			if !declared[name] {
				t.Errorf("%v: no option of %s has the name %q", at, door, name)
			}
		}
	}
}
