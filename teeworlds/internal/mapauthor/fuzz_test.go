package mapauthor_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"trowel.example/internal/format"
	_ "trowel.example/internal/testing/tests" // an empty machine
	"trowel.example/teeworlds/internal/mapauthor"
)

// FuzzAuthor asks everything about a place of a file of a map, and tests that the answers lie in the text.
func FuzzAuthor(f *testing.F) {
	root := "../../../samples/burrow"
	files := fstest.MapFS{}
	err := filepath.WalkDir(root, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, name)
		rel = filepath.ToSlash(rel)
		files[rel] = &fstest.MapFile{Data: data}
		if len(data) < 3000 && filepath.Ext(rel) != ".png" && filepath.Ext(rel) != ".opus" {
			f.Add(rel, string(data), 1, 4)
		}
		return nil
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Add("a.rules", "[A]\nIndex 1 X\nPos 0 0 INDEX 1 OR\n", 2, 9)
	f.Add("groups/Game/Game.json", `{"type": "ga`, 0, 12)
	f.Add("groups/Sounds/order.txt", "8rips\x1d", 55, 0)
	f.Fuzz(func(t *testing.T, name, content string, line, column int) {
		if line < 0 || column < 0 || files[name] == nil && name != "a.rules" {
			return
		}
		own := fstest.MapFS{}
		for name, file := range files {
			own[name] = file
		}
		own[name] = &fstest.MapFile{Data: []byte(content)}
		a := mapauthor.Open(own)
		ctx, at := t.Context(), format.Spot{Line: line, Column: column}
		rows := strings.Split(strings.TrimPrefix(content, "\ufeff"), "\n")
		inside := func(what string, s format.Span) {
			if s.Path != name && s.Path != "" {
				return
			}
			for _, spot := range []format.Spot{s.From, s.To} {
				if spot.Line > len(rows) || spot.Line < len(rows) && spot.Column > len(rows[spot.Line]) {
					t.Errorf("%s: %v lies outside of the text %q", what, s, content)
				}
			}
			if s.To.Line < s.From.Line || s.To.Line == s.From.Line && s.To.Column < s.From.Column {
				t.Errorf("%s: %v ends before it begins", what, s)
			}
		}
		problems, err := a.Check(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range problems {
			if p.Over.Path != "" {
				inside(p.ID, p.Over)
			}
		}
		_, over, err := a.Describe(ctx, name, at)
		if err != nil {
			t.Error(err)
		}
		inside("hover", over)
		list, err := a.Complete(ctx, name, at)
		if err != nil {
			t.Error(err)
		}
		for _, c := range list {
			inside("completion", c.Edit.Span)
		}
		_, _ = a.Definitions(ctx, name, at)
	})
}
