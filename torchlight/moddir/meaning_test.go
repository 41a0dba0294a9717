package moddir_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/torchlight/internal/hole"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
)

// opened builds a mod and opens it.
func opened(t *testing.T, files map[string]string) *mod.Mod {
	t.Helper()
	data := build(t, sources(t, files), moddir.BuildOptions{Tables: true})
	m, err := mod.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// object returns a layout with an object that has a property.
func object(kind, property string) string {
	return "[Layout]\n[OBJECTS]\n[BASEOBJECT]\n[PROPERTIES]\n<STRING>DESCRIPTOR:" + kind + "\n<STRING>NAME:o\n<INTEGER64>ID:5\n" + property +
		"\n[/PROPERTIES]\n[/BASEOBJECT]\n[/OBJECTS]\n[/Layout]"
}

// TestCheckMeaning tests that each of the findings about meaning is reported for a file that has it, and not for one that has
// not, and that names of the game are looked up only if its files are given.
func TestCheckMeaning(t *testing.T) {
	base, err := moddir.SourcesOf(sources(t, map[string]string{
		"MEDIA/AFFIXES/A.DAT":           "[AFFIX]\n<STRING>NAME:GAME_AFFIX\n[EFFECT]\n<STRING>TYPE:KNOCK BACK EFFECT\n[/EFFECT]\n[/AFFIX]",
		"MEDIA/EFFECTSLIST.DAT":         "[EFFECTS]\n[EFFECT]\n<STRING>EFFECT:Knock Back Effect\n<STRING>NAME:KNOCKBACK\n[/EFFECT]\n[/EFFECTS]",
		"MEDIA/SKILLS/A.DAT":            "[SKILL]\n<STRING>NAME:Game Skill Number One\n[/SKILL]",
		"MEDIA/UNITTYPES/A.DAT":         "[WOLVES]\n<STRING>NAME:WOLVES\n[/WOLVES]",
		"MEDIA/SPAWNCLASSES/A.DAT":      "[SPAWNCLASS]\n<STRING>NAME:CAVES\n[/SPAWNCLASS]",
		"MEDIA/SPAWNCLASSES/B.DAT":      "[SPAWNCLASS]\n<STRING>NAME:DEEP\n[OBJECT]\n<STRING>SPAWNCLASS:SHALLOW\n[/OBJECT]\n[/SPAWNCLASS]\n",
		"MEDIA/SPAWNCLASSES/C.DAT":      "[SPAWNCLASS]\n<STRING>NAME:OLD\n[OBJECT]\n<STRING>SPAWNCLASS:OLD\n[/OBJECT]\n[/SPAWNCLASS]\n",
		"MEDIA/UNITS/MONSTERS/BASE.DAT": "[UNIT]\n<STRING>NAME:Game Wolf\n[/UNIT]",
		"MEDIA/UNITS/MONSTERS/OLD.DAT":  "[UNIT]\n<STRING>NAME:Old Wolf\n<BOOL>DONTCREATE:true\n[/UNIT]",
		"MEDIA/UNITS/ITEMS/A.DAT":       "[UNIT]\n<STRING>NAME:Game Hat\n<STRING>SET:Hats\n[/UNIT]",
		"MEDIA/SETS/A.DAT":              "[SET]\n<STRING>NAME:HATS\n[/SET]",
		"MEDIA/RECIPES/A.DAT":           "[RECIPE]\n<STRING>NAME:R\n<INTEGER64>GUID:8\n[/RECIPE]",
		"MEDIA/GRAPHS/A.DAT":            allGraphs(),
		"MEDIA/MODELS/WOLF.MESH":        "mesh",
		"MEDIA/MODELS/FUR/BROWN.DDS":    "DDS ",
	}), moddir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const monster, affix, skill, dungeon, unitType, level = "MEDIA/UNITS/MONSTERS/X.DAT", "MEDIA/AFFIXES/X.DAT", "MEDIA/SKILLS/X.DAT",
		"MEDIA/DUNGEONS/X.DAT", "MEDIA/UNITTYPES/X.DAT", "MEDIA/LAYOUTS/X.LAYOUT"
	unit := func(s string) string { return "[UNIT]\n<STRING>NAME:x\n<INTEGER64>UNIT_GUID:1\n" + s + "\n[/UNIT]" }
	const classFile, recipeFile, hat = "MEDIA/SPAWNCLASSES/X.DAT", "MEDIA/RECIPES/X.DAT", "MEDIA/UNITS/ITEMS/X.DAT"
	class := func(name string, entries ...string) string {
		return "[SPAWNCLASS]\n<STRING>NAME:" + name + "\n[OBJECT]\n<STRING>" + strings.Join(entries, "\n[/OBJECT]\n[OBJECT]\n<STRING>") +
			"\n[/OBJECT]\n[/SPAWNCLASS]"
	}
	recipe := func(s string) string { return "[RECIPE]\n<STRING>NAME:X\n" + s + "\n[/RECIPE]" }
	effect := func(s string) string { return "[AFFIX]\n<STRING>NAME:x\n[EFFECT]\n" + s + "\n[/EFFECT]\n[/AFFIX]" }
	skilled := func(s string) string { return "[SKILL]\n<STRING>NAME:x\n<INTEGER64>UNIQUE_GUID:1\n" + s + "\n[/SKILL]" }
	script := func(textures ...string) string {
		return "material m\n{\ntechnique\n{\npass\n{\ntexture_unit\n{\ntexture " +
			strings.Join(textures, "\n}\ntexture_unit\n{\ntexture ") + "\n}\n}\n}\n}\n"
	}
	for _, c := range []struct {
		file, content string
		alone, all    string // the findings without and with the game's files
	}{
		{affix, effect("<STRING>TYPE:knock back effect"), "", ""},
		{"MEDIA/EFFECTSLIST.DAT", "[EFFECTS]\n[EFFECT]\n<STRING>NAME:MAX HP\n[/EFFECT]\n[/EFFECTS]", "", ""},
		{affix, effect("<STRING>TYPE:KnockBack"), "", ""},
		{affix, effect("<STRING>TYPE:KNOKC BACK EFFECT"), "",
			`tl-mod-unknown-effect-type: names the effect type "KNOKC BACK EFFECT", which is not in these files; ` +
				`did you mean "KNOCK BACK EFFECT"?`},
		{dungeon, "[DUNGEON]\n<STRING>TYPE:ZONE\n[/DUNGEON]", "", ""}, // another kind of type
		{monster, unit("<STRING>UNITTYPE:Wolves"), "", ""},
		{monster, unit("<STRING>UNITTYPE:ANY"), "", ""},
		{monster, unit("<STRING>UNITTYPE:"), "", ""},
		{monster, unit("<STRING>UNITTYPE:FOXES"), "",
			`tl-mod-unknown-unit-type: names the unit type "FOXES", which is not in these files`},
		{unitType, "[X]\n<STRING>NAME:X\n<STRING>CHILD:WOLVES\n<STRING>CHILD1:X\n[/X]", "", ""},
		{unitType, "[X]\n<STRING>NAME:X\n<STRING>CHILD2:FOXES\n[/X]", "",
			`tl-mod-unknown-unit-type: names the unit type "FOXES", which is not in these files`},
		{level, object("Damage Shape", "<STRING>UNITTYPE:FOXES"), "",
			`tl-mod-unknown-unit-type: names the unit type "FOXES", which is not in these files`},
		{skill, skilled("[EXECUTE_SKILL]\n<STRING>SKILL:GAME SKILL NUMBER ONE\n[/EXECUTE_SKILL]\n[A]\n<STRING>SKILL:X\n[/A]"), "", ""},
		{skill, skilled("[EXECUTE_SKILL]\n<STRING>SKILL:GAME SKILL NUMBER TWO\n[/EXECUTE_SKILL]"), "",
			`tl-mod-unknown-skill: names the skill "GAME SKILL NUMBER TWO", which is not in these files`},
		{affix, effect("<STRING>TYPE:KNOCK BACK EFFECT\n<STRING>NAME:not a skill"), "", ""},
		{monster, unit("[SKILL]\n<STRING>NAME:Howl\n[/SKILL]"), "",
			`tl-mod-unknown-skill: names the skill "HOWL", which is not in these files`},
		{level, object("Skill Controller", "<STRING>SKILL:Game skill number one"), "", ""},
		{level, object("Skill Controller", "<STRING>SKILL:Howl"), "",
			`tl-mod-unknown-skill: names the skill "HOWL", which is not in these files`},
		{monster, unit("[AFFIXES]\n<STRING>AFFIX:game_affix\n[/AFFIXES]"), "", ""},
		{monster, unit("[AFFIXES]\n<STRING>AFFIX:NO_AFFIX\n[/AFFIXES]"), "",
			`tl-mod-unknown-affix: names the affix "NO_AFFIX", which is not in these files`},
		{"MEDIA/SPAWNCLASSES/X.DAT", "[SPAWNCLASS]\n<STRING>NAME:X\n[OBJECT]\n<STRING>UNIT:game wolf\n[/OBJECT]\n[/SPAWNCLASS]", "", ""},
		{"MEDIA/SPAWNCLASSES/X.DAT", "[SPAWNCLASS]\n<STRING>NAME:X\n[OBJECT]\n<STRING>UNIT:fox\n[/OBJECT]\n[/SPAWNCLASS]", "",
			`tl-mod-unknown-unit: names the unit "FOX", which is not in these files`},
		{dungeon, "[DUNGEON]\n[STRATA0]\n<STRING>MONSTERSPAWNCLASS:caves\n<STRING>PROPSPAWNCLASS:NONE\n[/STRATA0]\n[/DUNGEON]", "", ""},
		{dungeon, "[DUNGEON]\n[STRATA0]\n<STRING>CREEPSPAWNCLASS:CREEPS\n[/STRATA0]\n[STRATA1]\n<STRING>CREEPSPAWNCLASS:CREEPS\n" +
			"[/STRATA1]\n[/DUNGEON]", "", `tl-mod-unknown-spawn-class: names the spawn class "CREEPS", which is not in these files`},

		{recipeFile, recipe("[INGREDIENT]\n<STRING>UNIT:game hat\n[/INGREDIENT]\n[RESULT]\n<STRING>UNIT:Old Wolf\n[/RESULT]"), "", ""},
		{recipeFile, recipe("[RESULT]\n<STRING>UNIT:fox\n[/RESULT]"), "",
			`tl-mod-unknown-unit: names the unit "FOX", which is not in these files`},
		{recipeFile, recipe("<INTEGER64>GUID:7"), "", ""},
		{recipeFile, recipe("<INTEGER64>GUID:8"), "", "tl-mod-duplicate-recipe-guid: has the same GUID 8 as MEDIA/RECIPES/A.DAT of the game"},
		{"MEDIA/RECIPES/A.DAT", recipe("<INTEGER64>GUID:8"), "", ""}, // the mod replaces the file
		{hat, unit("<STRING>SET: hats "), "", ""},
		{hat, unit("<STRING>SET:CAPS"), "", `tl-mod-unknown-set: names the set "CAPS", which is not in these files`},
		{monster, unit("<STRING>SET:CAPS"), "", ""}, // only items belong to sets
		{"MEDIA/SETS/A.DAT", "[SET]\n<STRING>NAME:HATS\n[/SET]", "", ""},
		{"MEDIA/SETS/X.DAT", "[SET]\n<STRING>NAME:X\n[/SET]", "", `tl-mod-empty-set: the set "X" has no member in these files`},
		{classFile, class("X", "UNIT:Game Wolf", "SPAWNCLASS:CAVES"), "", ""},
		{classFile, class("X", "SPAWNCLASS:CAVES", "SPAWNCLASS:x"),
			`tl-mod-class-loop: the spawn class "X" contains "X", which contains the class again, or is nested too deeply`, "="},
		{classFile, class("SHALLOW", "SPAWNCLASS:deep"), "",
			`tl-mod-class-loop: the spawn class "SHALLOW" contains "DEEP", which contains the class again, or is nested too deeply`},
		{classFile, class("caves", "UNIT:Game Wolf"), "",
			`tl-mod-duplicate-name: has the same NAME "CAVES" as MEDIA/SPAWNCLASSES/A.DAT of the game`},
		{hat, strings.Replace(unit(""), "NAME:x", "NAME:game wolf", 1), "",
			`tl-mod-duplicate-name: has the same NAME "GAME WOLF" as MEDIA/UNITS/MONSTERS/BASE.DAT of the game`},
		{hat, strings.Replace(unit("<BOOL>DONTCREATE:1"), "NAME:x", "NAME:Game Wolf", 1), "", ""},
		{hat, strings.Replace(unit(""), "NAME:x", "NAME:Old Wolf", 1), "", ""}, // only a base of others
		{monster, unit("<STRING>HEALTH_GRAPH:health_monster_bylevel\n<STRING>ARMOR_GRAPH:none"), "", ""},
		{monster, unit("<STRING>HEALTH_GRAPH:HEALTH_MINION"), "",
			`tl-mod-unknown-graph: names the graph "HEALTH_MINION", which is not in these files`},
		{hat, unit("<STRING>HEALTH_GRAPH:HEALTH_MINION"), "", ""},

		{monster, unit("<INTEGER>MINDAMAGE:5\n<INTEGER>MAXDAMAGE:5"), "", ""},
		{monster, unit("<INTEGER>MINDAMAGE:6\n<INTEGER>MAXDAMAGE:5"),
			"tl-mod-min-above-max: UNIT.MINDAMAGE is 6, above MAXDAMAGE, which is 5", "="},
		{dungeon, "[DUNGEON]\n[STRATA0]\n<FLOAT>NPCS_MIN:2.5\n<FLOAT>NPCS_MAX:0\n[/STRATA0]\n[/DUNGEON]",
			"tl-mod-min-above-max: DUNGEON.STRATA0.NPCS_MIN is 2.5, above NPCS_MAX, which is 0", "="},
		{monster, unit("<INTEGER>MINDAMAGE:6\n<INTEGER>MAXDAMAGE:-1"), "", ""},                  // no limit
		{affix, effect("<STRING>TYPE:KNOCK BACK EFFECT\n<FLOAT>MIN:-5\n<FLOAT>MAX:-9"), "", ""}, // by size
		{monster, unit("<STRING>MINION:6\n<INTEGER>MINIMAP:5\n<STRING>ADMIN:x"), "", ""},
		{monster, unit("<INTEGER>LEVEL:5\n<INTEGER>MINLEVEL:1\n<INTEGER>MAXLEVEL:5"), "", ""},
		{monster, unit("<INTEGER>LEVEL:6\n<INTEGER>MINLEVEL:1\n<INTEGER>MAXLEVEL:5"),
			"tl-mod-level: UNIT.LEVEL is 6, outside of MINLEVEL 1 to MAXLEVEL 5", "="},
		{monster, unit("<INTEGER>LEVEL:6\n<INTEGER>MINLEVEL:500\n<INTEGER>MAXLEVEL:1000"), "", ""}, // never dropped
		{monster, unit("<INTEGER>LEVEL:12345678\n<INTEGER>MINLEVEL:1\n<INTEGER>MAXLEVEL:9999999"),
			"tl-mod-level: UNIT.LEVEL is 12345678, outside of MINLEVEL 1 to MAXLEVEL 9999999", "="},
		{monster, unit("<INTEGER>LEVEL:-3"), "tl-mod-level: UNIT.LEVEL is -3, below 0", "="},
		{monster, unit("<INTEGER>LEVEL_REQUIRED:100\n[SKILL]\n<INTEGER>LEVEL:-1\n[/SKILL]"), "", ""},
		{skill, skilled("[LEVEL1]\n<INTEGER>LEVEL_REQUIRED:101\n[/LEVEL1]"),
			"tl-mod-level: SKILL.LEVEL1.LEVEL_REQUIRED is 101: characters have levels 1 to 100", "="},

		{monster, unit("<STRING>RESOURCEDIRECTORY:media\\models/\n<STRING>MESHFILE:Wolf"), "", ""},
		{monster, unit("<STRING>RESOURCEDIRECTORY:media/models\n<STRING>MESHFILE:own.mesh"), "", ""},
		{monster, unit("<STRING>RESOURCEDIRECTORY:media/models\n<STRING>MESHFILE:fox"), "",
			"tl-mod-missing-mesh: names the mesh MEDIA/MODELS/FOX.MESH, which does not exist"},
		{monster, unit("<STRING>RESOURCEDIRECTORY:media/nobase\n<STRING>MESHFILE:fox"), "", ""}, // the base has none of this folder
		{level, object("Generic Model", "<STRING>FILE:media/models/wolf.mesh"), "", ""},
		{level, object("Generic Model", "<STRING>FILE:media/models//fox.mesh"), "",
			"tl-mod-missing-mesh: names the mesh MEDIA/MODELS/FOX.MESH, which does not exist"},
		{monster, unit("<STRING>TEXTURE_OVERRIDE:media/models/fur/Brown.dds"), "", ""},
		{monster, unit("<STRING>TEXTURE_OVERRIDE:white"), "", "tl-mod-missing-texture: names the texture WHITE, which does not exist"},
		{"MEDIA/MODELS/X.MATERIAL", script("brown.png", "own.dds", "null_01.png"), "", ""},
		{"MEDIA/MODELS/X.MATERIAL", script("white.dds", "WHITE.dds"), "",
			"tl-mod-missing-texture: names the texture WHITE.DDS, which does not exist"},
	} {
		m := opened(t, map[string]string{c.file: c.content,
			"MEDIA/MODELS/OWN.MESH": "mesh", "MEDIA/MODELS/OWN.DDS": "DDS "})
		if c.all == "=" {
			c.all = c.alone
		}
		for _, o := range []struct {
			base moddir.Files
			want string
		}{{nil, c.alone}, {base, c.all}} {
			var got []string
			for _, f := range check.Collect(func(sink check.Sink) { moddir.CheckMod(m, moddir.CheckOptions{Base: o.base}, sink) }) {
				if slices.ContainsFunc(meanings, func(id string) bool { return f.ID == id }) {
					got = append(got, f.ID+": "+f.Message)
					if len(f.At) == 0 || !strings.HasPrefix(f.At[0].String(), c.file) {
						t.Errorf("%s: place %v", f.ID, f.At)
					}
				}
			}
			if strings.Join(got, "\n") != o.want {
				t.Errorf("%s, base %v:\n%s\nwant\n%s", c.content, o.base != nil, strings.Join(got, "\n"), o.want)
			}
		}
	}
}

// allGraphs returns a file with all graphs of the game.
func allGraphs() string {
	var b strings.Builder
	b.WriteString("[GRAPHS]\n")
	for _, name := range (hole.Needs{Monsters: true, Champions: true, Weapons: true, Armors: true}).Graphs() {
		fmt.Fprintf(&b, "[LINE]\n<STRING>NAME:%s\n[POINT]\n<FLOAT>X:1\n<FLOAT>Y:1\n[/POINT]\n[/LINE]\n", name)
	}
	return b.String() + "[/GRAPHS]"
}

// TestCheckGraphs tests that graphs of the game are reported on which values of the mod depend, if graphs of the game are known.
func TestCheckGraphs(t *testing.T) {
	graphs := strings.Replace(strings.Replace(allGraphs(), "DAMAGE_MONSTER_HARD", "X", 1), "BASE_WEAPON_DAMAGE", "Y", 1)
	base, err := moddir.SourcesOf(sources(t, map[string]string{"MEDIA/GRAPHS/A.DAT": graphs}), moddir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"MEDIA/UNITS/MONSTERS/X.DAT": unit("<INTEGER64>UNIT_GUID:1", "<INTEGER>MAXHP:5"),
		"MEDIA/UNITS/ITEMS/X.DAT": unit("<INTEGER64>UNIT_GUID:2", "<INTEGER>MAXHP:5")}
	weapon := unit("<INTEGER64>UNIT_GUID:3", "<INTEGER>MAXDAMAGE:5")
	const monster, damage = `the graph "DAMAGE_MONSTER_HARD" is not in these files, so values that depend on the graph are unknown`,
		`the graph "BASE_WEAPON_DAMAGE" is not in these files, so values that depend on the graph are unknown`
	for _, c := range []struct {
		more map[string]string
		base moddir.Files
		want []string
	}{
		{nil, nil, nil},
		{nil, base, []string{monster}},
		{map[string]string{"MEDIA/UNITS/ITEMS/Y.DAT": weapon}, base, []string{monster, damage}},
		{map[string]string{"MEDIA/GRAPHS/B.DAT": allGraphs()}, base, nil},
	} {
		all := maps.Clone(files)
		maps.Copy(all, c.more)
		var got []string
		for _, f := range check.Collect(func(sink check.Sink) { moddir.CheckMod(opened(t, all), moddir.CheckOptions{Base: c.base}, sink) }) {
			if f.ID == "tl-mod-unknown-graph" {
				got = append(got, f.Message)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v, base %v: %q, want %q", c.more, c.base != nil, got, c.want)
		}
	}
}

// TestCheckTwins tests that equal GUIDs and names are reported in a mod, and for the file of the mod if the game has the other.
func TestCheckTwins(t *testing.T) {
	named := func(root, name, key string, guid int) string {
		return fmt.Sprintf("[%s]\n<STRING>NAME:%s\n<INTEGER64>%s:%d\n[/%s]", root, name, key, guid, root)
	}
	base, err := moddir.SourcesOf(sources(t, map[string]string{"MEDIA/UNITS/ITEMS/G.DAT": named("UNIT", "game", "UNIT_GUID", 6),
		"MEDIA/SKILLS/G.DAT": named("SKILL", "game", "UNIQUE_GUID", 7), "MEDIA/SKILLS/REMOVED.DAT": named("SKILL", "d", "UNIQUE_GUID", 9)}),
		moddir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"MEDIA/UNITS/ITEMS/A.DAT":    named("UNIT", "a", "UNIT_GUID", 5),
		"MEDIA/UNITS/MONSTERS/A.DAT": named("UNIT", "A", "UNIT_GUID", 6), "MEDIA/UNITS/ITEMS/B.DAT": named("UNIT", "b", "UNIT_GUID", 5),
		"MEDIA/SKILLS/A.DAT": named("SKILL", "game", "UNIQUE_GUID", 5), "MEDIA/SKILLS/REMOVED.DAT": named("SKILL", "c", "UNIQUE_GUID", 7),
		"MEDIA/RECIPES/A.DAT": named("RECIPE", "r", "GUID", 5), "MEDIA/RECIPES/B.DAT": named("RECIPE", "r", "GUID", 5),
		"MEDIA/UNITS/ITEMS/NEW.DAT": named("UNIT", "new", "UNIT_GUID", 9),
	}
	alone := []string{
		`tl-mod-duplicate-guid MEDIA/UNITS/ITEMS/B.DAT has the same UNIT_GUID 5 as MEDIA/UNITS/ITEMS/A.DAT`,
		`tl-mod-duplicate-name MEDIA/UNITS/MONSTERS/A.DAT has the same NAME "A" as MEDIA/UNITS/ITEMS/A.DAT`,
		`tl-mod-duplicate-recipe-guid MEDIA/RECIPES/B.DAT has the same GUID 5 as MEDIA/RECIPES/A.DAT`,
	}
	for _, c := range []struct {
		base moddir.Files
		want []string
	}{{nil, alone}, {base, append(slices.Clone(alone),
		`tl-mod-duplicate-guid MEDIA/UNITS/MONSTERS/A.DAT has the same UNIT_GUID 6 as MEDIA/UNITS/ITEMS/G.DAT of the game`,
		`tl-mod-duplicate-name MEDIA/SKILLS/A.DAT has the same NAME "GAME" as MEDIA/SKILLS/G.DAT of the game`,
		`tl-mod-duplicate-unique-guid MEDIA/SKILLS/REMOVED.DAT has the same UNIQUE_GUID 7 as MEDIA/SKILLS/G.DAT of the game`)}} {
		var got []string
		for _, f := range check.Collect(func(sink check.Sink) { moddir.CheckMod(opened(t, files), moddir.CheckOptions{Base: c.base}, sink) }) {
			if strings.HasPrefix(f.ID, "tl-mod-duplicate") {
				got = append(got, f.ID+" "+f.Path+" "+f.Message)
			}
		}
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("base %v:\n%s\nwant\n%s", c.base != nil, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

var meanings = []string{"tl-mod-unknown-set", "tl-mod-empty-set", "tl-mod-class-loop", "tl-mod-unknown-graph", "tl-mod-duplicate-name",
	"tl-mod-duplicate-recipe-guid",
	"tl-mod-unknown-effect-type", "tl-mod-unknown-unit-type", "tl-mod-unknown-skill", "tl-mod-unknown-affix",
	"tl-mod-unknown-spawn-class", "tl-mod-unknown-unit", "tl-mod-min-above-max", "tl-mod-level", "tl-mod-missing-mesh",
	"tl-mod-missing-texture"}

// TestCheckOverrides tests that the files are reported which mods that are loaded later replace or remove.
func TestCheckOverrides(t *testing.T) {
	files := map[string]string{
		"MEDIA/UNITS/MONSTERS/SAME.DAT": "[UNIT]\n<STRING>NAME:same\n<INTEGER64>UNIT_GUID:1\n[/UNIT]",
		"MEDIA/UNITS/MONSTERS/GONE.DAT": "[UNIT]\n<STRING>NAME:gone\n<INTEGER64>UNIT_GUID:2\n[/UNIT]",
		"MEDIA/UI/OWN.DDS":              "own",
	}
	theirs := map[string]string{"MEDIA/UNITS/MONSTERS/SAME.DAT": files["MEDIA/UNITS/MONSTERS/SAME.DAT"], "MEDIA/UI/THEIRS.DDS": "theirs"}
	for i := range 5 {
		name := fmt.Sprintf("MEDIA/UI/%d.DDS", i)
		files[name], theirs[name] = "a", "b"
	}
	m := opened(t, files)
	folder, err := moddir.SourcesOf(sources(t, theirs), moddir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	archive := moddir.SourcesOfArchive(opened(t, theirs).Archive, moddir.Options{})
	for form, other := range map[string]moddir.Files{"mod": archive, "folder": folder} {
		var got []string
		o := moddir.CheckOptions{With: []moddir.Other{{Name: "B.MOD", Files: other, Removed: []string{"media/units/monsters/gone.dat"}}}}
		for _, f := range check.Collect(func(sink check.Sink) { moddir.CheckMod(m, o, sink) }) {
			if f.ID == "tl-mod-overridden" || f.ID == "tl-mod-removed-by-other" {
				got = append(got, fmt.Sprintf("%s: %s (%d)", f.ID, f.Message, len(f.At)))
			}
		}
		want := []string{
			"tl-mod-overridden: B.MOD replaces 5 files: MEDIA/UI/0.DDS, MEDIA/UI/1.DDS, MEDIA/UI/2.DDS and 2 more (5)",
			"tl-mod-removed-by-other: B.MOD removes 1 file: MEDIA/UNITS/MONSTERS/GONE.DAT (1)",
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q", form, got)
		}
	}
}

// TestCheckOtherGUIDs tests that a GUID is reported that another file of a mod has that is loaded later.
func TestCheckOtherGUIDs(t *testing.T) {
	thing := func(kind, key string, guid int, more string) string {
		return fmt.Sprintf("[%s]\n<STRING>NAME:x\n<STRING>%s:%d\n%s[/%s]", kind, key, guid, more, kind)
	}
	files := map[string]string{"MEDIA/UNITS/ITEMS/A.DAT": thing("UNIT", "UNIT_GUID", 5, ""),
		"MEDIA/UNITS/ITEMS/SAME.DAT": thing("UNIT", "UNIT_GUID", 6, ""), "MEDIA/UNITS/ITEMS/C.DAT": thing("UNIT", "UNIT_GUID", 7, ""),
		"MEDIA/SKILLS/A.DAT": thing("SKILL", "UNIQUE_GUID", 8, "")}
	other, err := moddir.SourcesOf(sources(t, map[string]string{"MEDIA/UNITS/ITEMS/B.DAT": thing("UNIT", "UNIT_GUID", 5, ""),
		"MEDIA/UNITS/ITEMS/SAME.DAT": thing("UNIT", "UNIT_GUID", 6, ""),
		"MEDIA/UNITS/ITEMS/D.DAT":    thing("UNIT", "UNIT_GUID", 7, "<BOOL>DONTCREATE:1\n"),
		"MEDIA/UNITS/ITEMS/E.DAT":    thing("UNIT", "UNIT_GUID", 8, ""),
		"MEDIA/SKILLS/B.DAT":         thing("SKILL", "UNIQUE_GUID", 8, "")}), moddir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	o := moddir.CheckOptions{With: []moddir.Other{{Name: "B.MOD", Files: other}}}
	for _, f := range check.Collect(func(sink check.Sink) { moddir.CheckMod(opened(t, files), o, sink) }) {
		if f.ID == "tl-mod-guid-of-other" {
			got = append(got, f.Path+" "+f.Message)
		}
	}
	slices.Sort(got)
	want := []string{"MEDIA/SKILLS/A.DAT has the same UNIQUE_GUID 8 as MEDIA/SKILLS/B.DAT of B.MOD",
		"MEDIA/UNITS/ITEMS/A.DAT has the same UNIT_GUID 5 as MEDIA/UNITS/ITEMS/B.DAT of B.MOD"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
