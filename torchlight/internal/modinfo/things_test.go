package modinfo_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"trowel.example/fault"
	"trowel.example/torchlight/internal/modinfo"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/modedit"
)

// editor returns an editor of a mod with some files.
func editor(t *testing.T, files map[string]string) *modedit.Editor {
	t.Helper()
	fsys := fstest.MapFS{"MOD.DAT": {Data: []byte("[MOD]\n[/MOD]\n")}}
	for name, content := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(content)}
	}
	e, err := modedit.OfFolder(fsys, modedit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestThings tests that things have the values of their base files, that files of other kinds are no things, and that a
// base file that is missing is named once.
func TestThings(t *testing.T) {
	e := editor(t, map[string]string{
		"MEDIA/UNITS/ITEMS/A.DAT": "[UNIT]\n<STRING>BASEFILE:media/units/items/base.dat\n<INTEGER>LEVEL:2\n" +
			"[AFFIXES]\n<STRING>AFFIX:RAGE\n[/AFFIXES]\n[/UNIT]\n",
		"MEDIA/UNITS/ITEMS/BASE.DAT": "[UNIT]\n<STRING>BASEFILE:media/units/items/none.dat\n<INTEGER>DAMAGE:70\n<INTEGER>LEVEL:1\n" +
			"[AFFIXES]\n<STRING>AFFIX:GLOW\n[/AFFIXES]\n[/UNIT]\n",
		"MEDIA/UNITS/MONSTERS/M.DAT": "[UNIT]\n<INTEGER>LEVEL:3\n[/UNIT]\n",
	})
	var got []string
	missing, err := modinfo.Things(t.Context(), e, modedit.Items, func(thing modinfo.Thing) error {
		got = append(got, thing.File+" "+thing.Get("LEVEL")+" "+thing.Get("DAMAGE")+" "+thing.Node().Property("AFFIXES.AFFIX").Value)
		return nil
	})
	if want := "MEDIA/UNITS/ITEMS/A.DAT 2 70 RAGE, GLOW,MEDIA/UNITS/ITEMS/BASE.DAT 1 70 GLOW"; err != nil || strings.Join(got, ",") != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	if len(missing) != 1 || missing[0] != "MEDIA/UNITS/ITEMS/NONE.DAT" {
		t.Errorf("missing: %q", missing)
	}
	var name *fault.NameError
	if _, err := modinfo.ThingIn(e, "MEDIA/UNITS/ITEMS/B.DAT"); !errors.As(err, &name) {
		t.Errorf("a file that does not exist: %v", err)
	}
}

// TestIcons tests that sprites are found by their names without case, the first one first.
func TestIcons(t *testing.T) {
	e := editor(t, map[string]string{
		"MEDIA/UI/A.IMAGESET": `<Imageset Name="a" Imagefile="media/ui/a.dds">` +
			`<Image Name="Sword" XPos="1" YPos="2" Width="3" Height="4"/></Imageset>`,
		"MEDIA/UI/B.IMAGESET": `<Imageset Name="b" Imagefile="media/ui/b.dds">` +
			`<Image Name="SWORD" XPos="9" YPos="9" Width="9" Height="9"/></Imageset>`,
	})
	base, err := moddir.SourcesOf(fstest.MapFS{
		"MEDIA/UI/GAME.IMAGESET": {Data: []byte(`<Imageset Name="g" Imagefile="media\ui\g.dds">` +
			`<Image Name="sword" XPos="0" YPos="0" Width="1" Height="1"/><Image Name="Bow" XPos="5" YPos="6" Width="7" Height="8"/></Imageset>`)},
	}, moddir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, game := range []moddir.Files{nil, base} {
		e.Base = game
		icons, err := modinfo.NewIcons(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		bow, has := icons.Find("bow")
		if has != (game != nil) || has && (bow.File != "MEDIA/UI/G.DDS" || bow.Rect.String() != "(5,6)-(12,14)") {
			t.Errorf("an icon of the game: %v, %v", bow, has)
		}
		if i, _ := icons.Find("sWord"); i.File != "MEDIA/UI/A.DDS" || i.Rect.String() != "(1,2)-(4,6)" {
			t.Errorf("an icon of the mod: %v", i)
		}
		if i, has := icons.Find(""); has {
			t.Errorf("an icon without a name: %v", i)
		}
	}
}
