package modedit_test

import (
	"io"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"trowel.example/check"
	"trowel.example/internal/bytes/bin"
	"trowel.example/torchlight/dat"
	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/text"
)

// adm returns a compiled data file of Torchlight I.
func adm(t *testing.T, source string) string {
	t.Helper()
	data, err := dat.Compile([]byte(source), nil, dat.Options{Names: hash.Known(), Path: "X.DAT.ADM"})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestPort tests what becomes of each kind of file of a mod of Torchlight I, and what is reported.
func TestPort(t *testing.T) {
	unit := "[UNIT]\n<STRING>NAME:Wolf\n<BOOLEAN>DONTCREATE:true\n<BOOLEAN>CHAMPION:1\n<STRING>QUUXNESS:3\n[QUUXES]\n[/QUUXES]\n[/UNIT]"
	object := func(kind, keys string) string {
		return "[BASEOBJECT]\n[PROPERTIES]\n<STRING>DESCRIPTOR:" + kind + "\n<STRING>NAME:a\n<INTEGER64>PARENTID:-1\n<INTEGER64>ID:7\n" + keys +
			"[/PROPERTIES]\n[/BASEOBJECT]\n"
	}
	layout := "[Layout]\n[OBJECTS]\n" + object("Monster", "<STRING>QUUX:1\n<FLOAT>POSITIONX:1\n") + object("Quuxer", "<STRING>ANY:1\n") +
		"[/OBJECTS]\n[/Layout]"
	folder := map[string]string{
		"mod.dat":                           "[MOD]\n<STRING>NAME:Old\n[/MOD]",
		"mods.txt":                          "kept",
		"media/massfile.dat.adm":            "table",
		"media/masterresourceunits.dat.adm": "table",
		"media/units/wolf.dat":              "\xff\xfe" + string(bin.AppendUTF16(nil, unit)),
		"media/units/wolf.dat.adm":          adm(t, unit),
		"media/units/plain.dat":             unit,
		"media/units/lost.dat.adm":          adm(t, "[UNIT]\n<STRING>NAME:Lost\n[/UNIT]"),
		"media/units/broken.dat.adm":        "\x01\x00\x00\x00broken",
		"media/layouts/den.layout":          layout,
		"media/layouts/den.layout.cmp":      "compiled",
		"media/layouts/gone.layout.cmp":     "compiled",
		"media/ui/menu.layout":              "<?xml version=\"1.0\"?>\n<GUILayout/>",
		"media/ui/icons.imageset":           "<Imageset/>",
	}
	fsys := make(fstest.MapFS)
	for name, content := range folder {
		fsys[name] = &fstest.MapFile{Data: []byte(content)}
	}
	var done, missed, warned []string
	e, err := modedit.OfFolder(fsys, modedit.Options{
		Report: func(c check.Change) { done = append(done, strings.ToLower(c.Path)+": "+c.What) },
		Miss:   func(path, message string) { missed = append(missed, strings.ToLower(path)+": "+message) },
		Warn:   func(path, message string) { warned = append(warned, strings.ToLower(path)+": "+message) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Port(); err != nil {
		t.Fatal(err)
	}
	made := make(map[string]string)
	if err := e.WriteFolder(func(at string, content io.Reader, _ time.Time) error {
		data, err := io.ReadAll(content)
		made[strings.ToLower(at)] = string(data)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	fixed := strings.ReplaceAll(unit, "BOOLEAN", "BOOL")
	want := map[string]string{
		"mod.dat": folder["mod.dat"], "mods.txt": "kept",
		"media/units/wolf.dat":  "\xff\xfe" + string(bin.AppendUTF16(nil, fixed)),
		"media/units/plain.dat": fixed,
	}
	lost := &text.Node{Name: "UNIT"}
	lost.Add(text.String, "NAME", "Lost")
	want["media/units/lost.dat"] = string(text.Format(lost))
	for _, same := range []string{"media/layouts/den.layout", "media/ui/menu.layout", "media/ui/icons.imageset"} {
		want[same] = folder[same]
	}
	for name, content := range made {
		if other, has := want[name]; !has || content != other {
			t.Errorf("%s is %q, expected %q", name, content, other)
		}
		delete(want, name)
	}
	for name := range want {
		t.Errorf("%s is missing", name)
	}
	contain(t, "done", done, "wolf.dat.adm: removed, because its source", "wolf.dat: BOOLEAN became BOOL", "plain.dat: BOOLEAN",
		"lost.dat.adm: became LOST.DAT", "massfile.dat.adm: removed: a table", "masterresourceunits.dat.adm: removed: a table",
		"den.layout.cmp: removed, because")
	contain(t, "missed", missed, "gone.layout.cmp: removed, but its source is missing",
		"broken.dat.adm: removed, but its source is missing, and it cannot be read")
	contain(t, "warned", warned, "plain.dat: no known file of Torchlight II has the key QUUXNESS (2 times in 2 files)",
		"has the node QUUXES (2 times",
		"den.layout: no known file of Torchlight II has the kind of objects Quuxer (1 time in 1 file)",
		"has the key QUUX of objects Monster (1 time", "menu.layout: is not a layout of Torchlight II")
}

// contain tests that each of some messages contains one of the texts, and each text is in one message.
func contain(t *testing.T, what string, messages []string, texts ...string) {
	t.Helper()
	for _, s := range texts {
		if !slices.ContainsFunc(messages, func(m string) bool { return strings.Contains(m, s) }) {
			t.Errorf("%s: nothing says %q", what, s)
		}
	}
	if len(messages) != len(texts) {
		t.Errorf("%s: %q", what, messages)
	}
}

// TestPortOfArchive tests that only folders are ported.
func TestPortOfArchive(t *testing.T) {
	if err := modedit.OfMod(open(t, made(t, den)), modedit.Options{}).Port(); err == nil {
		t.Error("a mod is accepted")
	}
}
