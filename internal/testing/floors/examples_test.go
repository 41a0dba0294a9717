package floors

import (
	"go/doc"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// shown are the verbs whose functions and methods have an example. In packages below internal of the games, only the
// functions Merge and Find need one, except those that a door declares, with a job.
var shown = map[string]bool{"Open": true, "Decode": true, "Encode": true, "Check": true, "Merge": true, "Find": true,
	"Build": true, "Edit": true}

// TestExamples tests that each example has output, and that each exported function and method of the verbs of shown has
// an example of its name.
func TestExamples(t *testing.T) {
	n, stories := 0, make(map[string]int)
	for pkg := range importsOf(t) {
		if strings.HasPrefix(pkg, "cmd/") || strings.HasPrefix(pkg, ".ci/") || strings.HasPrefix(pkg, "internal/") {
			continue
		}
		public := !strings.Contains(pkg, "internal/")
		_, tests := sourcesOf(t, token.NewFileSet(), pkg)
		examples := doc.Examples(tests...)
		for _, e := range examples {
			if e.Output == "" && !e.EmptyOutput {
				t.Errorf("%s: Example%s has no output", pkg, e.Name)
			}
			if strings.HasPrefix(e.Name, "_") && public {
				game, _, _ := strings.Cut(pkg, "/")
				stories[game]++
			}
		}
		for _, f := range exportedFuncs(t, pkg) {
			name := f.decl.Name.Name
			hidden := f.decl.Recv != nil || name != "Merge" && name != "Find" || strings.Contains(f.form, "*format.Job")
			if !shown[name] || !public && hidden {
				continue
			}
			n++
			if f.decl.Recv != nil {
				name = receiver(f.decl).Name + "_" + name
			}
			if !slices.ContainsFunc(examples, func(e *doc.Example) bool { return e.Name == name || strings.HasPrefix(e.Name, name+"_") }) {
				t.Errorf("%v: expected Example%s", f.at, name)
			}
		}
	}
	for _, game := range []string{"teeworlds", "torchlight", "minetest"} {
		if stories[game] < 2 { // with the example of the game's front package, three
			t.Errorf("%s: %d stories: expected 2 or more", game, stories[game])
		}
	}
	if n < 60 {
		t.Errorf("only %d functions are checked", n)
	}
}
