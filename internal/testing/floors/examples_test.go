package floors

import (
	"go/ast"
	"go/doc"
	"go/token"
	"testing"
)

// shown are the verbs whose functions and methods an example of their package calls.
var shown = map[string]bool{"Open": true, "Decode": true, "Encode": true, "Check": true, "Merge": true, "Find": true,
	"Build": true, "Edit": true}

// TestExamples tests that an example with output calls each exported function and method of the verbs of shown.
func TestExamples(t *testing.T) {
	n := 0
	for _, pkg := range publicPackages(t) {
		calls := make(map[string]bool)
		_, tests := sourcesOf(t, token.NewFileSet(), pkg)
		for _, e := range doc.Examples(tests...) {
			if e.Output == "" && !e.EmptyOutput {
				t.Errorf("%s: Example%s has no output", pkg, e.Name)
				continue
			}
			ast.Inspect(e.Code, func(n ast.Node) bool {
				if s, is := n.(*ast.SelectorExpr); is {
					calls[s.Sel.Name] = true
					if x, is := s.X.(*ast.Ident); is {
						calls[x.Name+"."+s.Sel.Name] = true
					}
				}
				return true
			})
		}
		for _, f := range exportedFuncs(t, pkg) {
			name := f.decl.Name.Name
			if !shown[name] {
				continue
			}
			n++
			called := calls[name]
			if f.decl.Recv == nil {
				called = calls[f.pkg+"."+name]
			}
			if !called {
				t.Errorf("%v: no example with output calls %s", f.at, f.form)
			}
		}
	}
	if n < 50 {
		t.Errorf("only %d functions are checked", n)
	}
}
