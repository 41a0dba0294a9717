package mod_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"

	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/pak"
)

// TestEdit tests that an edit makes only the requested change and copies every other block: without changes the file is
// byte-identical, and the amount of data read does not depend on the number of files.
func TestEdit(t *testing.T) {
	for _, data := range seeds(t) {
		out := new(tests.Memory)
		size, err := mod.NewEdit(open(t, data)).Write(context.Background(), out)
		if err != nil || size != int64(len(out.Data)) || !bytes.Equal(out.Data, data) {
			t.Fatalf("%v: %d bytes of %d, or others", err, size, len(data))
		}
		e := mod.NewEdit(open(t, data))
		e.Header.Title = "Another"
		e.Put(pak.NewFile{Path: "media/skills.raw", Content: func() ([]byte, error) { return []byte("changed"), nil }})
		out = new(tests.Memory)
		if _, err := e.Write(context.Background(), out); err != nil {
			t.Fatal(err)
		}
		m := open(t, out.Data)
		if m.Header.Title != "Another" {
			t.Errorf("title = %q", m.Header.Title)
		}
		for _, f := range open(t, data).Archive.Files() {
			if f.Removed() || f.Duplicate {
				continue
			}
			want, err := f.Content()
			if err != nil {
				t.Fatal(err)
			}
			if f.Path == "MEDIA/SKILLS.RAW" {
				want = []byte("changed")
			}
			if got, err := m.Archive.Find(f.Path).Content(); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: %q, %v", f.Path, got, err)
			}
		}
	}
}

// TestEditRemoved tests that files have records of removal while the header lists them as removed, and lose them
// afterwards.
func TestEditRemoved(t *testing.T) {
	data := write(t, header(4), sampleFiles(), nil)
	e := mod.NewEdit(open(t, data))
	e.Header.Removed = []string{"MEDIA/GONE.DAT", "MEDIA/NEW.DAT"}
	if err := e.Delete("media/skills.raw"); err != nil {
		t.Fatal(err)
	}
	out := new(tests.Memory)
	if _, err := e.Write(context.Background(), out); err != nil {
		t.Fatal(err)
	}
	m := open(t, out.Data)
	var removed, there []string
	for _, f := range m.Archive.Files() {
		if f.Removed() {
			removed = append(removed, f.Path)
		} else {
			there = append(there, f.Path)
		}
	}
	slices.Sort(removed)
	slices.Sort(there)
	if want := []string{"MEDIA/GONE.DAT", "MEDIA/NEW.DAT"}; !slices.Equal(removed, want) || !slices.Equal(m.Header.Removed, want) {
		t.Errorf("records of removed files %q, in the header %q", removed, m.Header.Removed)
	}
	if want := []string{"MEDIA/UI/BACK.JPG", "MEDIA/UNITS/A.DAT"}; !slices.Equal(there, want) {
		t.Errorf("files %q", there)
	}
}

// TestEditInflatesNothing tests that an edit of one file copies the block of another unchanged even if that block is
// not a valid zlib stream.
func TestEditInflatesNothing(t *testing.T) {
	data := write(t, header(4), sampleFiles(), nil)
	m := open(t, data)
	whole := m.Archive.Find("MEDIA/UNITS/A.DAT")
	at := bytes.Index(data, []byte{0x78, 0x9c})
	if whole == nil || at < 0 {
		t.Fatal("no zlib stream to damage")
	}
	broken := bytes.Clone(data)
	broken[at+4] ^= 0xff
	e := mod.NewEdit(open(t, broken))
	e.Put(pak.NewFile{Path: "MEDIA/UI/BACK.JPG", Content: func() ([]byte, error) { return []byte("another"), nil }})
	out := new(tests.Memory)
	if _, err := e.Write(context.Background(), out); err != nil {
		t.Errorf("a block that nobody changed is read: %v", err)
	}
}

func ExampleEdit() {
	out := new(tests.Memory)
	files := []pak.NewFile{
		{Path: "MEDIA/A.TXT", Content: func() ([]byte, error) { return []byte("old"), nil }},
		{Path: "MEDIA/B.TXT", Content: func() ([]byte, error) { return []byte("stays"), nil }},
	}
	size, err := mod.Write(context.Background(), out, &mod.Header{Version: 4, Title: "Ember"}, files, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := mod.Open(out, size)
	if err != nil {
		fmt.Println(err)
		return
	}
	e := mod.NewEdit(m)
	e.Header.ModVersion++
	e.Put(pak.NewFile{Path: "MEDIA/A.TXT", Content: func() ([]byte, error) { return []byte("new"), nil }})
	edited := new(tests.Memory) // serves as a file; an *os.File has the same methods
	if size, err = e.Write(context.Background(), edited); err != nil {
		fmt.Println(err)
		return
	}
	if m, err = mod.Open(edited, size); err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range m.Archive.Files() {
		content, err := f.Content()
		fmt.Println(f.Path, string(content), err)
	}
	// Output:
	// MEDIA/A.TXT new <nil>
	// MEDIA/B.TXT stays <nil>
}
