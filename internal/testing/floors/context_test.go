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
	"minetest/world/postgres.go":         "closing outlives a cancel",
	"minetest/world/sql.go":              "the rollback outlives a cancel",
	"minetest/mapdb/postgres.go":         "Close flushes to disk after a cancel",
	"minetest/mapdb/sqlitefresh.go":      "Close completes the file after a cancel",
	"minetest/mapdb/parallel.go":         "ends with its input, which has a context",
	"minetest/backup.go":                 "Recognize of a format has no context",
	"torchlight/pak/write.go":            "ends with its input",
	"internal/stores/leveldb/compact.go": "completes a database after a cancel",
	"internal/stores/storage/folder.go":  "unlocking outlives a cancel",
	"internal/files/output/hold.go":      "a replacement is completed after a cancel",
	"cmd/internal/bucket/store.go":       "unlocking outlives a cancel",
	"cmd/internal/bucket/sources.go":     "the bucket outlives the call that opens it",
	"cmd/internal/fleet/worker.go":       "closing outlives a cancel",
	"cmd/internal/viewer/viewer.go":      "the life of the server",
	"cmd/internal/verbs/view.go":         "the browser outlives the program",
	"cmd/internal/verbs/verbs.go":        "the context of the program",
	"cmd/internal/terminal/screen.go":    "the user ends the pager",
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
