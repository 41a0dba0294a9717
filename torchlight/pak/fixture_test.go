package pak_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/bytes/deflate"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/pak"
)

// archive is an archive and its manifest, in memory.
type archive struct{ pak, man []byte }

func (a archive) open(t testing.TB) *pak.Reader {
	t.Helper()
	man, err := pak.DecodeManifest(a.man)
	if err != nil {
		t.Fatal(err)
	}
	r, err := pak.NewReader(bytes.NewReader(a.pak), int64(len(a.pak)), man)
	if r == nil || (err != nil) != (r.Absent() > 0) { // in one of the oddities a file is absent
		t.Fatal(err)
	}
	return r
}

func write(t testing.TB, files []pak.NewFile, k *pak.Residue) archive {
	t.Helper()
	out := new(tests.Memory)
	man, size, err := pak.Write(context.Background(), out, files, k)
	return archive{out.Data, encode(t, man, size, out.Data, err)}
}

func edited(t testing.TB, e *pak.Edit) archive {
	t.Helper()
	out := new(tests.Memory)
	man, size, err := e.Write(context.Background(), out)
	return archive{out.Data, encode(t, man, size, out.Data, err)}
}

func encode(t testing.TB, man *pak.Manifest, size int64, got []byte, err error) []byte {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if size != int64(len(got)) {
		t.Errorf("size = %d, of %d bytes", size, len(got))
	}
	data, err := man.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func file(path string, content []byte) pak.NewFile {
	return pak.NewFile{Path: path, Time: 130141573389032929, Content: func() ([]byte, error) { return content, nil }}
}

// sample returns one file of each kind that an archive of the editor has.
func sample() []pak.NewFile {
	return []pak.NewFile{
		file("MEDIA/UNITS/B.DAT", bytes.Repeat([]byte("unit "), 300)),
		file("MEDIA/UNITS/A.DAT", []byte("first")),
		file("MEDIA/SKILLS.RAW", nil),
		file("MEDIA/UNITS/ITEMS/MAPS/SWORD.LAYOUT", bytes.Repeat([]byte{1, 2, 3, 0xff}, 5000)),
		file("MEDIA/UI/ICONS/BACK.JPG", []byte("stored as it is")),
		{Path: "MEDIA/UNITS/GONE.DAT", Removed: true},
	}
}

// list returns the readable files of an archive, to be written again.
func list(t testing.TB, r *pak.Reader) []pak.NewFile {
	t.Helper()
	var files []pak.NewFile
	for _, f := range r.Files() {
		if f.Duplicate {
			continue
		}
		if f.Removed() {
			files = append(files, pak.NewFile{Path: f.Path, Removed: true})
			continue
		}
		if content, err := f.Content(); err == nil {
			files = append(files, file(f.Path, content))
		}
	}
	return files
}

// contents returns the contents of an archive by path.
func contents(t testing.TB, r *pak.Reader) map[string]string {
	t.Helper()
	all := make(map[string]string)
	for _, f := range list(t, r) {
		if f.Removed {
			all[f.Path] = "(removed)"
			continue
		}
		content, _ := f.Content()
		all[f.Path] = string(content)
	}
	return all
}

// residue returns the residue of an archive after a round trip through JSON.
func residue(t testing.TB, r *pak.Reader) *pak.Residue {
	t.Helper()
	k, err := pak.NewResidue(r)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(k)
	if err != nil {
		t.Fatal(err)
	}
	back := new(pak.Residue)
	if err := json.Unmarshal(data, back); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return back
}

func findings(r *pak.Reader) []string {
	ids := make(map[string]bool)
	r.Check(func(f check.Finding) { ids[f.ID] = true })
	return slices.Sorted(maps.Keys(ids))
}

// raw is an archive that is assembled manually, valid or not.
type raw struct {
	version  uint16
	root     string // "" for that of the game
	sections []pak.Section
	body     []byte // bytes after the header
	rest     []byte
}

// add appends the bytes before a block, the block, and a record for it.
func (a *raw) add(dir, name, gap string, content []byte, block []byte) *pak.Record {
	a.body = append(a.body, gap...)
	rec := pak.Record{CRC32: crc32.ChecksumIEEE(content), Type: pak.TypeOf(name), Name: name,
		Offset: uint32(8 + len(a.body)), Size: uint32(len(content)), Time: 1e17 + pak.Filetime(len(a.body))}
	a.body = append(a.body, block...)
	return a.record(dir, rec)
}

func (a *raw) record(dir string, rec pak.Record) *pak.Record {
	i := slices.IndexFunc(a.sections, func(s pak.Section) bool { return s.Name == dir })
	if i < 0 {
		i = len(a.sections)
		a.sections = append(a.sections, pak.Section{Name: dir})
	}
	s := &a.sections[i]
	s.Records = append(s.Records, rec)
	return &s.Records[len(s.Records)-1]
}

// block compresses a content at a level; level -1 stores it.
func block(content []byte, level int) []byte {
	var stream []byte
	if level >= 0 {
		stream, _ = deflate.Compress(nil, content, level)
	}
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(content)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(stream)))
	if level < 0 {
		stream = content
	}
	return append(b, stream...)
}

// build joins the parts and computes hash, hint and largest size as the editor does.
func (a *raw) build(t testing.TB) archive {
	t.Helper()
	data := append(make([]byte, 8), a.body...)
	most := uint32(0)
	for _, s := range a.sections {
		for _, rec := range s.Records {
			if o := int(rec.Offset); o >= 8 && o+8 <= len(data) {
				if n := binary.LittleEndian.Uint32(data[o+4:]); int(n) <= len(data)-o-8 {
					most = max(most, n)
				}
			}
		}
	}
	binary.LittleEndian.PutUint32(data, most)
	hash, err := pak.ArchiveHash(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	binary.LittleEndian.PutUint32(data[4:], hash)
	man := &pak.Manifest{Version: a.version, Root: cmp.Or(a.root, pak.DefaultRoot), Sections: a.sections, Rest: a.rest}
	out, err := man.Seal()
	if err != nil {
		t.Fatal(err)
	}
	return archive{data, out}
}

func newRaw() *raw {
	return &raw{version: 2, sections: []pak.Section{{Name: "", Records: []pak.Record{{Type: pak.TypeDirectory, Name: "MEDIA/"}}}}}
}

// oddities returns archives that differ in one way from those of the editor, with the findings that report it.
func oddities(t testing.TB) map[string]struct {
	archive
	want []string
} {
	all := make(map[string]struct {
		archive
		want []string
	})
	long := bytes.Repeat([]byte("some words and some more words "), 200)
	add := func(name string, want string, make func(a *raw)) {
		a := newRaw()
		a.add("MEDIA/", "FIRST.DAT", "", long, block(long, 6))
		make(a)
		a.add("MEDIA/", "LAST.DAT", "", []byte("last"), block([]byte("last"), 6))
		all[name] = struct {
			archive
			want []string
		}{a.build(t), strings.Fields(want)}
	}
	add("nothing", "", func(*raw) {})
	add("level 9", "", func(a *raw) { a.add("MEDIA/", "X.DAT", "", long, block(long, 9)) })
	add("stored", "", func(a *raw) { a.add("MEDIA/", "X.DAT", "", long, block(long, -1)) })
	add("stored, nothing", "", func(a *raw) { a.add("MEDIA/", "X.DAT", "", nil, block(nil, -1)) })
	add("compressed JPG", "tl-pak-compressed-jpg", func(a *raw) { a.add("MEDIA/", "X.JPG", "", long, block(long, 6)) })
	add("foreign stream", "", func(a *raw) {
		b := block([]byte("abc"), 0)
		a.add("MEDIA/", "X.DAT", "", []byte("abcabc"), append([]byte{6, 0, 0, 0, 22, 0, 0, 0, 0x78, 0x9c},
			append([]byte{0, 3, 0, 0xfc, 0xff, 'a', 'b', 'c'}, append(b[10:18], adler("abcabc")...)...)...))
	})
	add("gap", "tl-pak-gap", func(a *raw) { a.add("MEDIA/", "X.DAT", "gap", long, block(long, 6)) })
	add("surplus of a stream", "tl-pak-surplus", func(a *raw) {
		b := append(block(long, 6), "more"...)
		binary.LittleEndian.PutUint32(b[4:], uint32(len(b)-8))
		a.add("MEDIA/", "X.DAT", "", long, b)
	})
	add("wrong CRC-32", "tl-pak-crc", func(a *raw) { a.add("MEDIA/", "X.DAT", "", long, block(long, 6)).CRC32++ })
	add("wrong size", "tl-pak-size", func(a *raw) { a.add("MEDIA/", "X.DAT", "", long, block(long, 6)).Size++ })
	add("wrong type", "tl-pak-type", func(a *raw) { a.add("MEDIA/", "X.DAT", "", long, block(long, 6)).Type = pak.TypePNG })
	add("source type", "", func(a *raw) { a.add("MEDIA/", "X.DAT", "", long, block(long, 6)).Type = pak.TypeSourceDat })
	add("corrupt stream", "tl-pak-corrupt", func(a *raw) {
		b := block(long, 6)
		b[len(b)-1]++
		a.add("MEDIA/", "X.DAT", "", long, b)
	})
	add("lower case", "tl-pak-lower-case", func(a *raw) { a.add("MEDIA/", "x.dat", "", long, block(long, 6)) })
	add("case only", "tl-pak-lower-case tl-pak-same-name",
		func(a *raw) { a.add("MEDIA/", "First.dat", "", []byte("other"), block([]byte("other"), 6)) })
	add("duplicate", "tl-pak-same-name", func(a *raw) { a.add("MEDIA/", "FIRST.DAT", "", []byte("other"), block([]byte("other"), 6)) })
	add("nameless", "tl-pak-nameless", func(a *raw) { a.add("MEDIA/", "", "", []byte("other"), block([]byte("other"), 6)) })
	add("nameless without block", "tl-pak-fields tl-pak-nameless", func(a *raw) { a.record("MEDIA/", pak.Record{Time: 5}) })
	add("file with a slash", "tl-pak-nameless", func(a *raw) { a.add("MEDIA/", "X/", "", long, block(long, 6)).Type = pak.TypeDat })
	add("directory without a name", "tl-pak-fields", func(a *raw) { a.record("MEDIA/", pak.Record{Type: pak.TypeDirectory, Time: 1}) })
	add("another root", "tl-pak-root", func(a *raw) { a.root = "DATA/" })
	add("upwards", "tl-pak-unsafe-name", func(a *raw) { a.add("MEDIA/", "../../X.DAT", "", long, block(long, 6)) })
	add("surrogate", "tl-pak-not-ascii", func(a *raw) { a.add("MEDIA/", "X\xed\xa0\xbd.DAT", "", long, block(long, 6)) })
	add("quote", "", func(a *raw) { a.add("MEDIA/", "\"X\".DAT", "", long, block(long, 6)) })
	add("no directory", "tl-pak-no-directory", func(a *raw) { a.add("MEDIA/DEEP/", "X.DAT", "", long, block(long, 6)) })
	add("section without slash", "tl-pak-no-directory", func(a *raw) { a.add("MEDIA/DEEP", "X.DAT", "", long, block(long, 6)) })
	add("odd directory", "tl-pak-fields", func(a *raw) {
		a.record("MEDIA/", pak.Record{Type: pak.TypeDirectory, Name: "EMPTY/", CRC32: 1, Size: 2, Offset: 3, Time: 4})
	})
	add("file of the directories' type", "tl-pak-nameless", func(a *raw) {
		a.add("MEDIA/", "X.DAT", "", long, block(long, 6)).Type = pak.TypeDirectory
	})
	add("odd removed file", "tl-pak-fields tl-pak-gap tl-pak-removed",
		func(a *raw) { a.record("MEDIA/", pak.Record{Name: "GONE.DAT", CRC32: 1, Size: 2, Time: 4}) })
	add("outside", "tl-pak-outside", func(a *raw) { a.record("MEDIA/", pak.Record{Name: "X.DAT", Offset: 1 << 30, Size: 7}) })
	add("in the header", "tl-pak-outside", func(a *raw) { a.record("MEDIA/", pak.Record{Name: "X.DAT", Offset: 4}) })
	add("shared block", "tl-pak-overlap", func(a *raw) {
		rec := a.sections[1].Records[0]
		rec.Name = "SAME.DAT"
		a.record("MEDIA/", rec)
	})
	add("overlap", "tl-pak-overlap", func(a *raw) {
		inner := block(long, -1)
		outer := block(append([]byte("outer "), inner...), -1)
		rec := a.add("MEDIA/", "OUTER.DAT", "", append([]byte("outer "), inner...), outer)
		in := *rec
		in.Name, in.Offset, in.Size, in.CRC32 = "INNER.DAT", rec.Offset+14, uint32(len(long)), crc32.ChecksumIEEE(long)
		a.record("MEDIA/", in)
	})
	add("rest", "tl-pak-rest", func(a *raw) { a.rest = []byte("rest") })
	add("version 0", "", func(a *raw) { a.version = 0 })
	add("version 1", "", func(a *raw) { a.version = 1 })
	change := func(name, want string, change func(a archive)) {
		a := all["nothing"].archive
		a = archive{bytes.Clone(a.pak), bytes.Clone(a.man)}
		change(a)
		all[name] = struct {
			archive
			want []string
		}{a, []string{want}}
	}
	change("wrong hash", "tl-pak-hash", func(a archive) { a.pak[4]++ })
	change("wrong max", "tl-pak-max", func(a archive) { a.pak[0]++ })
	change("wrong hash of the manifest", "tl-pak-manifest-hash", func(a archive) { a.man[2]++ })
	change("tail", "tl-pak-gap", func(archive) {})
	tail := all["tail"]
	tail.pak = append(tail.pak, 0, 0, 0, 0)
	hash, _ := pak.ArchiveHash(bytes.NewReader(tail.pak), int64(len(tail.pak)))
	binary.LittleEndian.PutUint32(tail.pak[4:], hash)
	all["tail"] = tail
	return all
}

func adler(s string) []byte {
	a, b := uint32(1), uint32(0)
	for i := range len(s) {
		a = (a + uint32(s[i])) % 65521
		b = (b + a) % 65521
	}
	return binary.BigEndian.AppendUint32(nil, b<<16|a)
}

func dump(b []byte) string {
	return fmt.Sprintf("%d bytes, CRC-32 %08x", len(b), crc32.ChecksumIEEE(b))
}
