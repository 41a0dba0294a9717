package mod_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/pak"
	"trowel.example/torchlight/text"
	"trowel.example/trace"
)

// header returns a header of a version with a value in every field.
func header(version uint16) *mod.Header {
	h := &mod.Header{
		Version: version, ModVersion: 2, Title: "Títle", Author: "me", Description: "two\r\nlines",
		Website: "http://a", DownloadURL: "http://b",
		ID: -5, Flags: 1, RequiredHash: 1 << 63, Required: []mod.Required{{Name: "other", ID: 7, Version: 3},
			{Name: "lone \xed\xa0\xbd", ID: 8, Version: 4}},
	}
	switch version {
	case 1:
		h.Releases = []mod.Release{{1, 2}, {3, 4}, {1 << 63, 255}}
		h.Required[0].Version, h.Required[1].Version = 0, 0
	case 4:
		h.Game = mod.GameVersion{1, 23, 5, 5}
	}
	if version >= 3 {
		h.Removed = []string{"MEDIA/GONE.DAT", "MEDIA/LINE\nBREAK.DAT"}
	}
	return h
}

func sampleFiles() []pak.NewFile {
	file := func(path string, content []byte) pak.NewFile {
		return pak.NewFile{Path: path, Time: 130141573389032929, Content: func() ([]byte, error) { return content, nil }}
	}
	return []pak.NewFile{
		file("MEDIA/UNITS/A.DAT", bytes.Repeat([]byte("unit "), 300)),
		file("MEDIA/SKILLS.RAW", []byte("raw")),
		file("MEDIA/UI/BACK.JPG", []byte("stored as it is")),
	}
}

func write(t testing.TB, h *mod.Header, files []pak.NewFile, k *mod.Residue) []byte {
	t.Helper()
	out := new(tests.Memory)
	size, err := mod.Write(context.Background(), out, h, files, k)
	if err != nil {
		t.Fatal(err)
	}
	if size != int64(len(out.Data)) {
		t.Errorf("size = %d, of %d bytes", size, len(out.Data))
	}
	return out.Data
}

// seeds returns mods of all versions, with and without oddities.
func seeds(t testing.TB) [][]byte {
	t.Helper()
	var all [][]byte
	for version := uint16(1); version <= 4; version++ {
		all = append(all, write(t, header(version), sampleFiles(), nil))
	}
	files := sampleFiles()
	files = append(files, pak.NewFile{Path: "MEDIA/UNLISTED.DAT", Removed: true})
	all = append(all, write(t, mod.NewHeader(), files, &mod.Residue{Gap: []byte("gap"), Archive: &pak.Residue{Tail: []byte("tail")}}))
	all = append(all, write(t, mod.NewHeader(), nil, nil))
	h := header(4)
	all = append(all, write(t, h, sampleFiles(), &mod.Residue{Unrecorded: []pak.ResidueName{"MEDIA/GONE.DAT"}}))
	return all
}

// TestRoundTrip tests that headers of all versions round-trip, and that mods are rebuilt from their MOD.DAT, contents
// and residues.
func TestRoundTrip(t *testing.T) {
	for i, data := range seeds(t) {
		m := open(t, data)
		if i < 4 {
			want := header(uint16(i + 1))
			want.DataOffset, want.ManifestOffset = m.Header.DataOffset, m.Header.ManifestOffset
			if diff := cmp.Diff(want, m.Header); diff != "" {
				t.Error(diff)
			}
		}
		head, err := m.Header.Encode()
		if err != nil || !bytes.HasPrefix(data, head) {
			t.Errorf("%d: the header encodes to other bytes, %v", i, err)
		}
		if got := rebuild(t, m); !bytes.Equal(got, data) {
			t.Errorf("%d: yields other bytes: %d for %d", i, len(got), len(data))
		}
		at := int64(0)
		if err := mod.Dump(bytes.NewReader(data), int64(len(data)), func(f trace.Field) {
			if f.Offset != at {
				t.Errorf("%d: %s at %d, expected %d", i, f.Path, f.Offset, at)
			}
			at += f.Len
		}); err != nil || at != int64(len(data)) {
			t.Errorf("%d: told %d of %d bytes, %v", i, at, len(data), err)
		}
	}
}

// TestHeaderBytes tests each byte of a header.
func TestHeaderBytes(t *testing.T) {
	h := mod.NewHeader()
	h.ModVersion, h.DataOffset, h.ManifestOffset, h.Title, h.ID, h.Flags, h.RequiredHash = 14, 1, 2, "T", 3, 4, 5
	h.Required = []mod.Required{{"R", 6, 7}}
	h.Removed = []string{"M"}
	want := "\x04\x00\x0e\x00\x01\x00\x19\x00\x09\x00\x05\x00\x01\x00\x00\x00\x02\x00\x00\x00" +
		"\x01\x00T\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00" +
		"\x01\x00\x01\x00R\x00\x06\x00\x00\x00\x00\x00\x00\x00\x07\x00\x01\x00\x01\x00M\x00"
	data, err := h.Encode()
	if err != nil || string(data) != want {
		t.Fatalf("Encode = %q, %v", data, err)
	}
	for n := range data {
		if _, _, err := mod.DecodeHeader(data[:n]); !errors.Is(err, fault.ErrShort) {
			t.Errorf("the first %d bytes: %v", n, err)
		}
	}
}

func TestHeaderErrors(t *testing.T) {
	many := make([]string, 65536)
	for name, h := range map[string]*mod.Header{
		"version 0":    {},
		"version 5":    {Version: 5},
		"no releases":  {Version: 1},
		"removed in 2": {Version: 2, Removed: []string{"A"}},
		"removed":      {Version: 4, Removed: many},
		"required":     {Version: 4, Required: make([]mod.Required, 65536)},
		"title":        {Version: 4, Title: strings.Repeat("x", 65536)},
	} {
		var e *fault.Error
		if _, err := h.Encode(); !errors.As(err, &e) || e.Path == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOpenErrors tests that mods with misplaced parts are rejected with an error that names the problem.
func TestOpenErrors(t *testing.T) {
	good := write(t, header(4), sampleFiles(), nil)
	put := func(at int, v uint32) []byte {
		data := bytes.Clone(good)
		binary.LittleEndian.PutUint32(data[at:], v)
		return data
	}
	for name, data := range map[string][]byte{
		"empty":                    nil,
		"version":                  put(0, 5),
		"data_offset before":       put(12, 30),
		"data_offset after":        put(12, uint32(len(good)+1)),
		"manifest_offset before":   put(16, 30),
		"manifest_offset after":    put(16, uint32(len(good)+1)),
		"manifest_offset, archive": put(16, binary.LittleEndian.Uint32(good[12:])+7),
		"cut":                      good[:len(good)-1],
		"version 1, cut":           {1, 0, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0},
	} {
		_, err := mod.Open(bytes.NewReader(data), int64(len(data)))
		var e *fault.Error
		if !errors.As(err, &e) || e.Path == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if mod.Recognize([]byte("something else")) || mod.Recognize(nil) || !mod.Recognize(good[:32]) {
		t.Error("recognised something that is not a mod, or not what is one")
	}
}

// TestModDat tests that MOD.DAT is like that of the editor.
func TestModDat(t *testing.T) {
	h := header(4)
	got, err := text.Parse(text.Format(h.ModDat()))
	if err != nil {
		t.Fatal(err)
	}
	want := &text.Node{Name: "MOD"}
	for _, p := range [][2]string{{"AUTHOR", "me"}, {"NAME", "Títle"}, {"DESCRIPTION", "two  lines"}} {
		want.Add(text.String, p[0], p[1])
	}
	want.Add(text.Integer64, "MOD_ID", "-5")
	want.Add(text.String, "WEBSITE", "http://a")
	want.Add(text.String, "DOWNLOAD_URL", "http://b")
	want.Add(text.Integer, "VERSION", "1")
	removed := want.AddNode("REMOVE_FILES")
	removed.Add(text.String, "FILE", "MEDIA/GONE.DAT")
	removed.Add(text.String, "FILE", "MEDIA/LINE BREAK.DAT")
	required := want.AddNode("REQUIRED_MODS")
	required.Add(text.Integer64, "ID", "7")
	required.Add(text.Integer64, "ID", "8")
	if !text.Equal(want, got.Root) {
		t.Errorf("MOD.DAT = %s", text.Format(got.Root))
	}

	// Edited values take precedence over the residue; the rest of the residue is kept.
	edited := &text.Node{Name: "mod"}
	edited.Add(text.String, "name", "New")
	edited.Add(text.Integer, "VERSION", "5")
	edited.AddNode("REQUIRED_MODS").Add(text.Integer64, "ID", "8")
	back, err := mod.HeaderOf(edited, h.Residue())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&mod.Header{
		Version: 4, ModVersion: 6, Game: mod.GameVersion{1, 23, 5, 5}, Title: "New", Flags: 1,
		Required: []mod.Required{{"lone \xed\xa0\xbd", 8, 4}},
	}, back); diff != "" {
		t.Error(diff)
	}
	if back, err = mod.HeaderOf(edited, nil); err != nil || back.Game != mod.LastGame || back.Flags != 0 {
		t.Errorf("without a residue: %+v, %v", back, err)
	}

	for _, bad := range []func(n *text.Node){
		func(n *text.Node) { n.Name = "LAYOUT" },
		func(n *text.Node) { n.Add(text.Integer, "VERSION", "x") },
		func(n *text.Node) { n.Add(text.Integer, "VERSION", "65535") },
		func(n *text.Node) { n.Add(text.Integer, "VERSION", "-2") },
		func(n *text.Node) { n.Add(text.Integer64, "MOD_ID", "x") },
		func(n *text.Node) { n.AddNode("REQUIRED_MODS").Add(text.Integer64, "ID", "x") },
	} {
		n := &text.Node{Name: "MOD"}
		bad(n)
		if _, err := mod.HeaderOf(n, nil); err == nil {
			t.Errorf("accepted %s", text.Format(n))
		}
	}
}

// TestEditorMod tests that a test mod of the editor has version 0, for which MOD.DAT has -1.
func TestEditorMod(t *testing.T) {
	h := mod.NewHeader()
	back, err := mod.HeaderOf(h.ModDat(), nil)
	if version, _ := h.ModDat().Get("VERSION"); err != nil || back.ModVersion != 0 || version != "-1" {
		t.Errorf("version %d, %s, %v", back.ModVersion, version, err)
	}
}

// TestSplitJoin tests that Join reverses Split.
func TestSplitJoin(t *testing.T) {
	data := write(t, header(3), sampleFiles(), nil)
	m := open(t, data)
	var archive, manifest, joined bytes.Buffer
	if err := m.Split(&archive, &manifest); err != nil {
		t.Fatal(err)
	}
	section := io.NewSectionReader(bytes.NewReader(archive.Bytes()), 0, int64(archive.Len()))
	if err := mod.Join(&joined, header(3), section, manifest.Bytes()); err != nil || !bytes.Equal(joined.Bytes(), data) {
		t.Errorf("other bytes, %v", err)
	}
	if err := mod.Join(io.Discard, header(3), section, []byte("none")); err == nil {
		t.Error("joined with no manifest")
	}
}

func TestCheck(t *testing.T) {
	ids := func(h *mod.Header, files []pak.NewFile, k *mod.Residue) []string {
		var ids []string
		m := open(t, write(t, h, files, k))
		for _, f := range check.Collect(m.Check) {
			ids = append(ids, f.ID)
		}
		slices.Sort(ids)
		return slices.Compact(ids)
	}
	edit := func(change func(h *mod.Header)) *mod.Header {
		h := mod.NewHeader()
		change(h)
		return h
	}
	for name, c := range map[string]struct{ got, want []string }{
		"new": {ids(mod.NewHeader(), sampleFiles(), nil), nil},
		"old": {ids(edit(func(h *mod.Header) { h.Version = 2; h.Game = mod.GameVersion{} }), sampleFiles(),
			nil), []string{"tl-mod-old-header"}},
		"gap":           {ids(mod.NewHeader(), sampleFiles(), &mod.Residue{Gap: []byte("x")}), []string{"tl-mod-gap"}},
		"flags":         {ids(edit(func(h *mod.Header) { h.Flags = 1 }), nil, nil), []string{"tl-mod-flags"}},
		"required hash": {ids(edit(func(h *mod.Header) { h.RequiredHash = 1 }), nil, nil), []string{"tl-mod-required-hash"}},
		"unlisted": {ids(mod.NewHeader(), nil, &mod.Residue{Unlisted: []pak.ResidueName{"MEDIA/X"}}),
			[]string{"tl-mod-removed-unlisted", "tl-pak-removed"}},
		"unrecorded": {ids(edit(func(h *mod.Header) { h.Removed = []string{"MEDIA/X"} }), nil,
			&mod.Residue{Unrecorded: []pak.ResidueName{"MEDIA/X"}}),
			[]string{"tl-mod-removed-unrecorded"}},
		"removed name": {ids(edit(func(h *mod.Header) { h.Removed = []string{"X"} }), nil, nil),
			[]string{"tl-mod-removed-name", "tl-pak-removed"}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: found %v, want %v", name, c.got, c.want)
		}
	}
}

// counter counts the bytes that are read.
type counter struct {
	r io.ReaderAt
	n int64
}

func (c *counter) ReadAt(p []byte, at int64) (int, error) {
	c.n += int64(len(p))
	return c.r.ReadAt(p, at)
}

// TestOpenReads tests that opening reads header, manifest, and only one size of the archive.
func TestOpenReads(t *testing.T) {
	data := write(t, header(4), sampleFiles(), nil)
	c := &counter{r: bytes.NewReader(data)}
	m, err := mod.Open(c, int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	const again = 12 + 4 + 8 // bytes that are read twice: to find the end of the header, and to see whether the last file is complete
	if want := int64(m.Header.DataOffset) + int64(len(data)) - int64(m.Header.ManifestOffset) + again; c.n != want {
		t.Errorf("%d bytes were read, want %d", c.n, want)
	}
}

// TestRemovedCapitals tests that MOD.DAT may list removed files in any case and in several groups, that the header has
// their paths in upper case, as the editor writes them, and that other headers are restored by their residue.
func TestRemovedCapitals(t *testing.T) {
	n := &text.Node{Name: "MOD"}
	n.Add(text.String, "NAME", "x")
	for _, path := range []string{"media/Units/a.dat", "MEDIA/B.DAT"} {
		n.AddNode("REMOVE_FILES").Add(text.String, "FILE", path)
	}
	h, err := mod.HeaderOf(n, nil)
	if want := []string{"MEDIA/UNITS/A.DAT", "MEDIA/B.DAT"}; err != nil || !slices.Equal(h.Removed, want) {
		t.Fatalf("%q, %v", h.Removed, err)
	}
	h.Removed[0] = "media/Units/a.dat"
	data := write(t, h, sampleFiles(), nil)
	m := open(t, data)
	if got := rebuild(t, m); !bytes.Equal(got, data) {
		t.Error("a mod with lower case does not come back")
	}
	if back, err := mod.HeaderOf(m.Header.ModDat(), nil); err != nil || back.Removed[0] != "MEDIA/UNITS/A.DAT" {
		t.Errorf("without its residue: %q, %v", back.Removed, err)
	}
	n.AddNode("REMOVE_FILES").Add(text.String, "PATH", "MEDIA/C.DAT")
	if _, err := mod.HeaderOf(n, nil); err == nil {
		t.Error("a key that means nothing is left out")
	}
}
