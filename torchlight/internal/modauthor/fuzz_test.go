package modauthor_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"trowel.example/internal/format"
	"trowel.example/torchlight/internal/modauthor"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/text"
)

// sources returns the texts of the sample mod by their paths.
func sources(t testing.TB) map[string]string {
	t.Helper()
	all := make(map[string]string)
	root := "../../../samples/ember"
	err := filepath.WalkDir(root, func(name string, d os.DirEntry, err error) error {
		ext := filepath.Ext(name)
		if err != nil || ext != ".DAT" && ext != ".LAYOUT" && ext != ".IMAGESET" && ext != ".MATERIAL" {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		content, err := text.ToUTF8(data)
		rel, _ := filepath.Rel(root, name)
		all[filepath.ToSlash(rel)] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// FuzzAuthor asks everything about a place of a text, and tests that the answers lie in the text.
func FuzzAuthor(f *testing.F) {
	samples := sources(f)
	for name, content := range samples {
		if len(content) < 4000 {
			f.Add(name, content, 6, 20)
		}
	}
	f.Add("MEDIA/UNITS/A.DAT", "[UNIT\n\t<STRING>NAME\n<\n<INTEGER64>UNIT_GUID: 77\n[/", 3, 9)
	f.Add("MEDIA/A.MATERIAL", "texture a.dds  b.tga\nanim_texture \n", 0, 12)
	f.Add("MEDIA/A.DAT", "[\x00\x00\x00\x7f\n", 0, 0)
	f.Fuzz(func(t *testing.T, name, content string, line, column int) {
		if len(name) > 200 || !fs.ValidPath(name) || name == "." || strings.Contains(content, "\x00") {
			return // a text with NUL may be read as UTF-16, in which positions are others: the server moves them into the text
		}
		files := fstest.MapFS{}
		for name, content := range samples {
			files[name] = &fstest.MapFile{Data: []byte(content)}
		}
		files[name] = &fstest.MapFile{Data: []byte(content)}
		a, err := modauthor.Open(new(format.Job), files, "", moddir.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		ctx, at := t.Context(), format.Spot{Line: line, Column: column}
		if line < 0 || column < 0 {
			return // the server never asks about these
		}
		if _, err := a.Index(ctx); err != nil {
			return // such as a name that is also that of a folder
		}
		rows := strings.Split(strings.TrimPrefix(content, "\ufeff"), "\n")
		inside := func(what string, s format.Span) {
			if s.Path != name || s.From.Line == s.To.Line && s.From == (format.Spot{}) {
				return
			}
			for _, spot := range []format.Spot{s.From, s.To} {
				if spot.Line < 0 || spot.Column < 0 || spot.Line >= len(rows)+1 || spot.Line < len(rows) && spot.Column > len(rows[spot.Line]) {
					t.Errorf("%s: %v lies outside of the text %q", what, s, content)
				}
			}
			if s.To.Line < s.From.Line || s.To.Line == s.From.Line && s.To.Column < s.From.Column {
				t.Errorf("%s: %v ends before it begins", what, s)
			}
		}
		problems, err := a.Check(ctx, name)
		if err != nil {
			return
		}
		for _, p := range problems {
			inside(p.ID, p.Over)
		}
		_, over, _ := a.Describe(ctx, name, at)
		inside("hover", over)
		list, _ := a.Complete(ctx, name, at)
		for _, c := range list {
			inside("completion", c.Edit.Span)
		}
		_, _ = a.Definitions(ctx, name, at)
	})
}
