package layout_test

import (
	"bytes"
	"testing"

	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/text"
)

// properties calls see for the [PROPERTIES] of all objects of a layout.
func properties(n *text.Node, see func(*text.Node)) {
	if n.Name == "PROPERTIES" {
		see(n)
	}
	for c := range n.Children() {
		properties(c, see)
	}
}

// TestCorpusEdit tests that real layouts are byte-identical after an edit that changes nothing, that moving one object
// keeps all other bytes, and that moving it back restores the file.
func TestCorpusEdit(t *testing.T) {
	moved := 0
	for _, p := range append(different(pairs(t)), archived(t)...) {
		f, err := layout.Decode(p.compiled)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := f.Encode()
		if err != nil {
			t.Fatal(err)
		}
		edit := func(change func(root *text.Node)) []byte {
			t.Helper()
			if err := f.Edit(layout.Options{Path: p.path}, func(root *text.Node) error { change(root); return nil }); err != nil {
				t.Fatalf("%s: %v", p.name, err)
			}
			data, err := f.Encode()
			if err != nil {
				t.Fatalf("%s: %v", p.name, err)
			}
			return data
		}
		if !bytes.Equal(edit(func(*text.Node) {}), plain) {
			t.Errorf("%s: an edit that changes nothing gives other bytes", p.name)
		}
		was := ""
		set := func(value *string) func(*text.Node) {
			return func(root *text.Node) {
				done := false
				properties(root, func(n *text.Node) {
					for q := range n.Properties() {
						if q.Key == "POSITIONX" && !done {
							done = true
							was, q.Value = q.Value, *value
						}
					}
				})
			}
		}
		value := "1234.5"
		got := edit(set(&value))
		if was == "" {
			continue
		}
		moved++
		differ := 0
		for i := range got {
			if i >= len(plain) || got[i] != plain[i] {
				differ++
			}
		}
		if len(got) != len(plain) || differ > 4 {
			t.Errorf("%s: %d bytes of %d are others", p.name, differ, len(plain))
		}
		value = was
		if !bytes.Equal(edit(set(&value)), plain) {
			t.Errorf("%s: moved and moved back it is another file", p.name)
		}
	}
	if moved == 0 {
		t.Error("nothing was moved")
	}
}

// TestEdit tests that objects can be added and groups changed.
func TestEdit(t *testing.T) {
	root := &text.Node{Name: "Layout"}
	o := root.AddNode("OBJECTS").AddNode("BASEOBJECT")
	n := o.AddNode("PROPERTIES")
	n.Add(text.String, "DESCRIPTOR", "Group")
	n.Add(text.String, "NAME", "G")
	n.Add(text.Integer64, "ID", "5")
	n.Add(text.String, "CHOICE", "Weight")
	f, err := layout.FromText(root, nil)
	if err != nil {
		t.Fatal(err)
	}
	object := f.Objects[0]
	if err := f.Edit(layout.Options{}, func(root *text.Node) error {
		properties(root, func(n *text.Node) {
			for p := range n.Properties() {
				if p.Key == "CHOICE" {
					p.Value = "Random Chance"
				}
			}
		})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if f.Objects[0] != object || f.Groups.Children[0].Object != object || f.Groups.Children[0].Choice != 2 {
		t.Errorf("%+v", f.Groups.Children[0])
	}
	if err := f.Edit(layout.Options{}, func(root *text.Node) error {
		root.Child("OBJECTS").Items = append(root.Child("OBJECTS").Items, o)
		return nil
	}); err != nil || len(f.Objects) != 2 || len(f.Groups.Children) != 2 {
		t.Errorf("%v, %d objects", err, len(f.Objects))
	}
	if _, err := f.Encode(); err != nil {
		t.Error(err)
	}
}

// TestEditKeepsSpare tests that an edit keeps bytes that belong to no part: after the objects and at the end.
func TestEditKeepsSpare(t *testing.T) {
	f := &layout.File{Version: layout.Version, Objects: []*layout.Object{
		{Descriptor: 1, ID: 5, Name: "a"}, {Descriptor: 1, ID: 6, Name: "b"}}}
	plain, err := f.Encode()
	if err != nil {
		t.Fatal(err)
	}
	fewer := bytes.Clone(plain)
	fewer[6] = 1 // the second object is beyond the count
	for name, data := range map[string][]byte{"end": append(bytes.Clone(plain), 1, 2, 3), "count": fewer} {
		f, err := layout.Decode(data)
		if err != nil {
			t.Fatal(name, err)
		}
		if err := f.Edit(layout.Options{}, func(root *text.Node) error {
			root.Child("OBJECTS").Child("BASEOBJECT").Child("PROPERTIES").Property("NAME").Value = "c"
			return nil
		}); err != nil {
			t.Fatal(name, err)
		}
		got, err := f.Encode()
		want := bytes.Replace(data, []byte("a\x00"), []byte("c\x00"), 1)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %v\n got %q\nwant %q", name, err, got, want)
		}
	}
}
