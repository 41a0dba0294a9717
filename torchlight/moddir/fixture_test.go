package moddir_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"trowel.example/internal/files/tree"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/dat"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/mpp"
	"trowel.example/torchlight/pak"
	"trowel.example/torchlight/raw"
	"trowel.example/torchlight/text"
)

// emptyMesh is a .MESH without submeshes.
var emptyMesh = "\x00\x10[MeshSerializer_v1.40]\n\x00\x30\x35\x00\x00\x00\x00\x00\x90\x22\x00\x00\x00" +
	strings.Repeat("\x00", 28) + "\x00\xa0\x06\x00\x00\x00"

// entry is a file of a generated mod.
type entry struct {
	path    string // the part up to the last slash is the section of the manifest
	content []byte
}

const unitText = "[UNIT]\n\t<STRING>NAME:WOLF\n\t<FLOAT>SCALE:0.1\n\t<INTEGER64>UNIT_GUID:77\n\t[EFFECTS]\n" +
	"\t\t<STRING>FILE:a\n\t[/EFFECTS]\n[/UNIT]"

// guts returns a text as the editor writes it.
func guts(t testing.TB, plain string) []byte {
	t.Helper()
	f, err := text.Parse([]byte(plain))
	if err != nil {
		t.Fatal(err)
	}
	return text.Format(f.Root)
}

// must returns a function that returns its first argument and fails the test if the error is not nil.
func must(t testing.TB) func([]byte, error) []byte {
	return func(data []byte, err error) []byte {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
}

func compiledUnit(t testing.TB, plain string) []byte {
	t.Helper()
	return must(t)(dat.Compile([]byte(plain), nil, dat.Options{}))
}

// oddUnit returns a data file that its text does not fully represent: it has unusual IDs of strings and one unused
// string.
func oddUnit(t testing.TB) []byte {
	t.Helper()
	f, err := dat.Decode(compiledUnit(t, unitText))
	if err != nil {
		t.Fatal(err)
	}
	f.Strings = append(f.Strings, dat.String{ID: 900, Text: "unused"})
	return must(t)(f.Encode())
}

// preciseUnit returns a data file with a number that six digits cannot represent.
func preciseUnit(t testing.TB) []byte {
	t.Helper()
	return compiledUnit(t, strings.Replace(unitText, "0.1", "0.10000002", 1))
}

const layoutText = "[Layout]\n\t<INTEGER>VERSION:4\n\t<UNSIGNED INT>COUNT:1\n\t[OBJECTS]\n\t\t[BASEOBJECT]\n" +
	"\t\t\t[PROPERTIES]\n\t\t\t\t<STRING>DESCRIPTOR:Layout Link\n\t\t\t\t<STRING>NAME:Door\n\t\t\t\t<INTEGER64>ID:5\n" +
	"\t\t\t\t<INTEGER64>PARENTID:-1\n\t\t\t\t<FLOAT>POSITIONX:1.5\n\t\t\t\t<STRING>LAYOUT " +
	"FILE:media/layouts/door.layout\n\t\t\t[/PROPERTIES]\n\t\t\t[CHILDREN]\n\t\t\t[/CHILDREN]\n\t\t[/BASEOBJECT]\n" +
	"\t[/OBJECTS]\n[/Layout]"

func compiledLayout(t testing.TB) []byte {
	t.Helper()
	return must(t)(layout.Compile([]byte(layoutText), nil, layout.Options{}))
}

// oddLayout returns a layout with the version that old editors wrote.
func oddLayout(t testing.TB) []byte {
	t.Helper()
	data := compiledLayout(t)
	data[1] = 54
	return data
}

func table(t testing.TB, files ...string) []byte {
	t.Helper()
	skills := new(raw.Skills)
	for i, file := range files {
		skills.Skills = append(skills.Skills, raw.Skill{Name: fmt.Sprintf("S%d", i), File: file, GUID: raw.GUID(i + 1)})
	}
	return must(t)(raw.Encode(skills))
}

func grid(t testing.TB) []byte {
	t.Helper()
	f := &mpp.File{Width: 3, Height: 2, OffsetX: 0.5, SizeX: 1.2, SizeZ: 0.8, Cells: []byte{0, 1, 255, 0, 0, 1}}
	return must(t)(f.Encode())
}

// oddGrid returns a grid with an offset that is a NaN whose bits no text can reproduce.
func oddGrid(t testing.TB) []byte {
	t.Helper()
	data := grid(t)
	binary.LittleEndian.PutUint32(data[8:], 0x7FC12345)
	return data
}

// ordinary returns a file of every kind, like those of the editor.
func ordinary(t testing.TB) []entry {
	t.Helper()
	return []entry{
		{"MEDIA/UNITS/WOLF.DAT", compiledUnit(t, unitText)},
		{"MEDIA/UNITS/WOLF.ANIMATION", compiledUnit(t, "[ANIMATION]\n[/ANIMATION]")},
		{"MEDIA/UI/MENU.LAYOUT", compiledLayout(t)},
		{"MEDIA/SKILLS.RAW", table(t, "MEDIA/SKILLS/A.DAT")},
		{"MEDIA/LEVELS/A.MPP", grid(t)},
		{"MEDIA/MODELS/WOLF.MESH", []byte(emptyMesh)},
		{"MEDIA/UI/BACK.WAV", []byte("stored")},
	}
}

// odd returns files of every kind that differ from those of the editor.
func odd(t testing.TB) []entry {
	t.Helper()
	cut := func(data []byte) []byte { return data[:len(data)-3] }
	return []entry{
		{"MEDIA/UNITS/RELIC.DAT", oddUnit(t)},
		{"MEDIA/UNITS/PRECISE.DAT", preciseUnit(t)},
		{"MEDIA/UNITS/TEXT.DAT", guts(t, unitText)},
		{"MEDIA/UNITS/UTF8.DAT", []byte(unitText)},
		{"MEDIA/UNITS/BROKEN.DAT", cut(compiledUnit(t, unitText))},
		{"MEDIA/UNITS/EMPTY.DAT", nil},
		{"MEDIA/UNITS/JUNK.TEMPLATE", []byte("[UNIT]\n<<<")},
		{"MEDIA/UI/OLD.LAYOUT", oddLayout(t)},
		{"MEDIA/UI/TEXT.LAYOUT", guts(t, layoutText)},
		{"MEDIA/UI/BROKEN.LAYOUT", cut(compiledLayout(t))},
		{"MEDIA/UI/EMPTY.LAYOUT", nil},
		{"MEDIA/UI.RAW", []byte{1}},
		{"MEDIA/AFFIXES.RAW", []byte(`{"table":"AFFIXES"}`)},
		{"MEDIA/MISSILES.RAW", nil},
		{"MEDIA/OTHER.RAW", []byte("no table that is known")},
		{"MEDIA/LEVELS/ODD.MPP", oddGrid(t)},
		{"MEDIA/LEVELS/BROKEN.MPP", cut(grid(t))},
		{"MEDIA/LEVELS/PICTURE.MPP", []byte("P5\n# offset 0 0 size 0.4 0.4\n1 1\n255\n\x01")},
		{"MEDIA/LEVELS/EMPTY.MPP", nil},
	}
}

// namedOddly returns files whose names are invalid in folders or have a special meaning there.
func namedOddly(t testing.TB) []entry {
	t.Helper()
	unit := func(name string) []byte { return compiledUnit(t, strings.Replace(unitText, "WOLF", name, 1)) }
	var files []entry
	for i, path := range []string{
		"MEDIA/UNITS/lower.dat", "media/units/wolf.dat", "MEDIA/units/LOWER.DAT", "MEDIA/UNITS/LOWER.DAT",
		"MEDIA/../../etc/passwd", "../OUT.DAT", "/ABS.DAT", "MEDIA//DOUBLE.DAT", "MEDIA/./DOT.DAT", `C:\X.DAT`, `MEDIA\BACK.DAT`,
		"MEDIA/100%/A%2E.DAT", "MEDIA/%", "MEDIA/%2e%2e/X.DAT", "MEDIA/NUL\x00.DAT", "MEDIA/LINE\n.DAT",
		"MEDIA/CON.DAT", "MEDIA/SPACE .DAT",
		"MEDIA/LONE\xed\xa0\xbd.DAT", "MEDIA/GRÖSSE.DAT", "MEDIA/größe.dat", "MEDIA/" + strings.Repeat("LONG", 100) + ".DAT",
		"MEDIA/BOTH", "MEDIA/BOTH/X.DAT", "MEDIA/BOTH~2", "MEDIA", "MOD.DAT", "mod.dat", "MOD.DAT/INNER.DAT", "README.TXT", "OTHER/X.DAT",
		".trowel.json", ".trowel.json/X.DAT", "MEDIA/.trowel.json",
		"MEDIA/.HIDDEN", "MEDIA/.GIT/X.DAT", "MEDIA/BACKUP~", "MEDIA/BACKUP~/X.DAT", "MEDIA/THUMBS.DB", "MEDIA/DESKTOP.INI",
		"MEDIA/UNITS/WOLF.DAT.BINDAT", "MEDIA/UNITS/ALONE.DAT.BINDAT", "MEDIA/UI/ALONE.LAYOUT.BINLAYOUT",
		"MEDIA/SKILLS.RAW.json", "MEDIA/SKILLS.RAW.JSON", "MEDIA/SKILLS.RAW.json/X.DAT", "MEDIA/UNITDATA.RAW.JSON",
		"MEDIA/LEVELS/A.MPP.pgm",
		"MEDIA/.DAT", "MEDIA/.RAW", "MEDIA/X.DAT~2",
	} {
		files = append(files, entry{path, unit(fmt.Sprint("N", i))})
	}
	return files
}

// header returns the header of generated mods.
func header() *mod.Header {
	h := mod.NewHeader()
	h.ModVersion, h.Title, h.Author, h.ID = 3, "Made", "nobody", 4711
	return h
}

// makeMod creates a mod of files with any paths, in the given order, with exactly these sections and records in the
// manifest. Each file has a separate block, even if several files have the same path.
func makeMod(t testing.TB, h *mod.Header, files []entry, change func(*pak.Manifest)) []byte {
	t.Helper()
	plain := make([]pak.NewFile, len(files))
	for i, f := range files {
		plain[i] = pak.NewFile{
			Path: fmt.Sprintf("MEDIA/%06d.BIN", i), Time: 130141573389032929 + pak.Filetime(i),
			Content: func() ([]byte, error) { return f.content, nil },
		}
	}
	var archive tests.Memory
	written, size, err := pak.Write(context.Background(), &archive, plain, nil)
	if err != nil {
		t.Fatal(err)
	}
	records := make(map[string]pak.Record)
	for _, s := range written.Sections {
		for _, rec := range s.Records {
			records[rec.Name] = rec
		}
	}
	man := &pak.Manifest{Version: 2, Root: pak.DefaultRoot}
	place := make(map[string]int)
	for i, f := range files {
		cut := strings.LastIndexByte(f.path, '/') + 1
		at, ok := place[f.path[:cut]]
		if !ok {
			at = len(man.Sections)
			place[f.path[:cut]] = at
			man.Sections = append(man.Sections, pak.Section{Name: f.path[:cut]})
		}
		rec := records[fmt.Sprintf("%06d.BIN", i)]
		rec.Name = f.path[cut:]
		rec.Type = pak.TypeOf(rec.Name)
		man.Sections[at].Records = append(man.Sections[at].Records, rec)
	}
	if change != nil {
		change(man)
	}
	sealed := must(t)(man.Seal())
	var out bytes.Buffer
	if err := mod.Join(&out, h, io.NewSectionReader(&archive, 0, size), sealed); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// onDisk returns a copy of the files of a folder, including the sidecar.
func onDisk(t testing.TB, fsys fs.FS) fstest.MapFS {
	t.Helper()
	files := make(fstest.MapFS)
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name == tree.Sidecar {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		content, err := fs.ReadFile(fsys, name)
		files[name] = &fstest.MapFile{Data: content, ModTime: info.ModTime(), Mode: 0o644}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	side, err := fs.ReadFile(fsys, tree.Sidecar)
	if err != nil {
		t.Fatal(err)
	}
	files[tree.Sidecar] = &fstest.MapFile{Data: side, Mode: 0o644}
	return files
}

// sources returns the folder of a mod with MOD.DAT and the given files.
func sources(t testing.TB, files map[string]string) fstest.MapFS {
	t.Helper()
	fsys := fstest.MapFS{"MOD.DAT": {Data: moddir.ModDat(header())}}
	for name, content := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(content), ModTime: time.Unix(1_400_000_000, 0), Mode: 0o644}
	}
	return fsys
}

// packed returns the files of a mod by path.
func packed(t testing.TB, data []byte) map[string]string {
	t.Helper()
	m, err := mod.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return archived(t, m.Archive)
}

func archived(t testing.TB, r *pak.Reader) map[string]string {
	t.Helper()
	all := make(map[string]string)
	for _, f := range r.Files() {
		if !f.Removed() {
			all[f.Path] = string(must(t)(f.Content()))
		}
	}
	return all
}

func names[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// sum returns the checksum of a file of a folder, as in the sidecar.
func sum(fsys fstest.MapFS, name string) uint32 { return crc32.ChecksumIEEE(fsys[name].Data) }
