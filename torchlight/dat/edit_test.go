package dat_test

import (
	"bytes"
	"errors"
	"testing"

	"trowel.example/torchlight/dat"
	"trowel.example/torchlight/text"
)

// TestCorpusEdit tests that real files are byte-identical after an edit that changes nothing, and that changing one
// value keeps all other values and the IDs of strings.
func TestCorpusEdit(t *testing.T) {
	for _, c := range corpusFiles(t) {
		path, data := c.name, c.data
		f, err := dat.Decode(data)
		if err != nil {
			continue
		}
		o := dat.Options{Path: path}
		if err := f.Edit(o, func(*text.Node) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if got, err := f.Encode(); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: an edit that changes nothing gives other bytes, %v", path, err)
		}
		if f.Version != dat.Torchlight2 {
			continue
		}
		old := f.Clone()
		if err := f.Edit(o, func(root *text.Node) error {
			root.Add(text.String, "TROWEL", "something that no file has")
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if len(f.Strings) != len(old.Strings)+1 || len(f.Root.Properties) != len(old.Root.Properties)+1 {
			t.Errorf("%s: %d strings became %d", path, len(old.Strings), len(f.Strings))
		}
		if err := f.Edit(o, func(root *text.Node) error {
			for i, it := range root.Items {
				if p, ok := it.(*text.Property); ok && p.Value == "something that no file has" {
					root.Items = append(root.Items[:i:i], root.Items[i+1:]...)
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if got, err := f.Encode(); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%s: what was added and taken away again is not gone, %v", path, err)
		}
	}
}

func TestEdit(t *testing.T) {
	f := &dat.File{Version: dat.Torchlight2, Strings: []dat.String{{ID: 7, Text: "a\nb"}, {ID: 9, Text: "x"},
		{ID: 11, Text: "nobody's"}}, Root: &dat.Node{
		Name: 5, Properties: []dat.Property{{Key: 1, Type: text.String, Value: 7},
			{Key: 2, Type: text.String, Value: 9}, {Key: 3, Type: text.Bool, Value: 77}}}}
	if err := f.Edit(dat.Options{}, func(root *text.Node) error {
		root.Items[1].(*text.Property).Value = "y"
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	want := &dat.File{Version: dat.Torchlight2, Strings: []dat.String{{ID: 7, Text: "a\nb"}, {ID: 9, Text: "y"},
		{ID: 11, Text: "nobody's"}}, Root: &dat.Node{
		Name: 5, Properties: []dat.Property{{Key: 1, Type: text.String, Value: 7},
			{Key: 2, Type: text.String, Value: 9}, {Key: 3, Type: text.Bool, Value: 77}}}}
	if !f.Equal(want) {
		t.Errorf("%+v %+v", f, f.Root)
	}
	failed := errors.New("no")
	if err := f.Edit(dat.Options{}, func(root *text.Node) error { root.Items = nil; return failed }); !errors.Is(err,
		failed) || !f.Equal(want) {
		t.Errorf("%v: %+v", err, f)
	}
	if err := f.Edit(dat.Options{}, func(root *text.Node) error {
		root.Add(text.Integer, "K",
			"abc")
		return nil
	}); err == nil || !f.Equal(want) {
		t.Errorf("%v: an INTEGER abc became %+v", err, f.Root)
	}
	f.Strings = append(f.Strings, dat.String{ID: dat.None - 1, Text: "last"})
	if err := f.Edit(dat.Options{}, func(root *text.Node) error {
		root.Add(text.Note, "K",
			"z")
		return nil
	}); err != nil || f.Strings[0] != (dat.String{ID: 1, Text: "z"}) {
		t.Errorf("%v: %+v", err, f.Strings)
	}
}
