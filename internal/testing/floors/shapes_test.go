package floors

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// shapes has the form of each verb that several packages export. A function that matches name must match form.
var shapes = []struct{ name, form *regexp.Regexp }{
	{regexp.MustCompile(`^Decode$`), regexp.MustCompile(`^func (Decode\(data \[\]byte(, k Kind)?\) \(\*?[\w.]+, ` +
		`error\)|\(\w+ \*Block\) Decode\(data \[\]byte\) error)$`)},
	{regexp.MustCompile(`^Encode$`), regexp.MustCompile(`^func (\(\w+ \*?\w+\) Encode\(\)|Encode\((t Table|m ` +
		`image\.Image, f Format)\)) \(\[\]byte, error\)$`)},
	{regexp.MustCompile(`^DecodeConfig$`), regexp.MustCompile(`^func DecodeConfig\(r io\.Reader\) \(image\.Config, error\)$`)},
	{regexp.MustCompile(`^Salvage$`), regexp.MustCompile(`^func Salvage\((ctx context\.Context, |data \[\]byte|r ` +
		`io\.ReaderAt|pak io\.ReaderAt)`)},
	{regexp.MustCompile(`^Check$`), regexp.MustCompile(`^func (\(\w+ \*?\w+\) )?Check\((.+, )?sink check\.Sink\)`)},
}

// plainBool lists the exported functions with an argument of type bool.
var plainBool = map[string]string{
	"minetest/schematic.SetForce": "the value that it sets",
}

// TestShapes tests that a verb has the same form in all packages for other programs, that contexts are the first argument,
// and that no argument is a plain bool, whose meaning a call does not show.
func TestShapes(t *testing.T) {
	checked, used := 0, 0
	for _, pkg := range publicPackages(t) {
		for _, d := range exportedFuncs(t, pkg) {
			text := d.form
			for _, s := range shapes {
				if s.name.MatchString(d.decl.Name.Name) {
					checked++
					if !s.form.MatchString(text) {
						t.Errorf("%v: %s: expected the form %v", d.at, text, s.form)
					}
				}
			}
			first := true
			for _, p := range d.decl.Type.Params.List {
				switch show(p.Type) {
				case "bool":
					if plainBool[pkg+"."+d.decl.Name.Name] == "" {
						t.Errorf("%v: %s: a bool among the arguments (take a struct of options, or a constant with a type)", d.at, text)
					}
					used++
				case "context.Context":
					if !first {
						t.Errorf("%v: %s: the context is not the first argument", d.at, text)
					}
				}
				first = false
			}
		}
	}
	if checked < 40 {
		t.Errorf("only %d functions were checked", checked)
	}
	if used != len(plainBool) {
		t.Errorf("%d functions have an argument of type bool, plainBool lists %d", used, len(plainBool))
	}
}

// publicPackages returns the packages that other modules can import.
func publicPackages(t *testing.T) (list []string) {
	t.Helper()
	for pkg := range importsOf(t) {
		if !strings.HasPrefix(pkg, "cmd/") && !strings.Contains(pkg, "internal/") && !strings.HasSuffix(pkg, "/gen") && pkg != ".ci/outside" {
			list = append(list, pkg)
		}
	}
	slices.Sort(list)
	return list
}

// sourcesOf returns the parsed files of a package with the given suffix of their names.
func sourcesOf(t *testing.T, fset *token.FileSet, pkg string) (sources, tests []*ast.File) {
	t.Helper()
	if pkg == root {
		pkg = "."
	}
	names, err := filepath.Glob(filepath.Join("../../..", pkg, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "_test.go") {
			tests = append(tests, f)
		} else {
			sources = append(sources, f)
		}
	}
	return sources, tests
}

// exportedFunc is an exported function, or a method of an exported type.
type exportedFunc struct {
	decl *ast.FuncDecl
	pkg  string // the name of its package
	form string // the declaration in one line, without a body
	at   token.Position
}

func exportedFuncs(t *testing.T, pkg string) (list []exportedFunc) {
	t.Helper()
	fset := token.NewFileSet()
	sources, _ := sourcesOf(t, fset, pkg)
	for _, f := range sources {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Name.IsExported() && (d.Recv == nil || receiver(d).IsExported()) {
				bare := *d
				bare.Body, bare.Doc = nil, nil
				list = append(list, exportedFunc{d, f.Name.Name, show(&bare), fset.Position(d.Pos())})
			}
		}
	}
	return list
}

// show returns a piece of source in one line.
func show(n ast.Node) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, token.NewFileSet(), n); err != nil {
		return err.Error()
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
