package codex

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"trowel.example/torchlight/moddir"
)

// source returns a mod with some files, by their paths below MEDIA.
func source(t testing.TB, name string, files map[string]string) Source {
	t.Helper()
	fsys := make(fstest.MapFS)
	for path, content := range files {
		fsys["MEDIA/"+path] = &fstest.MapFile{Data: []byte(content)}
	}
	f, err := moddir.SourcesOf(fsys, moddir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return Source{Mod: Mod{Name: name, Title: name}, Files: f}
}

func read(t testing.TB, sources ...Source) *Data {
	t.Helper()
	d, err := Read(context.Background(), sources, Options{Languages: []string{"DE"}})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// node returns the text of a node: "KEY:value" are keys, all other parts are nodes.
func node(name string, parts ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[%s]\n", name)
	for _, p := range parts {
		if strings.HasPrefix(p, "[") {
			b.WriteString(p)
			continue
		}
		fmt.Fprintf(&b, "\t<STRING>%s\n", p)
	}
	fmt.Fprintf(&b, "[/%s]\n", name)
	return b.String()
}

// class returns a spawn class. Each entry is "TARGET:name weight [least most]".
func class(name string, entries ...string) string {
	parts := []string{"NAME:" + name}
	for _, e := range entries {
		f := strings.Split(e, ";")
		keys := []string{f[0], "WEIGHT:" + f[1]}
		if len(f) > 2 {
			keys = append(keys, f[2:]...)
		}
		parts = append(parts, node("OBJECT", keys...))
	}
	return node("SPAWNCLASS", parts...)
}

func graph(name string, past bool, points ...[2]float64) string {
	parts := []string{"NAME:" + name, fmt.Sprintf("INFER_PASSED_END:%t", past)}
	for _, p := range points {
		parts = append(parts, node("POINT", fmt.Sprintf("X:%v", p[0]), fmt.Sprintf("Y:%v", p[1])))
	}
	return node("LINE", parts...)
}

func close6(a, b float64) bool { return math.Abs(a-b) <= 1e-6*max(1, math.Abs(b)) }

func find[T any](list []*T, is func(*T) bool) *T {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i]
	}
	return nil
}

// TestChances tests the worked examples about chances.
func TestChances(t *testing.T) {
	files := map[string]string{
		"UNITTYPES/ANY.DAT":    node("ANY", "NAME:ANY"),
		"UNITTYPES/LEGW.DAT":   node("LEGW", "NAME:LEGENDARY WEAPON", "CHILD:ANY"),
		"UNITTYPES/LEGA.DAT":   node("LEGA", "NAME:LEGENDARY ARMOR", "CHILD:ANY"),
		"UNITTYPES/EMBER.DAT":  node("EMBER", "NAME:CHAOS EMBER", "CHILD:ANY"),
		"SPAWNCLASSES/GEM.DAT": class("TREASURE_GEMCHANCE_CHAMPIONS", "UNITTYPE:NONE;247", "UNITTYPE:CHAOS EMBER;3"),
		"SPAWNCLASSES/FB.DAT": class("TREASURE_FB_LOOT", "SPAWNCLASS:LEGW;1", "UNITTYPE:LEGENDARY ARMOR;1", "UNITTYPE:NONE;400",
			"SPAWNCLASS:XMJ_ST;-1"),
		"SPAWNCLASSES/XMJ.DAT":    class("XMJ_ST", "UNIT:XMJ_A;10", "UNIT:XMJ_B;65"),
		"SPAWNCLASSES/FIVE.DAT":   class("FIVE", "UNIT:A;30", "UNIT:A;30", "UNIT:B;30", "UNIT:C;30", "UNIT:D;30"),
		"SPAWNCLASSES/ZERO.DAT":   class("ZERO", "UNIT:A;0", "UNIT:B;0"),
		"SPAWNCLASSES/OFF.DAT":    class("OFF", "UNIT:A;0", "UNIT:B;5"),
		"SPAWNCLASSES/LOOP.DAT":   class("LOOP", "SPAWNCLASS:LOOP;1", "UNIT:A;1"),
		"SPAWNCLASSES/GONE.DAT":   class("GONE", "SPAWNCLASS:NOWHERE;1", "UNIT:NOBODY;1", "UNIT:A;2"),
		"SPAWNCLASSES/RARE.DAT":   class("RARE", "UNIT:R;1", "UNIT:R2;1;RARITY_OVERRIDE:1"),
		"SPAWNCLASSES/ZOMBIE.DAT": class("MINERAL_NR_ZOMBIEYELLOW", "UNIT:A;83", "UNITTYPE:NONE;777717"),
		"SPAWNCLASSES/CHEST.DAT":  class("CHEST_MINERAL", "UNITTYPE:NONE;10000", "UNIT:A;100", "UNIT:B;100", "UNIT:C;1000"),
		"SPAWNCLASSES/QUEST.DAT":  class("QUEST_GIFT", "UNIT:Q;1"),
		"QUESTS/Q.DAT": node("QUEST", "DISPLAYNAME:The Gift", node("REWARD", "SPAWNCLASS:quest_gift"),
			node("REWARD", "SPAWNCLASS:LOST")),
		"LAYOUTS/L.LAYOUT":      node("Layout", node("OBJECTS", node("BASEOBJECT", node("PROPERTIES", "SPAWN CLASS:CHEST_MINERAL")))),
		"SPAWNCLASSES/MANY.DAT": class("MANY", "UNIT:A;-1;MINCOUNT:2;MAXCOUNT:4"),
		"UNITS/ITEMS/R.DAT":     node("UNIT", "NAME:R", "UNITTYPE:ANY", "RARITY:0"),
		"UNITS/ITEMS/R2.DAT":    node("UNIT", "NAME:R2", "UNITTYPE:ANY", "RARITY:0"),
		"RECIPES/E.DAT": node("RECIPE", "NAME:ENIGMA", "GUID:9", node("INGREDIENT", "UNIT:A", "COUNT:3"), node("RESULT",
			"SPAWNCLASS:five")),
	}
	weights := []string{}
	for i := range 16 {
		name := fmt.Sprintf("LEG%d", i)
		weights = append(weights, "UNIT:"+name+";1")
		files["UNITS/ITEMS/"+name+".DAT"] = node("UNIT", "NAME:"+name, "UNITTYPE:LEGENDARY WEAPON", "RARITY:1")
	}
	files["SPAWNCLASSES/LEGW.DAT"] = class("LEGW", weights...)
	for _, name := range []string{"XMJ_A", "XMJ_B", "A", "B", "C", "D", "Q"} {
		files["UNITS/ITEMS/"+name+".DAT"] = node("UNIT", "NAME:"+name, "UNITTYPE:ANY", "RARITY:5")
	}
	for i, name := range []string{"TREASURE_GEMCHANCE_CHAMPIONS", "TREASURE_FB_LOOT", "ZERO", "OFF", "LOOP", "GONE", "RARE", "MANY",
		"MINERAL_NR_ZOMBIEYELLOW", "CHEST_MINERAL"} {
		files[fmt.Sprintf("UNITS/MONSTERS/M%d.DAT", i)] = node("UNIT", fmt.Sprintf("NAME:M%d", i), "UNITTYPE:ANY",
			node("TREASURE_SECONDARY", "SPAWNCLASS:"+name, "MIN:1", "MAX:1"))
	}
	d := read(t, source(t, "m", files))
	for _, c := range []struct {
		class, thing string
		want         float64
	}{
		{"TREASURE_GEMCHANCE_CHAMPIONS", "CHAOS EMBER", 0.012},
		{"TREASURE_FB_LOOT", "LEG3", 1. / 402 / 16},
		{"TREASURE_FB_LOOT", "LEGENDARY ARMOR", 1. / 402},
		{"TREASURE_FB_LOOT", "XMJ_A", 10. / 75},
		{"ZERO", "A", 1}, {"ZERO", "B", 1},
		{"OFF", "A", 0}, {"OFF", "B", 1},
		{"LOOP", "A", 0.5},
		{"GONE", "A", 0.5},
		{"RARE", "R", 0}, {"RARE", "R2", 0.5},
		{"MANY", "A", 1},
		{"MINERAL_NR_ZOMBIEYELLOW", "A", 83. / 777800},
		{"CHEST_MINERAL", "C", 0.08928571}, {"CHEST_MINERAL", "A", 0.00892857}, {"CHEST_MINERAL", "B", 0.00892857},
	} {
		loot := find(d.Loots, func(l *Loot) bool { return l.Class.Name == c.class })
		if loot == nil {
			t.Fatalf("%s has no loot", c.class)
		}
		got := 0.0
		if i := slices.IndexFunc(loot.Chance, func(x Chance) bool { return x.What.Name == c.thing }); i >= 0 {
			got = loot.Chance[i].Chance
		}
		if !close6(got, c.want) {
			t.Errorf("%s in %s: %v, want %v", c.thing, c.class, got, c.want)
		}
	}
	many := find(d.Loots, func(l *Loot) bool { return l.Class.Name == "MANY" })
	if many.Chance[0].Expected != 3 {
		t.Errorf("MANY gives %v pieces, want 3", many.Chance[0].Expected)
	}
	fb := find(d.Loots, func(l *Loot) bool { return l.Class.Name == "TREASURE_FB_LOOT" })
	i := slices.IndexFunc(fb.Chance, func(x Chance) bool { return x.What.Name == "XMJ_A" })
	if p := fb.Chance[i].Path; len(p) != 2 || p[0].Name != "TREASURE_FB_LOOT" || p[1].Name != "XMJ_ST" {
		t.Errorf("path %v", p)
	}
	var shares []float64
	for _, x := range d.Recipes[0].Results {
		shares = append(shares, math.Round(x.Chance*1e6)/1e6)
	}
	if want := []float64{0.4, 0.2, 0.2, 0.2}; !slices.Equal(shares, want) || d.Recipes[0].Nothing > 1e-9 {
		t.Errorf("recipe: %v, want %v; nothing %v", shares, want, d.Recipes[0].Nothing)
	}
	for _, want := range []string{`class names the spawn class "NOWHERE", which is not in these files`,
		`unit names the unit "NOBODY", which is not in these files`,
		`loop the spawn class "LOOP" contains "LOOP", which contains the class again, or is nested too deeply`,
		`class names the spawn class "LOST", which is not in these files`} {
		h := slices.IndexFunc(d.Holes, func(h Hole) bool { return h.Kind+" "+h.Message == want })
		if h < 0 {
			t.Errorf("no hole %q in %v", want, d.Holes)
		} else if d.Holes[h].File == "" || d.Holes[h].Line == 0 {
			t.Errorf("%q has no place: %+v", want, d.Holes[h])
		}
	}
	if v := find(d.Items, func(v *Item) bool { return v.Name == "R" }); v.Source {
		t.Error("R has a source")
	}
	if v := find(d.Items, func(v *Item) bool { return v.Name == "Q" }); !v.Source {
		t.Error("what a quest gives has no source")
	}
	for name, want := range map[string]mention{"QUEST_GIFT": {"quest", "The Gift", 0, "MEDIA/QUESTS/Q.DAT"},
		"CHEST_MINERAL": {"layout", "L", 0, "MEDIA/LAYOUTS/L.LAYOUT"}} {
		c := find(d.Classes, func(c *Class) bool { return c.Name == name })
		if !slices.Equal(c.NamedBy, []mention{want}) {
			t.Errorf("%s is named by %v, want %v", name, c.NamedBy, want)
		}
	}
}

// TestAny tests counts: example 5, and counts of 0.
func TestAny(t *testing.T) {
	for _, c := range []struct {
		q           float64
		least, most int
		want        float64
	}{
		{0.2, 3, 5, (0.488 + 0.5904 + 0.67232) / 3}, {0.2, 0, 0, 0}, {1, 0, 1, 0.5}, {1, 2, 9, 1}, {0.3, 1, 1, 0.3}, {0.3, 0, 1, 0.15},
		{0.5, 2, 1, (0.5 + 0.75) / 2}, {0.5, -3, 1, 0.25}, {1e-9, 1, 1 << 30, 0.38694}, {0, 1, 5, 0},
	} {
		if got := Any(c.q, c.least, c.most); math.Abs(got-c.want) > 1e-3*c.want+1e-12 {
			t.Errorf("Any(%v, %d, %d) = %v, want %v", c.q, c.least, c.most, got, c.want)
		}
	}
}

func constant(name string, y float64) string {
	return graph(name, false, [2]float64{1, y}, [2]float64{200, y})
}

// TestValues tests the worked examples about values.
func TestValues(t *testing.T) {
	effects := node("EFFECTS", node("EFFECT", "NAME:MAX HP", "GRAPH1:HEALTH_PLAYER_GENERIC", "GOODDES:+[VALUE] to Maximum Health"),
		node("EFFECT", "NAME:DEXTERITY BONUS", "GRAPH1:ATTRIBUTE_BONUS", "GOODDES:+[VALUE] to Dexterity", "BADDES:-[VALUE] to Dexterity"))
	d := read(t, source(t, "m", map[string]string{
		"EFFECTSLIST.DAT": effects,
		"GRAPHS/W.DAT":    graph("BASE_WEAPON_DAMAGE", true, [2]float64{45, 219}, [2]float64{105, 489}),
		"GRAPHS/A.DAT":    graph("ARMOR_PLAYER_BYLEVEL_FORSET", true, [2]float64{9, 22.4}, [2]float64{19, 48}),
		"GRAPHS/H.DAT":    constant("health_monster_bylevel", 1574),
		"GRAPHS/D.DAT":    constant("DAMAGE_MONSTER", 692.5),
		"GRAPHS/X.DAT":    constant("EXPERIENCE_MONSTER", 590),
		"GRAPHS/HC.DAT":   constant("HEALTH_CHAMPIONMONSTER_BYLEVEL", 7084),
		"GRAPHS/HP.DAT":   constant("HEALTH_PLAYER_GENERIC", 88.575),
		"UNITS/ITEMS/WAND.DAT": node("UNIT", "NAME:TLX_WAND_TG", "LEVEL:105", "MINDAMAGE:275", "MAXDAMAGE:385",
			"RARITY_DMG_MOD:140", "SPEED_DMG_MOD:90", "DAMAGE_PHYSICAL:200", "DAMAGE_FIRE:225", "DAMAGE_POISON:255"),
		"UNITS/ITEMS/GUN.DAT": node("UNIT", "NAME:GUN", "LEVEL:45", "MINDAMAGE:70", "MAXDAMAGE:110", "RARITY_DMG_MOD:140",
			"SPEED_DMG_MOD:100"),
		"UNITS/ITEMS/N.DAT": node("UNIT", "NAME:NORTHSTAR", "LEVEL:19", "ARMOR_PHYSICAL:40", "RARITY_AMR_MOD:160", "SPECIAL_AMR_MOD:120"),
		"UNITS/ITEMS/B.DAT": node("UNIT", "NAME:BOOTS", "BASEFILE:MEDIA/UNITS/ITEMS/N.DAT", "LEVEL:9", "ARMOR_PHYSICAL:160",
			"RARITY_AMR_MOD:100", "SPECIAL_AMR_MOD:100", "ARMORMIN:12", "SET:S", node("AFFIXES", "AFFIX:A")),
		"UNITS/ITEMS/E.DAT": node("UNIT", "NAME:E", "LEVEL:5", node("EFFECT", "TYPE:MAX HP", "MIN:30", "MAX:30"),
			node("EFFECT", "TYPE:DEXTERITY BONUS", "MIN:10", "MAX:10", "NOGRAPH:true"), node("EFFECT", "TYPE:DEXTERITY BONUS",
				"MIN:-4", "MAX:-4", "NOGRAPH:true")),
		"SETS/S.DAT": node("SET", "NAME:s", "DISPLAYNAME:The Set", node("AFFIX", "COUNT:3", "AFFIX:A"), node("AFFIX",
			"COUNT:2", "AFFIX:A")),
		"AFFIXES/A.DAT": node("AFFIX", "NAME:A", "WEIGHT:0", node("EFFECT", "TYPE:MAX HP", "MIN:100", "MAX:200")),
	}))
	g := make(Graphs)
	for _, x := range d.Graphs {
		g[strings.ToUpper(x.Name)] = x
	}
	item := func(name string) *Item { return find(d.Items, func(v *Item) bool { return v.Name == name }) }
	wand := item("TLX_WAND_TG").Damage
	for element, want := range map[string][2]float64{"physical": {3388.77, 4744.278}, "fire": {3812.36625, 5337.31275},
		"poison": {4320.68175, 6048.95445}} {
		if got := wand.Shares[element]; !close6(got[0], want[0]) || !close6(got[1], want[1]) {
			t.Errorf("wand, %s: %v, want %v", element, got, want)
		}
	}
	if gun := item("GUN").Damage; gun.High != 338 || gun.Low != 215 {
		t.Errorf("gun: %+v", gun)
	}
	if a, b := item("NORTHSTAR").Armor, item("BOOTS").Armor; a != 37 || b != 36 {
		t.Errorf("armor %d and %d, want 37 and 36", a, b)
	}
	if boots := item("BOOTS"); boots.Files[1] != "MEDIA/UNITS/ITEMS/N.DAT" || len(boots.Affixes) != 1 {
		t.Errorf("boots: %+v", boots)
	}
	for i, want := range []string{"+27 to Maximum Health", "+10 to Dexterity", "-4 to Dexterity"} {
		if got := item("E").Effects[i].Text; got != want {
			t.Errorf("effect %q, want %q", got, want)
		}
	}
	for _, c := range []struct {
		percent  float64
		stat     string
		champion bool
		want     float64
	}{{250, "health", false, 3935}, {300, "health", false, 4722}, {60, "damage", false, 416}, {90, "damage", false, 623},
		{120, "experience", false, 708}, {400, "health", true, 28336}} {
		if got, ok := g.Stat(c.percent, c.stat, "", c.champion, Normal, 50); !ok || round(got, 0) != c.want {
			t.Errorf("%v %% %s = %v, want %v", c.percent, c.stat, got, c.want)
		}
	}
	if _, ok := g.Stat(100, "armor", "", false, Easy, 50); ok {
		t.Error("a missing graph has a value")
	}
	s := d.Sets[0]
	if s.Level != 9 || len(s.Members) != 1 || s.Bonuses[0].Count != 2 || s.Bonuses[1].Effects[0].Text != "+89 - 177 to Maximum Health" {
		t.Errorf("set: %+v", s)
	}
}

// TestPublicExamples tests examples 3, 9 and 13 as pages need them: who drops a thing, a monster with its graphs, and a set whose
// members have several levels.
func TestPublicExamples(t *testing.T) {
	files := map[string]string{
		"UNITTYPES/ANY.DAT": node("ANY", "NAME:ANY"), "UNITS/ITEMS/XMJ_A.DAT": node("UNIT", "NAME:XMJ_A", "UNITTYPE:ANY"),
		"UNITS/ITEMS/XMJ_B.DAT":       node("UNIT", "NAME:XMJ_B", "UNITTYPE:ANY"),
		"SPAWNCLASSES/FB.DAT":         class("TREASURE_FB_LOOT", "UNITTYPE:NONE;402", "SPAWNCLASS:XMJ_ST;-1"),
		"SPAWNCLASSES/XMJ.DAT":        class("XMJ_ST", "UNIT:XMJ_A;10", "UNIT:XMJ_B;65"),
		"GRAPHS/H.DAT":                constant("HEALTH_MONSTER_BYLEVEL", 1574),
		"GRAPHS/D.DAT":                constant("DAMAGE_MONSTER", 692.5),
		"GRAPHS/X.DAT":                constant("EXPERIENCE_MONSTER", 590),
		"GRAPHS/C.DAT":                constant("HEALTH_CHAMPIONMONSTER_BYLEVEL", 7084),
		"GRAPHS/P.DAT":                graph("HEALTH_PLAYER_GENERIC", false, [2]float64{14, 100}, [2]float64{82, 440}),
		"UNITS/MONSTERS/BASE.DAT":     node("UNIT", "NAME:BASE", "UNITTYPE:ANY", "DONTCREATE:true", "MINHP:250", "MAXHP:300", "MINDAMAGE:60"),
		"UNITS/MONSTERS/BASILISK.DAT": node("UNIT", "NAME:BASILISK", `BASEFILE:media\units\monsters\base.dat`, "MAXDAMAGE:90", "XP:120"),
		"UNITS/MONSTERS/THRALL.DAT":   node("UNIT", "NAME:THRALL", "UNITTYPE:ANY", "BOSS_CHAMPION:true", "MINHP:400", "MAXHP:400"),
		"EFFECTSLIST.DAT":             node("EFFECTS", node("EFFECT", "NAME:MAX HP", "GRAPH1:HEALTH_PLAYER_GENERIC", "GOODDES:+[VALUE] Health")),
		"AFFIXES/A.DAT":               node("AFFIX", "NAME:BONUS_A", node("EFFECT", "TYPE:MAX HP", "MIN:10", "MAX:10")),
		"AFFIXES/B.DAT":               node("AFFIX", "NAME:BONUS_B", node("EFFECT", "TYPE:MAX HP", "MIN:20", "MAX:20")),
		"SETS/S.DAT": node("SET", "NAME:BERSERKER_TRINKETS_HUNTER", node("AFFIX", "COUNT:3", "AFFIX:BONUS_B", "AFFIXLEVEL:5"),
			node("AFFIX", "COUNT:3", "AFFIX:BONUS_A"), node("AFFIX", "COUNT:2", "AFFIX:BONUS_A")),
	}
	for i := range 26 {
		files[fmt.Sprintf("UNITS/MONSTERS/M%d.DAT", i)] = node("UNIT", fmt.Sprintf("NAME:M%d", i), "UNITTYPE:ANY",
			node("TREASURE_SECONDARY", "SPAWNCLASS:TREASURE_FB_LOOT", "MIN:1", "MAX:1"))
	}
	for i, level := range []int{14, 20, 27, 35, 42, 50, 58, 66, 74, 82} {
		files[fmt.Sprintf("UNITS/ITEMS/T%d.DAT", i)] = node("UNIT", fmt.Sprintf("NAME:T%d", i), "UNITTYPE:ANY",
			fmt.Sprintf("LEVEL:%d", level), "SET:Berserker_Trinkets_Hunter")
	}
	d := read(t, source(t, "m", files))
	droppers := 0
	for _, l := range d.Loots {
		for _, c := range l.Chance {
			if c.What.Name != "XMJ_A" {
				continue
			}
			droppers += len(l.Units)
			if !close6(c.Chance, 10./75) || len(c.Path) != 2 || c.Path[0].Name != "TREASURE_FB_LOOT" || c.Path[1].Name != "XMJ_ST" {
				t.Errorf("example 3: %+v", c)
			}
		}
	}
	if droppers != 26 {
		t.Errorf("example 3: %d monsters drop XMJ_A, want 26", droppers)
	}
	g := make(Graphs)
	for _, x := range d.Graphs {
		g[x.Name] = x
	}
	for _, c := range []struct {
		unit, key, stat string
		graph           float64 // of base-main instead
		want            float64
	}{{"BASILISK", "MINHP", "health", 0, 3935}, {"BASILISK", "MAXHP", "health", 0, 4722}, {"BASILISK", "MINDAMAGE", "damage", 0, 416},
		{"BASILISK", "MAXDAMAGE", "damage", 0, 623}, {"BASILISK", "XP", "experience", 0, 708}, {"THRALL", "MAXHP", "health", 0, 28336},
		{"BASILISK", "MINHP", "health", 43372.4, 108431}, {"BASILISK", "MAXHP", "health", 43372.4, 130117}} {
		u := find(d.Units, func(u *Unit) bool { return u.Name == c.unit })
		i := slices.IndexFunc(u.Values, func(v Value) bool { return v.Key == c.key })
		graphs := maps.Clone(g)
		if c.graph != 0 {
			graphs["HEALTH_MONSTER_BYLEVEL"] = &Graph{Points: [][2]float64{{50, c.graph}}}
		}
		if got, ok := graphs.Stat(Number(u.Values[i].Value), c.stat, "", u.Champion, Normal, 50); !ok || round(got, 0) != c.want {
			t.Errorf("example 9: %s of %s is %v, want %v", c.key, c.unit, got, c.want)
		}
	}
	s := d.Sets[0]
	var bonuses []string
	for _, b := range s.Bonuses {
		bonuses = append(bonuses, fmt.Sprintf("%d %s", b.Count, b.Effects[0].Text))
	}
	if want := []string{"2 +44 Health", "3 +88 Health", "3 +44 Health"}; len(s.Members) != 10 || s.Level != 82 ||
		!slices.Equal(bonuses, want) {
		t.Errorf("example 13: %d members, level %d, %q, want %q", len(s.Members), s.Level, bonuses, want)
	}
}

// TestOwnGraphs tests units with graphs of their own, and the footnote of curved graphs.
func TestOwnGraphs(t *testing.T) {
	curved := strings.Replace(constant("HEALTH_MINION", 50), "[POINT]", "\t<BOOL>CURVED:true\n[POINT]", 1)
	d := read(t, source(t, "m", map[string]string{"GRAPHS/A.DAT": constant("HEALTH_MONSTER_BYLEVEL", 100), "GRAPHS/B.DAT": curved,
		"UNITS/MONSTERS/A.DAT": node("UNIT", "NAME:A", "MAXHP:100", "HEALTH_GRAPH:Health_Minion", "ARMOR_GRAPH:GONE"),
		"UNITS/MONSTERS/B.DAT": node("UNIT", "NAME:B", "MAXHP:100")}))
	a, b := d.Units[0], d.Units[1]
	if a.Graphs["health"] != "Health_Minion" || !slices.Equal(a.Notes, []string{noteGraph, noteCurve}) || b.Graphs != nil || b.Notes != nil {
		t.Errorf("%v, %v; %v, %v", a.Graphs, a.Notes, b.Graphs, b.Notes)
	}
	if !slices.ContainsFunc(d.Holes, func(h Hole) bool {
		return h.Message == `names the graph "GONE", which is not in these files` && h.Line == 5
	}) {
		t.Errorf("holes %v", d.Holes)
	}
	g := Graphs{"HEALTH_MONSTER_BYLEVEL": d.Graphs[1], "HEALTH_MINION": d.Graphs[0]}
	for own, want := range map[string]float64{"": 200, "health_minion": 100} {
		if got, _ := g.Stat(200, "health", own, false, Normal, 5); got != want {
			t.Errorf("with the graph %q: %v, want %v", own, got, want)
		}
	}
}

// TestGraph tests the values of graphs between and beyond their points.
func TestGraph(t *testing.T) {
	d := read(t, source(t, "m", map[string]string{"GRAPHS/S/G.DAT": graph("G", true, [2]float64{10, 100}, [2]float64{20, 200},
		[2]float64{30, 400}),
		"GRAPHS/S/F.DAT": graph("F", false, [2]float64{1, 1}, [2]float64{2, 3})}))
	for _, c := range []struct {
		g       int
		x, want float64
	}{{1, 1, 100}, {1, 10, 100}, {1, 15, 150}, {1, 20, 200}, {1, 30, 400}, {1, 40, 600}, {0, 5, 3}, {0, 1.5, 2}} {
		if got := d.Graphs[c.g].At(c.x); got != c.want {
			t.Errorf("%s at %v: %v, want %v", d.Graphs[c.g].Name, c.x, got, c.want)
		}
	}
}

// TestTable tests that the table of a class has the odds that a search for each thing computes.
func TestTable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var list []*Class
	for i := range 60 {
		c := &Class{Thing: Thing{ID: fmt.Sprint(i)}}
		for range r.IntN(6) {
			e := Entry{To: Link{Kind: KindItem, ID: fmt.Sprint(r.IntN(20))}, Weight: float64(r.IntN(5) - 1), Min: r.IntN(2), Max: 1 + r.IntN(3)}
			if r.IntN(2) == 0 {
				e.To = Link{Kind: KindClass, ID: fmt.Sprint(r.IntN(60))}
			}
			c.Entries = append(c.Entries, e)
		}
		list = append(list, c)
	}
	c := newClasses(list)
	n := 0
	tables := c.newTables(func(*Entry) bool { return true })
	for _, class := range list {
		table := tables.of(class)
		for leaf, what := range c.leaf {
			want := c.search(what, func(*Entry) bool { return true }).of(class)
			got := share{}
			if i := slices.IndexFunc(table, func(s share) bool { return s.leaf == leaf+1 }); i >= 0 {
				got = table[i]
				n++
			}
			if got.chance != want.chance || want.chance > 0 && got.expected != want.expected {
				t.Errorf("%s in class %s: %+v, want %+v", what.ID, class.ID, got, want)
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d chances", n)
	}
}

// TestMods tests that later mods win, and that names and GUIDs that occur twice are reported.
func TestMods(t *testing.T) {
	item := func(name, guid, title string) string {
		return node("UNIT", "NAME:"+name, "UNIT_GUID:"+guid, "DISPLAYNAME:"+title, "UNITTYPE:RING")
	}
	base := source(t, "base", map[string]string{"UNITS/ITEMS/A.DAT": item("A", "1", "old"), "UNITS/ITEMS/C.DAT": item("C", "3", "third")})
	base.Base = true
	mod := source(t, "mod", map[string]string{"UNITS/ITEMS/A.DAT": item("A", "1", "new"), "UNITS/ITEMS/B.DAT": item("B", "3", "twin"),
		"UNITS/ITEMS/D.DAT": item("c", "4", "same name"), "SPAWNCLASSES/S.DAT": class("S", "UNIT:C;1"),
		"TRANSLATIONS/DE/T.DAT": node("TRANSLATIONS", node("TRANSLATION", "ORIGINAL:new", "TRANSLATION:neu"))})
	d := read(t, base, mod)
	if len(d.Items) != 4 || d.Items[0].Title != "new" || d.Items[0].Mod != 1 || d.Translations["DE"]["new"] != "neu" {
		t.Errorf("items: %+v", d.Items)
	}
	if got := d.Classes[0].Entries[0].To.ID; got != "4" {
		t.Errorf("C is %s, want the one of the mod", got)
	}
	var kinds []string
	for _, h := range d.Holes {
		kinds = append(kinds, h.Kind)
	}
	if want := []string{"guid", "name", "type", "type", "type", "type"}; !slices.Equal(kinds, want) {
		t.Errorf("holes %v, want %v", d.Holes, want)
	}
	mod.Removed = []string{"MEDIA/UNITS/ITEMS/C.DAT"}
	if d := read(t, base, mod); len(d.Items) != 3 {
		t.Errorf("%d items with one removed", len(d.Items))
	}
}

// TestOfType tests example 11: the items of a type that fit a level.
func TestOfType(t *testing.T) {
	files := map[string]string{"UNITTYPES/E.DAT": node("E", "NAME:CHAOS EMBER"), "UNITTYPES/F.DAT": node("F", "NAME:FIRE EMBER",
		"CHILD:CHAOS EMBER"),
		"GRAPHS/A.DAT": constant("ITEM_SPAWN_RANGE_MINIMUM", 20), "GRAPHS/B.DAT": constant("ITEM_SPAWN_RANGE_MAXIMUM", 60)}
	for i, levels := range [][3]int{{30, 1, 0}, {40, 50, 50}, {50, 0, 99}, {20, 20, 80}, {30, 51, 0}, {30, 1, 49}, {61, 0, 0}} {
		files[fmt.Sprintf("UNITS/ITEMS/E%d.DAT", i)] = node("UNIT", fmt.Sprintf("NAME:E%d", i), "UNITTYPE:FIRE EMBER", "RARITY:30",
			fmt.Sprintf("LEVEL:%d", levels[0]), fmt.Sprintf("MINLEVEL:%d", levels[1]), fmt.Sprintf("MAXLEVEL:%d", levels[2]))
	}
	files["UNITS/ITEMS/BASE.DAT"] = node("UNIT", "NAME:BASE", "UNITTYPE:FIRE EMBER", "RARITY:30", "LEVEL:30", "DONTCREATE:true")
	d := read(t, source(t, "m", files))
	list := ofType(d, find(d.Types, func(x *Type) bool { return x.Name == "CHAOS EMBER" }).ID, 50)
	if len(list) != 4 || list[0].Chance != 0.25 {
		t.Errorf("%v, want 4 items of 25 %%", list)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("SPAWNCLASSES/A.DAT", class("A", "UNIT:B;1", "SPAWNCLASS:A;-1"))
	f.Add("UNITS/MONSTERS/M.DAT", node("UNIT", "NAME:M", "UNIT_GUID:1", node("TREASURE", "SPAWNCLASS:A", "MIN:0", "MAX:99999999")))
	f.Add("GRAPHS/G.DAT", graph("G", true, [2]float64{1, 1}, [2]float64{1, 2}))
	f.Add("UNITTYPES/T.DAT", node("T", "CHILD:T", "CHILD1:U"))
	f.Fuzz(func(t *testing.T, path, content string) {
		if strings.ContainsAny(path, "\x00\\") || !fs.ValidPath("MEDIA/"+path) || strings.HasSuffix(path, "/") {
			return
		}
		d := read(t, source(t, "m", map[string]string{path: content, "UNITS/ITEMS/B.DAT": node("UNIT", "NAME:B")}))
		for _, l := range d.Loots {
			for _, c := range l.Chance {
				if !(c.Chance > 0 && c.Chance <= 1+1e-9) {
					t.Errorf("chance %v", c.Chance)
				}
			}
		}
		if _, err := json.Marshal(d); err != nil {
			t.Error(err)
		}
	})
}

// ofType returns the items that "some item of a type" can be at a level, with their chances. That is a guess: see the footnote.
func ofType(d *Data, id string, level float64) []Chance {
	graphs := make(Graphs)
	for _, g := range d.Graphs {
		graphs[strings.ToUpper(g.Name)] = g
	}
	low, bounded := graphs.At("ITEM_SPAWN_RANGE_MINIMUM", level)
	high, also := graphs.At("ITEM_SPAWN_RANGE_MAXIMUM", level)
	below := map[string]bool{id: true}
	for _, t := range d.Types {
		below[t.ID] = below[t.ID] || slices.ContainsFunc(t.All, func(l Link) bool { return l.ID == id })
	}
	var list []Chance
	var sum float64
	for _, v := range d.Items {
		l := float64(v.Level)
		if v.Type.ID == "" || !below[v.Type.ID] || !v.Created || v.Rarity == nil || *v.Rarity <= 0 || level < float64(v.MinLevel) ||
			v.MaxLevel > 0 && level > float64(v.MaxLevel) || bounded && also && (l < low || l > high) {
			continue
		}
		sum += *v.Rarity
		list = append(list, Chance{What: Link{KindItem, v.ID, v.Name}, Chance: *v.Rarity})
	}
	for i := range list {
		list[i].Chance /= sum
		list[i].Expected = list[i].Chance
	}
	return list
}
