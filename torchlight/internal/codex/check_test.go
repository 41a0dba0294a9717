package codex

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"trowel.example/check"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/text"
)

// TestCheckReportsHoles tests that the check of a mod reports every hole of the codex, with the same sentence and in the same line.
func TestCheckReportsHoles(t *testing.T) {
	shared := map[string]string{
		"UNITTYPES/T.DAT": node("RING", "NAME:RING"), "SETS/S.DAT": node("SET", "NAME:GAME SET"), "SKILLS/S.DAT": node("SKILL", "NAME:LEAP",
			"UNIQUE_GUID:20"),
		"AFFIXES/A.DAT": node("AFFIX", "NAME:GLOW"), "SPAWNCLASSES/C.DAT": class("GAME CLASS", "UNIT:GAME RING;1"),
		"UNITS/ITEMS/G.DAT":     node("UNIT", "NAME:GAME RING", "UNITTYPE:RING", "UNIT_GUID:21", "SET:GAME SET"),
		"UNITS/MONSTERS/G.DAT":  node("UNIT", "NAME:GAME WOLF", "UNITTYPE:RING", "UNIT_GUID:22"),
		"GRAPHS/G.DAT":          constant("BASE_WEAPON_DAMAGE", 1),
		"SPAWNCLASSES/DEEP.DAT": class("DEEP", "SPAWNCLASS:SHALLOW;1"),
	}
	own := map[string]string{
		"SPAWNCLASSES/SHALLOW.DAT": class("SHALLOW", "UNIT:GAME RING;1", "SPAWNCLASS:deep;1"),
		"SPAWNCLASSES/LOOP.DAT":    class("LOOP", "UNIT:GAME RING;1", "SPAWNCLASS:LOOP;1"),
		"SPAWNCLASSES/TWIN.DAT":    class("game class", "UNIT:GAME RING;1", "UNITTYPE:NONE;1"),
		"SPAWNCLASSES/GONE.DAT":    class("GONE", "UNIT:GAME RING;1", "UNIT:NOBODY;1", "SPAWNCLASS:NOWHERE;1", "UNITTYPE:THINGS;1"),
		"UNITS/ITEMS/A.DAT": node("UNIT", "NAME:A", "UNIT_GUID:1", "UNITTYPE:RINGS", "SET:NO SET", "MAXDAMAGE:5", "MINDAMAGE:5",
			node("AFFIXES", "AFFIX:DARK")),
		"UNITS/ITEMS/B.DAT": node("UNIT", "NAME:a", "UNIT_GUID:1", "UNITTYPE:ANY"),
		"UNITS/ITEMS/C.DAT": node("UNIT", "NAME:GAME RINGS", "UNIT_GUID:21", "UNITTYPE:RING"),
		"UNITS/ITEMS/D.DAT": node("UNIT", "NAME:D", "UNITTYPE:RING", `BASEFILE:media\units\items\a.dat`),
		"UNITS/ITEMS/E.DAT": node("UNIT", "NAME:E", "UNIT_GUID:5", "UNITTYPE:RING", `BASEFILE:media\units\items\nowhere.dat`),
		"UNITS/ITEMS/F.DAT": node("UNIT", "NAME:F", "UNIT_GUID:6", "UNITTYPE:RING", `BASEFILE:media\units\items\f.dat`),
		"UNITS/MONSTERS/M.DAT": node("UNIT", "NAME:M", "UNIT_GUID:10", "UNITTYPE:RING", "ARMOR_GRAPH:NO GRAPH", "MAXHP:100",
			node("SKILL", "NAME:LEAPS"), node("SKILL", "NAME:HOWLING"), node("TREASURE", "SPAWNCLASS:NO LOOT", "MIN:1", "MAX:1")),
		"SETS/EMPTY.DAT":  node("SET", "NAME:EMPTY", node("AFFIX", "COUNT:2", "AFFIX:NO BONUS")),
		"SKILLS/T.DAT":    node("SKILL", "NAME:T", "UNIQUE_GUID:20", node("LEVEL1", node("AFFIXES", "AFFIX:NO SKILL AFFIX"))),
		"RECIPES/R.DAT":   node("RECIPE", "NAME:R", "GUID:9", node("INGREDIENT", "UNIT:NO INGREDIENT"), node("RESULT", "SPAWNCLASS:NO RESULT")),
		"RECIPES/S.DAT":   node("RECIPE", "NAME:R", "GUID:9", node("INGREDIENT", "UNITTYPE:NO TYPE"), node("RESULT", "UNIT:NO PRODUCT")),
		"DUNGEONS/D.DAT":  node("DUNGEON", "NAME:D", node("STRATA0", "MONSTERSPAWNCLASS:NO MONSTERS", "PROPSPAWNCLASS:NONE")),
		"DUNGEONS/E.DAT":  node("DUNGEON", "NAME:d"),
		"QUESTS/Q.DAT":    node("QUEST", "DISPLAYNAME:Gift", node("REWARD", "SPAWNCLASS:game class"), node("REWARD", "SPAWNCLASS:GAME CLASSES")),
		"UNITTYPES/U.DAT": node("U", "NAME:U", "CHILD:NO PARENT", "CHILD1:ANY"),
		"LAYOUTS/L.LAYOUT": "[Layout]\n<INTEGER>VERSION:4\n<UNSIGNED INT>COUNT:1\n[OBJECTS]\n[BASEOBJECT]\n[PROPERTIES]\n" +
			"<STRING>DESCRIPTOR:Monster\n<STRING>NAME:o\n<INTEGER64>PARENTID:-1\n<INTEGER64>ID:5\n<STRING>SPAWNCLASS:NO SPAWN\n" +
			"[/PROPERTIES]\n[/BASEOBJECT]\n[/OBJECTS]\n[/Layout]\n",
	}
	base := source(t, "base", shared)
	base.Base = true
	d := read(t, base, source(t, "mod", own))
	kinds := make(map[string]bool)
	var want []string
	for _, h := range d.Holes {
		if h.Mod == 1 || h.Kind == KindGraph && h.File == "" {
			kinds[h.Kind] = true
			if strings.HasSuffix(h.File, ".LAYOUT") {
				h.Line = 6 // the place of the finding is the object, not the key
			}
			want = append(want, fmt.Sprintf("%s:%d: %s", h.File, h.Line, h.Message))
		}
	}
	for _, kind := range []string{KindAffix, KindClass, "file", KindGraph, "guid", "loop", "member", "name", KindSet, KindSkill, KindType,
		KindUnit} {
		if !kinds[kind] {
			t.Errorf("no hole of the kind %s", kind)
		}
	}

	fsys := fstest.MapFS{"MOD.DAT": {Data: []byte(node("MOD", "NAME:x"))}}
	for path, content := range own {
		fsys["MEDIA/"+path] = &fstest.MapFile{Data: []byte(content)}
	}
	var out tests.Memory
	if _, _, err := moddir.Build(context.Background(), &out, fsys, moddir.BuildOptions{Base: base.Files}); err != nil {
		t.Fatal(err)
	}
	m, err := mod.Open(&out, int64(len(out.Data)))
	if err != nil {
		t.Fatal(err)
	}
	var got, all []string
	for _, f := range check.Collect(func(sink check.Sink) { moddir.CheckMod(m, moddir.CheckOptions{Base: base.Files}, sink) }) {
		line := fmt.Sprintf("%s:%d: %s", f.Path, lineOf(t, own, f), f.Message)
		if all = append(all, line); !slices.Contains([]string{"tl-mod-no-table", "tl-layout-unknown-tag"}, f.ID) {
			got = append(got, line)
		}
	}
	for _, line := range want {
		if !slices.Contains(all, line) {
			t.Errorf("only the codex reports %q", line)
		}
	}
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("only the check reports %q", line)
		}
	}
	if slices.Sort(got); len(slices.Compact(slices.Clone(got))) != len(got) {
		t.Errorf("reported twice: %q", got)
	}
}

// lineOf returns the line of the first place of a finding.
func lineOf(t *testing.T, files map[string]string, f check.Finding) int {
	content := files[strings.TrimPrefix(f.Path, "MEDIA/")]
	if len(f.At) == 0 || content == "" {
		return 0
	}
	index, err := text.NewIndex([]byte(content))
	if err != nil {
		t.Fatal(err)
	}
	switch at := text.Whole(f.At[0]).(type) {
	case text.Place:
		return index.Line(at)
	case check.File:
		return 1
	}
	return 0
}
