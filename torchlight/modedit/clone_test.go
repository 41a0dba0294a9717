package modedit_test

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"trowel.example/fault"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/modedit"
)

// den is a mod whose files refer to each other.
var den = map[string]string{
	"MEDIA/UNITS/MONSTERS/WOLF.DAT": "[UNIT]\n<STRING>NAME:Old wolf\n<STRING>UNIT_GUID:5\n<INTEGER>LEVEL:10\n" +
		"<STRING>BASEFILE:media/units/base.dat\n<STRING>PET:6\n<STRING>FRIEND:7\n" +
		"<STRING>LAYOUT:media/layouts/den.layout\n<STRING>RESOURCEDIRECTORY:media/models\n<STRING>MESHFILE:wolf\n" +
		"<TRANSLATE>DISPLAYNAME:Wolf\n[EFFECT]\n<FLOAT>MIN:1\n[/EFFECT]\n[/UNIT]",
	"MEDIA/UNITS/MONSTERS/CUB.DAT": "[UNIT]\n<STRING>NAME:cub\n<INTEGER64>UNIT_GUID:6\n" +
		"<STRING>BASEFILE:media/units/monsters/wolf.dat\n[/UNIT]",
	"MEDIA/UNITS/MONSTERS/BEAR.DAT": "[UNIT]\n<STRING>NAME:bear\n<INTEGER64>UNIT_GUID:7\n[/UNIT]",
	"MEDIA/UNITTYPES/WOLVES.DAT":    "[WOLVES]\n<STRING>NAME:WOLVES\n<STRING>CHILD:MONSTER\n[/WOLVES]",
	"MEDIA/STATS/HUNGER.DAT":        "[STAT]\n<STRING>NAME:Hunger\n<INTEGER64>UNIQUE_GUID:8\n[/STAT]",
	"MEDIA/LAYOUTS/DEN.LAYOUT":      "[Layout]\n[OBJECTS]\n[/OBJECTS]\n[/Layout]",
	"MEDIA/LAYOUTS/DEN.MPP":         "grid",
	"MEDIA/MODELS/WOLF.MESH":        "mesh",
	"MEDIA/MODELS/WOLF.MATERIAL":    "material a\n{\n\ttexture wolf.dds\n}\n",
	"MEDIA/MODELS/WOLF.DDS":         "picture",
	"MEDIA/UI/WOLF.IMAGESET":        `<Imageset Name="w" Imagefile="media/models/wolf.dds"/>`,
	"MEDIA/LEVELSETS/ROCKS.DAT": "[LEVELSET]\n[PIECE]\n<INTEGER64>GUID:21\n[/PIECE]\n" +
		"[PIECE]\n<INTEGER64>GUID:22\n[/PIECE]\n[/LEVELSET]",
}

// dens returns editors of the mod in both forms, with a base.
func dens(t *testing.T) map[string]*modedit.Editor {
	t.Helper()
	fsys := make(fstest.MapFS)
	for name, content := range den {
		fsys[name] = &fstest.MapFile{Data: []byte(content)}
	}
	base, err := moddir.SourcesOf(fstest.MapFS{
		"MEDIA/UNITS/BASE.DAT":         {Data: []byte("[UNIT]\n<INTEGER>RARITY:40\n<STRING>UNITTYPE:MONSTER\n[/UNIT]")},
		"MEDIA/UNITS/GAME/RAT.DAT":     {Data: []byte("[UNIT]\n<STRING>NAME:Rat\n<INTEGER64>UNIT_GUID:9\n[/UNIT]")},
		"MEDIA/LAYOUTS/CAVE.LAYOUT":    {Data: []byte(den["MEDIA/LAYOUTS/DEN.LAYOUT"])},
		"MEDIA/UNITS/MONSTERS/CUB.DAT": {Data: []byte("[UNIT]\n<STRING>NAME:not this\n[/UNIT]")},
	}, moddir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := modedit.Options{Base: base}
	folder, err := modedit.OfFolder(fsys, o)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]*modedit.Editor{"folder": folder, "mod": modedit.OfMod(open(t, made(t, den)), o)}
}

// values returns the name of the root of a data file, and the keys of the root and of the nodes in it.
func values(t *testing.T, e *modedit.Editor, path string) (root string, keys map[string]string) {
	t.Helper()
	n, err := e.Tree(path)
	if err != nil {
		t.Fatal(err)
	}
	keys = make(map[string]string)
	for p := range n.Properties() {
		keys[p.Key] = p.Value
	}
	for c := range n.Children() {
		for p := range c.Properties() {
			keys[c.Name+"."+p.Key] = p.Value
		}
	}
	return n.Name, keys
}

// TestClone tests that clones have GUIDs and names of their own, and refer to each other.
func TestClone(t *testing.T) {
	for form, e := range dens(t) {
		n, err := e.Clone("UNITS/MONSTERS/*.DAT", modedit.Cloning{To: "UNITS/PACK/New_{file}_{n}.DAT", Numbers: [2]int{1, 2}})
		if n != 6 || err != nil {
			t.Fatalf("%s: %d %v", form, n, err)
		}
		_, one := values(t, e, "MEDIA/UNITS/PACK/NEW_WOLF_1.DAT")
		_, two := values(t, e, "MEDIA/UNITS/PACK/NEW_WOLF_2.DAT")
		_, cub := values(t, e, "MEDIA/UNITS/PACK/NEW_CUB_1.DAT")
		_, bear := values(t, e, "MEDIA/UNITS/PACK/NEW_BEAR_1.DAT")
		if one["NAME"] != "New_WOLF_1" || two["NAME"] != "New_WOLF_2" || one["LEVEL"] != "10" || one["MESHFILE"] != "wolf" ||
			one["LAYOUT"] != "media/layouts/den.layout" || one["BASEFILE"] != "media/units/base.dat" {
			t.Errorf("%s: %v %v", form, one, two)
		}
		if one["PET"] != cub["UNIT_GUID"] || one["FRIEND"] != bear["UNIT_GUID"] || one["FRIEND"] == two["FRIEND"] ||
			cub["BASEFILE"] != "media/units/pack/new_wolf_1.dat" {
			t.Errorf("%s: references do not lead to the clones: %v %v %v", form, one, two, cub)
		}
		owner := make(map[string]string)
		for _, path := range e.Paths() {
			if !strings.HasPrefix(path, "MEDIA/UNITS/") {
				continue
			}
			_, keys := values(t, e, path)
			if id := keys["UNIT_GUID"]; id == "" || owner[id] != "" {
				t.Errorf("%s: %s has the GUID %q of %q", form, path, id, owner[id])
			}
			owner[keys["UNIT_GUID"]] = path
		}
	}
}

func TestCloneValues(t *testing.T) {
	for form, e := range dens(t) {
		clone := func(files, to string, set, calculate []string) error {
			_, err := e.Clone(files, modedit.Cloning{To: to, Numbers: [2]int{3, 3}, Set: set, Calculate: calculate})
			return err
		}
		for _, err := range []error{
			clone("UNITS/MONSTERS/WOLF.DAT", "{NAME}.dat", []string{"NAME=The {DISPLAYNAME} {n}", "EFFECT.MIN=2.50", "UNITTYPE={UNITTYPE}S"},
				[]string{"LEVEL=max(LEVEL, n)+n*100", "RARITY=RARITY/3"}),
			clone("MEDIA/UNITTYPES/WOLVES.DAT", "Foxes", nil, nil),
			clone("STATS/HUNGER.DAT", "Thirst", nil, nil),
			clone("LEVELSETS/ROCKS.DAT", "STONES", nil, nil),
			clone("LAYOUTS/DEN.LAYOUT", "lair.layout", nil, nil),
			clone("LAYOUTS/CAVE.LAYOUT", "LAYOUTS/NEW/CAVE", nil, nil),
			clone("MODELS/WOLF.*", "FOX", nil, nil),
			clone("UI/WOLF.IMAGESET", "FOX", nil, nil),
			clone("UNITS/GAME/RAT.DAT", "UNITS/MONSTERS/{file}{n}", nil, nil),
		} {
			if err != nil {
				t.Fatalf("%s: %v", form, err)
			}
		}
		_, wolf := values(t, e, "MEDIA/UNITS/MONSTERS/OLD WOLF.DAT")
		if wolf["NAME"] != "The Wolf 3" || wolf["EFFECT.MIN"] != "2.5" || wolf["LEVEL"] != "310" || wolf["RARITY"] != "13" ||
			wolf["UNITTYPE"] != "MONSTERS" {
			t.Errorf("%s: %v", form, wolf)
		}
		if root, keys := values(t, e, "MEDIA/UNITTYPES/FOXES.DAT"); root != "FOXES" || keys["NAME"] != "Foxes" {
			t.Errorf("%s: %s %v", form, root, keys)
		}
		if _, keys := values(t, e, "MEDIA/STATS/THIRST.DAT"); keys["UNIQUE_GUID"] == "8" || keys["NAME"] != "Thirst" {
			t.Errorf("%s: %v", form, keys)
		}
		stones, err := e.Tree("MEDIA/LEVELSETS/STONES.DAT")
		if err != nil || strings.Contains(outline(stones), ":21]") || strings.Contains(outline(stones), ":22]") {
			t.Errorf("%s: %v", form, err)
		}
		if _, keys := values(t, e, "MEDIA/UNITS/MONSTERS/RAT3.DAT"); keys["NAME"] != "RAT3" || keys["UNIT_GUID"] == "9" {
			t.Errorf("%s: %v", form, keys)
		}
		for path, want := range map[string]string{"MEDIA/LAYOUTS/LAIR.MPP": "grid", "MEDIA/LAYOUTS/LAIR.LAYOUT": "",
			"MEDIA/LAYOUTS/NEW/CAVE.LAYOUT": "", "MEDIA/MODELS/FOX.MATERIAL": "texture FOX.dds", "MEDIA/MODELS/FOX.DDS": "picture",
			"MEDIA/UI/FOX.IMAGESET": "wolf.dds"} {
			if data, err := e.Content(path); err != nil || !bytes.Contains(bytes.ToLower(data), []byte(strings.ToLower(want))) {
				t.Errorf("%s: %s: %s %v", form, path, data, err)
			}
		}
		if _, err := e.Content("MEDIA/LAYOUTS/NEW/CAVE.MPP"); err == nil {
			t.Errorf("%s: a grid that does not exist was cloned", form)
		}
		if form == "folder" {
			written := make(map[string]string)
			if err := e.WriteFolder(func(at string, content io.Reader, _ time.Time) error {
				data, err := io.ReadAll(content)
				written[at] = string(data)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			if s := written["MEDIA/UNITS/MONSTERS/RAT3.DAT"]; !strings.Contains(s, "<STRING>NAME:RAT3") {
				t.Errorf("%q in %v", s, slices.Sorted(maps.Keys(written)))
			}
		}
	}
}

// TestCloneErrors tests that an impossible clone changes nothing.
// TestDerive tests new units that inherit from others, also of the game and without a GUID.
func TestDerive(t *testing.T) {
	for form, e := range dens(t) {
		for original, c := range map[string]struct {
			to   string
			want map[string]string
		}{
			"UNITS/MONSTERS/WOLF.DAT": {"White_Wolf", map[string]string{"BASEFILE": "media/units/monsters/wolf.dat", "NAME": "White_Wolf",
				"DISPLAYNAME": "Wolf of MONSTER", "LEVEL": "15"}},
			"UNITS/BASE.DAT": {"UNITS/New.DAT", map[string]string{"BASEFILE": "media/units/base.dat", "NAME": "New", "RARITY": "41"}},
		} {
			o := modedit.Cloning{To: c.to, Numbers: [2]int{1, 1}, Derive: true, Calculate: []string{"RARITY=RARITY+1"}}
			if c.want["LEVEL"] != "" {
				o.Set, o.Calculate = []string{"DISPLAYNAME={DISPLAYNAME} of {UNITTYPE}"}, []string{"LEVEL=LEVEL+5"}
			}
			if n, err := e.Clone(original, o); n != 1 || err != nil {
				t.Fatalf("%s: %s: %d %v", form, original, n, err)
			}
			path := "MEDIA/UNITS/MONSTERS/WHITE_WOLF.DAT"
			if strings.Contains(c.to, "/") {
				path = "MEDIA/UNITS/NEW.DAT"
			}
			root, got := values(t, e, path)
			if id := got["UNIT_GUID"]; len(id) < 5 {
				t.Errorf("%s: %s has the GUID %q", form, path, id)
			}
			if delete(got, "UNIT_GUID"); root != "UNIT" || !maps.Equal(got, c.want) {
				t.Errorf("%s: [%s] %v, want %v", form, root, got, c.want)
			}
		}
	}
}

func TestCloneErrors(t *testing.T) {
	const wolf = "UNITS/MONSTERS/WOLF.DAT"
	for form, e := range dens(t) {
		before := len(e.Paths())
		for want, c := range map[string]struct {
			files string
			c     modedit.Cloning
		}{
			"MEDIA/UNITS/MONSTERS/BEAR.DAT: already exists": {wolf, modedit.Cloning{To: "bear.dat"}},
			"write {file} or {n} into its name":             {wolf, modedit.Cloning{To: "x", Numbers: [2]int{0, 1}}},
			"would be the clone of":                         {"UNITS/MONSTERS/*.DAT", modedit.Cloning{To: "x"}},
			"not the path of a file below MEDIA/":           {wolf, modedit.Cloning{To: "../../../x"}},
			"MEDIA/UNITS/MONSTERS/.DAT: not the path":       {wolf, modedit.Cloning{To: ".dat"}},
			"cannot be called x.layout":                     {wolf, modedit.Cloning{To: "x.layout"}},
			"a brace is not closed":                         {wolf, modedit.Cloning{To: "x{n"}},
			"{NONE}: expected {file}, {n} or a key":         {wolf, modedit.Cloning{To: "x", Set: []string{"NAME={NONE}"}}},
			`"NAME": expected KEY=TEXT`:                     {wolf, modedit.Cloning{To: "x", Set: []string{"NAME"}}},
			`"=5": expected KEY=EXPRESSION`:                 {wolf, modedit.Cloning{To: "x", Calculate: []string{"=5"}}},
			"LEVEL: line 1, column 3: expected a number":    {wolf, modedit.Cloning{To: "x", Calculate: []string{"LEVEL=1+"}}},
			"LEVEL: line 1, column 1: no key NONE":          {wolf, modedit.Cloning{To: "x", Calculate: []string{"LEVEL=NONE"}}},
			"LEVEL: x is not a valid INTEGER":               {wolf, modedit.Cloning{To: "x", Set: []string{"LEVEL=x"}}},
			"only files of units (.DAT below MEDIA/UNITS)":  {"STATS/HUNGER.DAT", modedit.Cloning{To: "UNITS/X.DAT", Derive: true}},
			"MAGIC: no key of this name":                    {wolf, modedit.Cloning{To: "x", Set: []string{"MAGIC=5"}}},
			`no file "UNITS/NONE.DAT"`:                      {"UNITS/NONE.DAT", modedit.Cloning{To: "x"}},
			"expected 1 to 1000000 clones, not 0":           {wolf, modedit.Cloning{To: "x", Numbers: [2]int{1, 0}}},
			"expected 1 to 1000000 clones, not 3000000":     {"UNITS/MONSTERS/*.DAT", modedit.Cloning{To: "{n}", Numbers: [2]int{1, 1000000}}},
		} {
			if _, err := e.Clone(c.files, c.c); err == nil || !strings.Contains(err.Error(), want) || len(e.Paths()) != before {
				t.Errorf("%s: %v, want %s", form, err, want)
			}
		}
	}
	if _, err := modedit.OfFile("A.DAT", []byte(unit), modedit.Options{}).Clone("**", modedit.Cloning{To: "B"}); err == nil {
		t.Error("a single file was cloned")
	}
}

// TestCorpusClone tests clones, calculated values and copied nodes of real mods: check finds nothing new, and removing the clones
// gives the files of before.
func TestCorpusClone(t *testing.T) {
	for name, data := range realMods(t) {
		got, changes, missed := edit(t, data, func(e *modedit.Editor) error {
			if _, err := e.Clone("MEDIA/**/*.DAT", modedit.Cloning{To: "NEW {file} {n}", Numbers: [2]int{1, 2}}); err != nil {
				return err
			}
			if _, err := e.SetExpression("MEDIA/UNITS/**/NEW *", "LEVEL", "round(LEVEL*0.8)", modedit.Choice{}); err != nil {
				var missing *fault.NameError
				if !errors.As(err, &missing) { // a mod without units
					return err
				}
			}
			_, err := e.CopyNodes("MEDIA/**/NEW *", "COPY", "", "", modedit.Choice{Node: "EFFECT"})
			return err
		})
		sane(t, name, data, got, changes)
		for _, m := range missed {
			t.Errorf("%s: %s", name, m)
		}
		back, _, _ := edit(t, got, func(e *modedit.Editor) error { return e.Delete("MEDIA/**/NEW * ?.DAT") })
		for path := range changed(t, data, back) {
			t.Errorf("%s: %s differs after the clones were deleted", name, path)
		}
	}
}

// TestNewGUIDsOfGame tests that a new GUID is not one of the game.
func TestNewGUIDsOfGame(t *testing.T) {
	const name = "MEDIA/UNITS/A.DAT"
	data := made(t, map[string]string{name: "[UNIT]\n<INTEGER64>UNIT_GUID:5\n[/UNIT]"})
	guid := func(base moddir.Files) string {
		e := modedit.OfMod(open(t, data), modedit.Options{Base: base})
		if n, err := e.NewGUIDs("**"); n != 1 || err != nil {
			t.Fatal(n, err)
		}
		_, keys := values(t, e, name)
		return keys["UNIT_GUID"]
	}
	first := guid(nil)
	base, err := moddir.SourcesOf(fstest.MapFS{"MEDIA/UNITS/RAT.DAT": {Data: []byte("[UNIT]\n<INTEGER64>UNIT_GUID:" + first + "\n[/UNIT]")}},
		moddir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if second := guid(base); first == "5" || second == "5" || second == first {
		t.Errorf("%s, and %s where the game has that", first, second)
	}
}
