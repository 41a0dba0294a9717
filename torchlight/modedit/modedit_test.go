package modedit_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"trowel.example/check"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/pak"
	"trowel.example/torchlight/text"
)

// made returns a mod of files, which are compiled first.
func made(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var list []pak.NewFile
	for name, content := range files {
		data := []byte(content)
		if moddir.IsForm(name, data) {
			var err error
			if data, err = moddir.Compile(data, name, moddir.Options{}); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		list = append(list, pak.NewFile{Path: name, Content: func() ([]byte, error) { return data, nil }})
	}
	h := mod.NewHeader()
	h.Title, h.ID = "Made", 77
	target := new(tests.Memory)
	if _, err := mod.Write(context.Background(), target, h, list, nil); err != nil {
		t.Fatal(err)
	}
	return target.Data
}

// said returns the values of a data file or a layout of a mod, without types and nodes.
func said(t testing.TB, data []byte, name string) string {
	t.Helper()
	root, err := modedit.OfMod(open(t, data), modedit.Options{}).Tree(name)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	var walk func(*text.Node)
	walk = func(n *text.Node) {
		for p := range n.Properties() {
			fmt.Fprintf(&b, "%s:%s ", p.Key, p.Value)
		}
		for c := range n.Children() {
			walk(c)
		}
	}
	walk(root)
	return strings.TrimSpace(b.String())
}

const unit = `[UNIT]
	<STRING>NAME:Wolf
	<INTEGER>LEVEL:10
	<UNSIGNED INT>COUNT:3
	<FLOAT>SPEED:1.1
	<DOUBLE>FAR:0.1
	<INTEGER64>UNIT_GUID:9007199254740993
	<BOOL>FAST:true
	<STRING>MESHFILE:wolf
	<STRING>RESOURCEDIRECTORY:media\models\wolf
	[EFFECTS]
		[EFFECT]
			<STRING>NAME:bite
			<FLOAT>MIN:2
		[/EFFECT]
		[EFFECT]
			<STRING>NAME:howl
			<FLOAT>MIN:4
		[/EFFECT]
	[/EFFECTS]
[/UNIT]`

func TestSet(t *testing.T) {
	const path = "MEDIA/UNITS/MONSTERS/WOLF.DAT"
	data := made(t, map[string]string{path: unit})
	whole := said(t, data, path)
	for _, c := range []struct {
		key, value string
		choice     modedit.Choice
		old, new   string // parts of the file's values; old "" means that an error is expected
	}{
		{"LEVEL", "*1.1", modedit.Choice{}, "LEVEL:10", "LEVEL:11"},
		{"LEVEL", "*1.05", modedit.Choice{}, "LEVEL:10", "LEVEL:11"}, // halves are rounded up
		{"level", "+-15", modedit.Choice{}, "LEVEL:10", "LEVEL:-5"},
		{"LEVEL", "=+7", modedit.Choice{}, "LEVEL:10", "LEVEL:+7"},
		{"LEVEL", "-7", modedit.Choice{}, "LEVEL:10", "LEVEL:-7"},
		{"LEVEL", "*1e9", modedit.Choice{}, "", "10000000000 does not fit INTEGER (-2147483648 to 2147483647)"},
		{"LEVEL", "many", modedit.Choice{}, "", "many is not a valid INTEGER"},
		{"LEVEL", "5000000000", modedit.Choice{}, "", "(-2147483648 to 2147483647): the type INTEGER64 can hold it"},
		{"COUNT", "+-4", modedit.Choice{}, "", "-1 does not fit UNSIGNED INT (0 to 4294967295)"},
		{"SPEED", "*3", modedit.Choice{}, "SPEED:1.1", "SPEED:3.3"},
		{"SPEED", "*1e38", modedit.Choice{}, "SPEED:1.1", "SPEED:1.1e+038"},
		{"SPEED", "*1e39", modedit.Choice{}, "", "too large"},
		{"SPEED", "*1e999999999", modedit.Choice{}, "", "expected a number after *"},
		{"FAR", "+0.2", modedit.Choice{}, "FAR:0.1", "FAR:0.3"},
		{"UNIT_GUID", "+1", modedit.Choice{}, "9007199254740993", "9007199254740994"},
		{"FAST", "0", modedit.Choice{}, "FAST:true", "FAST:false"},
		{"FAST", "*2", modedit.Choice{}, "", "cannot calculate with"},
		{"NAME", "+bonus", modedit.Choice{Node: "UNIT"}, "NAME:Wolf", "NAME:+bonus"},
		{"NAME", "*2", modedit.Choice{}, "", "cannot calculate with Wolf"},
		{"NAME", "a\nb", modedit.Choice{}, "", "one line"},
		{"MIN", "*2", modedit.Choice{Node: "EFFECT", Where: []string{"NAME=h*"}}, "MIN:4", "MIN:8"},
		{"MIN", "9", modedit.Choice{Where: []string{"NAME=x|bite", "LEVEL>=10", "SPEED"}}, "MIN:2", "MIN:9"},
		{"MIN", "9", modedit.Choice{Where: []string{"NAME!=bite"}}, "MIN:4", "MIN:9"},
		{"MIN", "9", modedit.Choice{Where: []string{"MIN<3"}}, "MIN:2", "MIN:9"},
		{"MIN", "9", modedit.Choice{Where: []string{"LEVEL<x"}}, "", "expected a number after <"},
	} {
		e := modedit.OfMod(open(t, data), modedit.Options{})
		_, err := e.Set("UNITS/**", c.key, c.value, c.choice)
		if c.old == "" {
			if err == nil || !strings.Contains(err.Error(), c.new) {
				t.Errorf("%s %s: %v, expected %s", c.key, c.value, err, c.new)
			}
			continue
		}
		target := new(tests.Memory)
		if err == nil {
			err = e.WriteMod(context.Background(), target)
		}
		if err != nil {
			t.Errorf("%s %s: %v", c.key, c.value, err)
			continue
		}
		want := strings.Replace(whole, c.old, c.new, 1)
		if c.new == "LEVEL:+7" {
			want = strings.Replace(whole, c.old, "LEVEL:7", 1) // it is compiled
		}
		if got := said(t, target.Data, path); got != want {
			t.Errorf("%s %s %+v:\n%s\nexpected\n%s", c.key, c.value, c.choice, got, want)
		}
	}
}

func TestKeys(t *testing.T) {
	const path, level = "MEDIA/UNITS/MONSTERS/WOLF.DAT", "MEDIA/LAYOUTS/A.LAYOUT"
	data := made(t, map[string]string{path: unit,
		level: "[Layout]\n[OBJECTS]\n[BASEOBJECT]\n[PROPERTIES]\n<STRING>DESCRIPTOR:Monster\n<STRING>NAME:M\n" +
			"<INTEGER64>ID:5\n[/PROPERTIES]\n[/BASEOBJECT]\n[/OBJECTS]\n[/Layout]"})
	got, changes, _ := edit(t, data, func(e *modedit.Editor) error {
		if n, err := e.AddKey("**", text.Float, "POSITIONY", "2.50",
			modedit.Choice{Where: []string{"DESCRIPTOR=monster"}}); n != 1 || err != nil {
			t.Errorf("%d %v", n, err)
		}
		if n, err := e.AddKey("UNITS/", text.Integer, "minlevel", "3", modedit.Choice{}); n != 1 || err != nil {
			t.Errorf("%d %v", n, err)
		}
		if n, err := e.RemoveKey("UNITS/", "MIN", modedit.Choice{Node: "EFFECTS.EFFECT"}); n != 2 || err != nil {
			t.Errorf("%d %v", n, err)
		}
		_, err := e.RenameKey("**.DAT", "SPEED", "VELOCITY", modedit.Choice{})
		return err
	})
	if s := said(t, got, level); !strings.Contains(s, "POSITIONY:2.5") {
		t.Error(s)
	}
	if s := said(t, got, path); strings.Contains(s, "MIN:") || !strings.Contains(s, "MINLEVEL:3 NAME") ||
		!strings.Contains(s, "VELOCITY:1.1") {
		t.Error(s)
	}
	if len(changes) != 4 || changes[2].Count != 2 || len(changes[2].At) != 2 || changes[2].At[1].String() != "UNIT.EFFECTS.EFFECT[2].MIN" {
		t.Errorf("%+v", changes)
	}
	e := modedit.OfMod(open(t, data), modedit.Options{})
	for want, err := range map[string]error{
		"has no NONSENSE":                 second(e.AddKey("LAYOUTS/**", text.Float, "NONSENSE", "2", modedit.Choice{})),
		`no file "WOLVES/**" in the file`: second(e.AddKey("WOLVES/**", text.Float, "X", "2", modedit.Choice{})),
		"cannot be a key":                 second(e.AddKey("**", text.Float, "A:B", "2", modedit.Choice{})),
		"x is not a valid FLOAT":          second(e.AddKey("**", text.Float, "A", "x", modedit.Choice{})),
		"the name of a desc":              second(e.RemoveKey("**", "DESCRIPTOR", modedit.Choice{})),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %s", err, want)
		}
	}
}

func second(_ int, err error) error { return err }

func TestRename(t *testing.T) {
	data := made(t, map[string]string{
		"MEDIA/UNITS/MONSTERS/WOLF/WOLF.DAT": strings.Replace(unit, "[EFFECTS]",
			"[X]\n<STRING>ICON:media/ui/wolf.dds\n<STRING>A:Media/UI/Wolf.dds\n<STRING>B:UI/WOLF.DDS\n"+
				"<STRING>BASEFILE:media/units/monsters/base.dat\n[/X]\n[EFFECTS]", 1),
		"MEDIA/UNITS/MONSTERS/WOLF/CHILD.DAT": "[UNIT]\n<STRING>BASEFILE:media\\units\\monsters\\wolf\\wolf.dat\n" +
			"<STRING>NAME:Child\n[/UNIT]",
		"MEDIA/MODELS/WOLF/WOLF.MESH":     "mesh",
		"MEDIA/MODELS/WOLF/WOLF.MATERIAL": "material a\n{\n\ttexture wolf.dds  \r\n\ttexture other.dds\n}\n",
		"MEDIA/MODELS/WOLF/WOLF.DDS":      "dds",
		"MEDIA/UI/WOLF.DDS":               "dds",
		"MEDIA/UI/WOLF.IMAGESET": `<Imageset Name="w" Imagefile="media/ui/wolf.dds">` +
			`<Image Name="i" XPos="0" YPos="0" Width="1" Height="1"/></Imageset>`,
		"MEDIA/LAYOUTS/L.LAYOUT": "[Layout]\n[OBJECTS]\n[/OBJECTS]\n[/Layout]",
		"MEDIA/LAYOUTS/L.MPP":    "grid",
	})
	got, _, missed := edit(t, data, func(e *modedit.Editor) error {
		for _, r := range [][2]string{
			{"MEDIA/UI/WOLF.DDS", "media/ui/Icons/Fang.dds"},
			{"MODELS/WOLF/WOLF.MESH", "MODELS/WOLF/FANG.MESH"},
			{"MODELS/WOLF/WOLF.DDS", "MODELS/WOLF/SKIN.DDS"},
			{"MODELS/WOLF", "MODELS/FANGS"},
			{"UNITS/MONSTERS/WOLF/WOLF.DAT", "UNITS/MONSTERS/FANG/"},
			{"LAYOUTS/L.LAYOUT", "LAYOUTS/M.LAYOUT"},
		} {
			if err := e.Rename(r[0], r[1]); err != nil {
				return fmt.Errorf("%s: %w", r, err)
			}
		}
		for _, r := range [][2]string{{"NONE", "X"}, {"MODELS/FANGS/FANG.MESH", "MODELS/FANGS/SKIN.DDS"},
			{"LAYOUTS/M.LAYOUT", "LAYOUTS/M.DAT"}, {"MODELS/FANGS/FANG.MESH", "../X.MESH"}} {
			if err := e.Rename(r[0], r[1]); err == nil {
				t.Errorf("%s was renamed", r)
			}
		}
		return nil
	})
	files := contents(t, got)
	for _, path := range []string{"MEDIA/UNITS/MONSTERS/FANG/WOLF.DAT", "MEDIA/UNITS/MONSTERS/WOLF/CHILD.DAT",
		"MEDIA/MODELS/FANGS/FANG.MESH", "MEDIA/MODELS/FANGS/SKIN.DDS",
		"MEDIA/MODELS/FANGS/WOLF.MATERIAL", "MEDIA/UI/ICONS/FANG.DDS", "MEDIA/UI/WOLF.IMAGESET",
		"MEDIA/LAYOUTS/M.LAYOUT", "MEDIA/LAYOUTS/M.MPP"} {
		if _, ok := files[path]; !ok {
			t.Errorf("no %s", path)
		}
		delete(files, path)
	}
	if len(files) > 0 || len(missed) > 0 {
		t.Errorf("more files, or missed: %v %v", len(files), missed)
	}
	files = contents(t, got)
	wolf := said(t, got, "MEDIA/UNITS/MONSTERS/FANG/WOLF.DAT")
	for _, s := range []string{"ICON:media/ui/icons/fang.dds", "A:media/ui/Icons/Fang.dds", "B:UI/ICONS/FANG.DDS",
		"BASEFILE:media/units/monsters/base.dat", "MESHFILE:fang", `RESOURCEDIRECTORY:media\models\fangs`} {
		if !strings.Contains(wolf, s) {
			t.Errorf("no %s in %s", s, wolf)
		}
	}
	if s := said(t, got, "MEDIA/UNITS/MONSTERS/WOLF/CHILD.DAT"); !strings.Contains(s, `BASEFILE:media\units\monsters\fang\wolf.dat`) {
		t.Error(s)
	}
	if s := files["MEDIA/MODELS/FANGS/WOLF.MATERIAL"]; s != "material a\n{\n\ttexture skin.dds  \r\n\ttexture other.dds\n}\n" {
		t.Errorf("%q", s)
	}
	if s := files["MEDIA/UI/WOLF.IMAGESET"]; !strings.Contains(s, `"media/ui/icons/fang.dds"`) {
		t.Error(s)
	}
}

func TestFilesAndInfo(t *testing.T) {
	data := made(t, map[string]string{"MEDIA/SKILLS/A.DAT": "[SKILL]\n<STRING>NAME:A\n" +
		"<INTEGER64>UNIQUE_GUID:5\n[/SKILL]", "MEDIA/X.DDS": "x"})
	got, changes, _ := edit(t, data, func(e *modedit.Editor) error {
		for _, err := range []error{
			e.Put("skills/b.dat", []byte("[SKILL]\n<STRING>NAME:B\n<INTEGER64>UNIQUE_GUID:6\n<INTEGER64>OTHER:5\n[/SKILL]")),
			e.Put("MEDIA/Y.DDS", []byte("y")),
			e.Put("MEDIA/X.DDS", []byte("z")),
			e.Delete("MEDIA/SKILLS/A.DAT"),
			e.Hide("MEDIA/UI/A.LAYOUT"),
			e.SetInfo(modedit.Title, "New"), e.SetInfo(modedit.Version, "9"), e.SetInfo(modedit.ID, modedit.NewID),
			second(e.NewGUIDs("**")),
		} {
			if err != nil {
				t.Error(err)
			}
		}
		for _, err := range []error{
			e.Put("../Z.DDS", nil), e.Put("MEDIA/UI/A.LAYOUT", nil), e.Put("A.DAT", []byte("[A]\n<INTEGER>B\n[/A]")), e.Delete("NONE"),
			e.Hide("X.DDS"), e.Hide("MEDIA/X.DDS"), e.Unhide("MEDIA/Q.DAT"), e.SetInfo(modedit.Version, "-1"),
			e.SetInfo(modedit.ID, "x"), e.SetInfo("colour", "x"),
		} {
			if err == nil {
				t.Error("something that cannot be was done")
			}
		}
		return nil
	})
	m := open(t, got)
	if h := m.Header; h.Title != "New" || h.ModVersion != 9 || h.ID == 77 || h.ID <= 0 || len(h.Removed) != 1 {
		t.Errorf("%+v", h)
	}
	files := contents(t, got)
	if files["MEDIA/X.DDS"] != "z" || files["MEDIA/Y.DDS"] != "y" || files["MEDIA/UI/A.LAYOUT"] != "removed" ||
		files["MEDIA/SKILLS/A.DAT"] != "" || strings.HasPrefix(files["MEDIA/SKILLS/B.DAT"], "[") {
		t.Errorf("%q", files)
	}
	if s := said(t, got, "MEDIA/SKILLS/B.DAT"); strings.Contains(s, "GUID:6") || !strings.Contains(s, "OTHER:5") {
		t.Error(s)
	}
	if len(changes) != 9 {
		t.Error(changes)
	}
	for _, do := range []func(e *modedit.Editor) error{
		func(e *modedit.Editor) error { return e.Put("A.DAT", nil) },
		func(e *modedit.Editor) error { return e.Delete("**") },
		func(e *modedit.Editor) error { return e.Rename("A.DAT", "B.DAT") },
		func(e *modedit.Editor) error { return e.SetInfo(modedit.Title, "x") },
	} {
		if do(modedit.OfFile("A.DAT", []byte(unit), modedit.Options{})) == nil {
			t.Error("a single file is a mod")
		}
	}
}

// TestTables tests that the tables of a mod follow its changes, and that a record keeps values inherited from
// unavailable files.
func TestTables(t *testing.T) {
	files := map[string]string{
		"MEDIA/UNITS/MONSTERS/A.DAT": "[UNIT]\n<STRING>NAME:A\n<INTEGER64>UNIT_GUID:5\n" +
			"<STRING>BASEFILE:media/units/monsters/base.dat\n<INTEGER>LEVEL:3\n[/UNIT]",
		"MEDIA/UNITS/MONSTERS/B.DAT": "[UNIT]\n<STRING>NAME:B\n<INTEGER64>UNIT_GUID:6\n[/UNIT]",
		"MEDIA/UNITDATA.RAW":         `{"table":"UNITDATA"}`,
	}
	e := modedit.OfMod(open(t, made(t, map[string]string{"MEDIA/UNITS/MONSTERS/A.DAT": files["MEDIA/UNITS/MONSTERS/A.DAT"],
		"MEDIA/X.DDS": ""})), modedit.Options{})
	if err := e.UpdateTables(); err != nil || len(e.Paths()) != 2 {
		t.Errorf("%v %v", err, e.Paths())
	}
	var said []check.Change
	e = modedit.OfMod(open(t, made(t, map[string]string{"MEDIA/X.DDS": ""})),
		modedit.Options{Report: func(c check.Change) { said = append(said, c) }})
	for _, path := range []string{"MEDIA/UNITS/MONSTERS/A.DAT", "MEDIA/UNITS/MONSTERS/B.DAT"} {
		if err := e.Put(path, []byte(files[path])); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.UpdateTables(); err != nil || len(said) != 3 || said[2].Path != "MEDIA/UNITDATA.RAW" || said[2].Count != 2 {
		t.Errorf("%v %+v", err, said)
	}
}

// TestRepairTags tests the repair of a text in which GUTS wrote two hashes as numbers because it did not know their
// names.
func TestRepairTags(t *testing.T) {
	data := made(t, map[string]string{
		"MEDIA/SKILLS/A.DAT": "[SKILL]\n<STRING>NAME:A\n<BOOL>789837544:true\n[6688229]\n<INTEGER>100000:1\n[/6688229]\n[/SKILL]",
		"MEDIA/X.DDS":        "x",
	})
	before := findings(t, data)
	got, changes, _ := edit(t, data, func(e *modedit.Editor) error { return second(e.RepairTags()) })
	if s := said(t, got, "MEDIA/SKILLS/A.DAT"); before["tl-dat-broken-tag"] != 2 ||
		findings(t, got)["tl-dat-broken-tag"] != 0 || !strings.Contains(s, "USE_UI:true") {
		t.Errorf("%v %s", before, s)
	}
	if len(changes) != 1 || changes[0].Count != 2 {
		t.Errorf("%+v", changes)
	}
	if again, changes, _ := edit(t, got, func(e *modedit.Editor) error { return second(e.RepairTags()) }); string(again) != string(got) ||
		len(changes) > 0 {
		t.Errorf("%+v", changes)
	}
	e := modedit.OfFile("A.DAT", []byte("[SKILL]\n\t// why\n\t<BOOL>789837544:true\n[/SKILL]"), modedit.Options{})
	if n, err := e.RepairTags(); n != 1 || err != nil {
		t.Errorf("%d %v", n, err)
	}
	if text, _ := e.File(); string(text) != "[SKILL]\n\t// why\n\t<BOOL>USE_UI:true\n[/SKILL]" {
		t.Errorf("%s", text)
	}
}

// TestSeal tests that wrong hashes are corrected and nothing else is changed.
func TestSeal(t *testing.T) {
	data := made(t, map[string]string{"MEDIA/X.DDS": "x", "MEDIA/Y.DDS": "y"})
	broken := []byte(string(data))
	h := open(t, data).Header
	for _, at := range []uint32{h.DataOffset, h.DataOffset + 4, h.ManifestOffset + 2} {
		broken[at]++
	}
	seal := func(e *modedit.Editor) error { return e.Seal() }
	if got, changes, _ := edit(t, data, seal); string(got) != string(data) || len(changes) > 0 {
		t.Errorf("%+v", changes)
	}
	if got, changes, _ := edit(t, broken, seal); string(got) != string(data) || len(changes) != 3 {
		t.Errorf("%+v", changes)
	}
	if got, _, _ := edit(t, broken, func(*modedit.Editor) error { return nil }); string(got) != string(broken) {
		t.Error("it was mended, and nobody asked for that")
	}
}

// TestFolder tests that in a folder the compiled file next to a source follows, and so do tables in their editable
// form.
func TestFolder(t *testing.T) {
	twin, err := moddir.Compile([]byte(unit), "A.DAT", moddir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	fsys := fstest.MapFS{
		"MEDIA/UNITS/MONSTERS/A.DAT":        {Data: []byte(unit)},
		"MEDIA/UNITS/MONSTERS/A.DAT.BINDAT": {Data: twin},
		"MEDIA/UNITS/MONSTERS/B.DAT.BINDAT": {Data: twin},
		"MEDIA/UNITDATA.RAW.json":           {Data: []byte("{\"table\": \"UNITDATA\", \"monsters\": []}")},
		"MEDIA/X.PNG":                       {Data: []byte("x")},
	}
	e, err := modedit.OfFolder(fsys, modedit.Options{Miss: func(path, message string) { t.Log(path, message) }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Set("**", "LEVEL", "33", modedit.Choice{}); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{e.Delete("X.PNG"), e.Put("MEDIA/Y.DAT", []byte("[A]\n[/A]")),
		e.Rename("UNITS/MONSTERS/B.DAT", "UNITS/MONSTERS/C.DAT"), e.UpdateTables()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	made := make(map[string]string)
	if err := e.WriteFolder(func(at string, content io.Reader, _ time.Time) error {
		data, err := io.ReadAll(content)
		made[at] = string(data)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	source := strings.Replace(unit, "LEVEL:10", "LEVEL:33", 1)
	compiled, _ := moddir.Compile([]byte(source), "A.DAT", moddir.Options{})
	for at, want := range map[string]string{
		"MEDIA/UNITS/MONSTERS/A.DAT": source, "MEDIA/UNITS/MONSTERS/A.DAT.BINDAT": string(compiled), "MEDIA/Y.DAT": "[A]\n[/A]",
	} {
		if made[at] != want {
			t.Errorf("%s: %q", at, made[at])
		}
		delete(made, at)
	}
	if len(made) != 2 || made["MEDIA/UNITDATA.RAW.json"] != string(fsys["MEDIA/UNITDATA.RAW.json"].Data) ||
		made["MEDIA/UNITS/MONSTERS/C.DAT"] == "" {
		t.Errorf("%q", made)
	}
}

// TestSameName tests that two files whose paths differ only in case are both preserved.
func TestSameName(t *testing.T) {
	data := made(t, map[string]string{"MEDIA/X.DAT": "[A]\n<INTEGER>LEVEL:1\n[/A]", "MEDIA/x.DAT": "[B]\n<INTEGER>LEVEL:1\n[/B]"})
	if got, _, _ := edit(t, data, func(*modedit.Editor) error { return nil }); string(got) != string(data) {
		t.Error("an edit that changes nothing gives another mod")
	}
	got, _, _ := edit(t, data, func(e *modedit.Editor) error { return second(e.Set("**", "LEVEL", "2", modedit.Choice{})) })
	if len(contents(t, got)) != 2 || len(changed(t, data, got)) != 1 {
		t.Errorf("%d files, %v", len(contents(t, got)), changed(t, data, got))
	}
}
