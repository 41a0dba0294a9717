package modinfo_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/fstest"

	"trowel.example/fault"
	"trowel.example/torchlight/hash"
	"trowel.example/torchlight/internal/modinfo"
	"trowel.example/torchlight/modedit"
	"trowel.example/torchlight/text"
)

// folder returns an editor of the folder of a mod.
func folder(t testing.TB, miss func(path, message string)) *modedit.Editor {
	t.Helper()
	files := fstest.MapFS{}
	for name, content := range map[string]string{
		"MEDIA/UNITS/MONSTERS/WOLF.DAT": "[UNIT]\n\t<STRING>NAME:Wolf\n\t<INTEGER>LEVEL:10\n" +
			"\t<INTEGER64>UNIT_GUID:-77\n\t<STRING>ICON:media\\ui\\wolf.dds\n\t[LEVEL1]\n\t\t<INTEGER>LEVEL:3\n" +
			"\t[/LEVEL1]\n[/UNIT]\n",
		"MEDIA/UNITS/ITEMS/CLAW.DAT": "[UNIT]\n\t<STRING>NAME:Claw\n\t<STRING>DROPPED_BY:-77\n" +
			"\t<STRING>MESHFILE:media/models/claw.mesh\n[/UNIT]\n",
		"MEDIA/MODELS/CLAW.MATERIAL":   "material CLAW\n{\n\ttexture MEDIA/UI/WOLF.DDS\n}\n",
		"MEDIA/UI/WOLF.DDS":            "DDS ",
		"MEDIA/UNITS/ITEMS/BROKEN.DAT": "[UNIT]\n\t<STRING>NAME\n[/UNIT]\n",
		"MEDIA/LAYOUTS/A.LAYOUT": "[Layout]\n\t[OBJECTS]\n\t\t[BASEOBJECT]\n\t\t\t[PROPERTIES]\n" +
			"\t\t\t\t<STRING>DESCRIPTOR:Monster\n\t\t\t\t<STRING>NAME:Guard\n\t\t\t\t<INTEGER64>ID:12\n" +
			"\t\t\t\t<FLOAT>POSITIONX:1.5\n\t\t\t[/PROPERTIES]\n\t\t[/BASEOBJECT]\n\t[/OBJECTS]\n[/Layout]\n",
		"MEDIA/LAYOUTS/NOTES/README.TXT": "LEVEL",
	} {
		files[name] = &fstest.MapFile{Data: []byte(content)}
	}
	e, err := modedit.OfFolder(files, modedit.Options{Miss: miss})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestFind(t *testing.T) {
	missed := 0
	e := folder(t, func(path, _ string) {
		if path != "MEDIA/UNITS/ITEMS/BROKEN.DAT" {
			t.Error(path)
		}
		missed++
	})
	var got []string
	note := func(k modinfo.Key) error {
		got = append(got, fmt.Sprintf("%s %v %s=%s", k.File, k.At, k.Key, k.Value))
		return nil
	}
	ctx := t.Context()
	level := modinfo.MatchKey("lev*")
	for _, name := range []string{"Hidden", "HIDDEN=5", hash.Escape(hash.Of("HIDDEN")), fmt.Sprintf("UNK_%08X", hash.Of("HIDDEN"))} {
		if !modinfo.MatchKey(name)(&text.Property{Key: hash.Escape(hash.Of("HIDDEN")), Value: "5"}) {
			t.Errorf("%s does not match the escape of its hash", name)
		}
	}
	for name, c := range map[string]struct {
		find func() error
		want []string
	}{
		"keys": {func() error { return modinfo.Keys(ctx, e, modinfo.Where{}, level, note) },
			[]string{"MEDIA/UNITS/MONSTERS/WOLF.DAT UNIT.LEVEL LEVEL=10", "MEDIA/UNITS/MONSTERS/WOLF.DAT UNIT.LEVEL1.LEVEL LEVEL=3"}},
		"key and value": {func() error { return modinfo.Keys(ctx, e, modinfo.Where{}, modinfo.MatchKey("lev*=1?"), note) },
			[]string{"MEDIA/UNITS/MONSTERS/WOLF.DAT UNIT.LEVEL LEVEL=10"}},
		"files": {func() error { return modinfo.Keys(ctx, e, modinfo.Where{Files: "UNITS/ITEMS/*"}, level, note) }, nil},
		"node": {func() error {
			return modinfo.Keys(ctx, e, modinfo.Where{Choice: modedit.Choice{Node: "LEVEL1", Where: []string{"NAME=Wolf"}}}, level, note)
		}, []string{"MEDIA/UNITS/MONSTERS/WOLF.DAT UNIT.LEVEL1.LEVEL LEVEL=3"}},
		"guid": {func() error {
			return modinfo.GUIDs(ctx, e, -77, func(k modinfo.Key, own bool) error { k.Value = fmt.Sprint(own); return note(k) })
		}, []string{"MEDIA/UNITS/ITEMS/CLAW.DAT UNIT.DROPPED_BY DROPPED_BY=false",
			"MEDIA/UNITS/MONSTERS/WOLF.DAT UNIT.UNIT_GUID UNIT_GUID=true"}},
		"references": {func() error { return modinfo.References(ctx, e, "MEDIA/**/*.dds", note) },
			[]string{`MEDIA/UNITS/MONSTERS/WOLF.DAT UNIT.ICON ICON=media\ui\wolf.dds`,
				"MEDIA/MODELS/CLAW.MATERIAL 3 texture=MEDIA/UI/WOLF.DDS"}},
		"by name": {func() error { return modinfo.References(ctx, e, "claw.MESH", note) },
			[]string{"MEDIA/UNITS/ITEMS/CLAW.DAT UNIT.MESHFILE MESHFILE=media/models/claw.mesh"}},
		"one folder": {func() error { return modinfo.References(ctx, e, "MEDIA/*.dds", note) }, nil},
	} {
		got, missed = nil, 0
		if err := c.find(); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
		if missed != 1 {
			t.Errorf("%s: %d files are reported as unreadable, want 1", name, missed)
		}
	}
	var objects []modinfo.Object
	if err := modinfo.Objects(ctx, e, modinfo.Where{}, "mon*", "", func(o modinfo.Object) error {
		objects = append(objects, o)
		return nil
	}); err != nil || len(objects) != 1 || objects[0].Name != "Guard" || objects[0].ID != 12 || objects[0].X != 1.5 ||
		objects[0].At.Object != 12 {
		t.Errorf("%+v, %v", objects, err)
	}
	enough := errors.New("enough")
	if err := modinfo.Keys(ctx, e, modinfo.Where{}, level, func(modinfo.Key) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("%v", err)
	}
}

func TestCheckName(t *testing.T) {
	e := folder(t, nil)
	for pattern, missing := range map[string]bool{"*wolf.dat": false, "wolf": true, "media/ui/*.DDS": true} {
		err := modinfo.CheckName("file", pattern, func(yield func(string)) error {
			return modinfo.Files(t.Context(), e, "UNITS/**", func(path string, size int64) error {
				yield(path)
				if size == 0 {
					t.Errorf("%s has size 0", path)
				}
				return nil
			})
		})
		names := fault.NameErrors(err)
		if missing != (len(names) == 1) {
			t.Errorf("%s: %v", pattern, err)
		}
		if len(names) == 1 && len(names[0].Names) != 3 {
			t.Errorf("%s: %q", pattern, names[0].Names)
		}
	}
}

// TestOwnsGUID tests that keys that define a GUID are distinguished from keys that refer to one, in any case.
func TestOwnsGUID(t *testing.T) {
	for key, want := range map[string]bool{"UNIT_GUID": true, "UNIQUE_GUID": true, "unique_guid": true, "GUID": true,
		"OWNER_GUID": false, "DROPPED_BY": false, "": false} {
		if got := modinfo.OwnsGUID(key); got != want {
			t.Errorf("%q: %v", key, got)
		}
	}
}

func ExampleKeys() {
	wolf := "[UNIT]\n\t<STRING>NAME:Wolf\n\t<INTEGER>LEVEL:10\n[/UNIT]\n"
	e := modedit.OfFile("MEDIA/UNITS/MONSTERS/WOLF.DAT", []byte(wolf), modedit.Options{})
	err := modinfo.Keys(context.Background(), e, modinfo.Where{},
		func(p *text.Property) bool { return p.Key == "LEVEL" }, func(k modinfo.Key) error {
			fmt.Println(k.File, k.At, k.Value)
			return nil
		})
	if err != nil {
		fmt.Println(err)
	}
	// Output: MEDIA/UNITS/MONSTERS/WOLF.DAT UNIT.LEVEL 10
}
