package mod_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/pak"
	"trowel.example/torchlight/text"
	"trowel.example/trace"
)

// realMods returns the mods of the corpus by their paths.
func realMods(t testing.TB) map[string][]byte {
	t.Helper()
	mods := make(map[string][]byte)
	err := filepath.WalkDir(tests.Corpus(t, "torchlight"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.EqualFold(filepath.Ext(path), ".mod") {
			return err
		}
		mods[path], err = os.ReadFile(path)
		return err
	})
	if err != nil || len(mods) == 0 {
		t.Fatalf("%d mods, %v", len(mods), err)
	}
	return mods
}

func open(t testing.TB, data []byte) *mod.Mod {
	t.Helper()
	m, err := mod.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// contents returns the inflated files of a mod as a list to write.
func contents(t testing.TB, m *mod.Mod) []pak.NewFile {
	t.Helper()
	var files []pak.NewFile
	for _, f := range m.Archive.Files() {
		if f.Removed() || f.Duplicate {
			continue
		}
		content, err := f.Content()
		if err != nil {
			continue // the residue keeps it
		}
		files = append(files, pak.NewFile{Path: f.Path, Content: func() ([]byte, error) { return content, nil }})
	}
	return files
}

// rebuild creates a mod from the MOD.DAT, the contents and the residues of another, after a round trip of all of them
// through JSON and text.
func rebuild(t testing.TB, m *mod.Mod) []byte {
	t.Helper()
	k, err := mod.NewResidue(m)
	if err != nil {
		t.Fatal(err)
	}
	k = throughJSON(t, k)
	tree, err := text.Parse(text.Format(m.Header.ModDat()))
	if err != nil {
		t.Fatal(err)
	}
	h, err := mod.HeaderOf(tree.Root, throughJSON(t, m.Header.Residue()))
	if err != nil {
		t.Fatal(err)
	}
	out := new(tests.Memory)
	size, err := mod.Write(context.Background(), out, h, contents(t, m), k)
	if err != nil {
		t.Fatal(err)
	}
	if size != int64(len(out.Data)) {
		t.Errorf("size = %d, of %d bytes", size, len(out.Data))
	}
	return out.Data
}

func throughJSON[T any](t testing.TB, v *T) *T {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	back := new(T)
	if err := json.Unmarshal(data, back); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return back
}

// TestCorpusRoundTrip tests that every real mod is rebuilt from its parts: the bytes of header and manifest; the files,
// all compressed again; the archive as a separate file.
func TestCorpusRoundTrip(t *testing.T) {
	mods := realMods(t)
	files, blocks := 0, 0
	for path, data := range mods {
		m := open(t, data)
		head, err := m.Header.Encode()
		if err != nil || !bytes.HasPrefix(data, head) || len(head) != int(m.Header.DataOffset) {
			t.Errorf("%s: the header encodes to other bytes, %v", path, err)
		}
		man, err := m.Manifest.Encode()
		if err != nil || !bytes.HasSuffix(data, man) {
			t.Errorf("%s: the manifest encodes to other bytes, %v", path, err)
		}
		if got := rebuild(t, m); !bytes.Equal(got, data) {
			t.Errorf("%s: yields other bytes: %d for %d", path, len(got), len(data))
		}
		var archive, manifest, joined bytes.Buffer
		if err := m.Split(&archive, &manifest); err != nil {
			t.Fatal(err)
		}
		h := *m.Header
		h.DataOffset, h.ManifestOffset = 0, 0
		section := io.NewSectionReader(bytes.NewReader(archive.Bytes()), 0, int64(archive.Len()))
		if err := mod.Join(&joined, &h, section, manifest.Bytes()); err != nil || !bytes.Equal(joined.Bytes(), data) {
			t.Errorf("%s: split and joined it is other bytes, %v", path, err)
		}
		copied := new(tests.Memory)
		if _, _, err := pak.NewEdit(m.Archive).Write(context.Background(), copied); err != nil || !bytes.Equal(copied.Data, archive.Bytes()) {
			t.Errorf("%s: an edit without a change gives other bytes, %v", path, err)
		}
		if !mod.Recognize(data[:64]) {
			t.Errorf("%s: not recognised", path)
		}
		for _, f := range check.Collect(m.Check) {
			if f.Severity != check.Info {
				t.Errorf("%s: %v", path, f)
			}
		}
		files += len(m.Archive.Files())
		for _, f := range m.Archive.Files() {
			if !f.Removed() {
				blocks++
			}
		}
	}
	t.Logf("%d mods, %d files, %d blocks compressed again, all the same bytes", len(mods), files, blocks)
}

// TestCorpusResidueIsSmall tests that the residue of a mod of the editor has order and times, but no oddities, and is
// small.
func TestCorpusResidueIsSmall(t *testing.T) {
	for path, data := range realMods(t) {
		m := open(t, data)
		k, err := mod.NewResidue(m)
		if err != nil {
			t.Fatal(err)
		}
		out, err := json.Marshal(k)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(m.Archive.Files()); len(out) > 200*n {
			t.Errorf("%s: a residue of %d bytes for %d files", path, len(out), n)
		}
		if len(data) > 4_000_000 {
			t.Logf("%s: %d files, residue of %d bytes", filepath.Base(path), len(m.Archive.Files()), len(out))
		}
		if a := k.Archive; a.Hint != nil || a.Hash != nil || a.ManHash != nil || a.Max != nil || a.Tail != nil ||
			a.Rest != nil || a.Version != nil || a.Root != nil {
			t.Errorf("%s: the editor's own numbers are held for odd: %.300s", path, out)
		}
	}
}

// TestCorpusBlockOrder tests that the records of a directory are in the order of their blocks, and that the blocks are
// a merge of two sequences of directories, as described in the documentation of the format.
func TestCorpusBlockOrder(t *testing.T) {
	for path, data := range realMods(t) {
		type place struct {
			offset uint32
			dir    int
		}
		var order []place
		for i, s := range open(t, data).Manifest.Sections {
			last := uint32(0)
			for _, rec := range s.Records {
				if rec.Offset == 0 {
					continue
				}
				if rec.Offset < last {
					t.Errorf("%s: %s%s is before its predecessor", path, s.Name, rec.Name)
				}
				last = rec.Offset
				order = append(order, place{rec.Offset, i})
			}
		}
		slices.SortFunc(order, func(a, b place) int { return cmp.Compare(a.offset, b.offset) })
		merged := func(cut int) bool { // of the directories before the cut, ascending, and the others, descending
			up, down := 0, math.MaxInt
			for _, p := range order {
				if p.dir < cut && p.dir >= up {
					up = p.dir
				} else if p.dir >= cut && p.dir <= down {
					down = p.dir
				} else {
					return false
				}
			}
			return true
		}
		found := false
		for cut := range len(order) + 1 {
			found = found || merged(cut)
		}
		if !found {
			t.Errorf("%s: the order of the blocks is no merge of two sequences", path)
		}
	}
}

// TestCorpusDump tests that Dump reports every byte of a real mod once.
func TestCorpusDump(t *testing.T) {
	for path, data := range realMods(t) {
		at := int64(0)
		if err := mod.Dump(bytes.NewReader(data), int64(len(data)), func(f trace.Field) {
			if f.Offset != at {
				t.Fatalf("%s: %s at %d, expected %d", path, f.Path, f.Offset, at)
			}
			at += f.Len
		}); err != nil || at != int64(len(data)) {
			t.Errorf("%s: told %d of %d bytes, %v", path, at, len(data), err)
		}
	}
}

func openBytes(data []byte) (*mod.Mod, error) {
	return mod.Open(bytes.NewReader(data), int64(len(data)))
}
