package text_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/text"
)

const edited = "// of the author\n[A]\n\n  <INTEGER>X:1\n\t// keep\n\t<STRING>Y:a b \r\n[B]\n<BOOL>Z:1\n[/b]\n\t<INTEGER>W:2\n[/A]\n// end"

func TestEdit(t *testing.T) {
	for _, c := range []struct {
		name, want string
		change     func(a *text.Node)
	}{
		{"nothing", edited, func(*text.Node) {}},
		{"value", strings.Replace(edited, "X:1", "X:5", 1), func(a *text.Node) { a.Items[0].(*text.Property).Value = "5" }},
		{"with its line end", strings.Replace(edited, "a b \r", "c\r", 1), func(a *text.Node) { a.Items[1].(*text.Property).Value = "c" }},
		{"take away", strings.Replace(edited, "  <INTEGER>X:1\n", "", 1), func(a *text.Node) { a.Items = a.Items[1:] }},
		{"take a node away", strings.Replace(edited, "[B]\n<BOOL>Z:1\n[/b]\n", "", 1),
			func(a *text.Node) { a.Items = append(a.Items[:2:2], a.Items[3:]...) }},
		{"add at the end", strings.Replace(edited, "W:2\n", "W:2\n\t<NOTE>N:n\n", 1), func(a *text.Node) { a.Add(text.Note, "N", "n") }},
		{"add below", strings.Replace(edited, "Z:1\n", "Z:1\n\t\t[C]\n\t\t\t<NOTE>N:n\n\t\t[/C]\n", 1),
			func(a *text.Node) { a.Child("B").AddNode("C").Add(text.Note, "N", "n") }},
		{"rename", strings.NewReplacer("[B]", "[D]", "[/b]", "[/D]").Replace(edited), func(a *text.Node) { a.Child("B").Name = "D" }},
	} {
		got, err := text.Edit([]byte(edited), func(root *text.Node) error { c.change(root); return nil })
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n%s\nexpected\n%s", c.name, err, got, c.want)
		}
	}
	got, err := text.Edit([]byte(edited), func(a *text.Node) error {
		a.Items = append([]text.Item{a.Items[3]}, a.Items[:3]...)
		return nil
	})
	f, failed := text.Parse(got)
	if err != nil || failed != nil || f.Root.Items[0].(*text.Property).Key != "W" || len(f.Root.Items) != 4 ||
		!bytes.Contains(got, []byte("// keep")) {
		t.Errorf("moved: %v, %v\n%s", err, failed, got)
	}
}

// TestCorpusEdit tests that the result of Edit for real texts parses to the edited tree.
func TestCorpusEdit(t *testing.T) {
	n := 0
	for _, path := range tests.CorpusFiles(t, "torchlight", "") {
		switch strings.ToUpper(filepath.Ext(path)) {
		case ".DAT", ".LAYOUT", ".ANIMATION":
		default:
			continue
		}
		data := judge.Read(t, path)
		if got, err := text.Edit(data, func(*text.Node) error { return nil }); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: not given back, %v", path, err)
			continue
		}
		var want *text.Node
		got, err := text.Edit(data, func(root *text.Node) error {
			for i, it := range root.Items {
				if c, ok := it.(*text.Node); ok {
					c.Name += "X"
					c.Items = nil
					c.Add(text.String, "ADDED", "value")
				} else if i%2 == 0 {
					it.(*text.Property).Value += "1"
				}
			}
			if len(root.Items) > 2 {
				root.Items = append(root.Items[:1:1], root.Items[2:]...)
			}
			want = root.Clone()
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		f, err := text.Parse(got)
		if err != nil || !text.Equal(f.Root, want) {
			t.Errorf("%s: %v", path, err)
		}
		n++
	}
	if n == 0 {
		t.Error("no texts")
	}
}

func FuzzEdit(f *testing.F) {
	f.Add([]byte(edited))
	f.Add(text.Format(&text.Node{Name: "A", Items: []text.Item{&text.Property{Type: text.String, Key: "K", Value: "v"},
		&text.Node{Name: "B"}}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := text.Parse(data)
		if err != nil || !text.Survives(file.Root) {
			return
		}
		if got, err := text.Edit(data, func(*text.Node) error { return nil }); err != nil || !bytes.Equal(got, data) {
			t.Fatalf("%v: %q became %q", err, data, got)
		}
		var want *text.Node
		got, err := text.Edit(data, func(root *text.Node) error {
			for i := len(root.Items) - 1; i >= 0; i -= 3 {
				root.Items = append(root.Items[:i:i], root.Items[i+1:]...)
			}
			root.Name += "X"
			for _, it := range root.Items {
				switch it := it.(type) {
				case *text.Property:
					it.Value = "new"
				case *text.Node:
					it.AddNode("N").Add(text.Integer, "I", "1")
				}
			}
			root.Add(text.Note, "LAST", "é")
			want = root.Clone()
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		back, err := text.Parse(got)
		if err != nil || !text.Equal(back.Root, want) {
			t.Fatalf("%v: %q became %q", err, data, got)
		}
	})
}
