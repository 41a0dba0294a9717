package dat_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"trowel.example/torchlight/dat"
	"trowel.example/torchlight/text"
)

// TestControls tests that strings with control characters are in the text of a data file, so that it gives the same file even
// without its residue. Line feeds become \n, as in the texts of the game.
func TestControls(t *testing.T) {
	strs := []string{"\x7f", "a\u0085b", "\u2028", "\r\n", "\n\r", "\\\r", "\xed\xa0\xbd\r"}
	for c := range rune(0x20) {
		s := string(c)
		strs = append(strs, s, "A"+s, s+"A", "A"+s+"B", s+s)
	}
	for _, s := range strs {
		for _, o := range []dat.Options{{}, {Path: "A.ADM"}} {
			root := &text.Node{Name: "UNIT"}
			root.Add(text.String, "NAME", s)
			root.Add(text.Translate, "DISPLAYNAME", s)
			version := uint32(dat.Torchlight2)
			if o.Path != "" {
				version = dat.Torchlight1
			}
			lines := strings.Contains(s, "\n")
			if o.Path != "" && !lines { // names are strings, in upper case
				root.Add(text.String, "K"+s+"K", "X")
				root.AddNode("N" + s + "N")
			}
			f, err := dat.FromText(root, version, nil)
			if err != nil {
				t.Fatal(err)
			}
			want := encode(t, f)
			form, residue, err := dat.Decompile(want, o)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := dat.Compile(form, residue, o); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%q: another file with the residue %v, %v", s, residue, err)
			}
			got, err := dat.Compile(form, nil, o)
			if err != nil {
				t.Fatalf("%q: %v", s, err)
			}
			if bytes.Equal(got, want) == lines {
				t.Errorf("%q: another file without its residue, or the same", s)
			}
			if back, _, err := dat.Decompile(got, o); err != nil || !bytes.Equal(back, form) {
				t.Errorf("%q: another text: %s, %v", s, back, err)
			}
		}
	}
}

// TestEmptyADM tests that an empty string of Torchlight I is in the table, that files without it keep this, also after an edit, and
// that residues are small.
func TestEmptyADM(t *testing.T) {
	o := dat.Options{Path: "A.ADM"}
	root := &text.Node{Name: "UNIT"}
	for _, key := range []string{"NAME", "DISPLAYNAME", "DESCRIPTION"} {
		root.Add(text.String, key, "")
	}
	root.Add(text.String, "ICON", "a")
	f, err := dat.FromText(root, dat.Torchlight1, nil)
	if err != nil {
		t.Fatal(err)
	}
	empties := func(f *dat.File) (n int) {
		for _, s := range f.Strings {
			if s.Text == "" {
				n++
			}
		}
		return n
	}
	if empties(f) != 1 {
		t.Errorf("the table is %v", f.Strings)
	}
	without := f.Clone()
	for i := range without.Root.Properties[:3] {
		without.Root.Properties[i].Value = uint64(dat.None)
	}
	without.Strings = slices.DeleteFunc(without.Strings, func(s dat.String) bool { return s.Text == "" })
	mixed := f.Clone()
	mixed.Root.Properties[1].Value = uint64(dat.None)
	for name, f := range map[string]*dat.File{"with": f, "without": without, "mixed": mixed} {
		data := encode(t, f)
		form, residue, err := dat.Decompile(data, o)
		if err != nil {
			t.Fatal(err)
		}
		if kept, _ := json.Marshal(residue); len(kept) > len(data) || (residue == nil) != (name == "with") {
			t.Errorf("%s: %d bytes, and the residue %s", name, len(data), kept)
		}
		if back, err := dat.Compile(form, residue, o); err != nil || !bytes.Equal(back, data) {
			t.Errorf("%s: %x became %x, %v", name, data, back, err)
		}
		before := empties(f)
		err = f.Edit(o, func(root *text.Node) error {
			root.Property("ICON").Value = ""
			return nil
		})
		if err != nil || empties(f) != before || name == "without" && uint32(f.Root.Properties[3].Value) != dat.None {
			t.Errorf("%s: after an edit: %v, %v", name, f.Strings, err)
		}
	}
}
