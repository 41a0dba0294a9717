package moddir_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"trowel.example/internal/files/tree"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/dat"
	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/raw"
	"trowel.example/torchlight/text"
)

// edited returns the text of a unit with another name.
func edited(t testing.TB, name string) []byte {
	t.Helper()
	return guts(t, strings.Replace(unitText, "WOLF", name, 1))
}

// TestEdit tests that the sidecar's data of an edited file is ignored, and that of other files is used.
func TestEdit(t *testing.T) {
	data := makeMod(t, header(), slices.Concat(ordinary(t), odd(t)), nil)
	fsys := onDisk(t, openMod(t, data, moddir.Options{}))
	want := packed(t, data)
	fsys["MEDIA/UNITS/RELIC.DAT"].Data = edited(t, "FOX")
	want["MEDIA/UNITS/RELIC.DAT"] = string(compiledUnit(t, strings.Replace(unitText, "WOLF", "FOX", 1)))
	fsys["MEDIA/UNITS/TEXT.DAT"].Data = edited(t, "CAT") // it was not compiled before, and is compiled now
	want["MEDIA/UNITS/TEXT.DAT"] = string(compiledUnit(t, strings.Replace(unitText, "WOLF", "CAT", 1)))
	delete(fsys, "MEDIA/UI/MENU.LAYOUT")
	delete(want, "MEDIA/UI/MENU.LAYOUT")
	delete(fsys, "MEDIA/UI/OLD.LAYOUT") // the sidecar has data about this file
	delete(want, "MEDIA/UI/OLD.LAYOUT")
	fsys["MEDIA/UNITS/new.dat"] = &fstest.MapFile{Data: edited(t, "HEN")}
	want["MEDIA/UNITS/NEW.DAT"] = string(compiledUnit(t, strings.Replace(unitText, "WOLF", "HEN", 1)))

	got := build(t, fsys, moddir.BuildOptions{})
	if files := packed(t, got); !maps.Equal(files, want) {
		for _, name := range names(want) {
			if files[name] != want[name] {
				t.Errorf("%s: %x for %x", name, files[name], want[name])
			}
		}
		t.Errorf("%q for %q", names(files), names(want))
	}
	if again := build(t, openMod(t, got, moddir.Options{}), moddir.BuildOptions{}); !bytes.Equal(again, got) {
		t.Error("what was built yields other bytes")
	}
}

// TestEditOdd tests that an edited text keeps the version and the bytes after the end of its file, and that everything
// else that the text does not contain is reported as lost.
func TestEditOdd(t *testing.T) {
	unit, err := dat.Decode(compiledUnit(t, unitText))
	if err != nil {
		t.Fatal(err)
	}
	unit.Rest = []byte{1, 2, 3}
	unit.Root.Properties = append(unit.Root.Properties, dat.Property{Key: hash.Of("ODD"), Type: text.Bool, Value: 77})
	l, err := layout.Decode(compiledLayout(t))
	if err != nil {
		t.Fatal(err)
	}
	l.Version = 54
	encoded := func(data []byte, err error) []byte {
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	fsys := onDisk(t, openMod(t, makeMod(t, header(), []entry{{"MEDIA/A.DAT", encoded(unit.Encode())},
		{"MEDIA/A.LAYOUT", encoded(l.Encode())}}, nil), moddir.Options{}))
	for _, name := range []string{"MEDIA/A.DAT", "MEDIA/A.LAYOUT"} {
		fsys[name].Data = append(fsys[name].Data, "\r\x00\n\x00"...)
	}
	var warned []string
	got := packed(t, build(t, fsys, moddir.BuildOptions{Options: moddir.Options{Warn: func(path, message string) {
		warned = append(warned, path+" "+message)
	}}}))
	want := []string{"MEDIA/A.DAT has been edited; data that its text cannot contain is lost: the exact bits of 1 value"}
	if diff := cmp.Diff(want, warned); diff != "" {
		t.Error(diff)
	}
	if !strings.HasSuffix(got["MEDIA/A.DAT"], "\x01\x02\x03") || got["MEDIA/A.LAYOUT"] != string(encoded(l.Encode())) {
		t.Errorf("%x", got)
	}
}

// TestModDat tests that the header follows MOD.DAT.
func TestModDat(t *testing.T) {
	fsys := onDisk(t, openMod(t, madeMods(t)["removed"], moddir.Options{}))
	h, err := moddir.HeaderOf(fsys["MOD.DAT"].Data)
	if err != nil {
		t.Fatal(err)
	}
	h.Title, h.Removed = "Renamed", []string{"MEDIA/GONE.DAT", "MEDIA/MORE.DAT"}
	fsys["mod.dat"] = &fstest.MapFile{Data: moddir.ModDat(h)}
	delete(fsys, "MOD.DAT")
	data := build(t, fsys, moddir.BuildOptions{})
	m, err := mod.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil || m.Header.Title != "Renamed" || !slices.Equal(m.Header.Removed, h.Removed) {
		t.Errorf("%+v, %v", m.Header, err)
	}
	delete(fsys, "mod.dat")
	if _, _, err := moddir.Build(context.Background(),
		new(tests.Memory), fsys, moddir.BuildOptions{}); err == nil || !strings.Contains(err.Error(), "MOD.DAT") {
		t.Errorf("without MOD.DAT: %v", err)
	}
	fsys["MOD.DAT"] = &fstest.MapFile{Data: []byte("[MOD]\n<WORD>A:B\n[/MOD]")}
	if _, _, err := moddir.Build(context.Background(), new(tests.Memory), fsys, moddir.BuildOptions{}); err == nil ||
		!strings.Contains(err.Error(), "MOD.DAT") || !strings.Contains(err.Error(), "2") {
		t.Errorf("with a broken MOD.DAT: %v", err)
	}
}

// TestSources tests folders as modders have them: names in any case, files that the editor compiled next to their
// sources, and files that do not belong to a mod.
func TestSources(t *testing.T) {
	compiled := func(name string) string {
		return string(compiledUnit(t, strings.Replace(unitText, "WOLF", name, 1)))
	}
	fsys := sources(t, map[string]string{
		"media/Units/wolf.dat":             unitText,
		"media/Units/wolf.dat.bindat":      compiled("STALE"),
		"media/Units/ALONE.DAT.BINDAT":     compiled("ALONE"),
		"media/Units/done.dat":             compiled("DONE"), // compiled, under the name of its source
		"media/ui/menu.layout":             layoutText,
		"media/ui/MENU.LAYOUT.BINLAYOUT":   string(oddLayout(t)),
		"media/SKILLS.RAW":                 string(table(t)),
		"media/levels/a.mpp.pgm":           "P5\n# offset 0 0 size 0.4 0.4\n1 1\n255\n\x01",
		"media/models/wolf.mesh":           emptyMesh,
		"media/.git/config":                "",
		"media/Units/wolf.dat~":            "",
		"media/thumbs.db":                  "",
		"README.md":                        "",
		".git/config":                      "",
		"EDITORMOD.MOD":                    "",
		"MOD.DAT.BINDAT":                   "",
		"media/Units/.#wolf.dat":           "",
		"media/textures/brick/DESKTOP.INI": "",
	})
	var out tests.Memory
	var warned []string
	report, _, err := moddir.Build(context.Background(), &out, fsys, moddir.BuildOptions{Options: moddir.Options{Warn: func(path,
		message string) {
		warned = append(warned, path)
	}}})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"MEDIA/UNITS/WOLF.DAT": compiled("WOLF"), "MEDIA/UNITS/ALONE.DAT": compiled("ALONE"), "MEDIA/UNITS/DONE.DAT": compiled("DONE"),
		"MEDIA/UI/MENU.LAYOUT": string(compiledLayout(t)), "MEDIA/SKILLS.RAW": string(table(t)), "MEDIA/MODELS/WOLF.MESH": emptyMesh,
		"MEDIA/LEVELS/A.MPP": string(must(t)(moddir.Compile([]byte("P5\n# offset 0 0 size 0.4 0.4\n1 1\n255\n\x01"),
			"A.MPP", moddir.Options{}))),
	}
	if got := packed(t, out.Data); !maps.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if want := []string{"MEDIA/UI.RAW", "MEDIA/UNITDATA.RAW"}; !slices.Equal(slices.Sorted(slices.Values(warned)), want) { // missing tables
		t.Errorf("warned of %q", warned)
	}
	left := []string{".git", "EDITORMOD.MOD", "MOD.DAT.BINDAT", "README.md", "media/.git", "media/Units/.#wolf.dat",
		"media/Units/wolf.dat~", "media/textures/brick/DESKTOP.INI", "media/thumbs.db"}
	if got := slices.Sorted(slices.Values(report.Left)); !slices.Equal(got, left) {
		t.Errorf("left out are %q", got)
	}
	if report.Compiled != 3 || report.AsIs != 4 || report.Removed != 0 || report.Tables != nil {
		t.Errorf("%+v", report)
	}
}

// TestNewer tests that of a table and its JSON the newer file is used.
func TestNewer(t *testing.T) {
	form := string(must(t)(moddir.Decompile(table(t, "MEDIA/SKILLS/JSON.DAT"), "SKILLS.RAW", moddir.Options{})))
	binary := string(table(t, "MEDIA/SKILLS/BINARY.DAT"))
	for _, c := range []struct {
		json, raw int64 // times of the last change
		want      string
	}{{2, 1, string(table(t, "MEDIA/SKILLS/JSON.DAT"))}, {1, 2, binary}} {
		fsys := sources(t, map[string]string{"MEDIA/SKILLS.RAW.json": form, "MEDIA/SKILLS.RAW": binary})
		fsys["MEDIA/SKILLS.RAW.json"].ModTime = time.Unix(c.json, 0)
		fsys["MEDIA/SKILLS.RAW"].ModTime = time.Unix(c.raw, 0)
		var warned []string
		data := build(t, fsys, moddir.BuildOptions{Options: moddir.Options{Warn: func(path,
			message string) {
			warned = append(warned, path)
		}}})
		if got := packed(t, data)["MEDIA/SKILLS.RAW"]; got != c.want {
			t.Errorf("%+v: %x", c, got)
		}
		if len(warned) != 1 {
			t.Errorf("%+v: warned of %q", c, warned)
		}
	}
}

// TestBuildErrors tests that errors of a build name the files that cause them.
func TestBuildErrors(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"two of a name": {map[string]string{"MEDIA/A.DAT": unitText, "MEDIA/a.dat": unitText + " "},
			[]string{"MEDIA/A.DAT", "MEDIA/a.dat"}},
		"two folders": {map[string]string{"MEDIA/UI/A.PNG": "", "media/ui/A.PNG": "x"}, []string{"MEDIA/UI/A.PNG", "media/ui/A.PNG"}},
		"two tables": {map[string]string{"MEDIA/SKILLS.RAW": "", "MEDIA/skills.raw": "x"},
			[]string{"MEDIA/SKILLS.RAW", "MEDIA/skills.raw"}},
		"two twins": {map[string]string{"MEDIA/A.DAT.BINDAT": "", "MEDIA/a.dat.bindat": "x"},
			[]string{"MEDIA/A.DAT.BINDAT", "MEDIA/a.dat.bindat"}},
		"broken source": {map[string]string{"MEDIA/units/a.dat": "[UNIT]\n<STRING>A:B\n<WORD>A:B\n[/UNIT]"},
			[]string{"MEDIA/units/a.dat", "3"}},
		"broken table":     {map[string]string{"MEDIA/SKILLS.RAW.json": "{\n\"table\": 5}"}, []string{"MEDIA/SKILLS.RAW.json"}},
		"table of another": {map[string]string{"MEDIA/SKILLS.RAW.json": `{"table":"UI"}`}, []string{"MEDIA/SKILLS.RAW.json", "UI"}},
		"broken picture":   {map[string]string{"MEDIA/A.MPP.pgm": "P5\n1 1\n255\n"}, []string{"MEDIA/A.MPP.pgm"}},
		"unknown object": {map[string]string{"MEDIA/A.LAYOUT": strings.Replace(layoutText, "Layout Link", "Nothing",
			1)}, []string{"MEDIA/A.LAYOUT", "Nothing"}},
	} {
		_, _, err := moddir.Build(context.Background(), new(tests.Memory), sources(t, c.files), moddir.BuildOptions{})
		for _, part := range c.want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v does not name %s", name, err, part)
			}
		}
	}
}

// TestHostileSidecar tests that any sidecar gives a mod or an error, without delay.
func TestHostileSidecar(t *testing.T) {
	data := makeMod(t, header(), slices.Concat(ordinary(t), odd(t)), nil)
	fsys := onDisk(t, openMod(t, data, moddir.Options{}))
	whole := string(fsys[tree.Sidecar].Data)
	delete(fsys, "MEDIA/UNITS/JUNK.TEMPLATE") // it needs a sidecar
	hostile := map[string]bool{               // whether it must be rejected
		"": true, "{": true, "null": false, "[]": true, "{}": false, `"x"`: true, "{}{}": true, `{"files":5}`: true,
		`{"files":{"MEDIA/UNITS/WOLF.DAT":7}}`:                                            true,
		`{"mod":{"archive":{"sections":[{"name":"MEDIA/UNITS/","records":["x"]}]}}}`:      true,
		`{"mod":{"archive":{"sections":[{"name":"MEDIA/UNITS/","records":null}]}}}`:       false,
		`{"mod":{"archive":{"version":77}}}`:                                              true,
		`{"mod":{"archive":{"tail":"AAAA","rest":"AAAA"},"gap":"AAAA","unlisted":["X"]}}`: false,
		`{"mod":{"unlisted":["MEDIA/"]}}`:                                                 true,
		`{"header":{"version":9}}`:                                                        true,
		`{"header":{"version":1,"releases":[]}}`:                                          true,
		`{"files":{"MEDIA/UNITS/WOLF.DAT":{"path":"MEDIA/"}}}`:                            true,
		`{"files":{"MEDIA/UNITS/WOLF.DAT":{"path":"MEDIA/UNITS/RELIC.DAT"}}}`:             true,
		`{"files":{"MEDIA/UNITS/WOLF.DAT":{"path":"../X"}}}`:                              false,
		`{"files":{"MOD.DAT":{}}}`:                                                        false,
		`{"files":{"MEDIA":{"path":"X"},"":{},"/":{},"//":{},"..":{}}}`:                   false,
		`{"files":{"` + strings.Repeat("a/", 1<<19) +
			`":{}}}`: false,
		`{"files":{"MEDIA/NOTHING.DAT":{"crc":5,"residue":{"whole":"AAAA"}}}}`: false,
		fmt.Sprintf(`{"files":{"MEDIA/UNITS/WOLF.DAT":{"crc":%d,"residue":5}}}`,
			sum(fsys, "MEDIA/UNITS/WOLF.DAT")): true,
		fmt.Sprintf(`{"files":{"MEDIA/UNITS/WOLF.DAT":{"crc":%d,"residue":null}}}`,
			sum(fsys, "MEDIA/UNITS/WOLF.DAT")): false,
		fmt.Sprintf(`{"files":{"MEDIA/UI/MENU.LAYOUT":{"crc":%d,"residue":{"Objects":{"77":{}}}}}}`,
			sum(fsys, "MEDIA/UI/MENU.LAYOUT")): false,
	}
	for side, refused := range hostile {
		fsys[tree.Sidecar].Data = []byte(side)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := moddir.Build(context.Background(), new(tests.Memory), fsys, moddir.BuildOptions{})
		runtime.ReadMemStats(&after)
		if (err != nil) != refused {
			t.Errorf("%.200s: %v", side, err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > uint64(4<<20+16*len(side)) {
			t.Errorf("%.200s: took %d bytes of memory", side, took)
		}
	}
	for cut := 1; cut < len(whole)-1; cut += 1 + len(whole)/97 {
		fsys[tree.Sidecar].Data = []byte(whole[:cut])
		if _, _, err := moddir.Build(context.Background(),
			new(tests.Memory), fsys, moddir.BuildOptions{}); err == nil || !strings.Contains(err.Error(), tree.Sidecar) {
			t.Errorf("cut at %d: %v", cut, err)
		}
	}
	// The sidecar of another mod does not apply to the files of this one.
	other := onDisk(t, openMod(t, makeMod(t, header(), []entry{{"MEDIA/UNITS/WOLF.ANIMATION", oddUnit(t)},
		{"MEDIA/OTHER.DAT", []byte("x")}}, nil), moddir.Options{}))
	fsys[tree.Sidecar].Data = other[tree.Sidecar].Data
	want := packed(t, data)
	want["MEDIA/UNITS/TEXT.DAT"], want["MEDIA/UNITS/UTF8.DAT"] = want["MEDIA/UNITS/WOLF.DAT"], want["MEDIA/UNITS/WOLF.DAT"]
	for _, name := range []string{"MEDIA/UNITS/RELIC.DAT", "MEDIA/UNITS/JUNK.TEMPLATE", "MEDIA/UI/TEXT.LAYOUT",
		"MEDIA/UI/OLD.LAYOUT", "MEDIA/AFFIXES.RAW", "MEDIA/LEVELS/ODD.MPP", "MEDIA/LEVELS/PICTURE.MPP"} {
		delete(want, name) // they need their sidecar
		for at := range fsys {
			if strings.HasPrefix(at, name) {
				delete(fsys, at)
			}
		}
	}
	got := packed(t, build(t, fsys, moddir.BuildOptions{}))
	for _, name := range names(want) {
		if got[name] != want[name] {
			t.Errorf("with the sidecar of another mod, %s differs", name)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%q for %q", names(got), names(want))
	}
}

// TestTables tests that the tables of the mod are built, with inherited values from the game's files.
func TestTables(t *testing.T) {
	files := map[string]string{
		"media/units/monsters/a.dat": "[UNIT]\n<STRING>BASEFILE:media/units/base.dat\n<STRING>NAME:A\n<INTEGER64>UNIT_GUID:5\n[/UNIT]",
		"media/skills/s.dat":         "[SKILL]\n<STRING>NAME:S\n<INTEGER64>UNIQUE_GUID:6\n[/SKILL]",
		"media/SKILLS.RAW":           string(table(t, "MEDIA/SKILLS/STALE.DAT")),
		"media/MISSILES.RAW.json":    `{"table":"MISSILES"}`,
		"media/OTHER.RAW":            "as it is",
	}
	const lent = "[UNIT]\n<BOOL>DONTCREATE:1\n<STRING>NAME:BASE\n<INTEGER>RARITY:12\n<INTEGER>MINLEVEL:3\n" +
		"<INTEGER>MAXLEVEL:44\n<STRING>UNITTYPE:WOLF\n[/UNIT]"
	folder, err := moddir.SourcesOf(fstest.MapFS{"MEDIA/UNITS/BASE.DAT": {Data: []byte(lent)}}, moddir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	data := makeMod(t, header(), []entry{{"MEDIA/UNITS/BASE.DAT", compiledUnit(t, lent)}}, nil)
	m, err := mod.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for base, o := range map[string]moddir.BuildOptions{
		"none": {}, "folder": {Base: folder}, "archive": {Base: moddir.SourcesOfArchive(m.Archive, moddir.Options{})},
	} {
		warned := 0
		o.Tables, o.Warn = true, func(string, string) { warned++ }
		var out tests.Memory
		report, _, err := moddir.Build(context.Background(), &out, sources(t, files), o)
		if err != nil {
			t.Fatal(err)
		}
		if want := []string{"SKILLS.RAW (1)", "UNITDATA.RAW (1)"}; !slices.Equal(report.Tables, want) {
			t.Errorf("%s: %q", base, report.Tables)
		}
		got := packed(t, out.Data)
		if want := []string{"MEDIA/OTHER.RAW", "MEDIA/SKILLS.RAW", "MEDIA/SKILLS/S.DAT", "MEDIA/UNITDATA.RAW",
			"MEDIA/UNITS/MONSTERS/A.DAT"}; !slices.Equal(names(got), want) {
			t.Errorf("%s: %q", base, names(got))
		}
		if strings.Contains(got["MEDIA/SKILLS.RAW"], "S\x00T\x00A\x00L\x00E") {
			t.Errorf("%s: the table that was there was taken", base)
		}
		units, err := raw.Decode([]byte(got["MEDIA/UNITDATA.RAW"]), raw.KindUnitData)
		if err != nil {
			t.Fatal(err)
		}
		if inherits := bytes.Contains(raw.Format(units), []byte(`"maxlevel": 44`)); inherits != (base != "none") {
			t.Errorf("%s: %s", base, raw.Format(units))
		}
		if (warned > 0) != (base == "none") {
			t.Errorf("%s: %d warnings", base, warned)
		}
	}
}

// TestTablesOrphan tests that a compiled file whose source was deleted is packed, but has no record in a table, as in
// GUTS, and that other files can still be based on it.
func TestTablesOrphan(t *testing.T) {
	const base = "[UNIT]\n<STRING>NAME:BASE\n<INTEGER64>UNIT_GUID:4\n<INTEGER>RARITY:12\n<STRING>UNITTYPE:Wolf\n[/UNIT]"
	files := map[string]string{
		"media/units/monsters/a.dat": "[UNIT]\n<STRING>BASEFILE:media/units/monsters/base.dat\n" +
			"<STRING>NAME:A\n<INTEGER64>UNIT_GUID:5\n[/UNIT]",
		"media/units/monsters/BASE.DAT.BINDAT": string(compiledUnit(t, base)),
		"media/skills/S.DAT.BINDAT":            string(compiledUnit(t, "[SKILL]\n<STRING>NAME:S\n<INTEGER64>UNIQUE_GUID:6\n[/SKILL]")),
		"media/ui/menu.layout":                 layoutText,
		"media/units/monsters/with.dat.bindat": string(compiledUnit(t, base)),
		"media/units/monsters/with.dat":        "[UNIT]\n<STRING>NAME:With\n<INTEGER64>UNIT_GUID:8\n[/UNIT]",
	}
	got := packed(t, build(t, sources(t, files), moddir.BuildOptions{Tables: true}))
	for _, name := range []string{"MEDIA/UNITS/MONSTERS/BASE.DAT", "MEDIA/SKILLS/S.DAT"} {
		if got[name] == "" {
			t.Errorf("%s is not packed", name)
		}
	}
	if got["MEDIA/SKILLS.RAW"] != "" {
		t.Error("an orphan has a record")
	}
	table, err := raw.Decode([]byte(got["MEDIA/UNITDATA.RAW"]), raw.KindUnitData)
	if err != nil {
		t.Fatal(err)
	}
	units := table.(*raw.UnitData).Monsters
	if len(units) != 2 || units[0].Name != "A" || units[0].Rarity != 12 || units[0].UnitType != "Wolf" || units[1].Name != "WITH" {
		t.Errorf("%+v", units)
	}
}

// TestDrafts tests that a picture that also exists in another form is left out, unless it was in the mod or all
// pictures are requested, and that there is one warning.
func TestDrafts(t *testing.T) {
	files := map[string]string{"MEDIA/A.png": "a", "media/a.dds": "b", "MEDIA/B.PNG": "c", "MEDIA/X/A.DDS": "d",
		"MEDIA/C.PNG": "e", "MEDIA/C.DDS": "f"}
	for all, want := range map[bool]int{false: 4, true: 6} {
		warned := 0
		o := moddir.BuildOptions{All: all}
		o.Warn = func(at, message string) {
			if !strings.Contains(message, ".DDS") {
				return
			}
			warned++
			if at != "MEDIA/A.png" || !strings.Contains(message, "and 1 more file") {
				t.Errorf("%s: %s", at, message)
			}
		}
		got := packed(t, build(t, sources(t, files), o))
		if len(got) != want || got["MEDIA/B.PNG"] == "" || warned != 1-boolInt(all) {
			t.Errorf("all %v: %q, %d warnings", all, names(got), warned)
		}
	}
	data := makeMod(t, header(), []entry{{"MEDIA/A.PNG", []byte("a")}, {"MEDIA/A.DDS", []byte("b")}}, nil)
	fsys := onDisk(t, openMod(t, data, moddir.Options{}))
	if got := build(t, fsys, moddir.BuildOptions{}); !bytes.Equal(got, data) {
		t.Error("a mod that has both yields other bytes")
	}
	fsys["MEDIA/A.PNG"].Data = []byte("edited")
	if got := packed(t, build(t, fsys, moddir.BuildOptions{})); got["MEDIA/A.PNG"] != "edited" {
		t.Errorf("%q", names(got))
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestFloats tests that a float with more than six digits is restored by the sidecar only.
func TestFloats(t *testing.T) {
	data := makeMod(t, header(), []entry{{"MEDIA/A.DAT", preciseUnit(t)}}, nil)
	fsys := onDisk(t, openMod(t, data, moddir.Options{Floats: text.GUTS}))
	file, err := text.Parse(fsys["MEDIA/A.DAT"].Data)
	if err != nil {
		t.Fatal(err)
	}
	if scale, _ := file.Root.Get("SCALE"); scale != "0.1" {
		t.Errorf("six digits are %s", scale)
	}
	if got := build(t, fsys, moddir.BuildOptions{}); !bytes.Equal(got, data) {
		t.Error("yields other bytes")
	}
	delete(fsys, tree.Sidecar)
	if got := packed(t, build(t, fsys, moddir.BuildOptions{}))["MEDIA/A.DAT"]; got != string(compiledUnit(t, unitText)) {
		t.Error("six digits and no sidecar are not the number of six digits")
	}
	exact := onDisk(t, openMod(t, data, moddir.Options{}))
	delete(exact, tree.Sidecar)
	if got := packed(t, build(t, exact, moddir.BuildOptions{}))["MEDIA/A.DAT"]; got != string(preciseUnit(t)) {
		t.Error("the exact number needs a sidecar")
	}
}

// TestSidecar tests that the sidecar is short for files of the editor, and always valid JSON.
func TestSidecar(t *testing.T) {
	for name, data := range madeMods(t) {
		side, err := fs.ReadFile(openMod(t, data, moddir.Options{}), tree.Sidecar)
		if err != nil || !json.Valid(side) {
			t.Errorf("%s: %v\n%s", name, err, side)
		}
		var s struct{ Files map[string]any }
		if err := json.Unmarshal(side, &s); err != nil {
			t.Error(err)
		}
		if name == "ordinary" && len(s.Files) != 0 {
			t.Errorf("ordinary files need %s", side)
		}
		if name == "odd" && (s.Files["MEDIA/UNITS/RELIC.DAT"] == nil || s.Files["MEDIA/UNITS/TEXT.DAT"] == nil ||
			s.Files["MEDIA/UNITS/WOLF.DAT"] != nil) {
			t.Errorf("the sidecar keeps %q", names(s.Files))
		}
	}
}
