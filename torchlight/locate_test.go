package torchlight_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/raw"
	"trowel.example/torchlight/text"
)

// located returns the places of all findings of a file, and their lines.
func (o *opened) located() (places []check.Place, lines []check.Line) {
	o.Helper()
	err := o.file.Check(o.Context(), new(format.Job), func(f check.Finding) { places = append(places, f.At...) })
	if err != nil {
		o.Fatal(err)
	}
	return places, o.locate(places...)
}

func (o *opened) locate(places ...check.Place) []check.Line {
	o.Helper()
	lines, err := o.file.(format.Locator).Locate(o.Context(), o.tree, places, func(string) bool { return true })
	if err != nil || len(lines) != len(places) {
		o.Fatal(len(lines), err)
	}
	return lines
}

func TestLocate(t *testing.T) {
	skills := raw.Format(&raw.Skills{Skills: []raw.Skill{{Name: "A", File: "MEDIA/SKILLS/A.DAT", GUID: 1},
		{Name: "B", File: "media/skills/b.dat", GUID: 1}}})
	mod := open(t, buildMod(t, map[string]string{
		"MEDIA/UNITS/A.DAT": "[UNIT]\n<STRING>NAME:A\n<STRING>BASEFILE:media/units/none.dat\n[B]\n<STRING>X:1\n" +
			"[/B]\n[B]\n<STRING>ICON:media/none.dds\n<STRING>X:2\n[/B]\n[/UNIT]\n",
		"MEDIA/OUTER.LAYOUT":    outer,
		"MEDIA/INNER.LAYOUT":    strings.ReplaceAll(inner, "ID:7", "ID:7\n<STRING>FILE:media/none.layout"),
		"MEDIA/SKILLS.RAW.json": string(skills),
		"MEDIA/UI/A.IMAGESET":   "<Imageset Imagefile=\"a.dds\">\n<Image Name=\"a\"/>\n\n<Image Name=\"a\"/>\n</Imageset>",
	}))
	for _, c := range []struct {
		at   check.Place
		path string
		want string // part of the line; "" means the file as a whole
	}{
		{text.Place{Path: "MEDIA/UNITS/A.DAT", Node: "UNIT.NAME"}, "MEDIA/UNITS/A.DAT", "NAME:A"},
		{text.Place{Path: "MEDIA/UNITS/A.DAT", Node: "BASEFILE"}, "MEDIA/UNITS/A.DAT", "BASEFILE"},
		{text.Place{Path: "media/units/a.dat", Node: "unit.b[2].x"}, "MEDIA/UNITS/A.DAT", "X:2"},
		{text.Place{Path: "MEDIA/UNITS/A.DAT", Node: "UNIT.B.ICON"}, "MEDIA/UNITS/A.DAT", "ICON"},
		{text.Place{Path: "MEDIA/UNITS/A.DAT", Node: "UNIT.B.NONE"}, "MEDIA/UNITS/A.DAT", "[B]"},
		{text.Place{Path: "MEDIA/UNITS/A.DAT"}, "MEDIA/UNITS/A.DAT", ""},
		{text.Place{Path: "MEDIA/NONE.DAT", Node: "UNIT"}, "", ""},
		{text.Place{Path: "MEDIA/OUTER.LAYOUT", Object: 2}, "MEDIA/OUTER.LAYOUT", "[PROPERTIES]"},
		{text.Place{Path: "MEDIA/OUTER.LAYOUT", Object: 2,
			Node: "Layout.OBJECTS.BASEOBJECT.CHILDREN.BASEOBJECT.PROPERTIES.RADIUS"}, "MEDIA/OUTER.LAYOUT",
			"RADIUS:50"},
		{text.Place{Path: "MEDIA/SKILLS.RAW", Node: "skills[1]"}, "MEDIA/SKILLS.RAW.json", "{"},
		{text.Place{Path: "MEDIA/SKILLS.RAW", Node: "skills[1].guid"}, "MEDIA/SKILLS.RAW.json", "guid"},
		{text.Place{Path: "MEDIA/SKILLS.RAW", Node: "skills[9]"}, "MEDIA/SKILLS.RAW.json", "skills"},
		{text.Place{Path: "MEDIA/SKILLS.RAW.json", Node: "skills[1].guid"}, "MEDIA/SKILLS.RAW.json", "guid"},
		{check.File("MEDIA/SKILLS.RAW"), "MEDIA/SKILLS.RAW.json", ""},
		{check.Line{Path: "MEDIA/UI/A.IMAGESET", Line: 4}, "MEDIA/UI/A.IMAGESET", "Image"},
		{text.Within{Place: text.Place{Node: "UNIT.NAME"}, Path: "MEDIA/UNITS/A.DAT"}, "MEDIA/UNITS/A.DAT", "NAME:A"},
		{moddir.Reference{Place: text.Place{Path: "MEDIA/UNITS/A.DAT", Node: "UNIT.B.ICON"}}, "MEDIA/UNITS/A.DAT", "ICON"},
		{check.Span{}, "", ""},
	} {
		l := mod.locate(c.at)[0]
		if l.Path != c.path || (l.Line > 0) != (c.want != "") {
			t.Errorf("%v is at %v", c.at, l)
		} else if l.Line > 0 && !strings.Contains(mod.lines(l.Path)[l.Line-1], c.want) {
			t.Errorf("%v is at %v: %q", c.at, l, mod.lines(l.Path)[l.Line-1])
		}
	}
	places, lines := mod.located()
	found := 0
	for i, l := range lines {
		if l.Path == "" {
			t.Errorf("%v is nowhere", places[i])
		}
		if l.Line > 0 {
			found++
		}
	}
	if found < 5 {
		t.Errorf("of %v only %d have lines", places, found)
	}
	none, err := mod.file.(format.Locator).Locate(t.Context(), mod.tree,
		[]check.Place{text.Place{Path: "MEDIA/UNITS/A.DAT", Node: "UNIT.NAME"}}, func(string) bool { return false })
	if err != nil || none[0] != (check.Line{Path: "MEDIA/UNITS/A.DAT"}) {
		t.Errorf("%v, %v", none, err)
	}

	name := filepath.Join(t.TempDir(), "A.LAYOUT.BINLAYOUT")
	compiled, err := moddir.Compile([]byte(outer), "OUTER.LAYOUT", moddir.Options{})
	if err != nil || os.WriteFile(name, compiled, 0o600) != nil {
		t.Fatal(err)
	}
	single := open(t, name)
	if l := single.locate(text.Place{Object: 5})[0]; l.Path != "A.LAYOUT" ||
		!strings.Contains(strings.Join(single.lines(l.Path)[l.Line-1:l.Line+4], ""), "ID:5") {
		t.Errorf("it is at %v", l)
	}
}

// TestLocateCorpus tests that the places of findings in real mods are at the names that they state.
func TestLocateCorpus(t *testing.T) {
	total, exact := 0, 0
	for _, name := range realMods(t) {
		mod := open(t, name)
		texts := make(map[string][]string)
		places, lines := mod.located()
		for i, l := range lines {
			p, ok := text.Whole(places[i]).(text.Place)
			if !ok || p.Node == "" && p.Object == 0 {
				continue
			}
			total++
			if texts[l.Path] == nil {
				texts[l.Path] = mod.lines(l.Path)
			}
			own := p.Node[strings.LastIndexByte(p.Node, '.')+1:]
			switch {
			case l.Line == 0:
			case p.Node == "" && strings.Contains(texts[l.Path][l.Line-1], "[PROPERTIES]"), strings.Contains(texts[l.Path][l.Line-1], own):
				exact++
			case strings.Contains(p.Node, "["):
				exact++ // a record of a table
			default:
				t.Logf("%v is at %v: %q", p, l, texts[l.Path][l.Line-1])
			}
		}
	}
	if total == 0 || exact*10 < total*9 {
		t.Errorf("%d of %d places are at lines of theirs", exact, total)
	}
	t.Logf("%d of %d places are at lines of theirs", exact, total)
}
