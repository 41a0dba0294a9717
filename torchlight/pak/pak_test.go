package pak_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/pak"
	"trowel.example/trace"
)

// TestHashes tests the hashes against values of another implementation.
func TestHashes(t *testing.T) {
	for _, c := range []struct {
		n              int
		archive, other uint32
	}{
		{9, 0x2db9, 0x4256a},
		{64, 0x1747e545, 0x46063a72},
		{1000, 0x4e44a50e, 0xd5cec365},
		{70001, 0xadb6e010, 0xff98117f},
	} {
		data := make([]byte, c.n)
		for i := range data {
			data[i] = byte(i*7 + i/256)
		}
		if got, err := pak.ArchiveHash(bytes.NewReader(data), int64(c.n)); got != c.archive || err != nil {
			t.Errorf("ArchiveHash of %d bytes = %#x, %v, want %#x", c.n, got, err, c.archive)
		}
		if got := pak.ManifestHash(data); got != c.other {
			t.Errorf("ManifestHash of %d bytes = %#x, want %#x", c.n, got, c.other)
		}
	}
}

func TestFiletime(t *testing.T) {
	const ft = pak.Filetime(130141573389032929)
	want := time.Date(2013, 5, 27, 19, 42, 18, 903292900, time.UTC)
	if got := ft.Time(); !got.Equal(want) {
		t.Errorf("Time = %v, want %v", got, want)
	}
	for _, v := range []pak.Filetime{0, 1, ft, 1<<63 - 1, 1 << 63} {
		if back := pak.FiletimeOf(v.Time()); back != v {
			t.Errorf("%d is restored as %d", v, back)
		}
	}
	for _, v := range []time.Time{time.Date(1600, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(70000, 1, 1, 0, 0, 0, 0, time.UTC)} {
		if got := pak.FiletimeOf(v); got != 0 {
			t.Errorf("FiletimeOf(%v) = %d", v, got)
		}
	}
}

func TestTypeOf(t *testing.T) {
	for name, want := range map[string]pak.Type{
		"A.DAT": 0, "A.TEMPLATE": 0, "a.layout": 1, "A.MESH": 2, "A.DDS": 4, "A.Ogg": 6, "A/": 7, "A.RAW": 9, "A.HIE": 17,
		"A": 18, "A.TXT": 18, "A.B.ANIMATION": 16, "A.MPP": 21, "A.BIK": 23, "A.JPG": 24,
	} {
		if got := pak.TypeOf(name); got != want {
			t.Errorf("TypeOf(%q) = %v, want %v", name, got, want)
		}
	}
}

// TestWrite tests the order of records, the surplus and the hint of a new archive.
func TestWrite(t *testing.T) {
	a := write(t, sample(), nil)
	r := a.open(t)
	var got []string
	for _, s := range r.Manifest().Sections {
		line := s.Name + ":"
		for _, rec := range s.Records {
			line += " " + rec.Name
		}
		got = append(got, line)
	}
	want := []string{
		": MEDIA/",
		"MEDIA/: SKILLS.RAW",
		"MEDIA/UI/ICONS/: BACK.JPG",
		"MEDIA/UNITS/: A.DAT B.DAT GONE.DAT",
		"MEDIA/UNITS/ITEMS/MAPS/: SWORD.LAYOUT",
		"MEDIA/: UI/ UNITS/",
		"MEDIA/UI/: ICONS/",
		"MEDIA/UNITS/: ITEMS/",
		"MEDIA/UNITS/ITEMS/: MAPS/",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if r.Manifest().Hint != 6+1+3+2+4 {
		t.Errorf("hint = %d", r.Manifest().Hint)
	}
	if !bytes.HasSuffix(a.pak, make([]byte, 4)) {
		t.Error("four zeroes for the removed file are missing")
	}
	if found := findings(r); !slices.Equal(found, []string{"tl-pak-removed"}) {
		t.Errorf("findings: %v", found)
	}
	jpg := r.Find(`media\ui\Icons\back.jpg`)
	if size, compressed, err := jpg.Sizes(); size != 15 || compressed != 0 || err != nil {
		t.Errorf("the JPG takes %d, %d, %v", size, compressed, err)
	}
	if diff := cmp.Diff(map[string]string{
		"MEDIA/SKILLS.RAW": "", "MEDIA/UNITS/A.DAT": "first", "MEDIA/UNITS/B.DAT": strings.Repeat("unit ", 300),
		"MEDIA/UNITS/GONE.DAT": "(removed)", "MEDIA/UI/ICONS/BACK.JPG": "stored as it is",
		"MEDIA/UNITS/ITEMS/MAPS/SWORD.LAYOUT": strings.Repeat("\x01\x02\x03\xff", 5000),
	}, contents(t, r)); diff != "" {
		t.Error(diff)
	}
	if got := a.pak[:16]; !pak.RecognizeManifest(a.man) || pak.Sniff(a.pak[:22], int64(len(a.pak))) != pak.KindTorchlight {
		t.Errorf("not recognised: %x", got)
	}
}

// TestRemovedDirectory tests the type of a directory in which the archive only removes files: it is written, read as a directory,
// kept, and changes once the directory has a file.
func TestRemovedDirectory(t *testing.T) {
	types := func(r *pak.Reader) (list []string) {
		for _, s := range r.Manifest().Sections {
			for _, rec := range s.Records {
				if strings.HasSuffix(rec.Name, "/") {
					list = append(list, fmt.Sprintf("%s%s %d", s.Name, rec.Name, rec.Type))
				}
			}
		}
		return list
	}
	files := []pak.NewFile{file("MEDIA/UI/A.DDS", []byte("DDS ")), {Path: "MEDIA/UI/B.DDS", Removed: true},
		{Path: "MEDIA/SKILLS/GONE/A.DAT", Removed: true}, {Path: "MEDIA/SKILLS/GONE/B.DAT", Removed: true}}
	want := []string{"MEDIA/ 7", "MEDIA/SKILLS/ 7", "MEDIA/UI/ 7", "MEDIA/SKILLS/GONE/ 18"}
	a := write(t, files, nil)
	r := a.open(t)
	if got := types(r); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if found := findings(r); !slices.Equal(found, []string{"tl-pak-removed"}) || r.Manifest().Hint != 4+2+3 {
		t.Errorf("findings %v, hint %d", found, r.Manifest().Hint)
	}
	if again := write(t, list(t, r), residue(t, r)); !bytes.Equal(again.man, a.man) || !bytes.Equal(again.pak, a.pak) {
		t.Error("written again it is another archive")
	}
	e := pak.NewEdit(r)
	e.Put(file("MEDIA/UI/C.DDS", []byte("DDS ")))
	if got := types(edited(t, e).open(t)); !slices.Equal(got, want) {
		t.Errorf("after an edit of another directory: %q", got)
	}
	e.Put(file("MEDIA/SKILLS/GONE/DEEP/C.DAT", nil))
	want[3] = "MEDIA/SKILLS/GONE/ 7"
	if got := types(edited(t, e).open(t)); !slices.Equal(got, append(want, "MEDIA/SKILLS/GONE/DEEP/ 7")) {
		t.Errorf("after an edit of the directory: %q", got)
	}
}

// TestEmptyLast tests that an empty file can be the last one: its block ends where the archive ends.
func TestEmptyLast(t *testing.T) {
	a := write(t, []pak.NewFile{file("MEDIA/A.JPG", nil)}, nil)
	r := a.open(t)
	if at := int64(r.Find("MEDIA/A.JPG").Record.Offset); at+8 != int64(len(a.pak)) {
		t.Fatalf("the block is at %d of %d", at, len(a.pak))
	}
	if diff := cmp.Diff(map[string]string{"MEDIA/A.JPG": ""}, contents(t, r)); diff != "" {
		t.Error(diff)
	}
}

// TestManifestBytes tests each byte of an encoded manifest.
func TestManifestBytes(t *testing.T) {
	man := &pak.Manifest{Version: 2, Hash: 0x04030201, Root: "M/", Hint: 5, Sections: []pak.Section{
		{Name: "M/", Records: []pak.Record{{CRC32: 0x0a0b0c0d, Type: 9, Name: "é", Offset: 8, Size: 3, Time: 0x1122334455667788}}},
	}}
	want := "\x02\x00\x01\x02\x03\x04\x02\x00M\x00/\x00\x05\x00\x00\x00\x01\x00\x00\x00" +
		"\x02\x00M\x00/\x00\x01\x00\x00\x00\x0d\x0c\x0b\x0a\x09\x01\x00\xe9\x00\x08\x00\x00\x00\x03\x00\x00\x00\x88\x77\x66\x55\x44\x33\x22\x11"
	data, err := man.Encode()
	if err != nil || string(data) != want {
		t.Fatalf("Encode = %q, %v", data, err)
	}
	back, err := pak.DecodeManifest(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(man, back); diff != "" {
		t.Error(diff)
	}
	for n := range data {
		if _, err := pak.DecodeManifest(data[:n]); !errors.Is(err, fault.ErrShort) {
			t.Errorf("the first %d bytes: %v", n, err)
		}
	}
	data[0] = 3
	if _, err := pak.DecodeManifest(data); !errors.Is(err, fault.ErrVersion) {
		t.Errorf("version 3: %v", err)
	}
	man.Root = strings.Repeat("x", 65536)
	if _, err := man.Encode(); !errors.Is(err, fault.ErrFormat) {
		t.Errorf("a name that is too long: %v", err)
	}
}

// TestManifestCounts tests that a false count does not allocate memory.
func TestManifestCounts(t *testing.T) {
	data := []byte("\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\x7f")
	if allocs := testing.AllocsPerRun(10, func() {
		if _, err := pak.DecodeManifest(data); !errors.Is(err, fault.ErrShort) {
			t.Error(err)
		}
	}); allocs > 20 {
		t.Errorf("%v allocations", allocs)
	}
}

// counter counts the bytes that are read.
type counter struct {
	r io.ReaderAt
	n int
}

func (c *counter) ReadAt(p []byte, at int64) (int, error) {
	c.n += len(p)
	return c.r.ReadAt(p, at)
}

// TestOpenReadsNothing tests that opening and listing read nothing of the archive except one block header, and that a
// file reads only its block.
func TestOpenReadsNothing(t *testing.T) {
	a := write(t, sample(), nil)
	c := &counter{r: bytes.NewReader(a.pak)}
	man, err := pak.DecodeManifest(a.man)
	if err != nil {
		t.Fatal(err)
	}
	r, err := pak.NewReader(c, int64(len(a.pak)), man)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Files() {
		_, _ = f.Removed(), r.Find(f.Path)
	}
	if err := fs.WalkDir(r.FS(), ".", func(_ string, _ fs.DirEntry, err error) error { return err }); err != nil {
		t.Error(err)
	}
	if c.n != 8 { // the header of the last file's block, to see whether the archive is complete
		t.Errorf("%d bytes were read", c.n)
	}
	if _, err := r.Find("MEDIA/UNITS/A.DAT").Content(); err != nil || c.n != 8+8+13 {
		t.Errorf("%d bytes were read for a block of 21, %v", c.n, err)
	}
}

func TestFS(t *testing.T) {
	r := write(t, sample(), nil).open(t)
	if err := fstest.TestFS(r.FS(), "MEDIA/SKILLS.RAW", "MEDIA/UNITS/ITEMS/MAPS/SWORD.LAYOUT"); err != nil {
		t.Error(err)
	}
	if _, err := fs.Stat(r.FS(), "MEDIA/UNITS/GONE.DAT"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a removed file: %v", err)
	}
}

// TestWriteErrors tests that Write reports an error for files that it cannot write.
func TestWriteErrors(t *testing.T) {
	broken := errors.New("broken")
	for name, files := range map[string][]pak.NewFile{
		"no name":    {file("MEDIA/", nil)},
		"twice":      {file("MEDIA/A", nil), file("MEDIA/A", nil)},
		"no content": {{Path: "MEDIA/A"}},
		"too long":   {file("MEDIA/"+strings.Repeat("x", 65536), nil)},
		"too deep":   {file(strings.Repeat("x/", 201)+"A", nil)},
		"broken":     append(sample(), pak.NewFile{Path: "MEDIA/X", Content: func() ([]byte, error) { return nil, broken }}),
	} {
		if _, _, err := pak.Write(t.Context(), new(tests.Memory), files, nil); err == nil || (name == "broken") != errors.Is(err, broken) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSniff(t *testing.T) {
	head := func(parts ...string) []byte { return []byte(strings.Join(parts, "") + strings.Repeat("\x00", 16)) }
	const list = "\x00\x00\x00\x00\x20\x00\x00\x00"
	for _, c := range []struct {
		head []byte
		size int64
		want pak.Kind
	}{
		{head("PK\x03\x04"), 100, pak.KindZip},
		{head("\x10\x00\x00\x00hash", "\x20\x00\x00\x00\x10\x00\x00\x00\x78\x9c"), 100, pak.KindTorchlight},
		{head("\x10\x00\x00\x00", "\x20\x00\x00\x00\x10\x00\x00\x00\x78\x9c"), 100, pak.KindPreview},
		{head("\x01\x00", list), 100, pak.KindRebelGalaxy},
		{head("\x05\x00", list, "\x20\x00\x00\x00"), 100, pak.KindHob},
		{head("\x05\x00", list, "\x44\x00\x00\x00"), 100, pak.KindRebelOutlaw},
		{head("something else entirely"), 100, pak.KindUnknown},
		{nil, 0, pak.KindUnknown},
	} {
		got := pak.Sniff(c.head, c.size)
		if got != c.want {
			t.Errorf("Sniff(%q) = %v, want %v", c.head, got, c.want)
		}
		if ours := c.want == pak.KindTorchlight || c.want == pak.KindUnknown; (got.Supported() == nil) != ours {
			t.Errorf("%v: %v", got, got.Supported())
		}
	}
}

// TestDump tests that Dump reports each byte once, in order.
func TestDump(t *testing.T) {
	for name, o := range oddities(t) {
		at := int64(100)
		r := o.open(t)
		if err := pak.Dump(bytes.NewReader(o.pak), int64(len(o.pak)), 100, r.Manifest(), func(f trace.Field) {
			if f.Offset != at {
				t.Errorf("%s: %s at %d, expected %d", name, f.Path, f.Offset, at)
			}
			at += f.Len
		}); err != nil || at != 100+int64(len(o.pak)) {
			t.Errorf("%s: told up to %d of %d, %v", name, at, 100+len(o.pak), err)
		}
		at = 0
		if err := pak.DumpManifest(o.man, func(f trace.Field) { at += f.Len }); err != nil || at != int64(len(o.man)) {
			t.Errorf("%s: told %d of %d bytes of the manifest, %v", name, at, len(o.man), err)
		}
	}
}

// TestLongPaths tests that records that repeat a very long directory name are rejected: their paths would take far more
// memory than the manifest.
func TestLongPaths(t *testing.T) {
	man := &pak.Manifest{Version: 2, Root: pak.DefaultRoot, Sections: []pak.Section{{Name: strings.Repeat("A", 60000) + "/"}}}
	for range 3000 {
		man.Sections[0].Records = append(man.Sections[0].Records, pak.Record{Name: "X.DAT"})
	}
	_, err := pak.NewReader(bytes.NewReader(make([]byte, 100)), 100, man)
	if !errors.Is(err, fault.ErrLimit) {
		t.Errorf("paths of 180 MB: %v", err)
	}
}

// TestNamesFolded tests that a problem of many names is one finding with all of them.
func TestNamesFolded(t *testing.T) {
	man := &pak.Manifest{Version: 2, Root: pak.DefaultRoot, Sections: []pak.Section{{Name: "MEDIA/"}}}
	for i := range 428 {
		man.Sections[0].Records = append(man.Sections[0].Records, pak.Record{Name: fmt.Sprintf("狼%d.DAT", i)})
	}
	man.Sections[0].Records = append(man.Sections[0].Records, pak.Record{Name: "lower.DAT"})
	r, err := pak.NewReader(bytes.NewReader(make([]byte, 8)), 8, man)
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]check.Finding)
	r.Check(func(f check.Finding) {
		if _, twice := found[f.ID]; twice {
			t.Errorf("twice: %v", f)
		}
		found[f.ID] = f
	})
	if f := found["tl-pak-not-ascii"]; len(f.At) != 428 || f.At[427] != check.File("MEDIA/狼427.DAT") ||
		f.Message != "428 names have non-ASCII characters; the first is MEDIA/狼0.DAT" {
		t.Errorf("%d places: %v", len(f.At), f)
	}
	if f := found["tl-pak-lower-case"]; len(f.At) != 1 || f.Path != "MEDIA/lower.DAT" {
		t.Errorf("%v at %v", f, f.At)
	}
}
