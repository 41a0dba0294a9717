package moddir_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/files/tree"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/pak"
	"trowel.example/torchlight/raw"
)

const emptyLayout = "[Layout]\n<INTEGER>VERSION:4\n<UNSIGNED INT>COUNT:0\n[OBJECTS]\n[/OBJECTS]\n[/Layout]"

func unit(keys ...string) string { return thing("UNIT", keys) }

func skill(keys ...string) string { return thing("SKILL", keys) }

// thing returns a data file with a name that only files with the same keys have.
func thing(root string, keys []string) string {
	all := strings.Join(keys, "\n")
	return fmt.Sprintf("[%s]\n<STRING>NAME:A%d\n%s\n[/%s]", root, crc32.ChecksumIEEE([]byte(all)), all, root)
}

// checkMod returns the findings of a mod that is built from sources, with its tables unless noTables is set. The
// function change may modify the files before.
func checkMod(t *testing.T, files map[string]string, base moddir.Files, noTables bool, change func(map[string]string)) []check.Finding {
	t.Helper()
	data := build(t, sources(t, files), moddir.BuildOptions{Tables: !noTables, Base: base})
	if change != nil {
		all := packed(t, data)
		change(all)
		var list []entry
		for _, name := range names(all) {
			list = append(list, entry{name, []byte(all[name])})
		}
		data = makeMod(t, header(), list, nil)
	}
	return check.Collect(func(sink check.Sink) {
		m, err := mod.Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		moddir.Check(m.Archive, moddir.CheckOptions{Base: base}, sink)
	})
}

func ids(found []check.Finding) []string {
	all := make(map[string]bool)
	for _, f := range found {
		all[f.ID] = true
	}
	return names(all)
}

// TestCatalog tests that every finding is reported for a mod or folder with only that problem, and none for one without
// problems.
func TestCatalog(t *testing.T) {
	base, err := moddir.SourcesOf(fstest.MapFS{"MEDIA/UNITS/MONSTERS/BASE.DAT": {Data: []byte(unit("<BOOL>DONTCREATE:1"))},
		"MEDIA/LAYOUTS/DOOR.LAYOUT": {}, "MEDIA/UI/A.IMAGESET": {}}, moddir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const guid, other = "<INTEGER64>UNIT_GUID:5", "<INTEGER64>UNIT_GUID:6"
	const based = `<STRING>BASEFILE:media\units\monsters\base.dat`
	clean := map[string]string{
		"MEDIA/UNITS/MONSTERS/A.DAT": unit(guid, based), "MEDIA/UNITS/MONSTERS/B.DAT": unit(other, based),
		"MEDIA/SKILLS/S.DAT": skill("<INTEGER64>UNIQUE_GUID:5"), "MEDIA/LAYOUTS/A.LAYOUT": layoutText,
	}
	with := func(name, content string) map[string]string {
		files := maps.Clone(clean)
		files[name] = content
		return files
	}
	truncate := func(name string) func(map[string]string) {
		return func(files map[string]string) { files[name] = files[name][:len(files[name])-3] }
	}
	seen := make(map[string]bool)
	for _, c := range []struct {
		want     string
		files    map[string]string
		base     moddir.Files
		noTables bool
		change   func(map[string]string)
	}{
		{want: "", files: clean, base: base},
		{want: "tl-mod-source", files: clean, base: base, change: func(files map[string]string) { files["MEDIA/X.DAT"] = unit() }},
		{want: "tl-mod-duplicate-guid", files: with("MEDIA/UNITS/MONSTERS/C.DAT", unit(guid, based, "<INTEGER>LEVEL:2")), base: base},
		{want: "tl-mod-duplicate-unique-guid", files: with("MEDIA/SKILLS/T.DAT",
			skill("<INTEGER64>UNIQUE_GUID:5", "<INTEGER>LEVEL:2")), base: base},
		{want: "tl-mod-missing-basefile", files: with("MEDIA/UNITS/MONSTERS/C.DAT",
			unit("<INTEGER64>UNIT_GUID:9", "<STRING>BASEFILE:media/units/nowhere.dat")), base: base},
		{want: "tl-mod-outside-media", files: with("MEDIA/UNITS/MONSTERS/C.DAT",
			unit("<INTEGER64>UNIT_GUID:9", "<STRING>BASEFILE:units/monsters/base.dat")), base: base},
		{want: "tl-mod-inherited-guid", files: with("MEDIA/UNITS/MONSTERS/C.DAT",
			unit("<STRING>BASEFILE:media/units/monsters/a.dat")), base: base},
		{want: "tl-mod-missing-file", files: with("MEDIA/LAYOUTS/A.LAYOUT", strings.Replace(layoutText, "door", "nowhere", 1)), base: base},
		{want: "tl-mod-missing-file", files: with("MEDIA/UNITS/MONSTERS/A.DAT",
			unit(guid, based, "<STRING>FILE:media/layouts/nowhere.layout")), base: base},
		{want: "tl-mod-outside-file", files: map[string]string{"MEDIA/LAYOUTS/A.LAYOUT": layoutText}},
		{want: "tl-mod-likely-missing-file", files: map[string]string{
			"MEDIA/LAYOUTS/DOORS.LAYOUT": string(guts(t, emptyLayout)),
			"MEDIA/LAYOUTS/A.LAYOUT":     strings.Replace(layoutText, "door", "dooors", 1)}},
		{want: "tl-mod-likely-missing-file", files: map[string]string{ // two of three files of the folder exist
			"MEDIA/X/A.LAYOUT": string(guts(t, emptyLayout)), "MEDIA/X/B.LAYOUT": string(guts(t, emptyLayout)),
			"MEDIA/X.DAT": unit("<STRING>FILE:media/x/a.layout", "<STRING>FILE:media/x/b.layout", "<STRING>FILE:media/x/other.layout")}},
		{want: "tl-mod-likely-missing-file", files: map[string]string{
			"MEDIA/SKILLS/LEAP/IN/THERE.LAYOUT": string(guts(t, emptyLayout)),
			"MEDIA/X.DAT":                       unit("<STRING>FILE:media/skills/leap/there.layout")}},
		{want: "tl-mod-outside-file", files: map[string]string{ // a numbered series, of which the game may have more
			"MEDIA/LAYOUTS/DOOR1.LAYOUT": string(guts(t, emptyLayout)),
			"MEDIA/LAYOUTS/A.LAYOUT":     strings.Replace(layoutText, "door", "door2", 1)}},
		{want: "tl-mod-missing-icon", files: with("MEDIA/SKILLS/S.DAT",
			skill("<INTEGER64>UNIQUE_GUID:5", "<STRING>SKILL_ICON:none")), base: base},
		{want: "tl-mod-outside-icon", files: map[string]string{"MEDIA/X.DAT": unit("<STRING>ICON:none")}},
		{want: "tl-mod-no-table", files: clean, base: base, change: func(files map[string]string) { delete(files, "MEDIA/SKILLS.RAW") }},
		{want: "tl-mod-not-in-table", files: clean, base: base, change: func(files map[string]string) {
			files["MEDIA/SKILLS/NEW.DAT"] = string(compiledUnit(t, skill("<INTEGER64>UNIQUE_GUID:8")))
		}},
		{want: "tl-dat-damaged", files: with("MEDIA/X.DAT", unit()), base: base, change: truncate("MEDIA/X.DAT")},
		{want: "tl-layout-unreadable", files: clean, base: base, change: truncate("MEDIA/LAYOUTS/A.LAYOUT")},
		{want: "tl-raw-unreadable", files: map[string]string{}, change: func(files map[string]string) { files["MEDIA/UI.RAW"] = "x" }},
		{want: "tl-mpp-unreadable", files: clean, base: base, change: func(files map[string]string) { files["MEDIA/A.MPP"] = "x" }},
	} {
		found := checkMod(t, c.files, c.base, c.noTables, c.change)
		want := []string{c.want}
		if c.want == "" {
			want = nil
		}
		if !slices.Equal(ids(found), want) {
			t.Errorf("%s: %v", c.want, found)
		}
		seen[c.want] = true
	}
	// These findings cannot occur alone.
	found := checkMod(t, clean, nil, false, nil)
	if got := ids(found); !slices.Equal(got, []string{"tl-mod-outside-basefile", "tl-mod-outside-file", "tl-table-base"}) {
		t.Errorf("without the game's files: %v", found)
	}
	found = checkMod(t, clean, nil, false, func(files map[string]string) { // built with the game's files
		table, err := raw.Decode([]byte(files["MEDIA/UNITDATA.RAW"]), raw.KindUnitData)
		if err != nil {
			t.Fatal(err)
		}
		table.(*raw.UnitData).Monsters[0].UnitType = "MONSTER"
		data, err := raw.Encode(table)
		if err != nil {
			t.Fatal(err)
		}
		files["MEDIA/UNITDATA.RAW"] = string(data)
	})
	if got := ids(found); !slices.Equal(got, []string{"tl-mod-outside-basefile", "tl-mod-outside-file"}) {
		t.Errorf("with the tables of the game's files: %v", found)
	}
	found = checkMod(t, map[string]string{"MEDIA/UNITS/MONSTERS/A.DAT": unit()}, nil, false, nil)
	if got := ids(found); !slices.Equal(got, []string{"tl-mod-no-guid"}) {
		t.Errorf("without a GUID: %v", found)
	}
	removes := header()
	removes.Removed = []string{"MEDIA/A.WAV"}
	data := makeMod(t, removes, []entry{{"MEDIA/A.WAV", []byte("x")}}, func(man *pak.Manifest) {
		man.Sections[0].Records = append(man.Sections[0].Records, pak.Record{Name: "A.WAV", Type: pak.TypeOf("A.WAV")})
	})
	m, err := mod.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	found = check.Collect(func(sink check.Sink) { moddir.Check(m.Archive, moddir.CheckOptions{}, sink) })
	if !slices.Equal(ids(found), []string{"tl-mod-removed-and-there"}) {
		t.Errorf("removed and there: %v", found)
	}
	// TestCheckIcons tests the last one.
	for _, id := range []string{"tl-mod-outside-basefile", "tl-mod-no-guid", "tl-mod-removed-and-there", "tl-mod-likely-missing-icon"} {
		seen[id] = true
	}
	// TestCheckMeaning, TestCheckOverrides and TestCheckOtherGUIDs test these.
	for _, id := range append(meanings, "tl-mod-overridden", "tl-mod-removed-by-other", "tl-mod-guid-of-other") {
		seen[id] = true
	}
	for _, id := range folderKinds(t) {
		seen[id] = true
	}
	for _, kind := range moddir.Catalog.Kinds() {
		if !seen[kind.ID] {
			t.Errorf("nothing makes %s", kind.ID)
		}
	}
}

// TestReferences tests that there is one finding for each pair of a file and a missing one, with all places, and one
// finding for all files that the game may have, with places that name both files.
func TestReferences(t *testing.T) {
	files := map[string]string{
		"MEDIA/A.DAT": unit("<STRING>FILE:media/gone.layout", "[EFFECTS]\n<STRING>FILE:MEDIA\\GONE.LAYOUT\n[/EFFECTS]",
			"<STRING>FILE:media/more.layout"),
		"MEDIA/B.DAT": unit("<STRING>FILE:media/gone.layout"), "MEDIA/LAYOUTS/A.LAYOUT": strings.Replace(layoutText,
			"media/layouts/door", "media/gone", 1),
	}
	for i := range 20 {
		files["MEDIA/A.DAT"] = strings.Replace(files["MEDIA/A.DAT"], "[/UNIT]",
			fmt.Sprintf("<STRING>FILE:media/far/%d.layout\n[/UNIT]", i), 1)
	}
	base, err := moddir.SourcesOf(fstest.MapFS{"MEDIA/OTHER.DAT": {Data: []byte(unit())},
		"MEDIA/FAR/OTHER.DAT": {Data: []byte(unit())}}, moddir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	found := checkMod(t, files, base, false, nil)
	var got []string
	for _, f := range found {
		got = append(got, fmt.Sprint(f.ID, " ", f.Path, " ", len(f.At)))
	}
	if len(got) != 24 || got[0] != "tl-mod-missing-file MEDIA/A.DAT 2" || !strings.Contains(found[0].Message, "in 2 places") ||
		!slices.Contains(got, "tl-mod-missing-file MEDIA/B.DAT 1") ||
		!slices.Contains(got, "tl-mod-missing-file MEDIA/LAYOUTS/A.LAYOUT 1") {
		t.Errorf("%q", got)
	}
	found = checkMod(t, files, nil, false, nil)
	if len(found) != 1 || len(found[0].At) != 25 || strings.Contains(found[0].Message, " more") {
		t.Fatalf("%v", found)
	}
	data, err := json.Marshal(found[0])
	for _, want := range []string{
		`{"path":"MEDIA/A.DAT","node":"UNIT.EFFECTS.FILE","to":"MEDIA/GONE.LAYOUT"}`,
		`{"path":"MEDIA/LAYOUTS/A.LAYOUT","object":"5","to":"MEDIA/GONE.LAYOUT"}`, `"to":"MEDIA/FAR/19.LAYOUT"`,
	} {
		if err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%v: no %s in %s", err, want, data)
		}
	}
}

// folderKinds checks folders and returns the kinds of findings that it saw.
func folderKinds(t *testing.T) []string {
	old, now := time.Unix(1_400_000_000, 0), time.Unix(1_500_000_000, 0)
	compiled := func(plain string) string { return string(compiledUnit(t, plain)) }
	unitText := string(guts(t, unitText))
	clean := map[string]string{"media/a.dat": unitText, "media/A.DAT.BINDAT": compiled(unitText),
		"media/b.layout": string(guts(t, layoutText)), "media/c.png": "x"}
	var seen []string
	for _, c := range []struct {
		want        string
		name        string
		content     string
		sourceNewer bool
		where       string // path of the finding
	}{
		{want: "", name: "media/d.dat", content: unitText},
		{want: "tl-source-unreadable", name: "media/d.dat", content: "[UNIT]\n<WORD>A:B\n[/UNIT]", where: "media/d.dat"},
		{want: "tl-source-unreadable", name: "MOD.DAT", content: "[MOD]\n<INTEGER>VERSION:x\n[/MOD]", where: "MOD.DAT"},
		{want: "tl-mod-no-id", name: "MOD.DAT", content: "[MOD]\n<STRING>NAME:x\n[/MOD]", where: "MOD.DAT"},
		{want: "tl-source-unreadable", name: "media/skills.raw.json", content: "{", where: "media/skills.raw.json"},
		{want: "tl-source-differs", name: "media/A.DAT.BINDAT", content: compiled(string(edited(t, "FOX"))), where: "media/a.dat"},
		{want: "tl-source-newer", name: "media/c.png", content: "x", sourceNewer: true, where: "media/a.dat"},
		{want: "tl-source-twin-unreadable", name: "media/A.DAT.BINDAT", content: "x", where: "media/A.DAT.BINDAT"},
		{want: "tl-source-missing", name: "media/D.DAT.BINDAT", content: compiled(unitText), where: "media/D.DAT.BINDAT"},
		{want: "", name: "media/A.DAT.BINDAT", content: string(oddUnit(t)), sourceNewer: false},
		{want: "", name: "media/C.PNG", content: "x"},
		{want: "tl-source-clash", name: "media/c.PNG", content: "y", where: "media/c.png"},
		{want: "tl-source-torchlight1", name: "media/massfile.dat", content: unitText, where: "media/massfile.dat"},
	} {
		files := maps.Clone(clean)
		files[c.name] = c.content
		fsys := sources(t, files)
		for name := range fsys {
			fsys[name].ModTime = old
		}
		if c.sourceNewer {
			fsys["media/a.dat"].ModTime = now
		}
		found := check.Collect(func(sink check.Sink) {
			if err := moddir.CheckFolder(fsys, moddir.Options{}, sink); err != nil {
				t.Error(err)
			}
		})
		switch {
		case c.want == "" && len(found) > 0, c.want != "" &&
			(len(found) != 1 || found[0].ID != c.want || !strings.HasPrefix(found[0].Path, c.where)):
			t.Errorf("%s: %v", c.want, found)
		}
		seen = append(seen, c.want)
	}
	return seen
}

// TestCheckSample tests that the samples have no findings, as sources and as a mod.
func TestCheckSample(t *testing.T) {
	fsys := sampleFolder()
	found := check.Collect(func(sink check.Sink) {
		if err := moddir.CheckFolder(fsys, moddir.Options{}, sink); err != nil {
			t.Error(err)
		}
		data := build(t, fsys, moddir.BuildOptions{Tables: true})
		m, err := mod.Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		moddir.Check(m.Archive, moddir.CheckOptions{}, sink)
		m.Check(sink)
	})
	for _, f := range found {
		if f.Severity > check.Info {
			t.Error(f)
		}
	}
}

// TestCheckMade tests that the check of any mod terminates.
func TestCheckMade(t *testing.T) {
	for name, data := range madeMods(t) {
		m, err := mod.Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		steps := 0
		found := check.Collect(func(sink check.Sink) {
			moddir.Check(m.Archive, moddir.CheckOptions{OnProgress: func(string, int, int) { steps++ }}, sink)
		})
		files := 0
		for _, f := range m.Archive.Files() {
			if !f.Removed() {
				files++
			}
		}
		if steps != files {
			t.Errorf("%s: %d steps for %d files", name, steps, files)
		}
		if name == "ordinary" && slices.ContainsFunc(found, func(f check.Finding) bool { return f.Severity == check.Error }) {
			t.Errorf("%s: %v", name, found)
		}
		err = moddir.CheckFolder(onDisk(t, openMod(t, data, moddir.Options{})), moddir.Options{}, func(check.Finding) {})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func sampleFolder() fs.FS { return os.DirFS("../../samples/ember") }

// TestBomb tests that thousands of names for one block that inflates to a large file are rejected before anything is
// inflated.
func TestBomb(t *testing.T) {
	const size = 4 << 20
	data := makeMod(t, header(), []entry{{"MEDIA/0.DAT", make([]byte, size)}}, func(man *pak.Manifest) {
		rec := man.Sections[0].Records[0]
		for i := range 2000 {
			rec.Name = fmt.Sprintf("%d.DAT", i+1)
			man.Sections[0].Records = append(man.Sections[0].Records, rec)
		}
	})
	m, err := mod.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fsys := moddir.Open(m, moddir.Options{})
	if list := listing(t, fsys); len(list) != 2003 {
		t.Errorf("%d files", len(list))
	}
	if _, err := fs.ReadFile(fsys, tree.Sidecar); !errors.Is(err, fault.ErrFormat) {
		t.Errorf("the sidecar: %v", err)
	}
	moddir.Check(m.Archive, moddir.CheckOptions{}, func(f check.Finding) { t.Error(f) })
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 16*size {
		t.Errorf("allocated %d bytes for %d", got, len(data))
	}
	if found := check.Collect(m.Check); len(found) == 0 {
		t.Error("the check of the archive tells nothing")
	}
}
