package floors

import (
	"go/ast"
	"go/doc"
	"go/token"
	"path"
	"strconv"
	"strings"
	"testing"
)

// TestPublicAPI tests the packages that other modules can import: each exported name is documented, no type of an
// internal package is needed to use it, and each package has an example.
func TestPublicAPI(t *testing.T) {
	for _, pkg := range publicPackages(t) {
		fset := token.NewFileSet()
		sources, tests := sourcesOf(t, fset, pkg)
		for _, f := range sources {
			undocumented(f, func(at token.Pos, name string) { t.Errorf("%v: %s has no doc comment", fset.Position(at), name) })
			foreign(f, func(at token.Pos, name string) {
				t.Errorf("%v: the API needs %s, which others cannot import", fset.Position(at), name)
			})
		}
		examples := 0
		for _, f := range tests {
			examples += len(doc.Examples(f))
		}
		if examples == 0 && pkg != "all" {
			t.Errorf("%s has no example", pkg)
		}
	}
}

// usual lists methods with the same meaning everywhere.
var usual = map[string]bool{"String": true, "Error": true, "Unwrap": true, "Close": true}

// undocumented reports exported names without a comment. Values of a named type need no comment: the type describes
// them.
func undocumented(f *ast.File, tell func(token.Pos, string)) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			public := d.Name.IsExported() && (d.Recv == nil || receiver(d).IsExported())
			if public && d.Doc == nil && !(d.Recv != nil && usual[d.Name.Name]) {
				tell(d.Pos(), d.Name.Name)
			}
		case *ast.GenDecl:
			typed := false // also set by an earlier line of the group, for iota
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() && s.Doc == nil && d.Doc == nil {
						tell(s.Pos(), s.Name.Name)
					}
				case *ast.ValueSpec:
					typed = d.Tok == token.CONST && (typed || s.Type != nil)
					if s.Names[0].IsExported() && !typed && s.Doc == nil && d.Doc == nil && s.Comment == nil {
						tell(s.Pos(), s.Names[0].Name)
					}
				}
			}
		}
	}
}

// receiver returns the name of the receiver's type.
func receiver(d *ast.FuncDecl) *ast.Ident {
	x := d.Recv.List[0].Type
	for {
		switch e := x.(type) {
		case *ast.StarExpr:
			x = e.X
		case *ast.IndexExpr:
			x = e.X
		case *ast.IndexListExpr:
			x = e.X
		case *ast.Ident:
			return e
		}
	}
}

// foreign reports exported declarations that use names of internal packages. It removes everything else from f.
func foreign(f *ast.File, tell func(token.Pos, string)) {
	internal := make(map[string]bool)
	for _, imp := range f.Imports {
		if p, _ := strconv.Unquote(imp.Path.Value); strings.Contains(p, "/internal/") {
			name := path.Base(p)
			if imp.Name != nil {
				name = imp.Name.Name
			}
			internal[name] = true
		}
	}
	ast.FileExports(f)
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok {
			if d.Recv != nil && !receiver(d).IsExported() {
				continue
			}
			d.Body = nil
		}
		ast.Inspect(d, func(n ast.Node) bool {
			if s, ok := n.(*ast.ValueSpec); ok {
				s.Values = nil
			}
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && internal[x.Name] {
					tell(s.Pos(), x.Name+"."+s.Sel.Name)
				}
			}
			return true
		})
	}
}
