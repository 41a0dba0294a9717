package floors

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// ownContext lists the files that make a context from nothing, with the reason. A comment at the place has the details.
var ownContext = map[string]string{
	"minetest/world/postgres.go":                  "closing outlives a cancel",
	"minetest/world/sql.go":                       "the rollback outlives a cancel",
	"minetest/mapdb/postgres.go":                  "Close flushes to disk after a cancel",
	"minetest/mapdb/sqlitefresh.go":               "Close completes the file after a cancel",
	"minetest/mapdb/parallel.go":                  "ends with its input, which has a context",
	"minetest/internal/textured/textured.go":      "a face takes files of limited size and work",
	"minetest/nodecolor/textures.go":              "a colour takes a file of limited size",
	"minetest/backup.go":                          "Recognize of a format has no context",
	"torchlight/internal/modscene/drops.go":       "the result is for later requests, too",
	"internal/stores/leveldb/compact.go":          "completes a database after a cancel",
	"internal/stores/storage/folder.go":           "unlocking outlives a cancel",
	"internal/files/output/hold.go":               "a replacement is completed after a cancel",
	"cmd/trowel-fleet/internal/bucket/store.go":   "unlocking outlives a cancel",
	"cmd/trowel-fleet/internal/bucket/sources.go": "the bucket outlives the call that opens it",
	"cmd/trowel-fleet/internal/fleet/worker.go":   "closing outlives a cancel",
	"cmd/internal/viewer/viewer.go":               "the life of the server",
	"cmd/internal/verbs/view.go":                  "the browser outlives the program",
	"cmd/internal/verbs/verbs.go":                 "the context of the program",
	"cmd/internal/terminal/screen.go":             "the user ends the pager",
}

// TestContexts tests that contexts come from callers, except in tests, in main packages and in ownContext.
func TestContexts(t *testing.T) {
	used := make(map[string]bool)
	err := filepath.WalkDir("../../..", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		own, _ := filepath.Rel("../../..", name)
		own = filepath.ToSlash(own)
		if d.IsDir() && own != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" ||
			own == "internal/testing" || own == "minetest/internal/worldtest") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(own, ".go") || strings.HasSuffix(own, "_test.go") {
			return nil
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil || f.Name.Name == "main" {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && (selector(s) == "context.Background" || selector(s) == "context.TODO") {
				if used[own] = true; ownContext[own] == "" {
					t.Errorf("%v: %s: take a context from the caller, or give the reason in ownContext", fset.Position(s.Pos()), selector(s))
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range ownContext {
		if !used[name] {
			t.Errorf("ownContext has %s, which makes no context", name)
		}
	}
}

// heldContext lists the structs of the tool that hold a context, with the reason.
var heldContext = map[string]string{
	"cmd/internal/viewer Server":              "work that outlives a request",
	"cmd/internal/viewer pool":                "opened files outlive the request that opens them",
	"cmd/trowel-fleet/internal/fleet worker":  "ends all jobs at the second signal",
	"cmd/trowel-fleet/internal/bucket Object": "io.ReaderAt has no place for one",
	"cmd/trowel-fleet/internal/bucket near":   "io.ReaderAt has no place for one",
}

// mayHaveVerbs lists the packages that make verbs.
var mayHaveVerbs = map[string]bool{"cmd/internal/verbs": true, "cmd/trowel-fleet/internal/fleet": true,
	"cmd/trowel-fleet/internal/census": true}

// TestNoCommandInStructs tests that no struct of the tool holds its command line, nor a context without a reason, and
// that the packages below the verbs know no command line.
func TestNoCommandInStructs(t *testing.T) {
	files, err := filepath.Glob("../../../cmd/internal/*/*.go")
	more, _ := filepath.Glob("../../../cmd/trowel-fleet/internal/*/*.go")
	if err != nil || len(files) < 100 || len(more) < 20 {
		t.Fatalf("%d files and %d: %v", len(files), len(more), err)
	}
	used := make(map[string]bool)
	for _, name := range append(files, more...) {
		own := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(name)), "../../../")
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			if strings.Contains(i.Path.Value, "spf13/") && !mayHaveVerbs[own] {
				t.Errorf("%s imports %s", name, i.Path.Value)
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			typ, is := n.(*ast.TypeSpec)
			if !is {
				return true
			}
			fields, is := typ.Type.(*ast.StructType)
			if !is {
				return false
			}
			for _, field := range fields.Fields.List {
				held := field.Type
				if star, is := held.(*ast.StarExpr); is {
					held = star.X
				}
				s, is := held.(*ast.SelectorExpr)
				switch key := own + " " + typ.Name.Name; {
				case is && selector(s) == "cobra.Command":
					t.Errorf("%v: %s holds a command: give it what it needs", fset.Position(field.Pos()), typ.Name.Name)
				case is && selector(s) == "context.Context":
					if used[key] = true; heldContext[key] == "" {
						t.Errorf("%v: %s holds a context: make it an argument", fset.Position(field.Pos()), typ.Name.Name)
					}
				}
			}
			return false
		})
	}
	for key := range heldContext {
		if !used[key] {
			t.Errorf("heldContext has %s, which holds none", key)
		}
	}
}
