package modedit_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"trowel.example/fault"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/modedit"
)

// hoard is a mod with items.
var hoard = map[string]string{
	"MEDIA/UNITS/ITEMS/RINGS/BAND.DAT": "[UNIT]\n<STRING>NAME:Old Band\n<INTEGER64>UNIT_GUID:5\n<INTEGER>LEVEL:10\n" +
		"<TRANSLATE>DISPLAYNAME:Band\n[EFFECT]\n<FLOAT>MIN:1\n[/EFFECT]\n[/UNIT]",
	"MEDIA/UNITS/ITEMS/RINGS/PLAIN.DAT": "[UNIT]\n<STRING>NAME:PLAIN\n<INTEGER64>UNIT_GUID:6\n<STRING>SET:\n[/UNIT]",
	"MEDIA/UNITS/ITEMS/SWORDS/EDGE.DAT": "[UNIT]\n<STRING>NAME:EDGE\n<STRING>SET:BLADES\n[/UNIT]",
	"MEDIA/UNITS/ITEMS/SWORDS/TWIN.DAT": "[UNIT]\n<STRING>NAME:TWIN\n[/UNIT]",
	"MEDIA/UNITS/ITEMS/AXES/TWIN.DAT":   "[UNIT]\n<STRING>NAME:TWIN\n[/UNIT]",
	"MEDIA/UNITS/MONSTERS/WOLF.DAT":     "[UNIT]\n<STRING>NAME:WOLF\n[/UNIT]",
	"MEDIA/SETS/OTHER.DAT":              "[SET]\n<STRING>NAME:Blades\n[/SET]",
}

// hoards returns editors of the mod in both forms, with a base.
func hoards(t *testing.T) map[string]*modedit.Editor {
	t.Helper()
	fsys := make(fstest.MapFS)
	for name, content := range hoard {
		fsys[name] = &fstest.MapFile{Data: []byte(content)}
	}
	base, err := moddir.SourcesOf(fstest.MapFS{
		"MEDIA/UNITS/ITEMS/HELMS/CROWN.DAT": {Data: []byte("[UNIT]\n<STRING>NAME:The Crown\n<INTEGER64>UNIT_GUID:9\n" +
			"<TRANSLATE>DISPLAYNAME:Crown\n<INTEGER>LEVEL:40\n[/UNIT]")},
		"MEDIA/SETS/ROYAL.DAT": {Data: []byte("[SET]\n<STRING>NAME:ROYAL\n[/SET]")},
	}, moddir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := modedit.Options{Base: base}
	folder, err := modedit.OfFolder(fsys, o)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]*modedit.Editor{"folder": folder, "mod": modedit.OfMod(open(t, made(t, hoard)), o)}
}

// TestNewItem tests that a new item inherits from the one that it is like, wherever that is and however it is named.
func TestNewItem(t *testing.T) {
	for form, e := range hoards(t) {
		for _, test := range []struct{ name, like, path, base, shown, level string }{
			{"FROST_RING", "old band", "RINGS/FROST_RING.DAT", "rings/band.dat", "Frost Ring", ""},
			{"Ice-9", "Band", "RINGS/ICE-9.DAT", "rings/band.dat", "Ice 9", ""},
			{"TIARA", "the crown", "HELMS/TIARA.DAT", "helms/crown.dat", "Tiara", ""},
			{"UNITS/ITEMS/MINE/CIRCLET", "units/items/helms/crown", "MINE/CIRCLET.DAT", "helms/crown.dat", "Circlet", ""},
			{"NAMELESS", "plain.dat", "RINGS/NAMELESS.DAT", "rings/plain.dat", "", ""},
		} {
			if err := e.NewItem(test.name, test.like, nil, nil); err != nil {
				t.Errorf("%s: %s: %v", form, test.name, err)
				continue
			}
			_, keys := values(t, e, "MEDIA/UNITS/ITEMS/"+test.path)
			if keys["BASEFILE"] != "media/units/items/"+test.base || keys["DISPLAYNAME"] != test.shown || keys["UNIT_GUID"] == "" {
				t.Errorf("%s: %s: %v", form, test.name, keys)
			}
		}
		if err := e.NewItem("LAST", "BAND", []string{"displayname=The {DISPLAYNAME}"}, []string{"LEVEL=LEVEL+2"}); err != nil {
			t.Fatal(err)
		}
		_, keys := values(t, e, "MEDIA/UNITS/ITEMS/RINGS/LAST.DAT")
		if keys["DISPLAYNAME"] != "The Band" || keys["LEVEL"] != "12" || keys["NAME"] != "LAST" {
			t.Errorf("%s: %v", form, keys)
		}
	}
}

// TestNewItemRefuses tests that a wrong name adds nothing.
func TestNewItemRefuses(t *testing.T) {
	for form, e := range hoards(t) {
		before := len(e.Paths())
		for _, test := range []struct{ name, like, want string }{
			{"A", "TWIN", "several items have this name"},
			{"A", "WOLF", `no item "WOLF"`},
			{"A", "UNITS/MONSTERS/WOLF.DAT", "no item"},
			{"Old Band", "BAND", "expected a name of letters"},
			{"Ö", "BAND", "expected a name of letters"},
			{"", "BAND", "expected a name of letters"},
			{"PLAIN", "BAND", "is already the NAME of MEDIA/UNITS/ITEMS/RINGS/PLAIN.DAT"},
			{"UNITS/MONSTERS/../../../A", "BAND", "not the path of a file"},
		} {
			if err := e.NewItem(test.name, test.like, nil, nil); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: %q like %q: %v, expected %q", form, test.name, test.like, err, test.want)
			}
		}
		err := e.NewItem("A", "BANDD", nil, nil)
		if missing, ok := errors.AsType[*fault.NameError](err); !ok || len(missing.Names) != 5 {
			t.Errorf("%s: %#v", form, err)
		}
		if n := len(e.Paths()); n != before {
			t.Errorf("%s: %d files became %d", form, before, n)
		}
	}
}

// TestNewSet tests that the members of a new set get its name, and keep everything else.
func TestNewSet(t *testing.T) {
	for form, e := range hoards(t) {
		if err := e.NewItem("HEIR", "BAND", nil, nil); err != nil {
			t.Fatal(err)
		}
		bonuses := []modedit.SetBonus{{Count: 2, Affix: "GLOW"}}
		if err := e.NewSet("Frost_Set", "", []string{"BAND", "HEIR", "RINGS/../PLAIN", "PLAIN"}, bonuses); err == nil {
			t.Errorf("%s: a member that does not exist is accepted", form)
		}
		if err := e.NewSet("Frost_Set", "", []string{"BAND", "HEIR", "PLAIN"}, bonuses); err != nil {
			t.Fatalf("%s: %v", form, err)
		}
		root, keys := values(t, e, "MEDIA/SETS/FROST_SET.DAT")
		if root != "SET" || keys["NAME"] != "FROST_SET" || keys["DISPLAYNAME"] != "Frost Set" ||
			keys["AFFIX.COUNT"] != "2" || keys["AFFIX.AFFIX"] != "GLOW" {
			t.Errorf("%s: %s %v", form, root, keys)
		}
		for path, want := range map[string]string{"BAND": "10", "HEIR": "", "PLAIN": ""} {
			_, keys := values(t, e, "MEDIA/UNITS/ITEMS/RINGS/"+path+".DAT")
			if keys["SET"] != "FROST_SET" || keys["LEVEL"] != want {
				t.Errorf("%s: %s: %v", form, path, keys)
			}
		}
		if err := e.NewItem("GRANDCHILD", "HEIR", nil, nil); err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct{ name, member, want string }{
			{"BLADES", "BAND", "is already a set, in MEDIA/SETS/OTHER.DAT"},
			{"ROYAL", "BAND", "is already a set, in MEDIA/SETS/ROYAL.DAT"},
			{"OTHER", "BAND", "MEDIA/SETS/OTHER.DAT: already exists"},
			{"MINE", "EDGE", "already belongs to the set BLADES"},
			{"MINE", "GRANDCHILD", "already belongs to the set FROST_SET"},
			{"MINE", "CROWN", "is an item of the game"},
			{"A B", "BAND", "expected a name of letters"},
		} {
			if err := e.NewSet(test.name, "", []string{test.member}, nil); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: %s with %s: %v, expected %q", form, test.name, test.member, err, test.want)
			}
		}
	}
}

// TestParseSetBonus tests which bonuses are accepted.
func TestParseSetBonus(t *testing.T) {
	if b, err := modedit.ParseSetBonus("3=A B"); err != nil || b != (modedit.SetBonus{Count: 3, Affix: "A B"}) {
		t.Error(b, err)
	}
	for _, s := range []string{"", "2", "2=", "0=A", "-1=A", "x=A", "300=A", "2=A\nB"} {
		if _, err := modedit.ParseSetBonus(s); err == nil {
			t.Errorf("%q is accepted", s)
		}
	}
}

// TestNewWritesOnlyNew tests that adding to a folder changes no other file.
func TestNewWritesOnlyNew(t *testing.T) {
	e := hoards(t)["folder"]
	if err := e.NewItem("FROST_RING", "BAND", nil, nil); err != nil {
		t.Fatal(err)
	}
	var changed []string
	if err := e.WriteFolder(func(at string, content io.Reader, _ time.Time) error {
		if data, err := io.ReadAll(content); err != nil || string(data) != hoard[at] {
			changed = append(changed, at)
		}
		return nil
	}); err != nil || len(changed) != 1 || !strings.EqualFold(changed[0], "MEDIA/UNITS/ITEMS/RINGS/FROST_RING.DAT") {
		t.Error(changed, err)
	}
}
