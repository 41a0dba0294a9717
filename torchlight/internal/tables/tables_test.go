package tables_test

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/torchlight/internal/tables"
	"trowel.example/torchlight/raw"
	"trowel.example/torchlight/text"
)

// sources are abbreviated texts by path, without the types of most properties:
//
//	UNIT NAME:Rat, LEVEL:3, (WEAPONS SWORD:1)
type sources map[string]string

func (s sources) Files() iter.Seq[string] { return maps.Keys(s) }

func (s sources) Tree(path string) (*text.Node, error) {
	form, ok := s[path]
	if !ok {
		return nil, fs.ErrNotExist
	}
	if form == "broken" {
		return nil, errors.New("it is broken")
	}
	var stack []*text.Node
	root := &text.Node{}
	node := root
	for part := range strings.FieldsFuncSeq(form, func(r rune) bool { return r == ',' || r == '\n' }) {
		part = strings.TrimLeft(part, " \t")
		switch key, value, ok := strings.Cut(part, ":"); {
		case ok:
			node.Add(text.String, key, value)
		case part == ")" && len(stack) > 0:
			node, stack = stack[len(stack)-1], stack[:len(stack)-1]
		case strings.HasPrefix(part, "("):
			stack = append(stack, node)
			node = node.AddNode(part[1:])
		case part != "":
			node.Name = part
		}
	}
	return root, nil
}

// build builds the tables of a mod; the findings are "ID path".
func build(mod, base sources) (map[string]raw.Table, []string) {
	var b tables.Sources
	if base != nil {
		b = base
	}
	built, found := tables.Build(mod, b)
	var ids []string
	for _, f := range found {
		ids = append(ids, f.ID+" "+f.Path)
	}
	return built, ids
}

func compare(t *testing.T, mod, base sources, file string, want raw.Table, found ...string) {
	t.Helper()
	built, got := build(mod, base)
	if diff := cmp.Diff(want, built[file]); diff != "" {
		t.Errorf("%s: %s", file, diff)
	}
	if diff := cmp.Diff(found, got); diff != "" {
		t.Errorf("%s: findings: %s", file, diff)
	}
}

func TestAffixes(t *testing.T) {
	compare(t, sources{
		"MEDIA/AFFIXES/B.DAT": "AFFIX, NAME:b, MIN_SPAWN_RANGE:1, MAX_SPAWN_RANGE:2, WEIGHT:3, " +
			"DIFFICULTIES_ALLOWED:4, (UNITTYPES, UNITTYPE:Any, UNITTYPES:PET, ), (NOT_UNITTYPES, X:Y, )",
		"MEDIA/AFFIXES/A.DAT":       "AFFIX, WEIGHT:few",
		"MEDIA/AFFIXES/A/Z.DAT":     "AFFIX, NAME:z",
		"MEDIA/AFFIXES/X.LAYOUT":    "",
		"MEDIA/AFFIXESTOO/X.DAT":    "",
		"MEDIA/AFFIXES/BROKEN.DAT":  "broken",
		"MEDIA/AFFIXES/A.DAT.IMAGE": "broken",
	}, nil, "MEDIA/AFFIXES.RAW", &raw.Affixes{Affixes: []raw.Affix{
		{File: "MEDIA/AFFIXES/A/Z.DAT", Name: "Z", MaxSpawnRange: 999999, Weight: 1, DifficultiesAllowed: -1},
		{File: "MEDIA/AFFIXES/A.DAT", Name: "NA", MaxSpawnRange: 999999, Weight: 0, DifficultiesAllowed: -1},
		{File: "MEDIA/AFFIXES/B.DAT", Name: "B", MinSpawnRange: 1, MaxSpawnRange: 2, Weight: 3, DifficultiesAllowed: 4,
			UnitTypes: []string{"Any", "PET"}, NotUnitTypes: []string{"Y"}},
	}}, "tl-table-number MEDIA/AFFIXES/A.DAT", "tl-table-source MEDIA/AFFIXES/BROKEN.DAT")
}

func TestSkills(t *testing.T) {
	compare(t, sources{
		"MEDIA/SKILLS/STATIC/B.DAT":         "SKILL, NAME:Straße, UNIQUE_GUID:-5",
		"MEDIA/SKILLS/STATIC MISSILE/A.DAT": "SKILL, name:a",
		"MEDIA/SKILLS/STATIC.DAT":           "SKILL, NAME:c, UNIQUE_GUID:9223372036854775807",
		"MEDIA/SKILLS/NONE.DAT":             "SKILL",
		"MEDIA/SKILLS/SURROGATE.DAT":        "SKILL, NAME:a\xed\xa0\xbdé",
	}, nil, "MEDIA/SKILLS.RAW", &raw.Skills{Skills: []raw.Skill{
		{Name: "STRAßE", File: "MEDIA/SKILLS/STATIC/B.DAT", GUID: -5},
		{Name: "A", File: "MEDIA/SKILLS/STATIC MISSILE/A.DAT", GUID: -1},
		{Name: "C", File: "MEDIA/SKILLS/STATIC.DAT", GUID: 9223372036854775807},
		{Name: "A\xed\xa0\xbdÉ", File: "MEDIA/SKILLS/SURROGATE.DAT", GUID: -1},
	}}, "tl-table-no-name MEDIA/SKILLS/NONE.DAT")
}

// TestFilesFirst tests that triggerables, room pieces and menus are ordered files first, and the others by name.
func TestFilesFirst(t *testing.T) {
	mod := sources{}
	for _, file := range []string{"B/C/D", "B/A", "C", "A/Z", "B/C/A", "A/B/C"} {
		mod["MEDIA/TRIGGERABLES/"+file+".DAT"] = "TRIGGERABLEACTION"
		mod["MEDIA/SKILLS/"+file+".DAT"] = "SKILL, NAME:x"
	}
	built, _ := build(mod, nil)
	order := func(table raw.Table) string {
		var files []string
		for _, file := range raw.Records(table) {
			files = append(files, strings.TrimSuffix(strings.SplitN(file, "/", 3)[2], ".DAT"))
		}
		return strings.Join(files, " ")
	}
	if got, want := order(built["MEDIA/TRIGGERABLES.RAW"]), "C A/Z A/B/C B/A B/C/A B/C/D"; got != want {
		t.Errorf("triggerables in the order %s, want %s", got, want)
	}
	if got, want := order(built["MEDIA/SKILLS.RAW"]), "A/B/C A/Z B/A B/C/A B/C/D C"; got != want {
		t.Errorf("skills in the order %s, want %s", got, want)
	}
	if got := built["MEDIA/TRIGGERABLES.RAW"].(*raw.Triggerables).Triggerables[1].Name; got != "Z" {
		t.Errorf("a triggerable without NAME is called %q", got)
	}
}

func TestRoomPieces(t *testing.T) {
	compare(t, sources{
		"MEDIA/LEVELSETS/A.DAT": "LEVELSET, (PIECE, GUID:5, ), (GROUP, (piece, FILE:x, GUID:-6, ), ), (PIECE, FILE:y, ), (OTHER, GUID:8, )",
		"MEDIA/LEVELSETS/B.DAT": "LEVELSET",
	}, nil, "MEDIA/ROOMPIECES.RAW", &raw.RoomPieces{LevelSets: []raw.LevelSet{
		{File: "MEDIA/LEVELSETS/A.DAT", Pieces: []raw.GUID{5, -6}}, {File: "MEDIA/LEVELSETS/B.DAT"},
	}})
}

func TestMissiles(t *testing.T) {
	compare(t, sources{
		"MEDIA/MISSILES/A.LAYOUT": "Layout, (OBJECTS, (BASEOBJECT, (PROPERTIES, DESCRIPTOR:Missile, MISSILE NAME:Arrow, " +
			"), (CHILDREN, (BASEOBJECT, (PROPERTIES, DESCRIPTOR:Missile, ), ), ), ), (BASEOBJECT, (PROPERTIES, " +
			"DESCRIPTOR:Missile Control, MISSILE NAME:no, ), ), )",
		"MEDIA/MISSILES/B.LAYOUT": "Layout",
		"MEDIA/MISSILES/C.DAT":    "Layout",
	}, nil, "MEDIA/MISSILES.RAW", &raw.Missiles{Layouts: []raw.MissileLayout{
		{File: "MEDIA/MISSILES/A.LAYOUT", Missiles: []string{"ARROW", "NA"}}, {File: "MEDIA/MISSILES/B.LAYOUT"},
	}})
}

func TestUI(t *testing.T) {
	menu := func(properties string) string {
		return "UI, (OBJECTS, (BASEOBJECT, (PROPERTIES, DESCRIPTOR:Menu Definition, " + properties + ", ), ), )"
	}
	compare(t, sources{
		"MEDIA/UI/A.LAYOUT": menu("MENU NAME:Bar, TYPE:hud menu, GAME STATE:In Game, ALWAYS VISIBLE:true, KEY BINDING:K"),
		"MEDIA/UI/B.LAYOUT": menu("MENU NAME:Foo, TYPE:HAD MENU, GAME STATE:Never, CREATE ON LOAD:1, MULTIPLAYER " +
			"ONLY:true, SINGLEPLAYER ONLY:1"),
		"MEDIA/UI/C.LAYOUT":   menu("MENU NAME:No, DO NOT CREATE:true"),
		"MEDIA/UI/D.LAYOUT":   menu("TYPE:HUD MENU"),
		"MEDIA/UI/E.LAYOUT":   "UI, (OBJECTS, (BASEOBJECT, (PROPERTIES, DESCRIPTOR:Image, MENU NAME:no, ), ), )",
		"MEDIA/UI/A/A.LAYOUT": menu("MENU NAME:Last"),
	}, nil, "MEDIA/UI.RAW", &raw.UI{Menus: []raw.Menu{
		{Name: "Bar", File: "MEDIA/UI/A.LAYOUT", Type: 2, GameState: 3, CreateOnLoad: 1, KeyBinding: "K"},
		{Name: "Foo", File: "MEDIA/UI/B.LAYOUT", CreateOnLoad: 1, MultiplayerOnly: 1, SingleplayerOnly: 1},
		{Name: "Last", File: "MEDIA/UI/A/A.LAYOUT"},
	}}, "tl-table-enum MEDIA/UI/B.LAYOUT", "tl-table-enum MEDIA/UI/B.LAYOUT", "tl-table-no-name MEDIA/UI/D.LAYOUT")
}

func TestUnits(t *testing.T) {
	mod := sources{
		"MEDIA/UNITS/ITEMS/A.DAT": `UNIT, BASEFILE:media\units\items\own.dat, NAME:Sword, UNIT_GUID:5, LEVEL:1, RARITY:3, SET:heroes`,
		"MEDIA/UNITS/ITEMS/OWN.DAT": "UNIT, BASEFILE:media/units/items/base.dat, DONTCREATE:true, LEVEL:7, " +
			"MAXLEVEL:9, RARITY_HARDCORE:4, UNITTYPE:weapon, NAME:own",
		"MEDIA/UNITS/MONSTERS/RAT.DAT": "UNIT, NAME:Rat, UNIT_GUID:6, MINLEVEL:2, RARITY:8, CREATEAS:equipment, UNITTYPE:x",
		"MEDIA/UNITS/PROPS/P/B.DAT":    "UNIT",
		"MEDIA/UNITS/PROPS/P.DAT":      "UNIT, DONTCREATE:0, LEVEL:1x",
		"MEDIA/UNITS/OTHER/X.DAT":      "UNIT",
	}
	want := func(change func(sword *raw.Unit)) *raw.UnitData {
		sword := raw.Unit{GUID: 5, Name: "SWORD", File: "MEDIA/UNITS/ITEMS/A.DAT", Flags: raw.Equipment | raw.Set,
			Level: 7, MaxLevel: 9, Rarity: 3, RarityHC: 4, UnitType: "weapon"}
		change(&sword)
		return &raw.UnitData{
			Items: []raw.Unit{sword},
			Monsters: []raw.Unit{{GUID: 6, Name: "RAT", File: "MEDIA/UNITS/MONSTERS/RAT.DAT", Flags: raw.Equipment,
				Level: 1, MinLevel: 2, Rarity: 8, RarityHC: 8, UnitType: "x"}},
			Props: []raw.Unit{
				{GUID: -1, File: "MEDIA/UNITS/PROPS/P/B.DAT", Level: 1, Rarity: 1, RarityHC: 1},
				{GUID: -1, File: "MEDIA/UNITS/PROPS/P.DAT", Level: 1, Rarity: 1, RarityHC: 1},
			},
		}
	}
	const odd = "tl-table-number MEDIA/UNITS/PROPS/P.DAT"
	// Without the game the only fact about its items that matters is known.
	compare(t, mod, nil, "MEDIA/UNITDATA.RAW", want(func(*raw.Unit) {}), odd)
	// With the game, its values are used.
	game := sources{"MEDIA/UNITS/ITEMS/BASE.DAT": "UNIT, MINLEVEL:3, LEVEL:99, CREATEAS:ITEM"}
	compare(t, mod, game, "MEDIA/UNITDATA.RAW", want(func(sword *raw.Unit) { sword.MinLevel, sword.Flags = 3, raw.Set }), odd)
	// A file of the mod takes precedence over that of the game.
	game["MEDIA/UNITS/ITEMS/OWN.DAT"] = "UNIT, UNITTYPE:other"
	compare(t, mod, game, "MEDIA/UNITDATA.RAW", want(func(sword *raw.Unit) { sword.MinLevel, sword.Flags = 3, raw.Set }), odd)
	game["MEDIA/UNITS/ITEMS/BASE.DAT"] = "broken"
	compare(t, mod, game, "MEDIA/UNITDATA.RAW", want(func(*raw.Unit) {}), "tl-table-source MEDIA/UNITS/ITEMS/BASE.DAT", odd)
}

// TestMissingBase tests that a missing base file of units is reported with the keys that only it can have.
func TestMissingBase(t *testing.T) {
	_, found := tables.Build(sources{
		"MEDIA/UNITS/PROPS/A.DAT": "UNIT, BASEFILE:gone.dat, NAME:a, UNIT_GUID:1, UNITTYPE:x, LEVEL:1, CREATEAS:prop",
		"MEDIA/UNITS/PROPS/B.DAT": "UNIT, BASEFILE:gone.dat, NAME:b, UNIT_GUID:2, MINLEVEL:1, MAXLEVEL:2, RARITY:1, " +
			"RARITY_HARDCORE:1, SET:s, CREATEAS:prop",
	}, nil)
	const want = "MEDIA/GONE.DAT, the base of 2 units, is missing; their records lack its values of " +
		"SET (1), LEVEL (1), MINLEVEL (1), MAXLEVEL (1), RARITY (1), RARITY_HARDCORE (1), UNITTYPE (1)"
	if len(found) != 1 || found[0].ID != "tl-table-base" || found[0].Message != want {
		t.Errorf("%v, want %s", found, want)
	}
}

// TestUnitLoops tests units that are based on themselves, or on very many files.
func TestUnitLoops(t *testing.T) {
	mod := sources{
		"MEDIA/UNITS/PROPS/A.DAT": "UNIT, BASEFILE:units/props/b.dat, NAME:a",
		"MEDIA/UNITS/PROPS/B.DAT": "UNIT, BASEFILE:/../MEDIA/UNITS/PROPS/A.DAT, NAME:b, LEVEL:4",
		"MEDIA/UNITS/PROPS/C.DAT": "UNIT, BASEFILE:MEDIA/UNITS/PROPS/./C.DAT, NAME:c",
	}
	unit := func(name string, level int32) raw.Unit {
		return raw.Unit{GUID: -1, Name: name, File: "MEDIA/UNITS/PROPS/" + name + ".DAT", Level: level, Rarity: 1, RarityHC: 1}
	}
	compare(t, mod, nil, "MEDIA/UNITDATA.RAW", &raw.UnitData{Props: []raw.Unit{unit("A", 4), unit("B", 4), unit("C", 1)}},
		"tl-table-base-loop MEDIA/UNITS/PROPS/A.DAT", "tl-table-base-loop MEDIA/UNITS/PROPS/B.DAT", "tl-table-base-loop "+
			"MEDIA/UNITS/PROPS/C.DAT")
	long := sources{"MEDIA/UNITS/PROPS/X.DAT": "UNIT, BASEFILE:0.DAT"}
	for i := range 100 {
		long[fmt.Sprintf("MEDIA/%d.DAT", i)] = fmt.Sprintf("UNIT, BASEFILE:%d.DAT", i+1)
	}
	if _, found := build(long, nil); !slices.Equal(found, []string{"tl-table-base-loop MEDIA/UNITS/PROPS/X.DAT"}) {
		t.Error(found)
	}
}

func TestNothing(t *testing.T) {
	if built, found := build(sources{"MEDIA/X.DAT": ""}, sources{}); len(built) != 0 || len(found) != 0 {
		t.Error(built, found)
	}
}

// FuzzBuild tests that arbitrary sources give tables that can be written.
func FuzzBuild(f *testing.F) {
	f.Add("UNIT, NAME:a, LEVEL:x, BASEFILE:b.dat", "UNIT, BASEFILE:UNITS/PROPS/a.dat")
	f.Add("Layout, (PROPERTIES, DESCRIPTOR:Menu Definition, MENU NAME:\xed\xa0\xbd, TYPE:x, ), (PROPERTIES, DESCRIPTOR:Missile, )", "")
	f.Add("AFFIX, (UNITTYPES, A:1, ), (PIECE, GUID:-9223372036854775809, )", "broken")
	f.Fuzz(func(t *testing.T, a, b string) {
		mod := sources{"MEDIA/B.DAT": b}
		for _, folder := range []string{"AFFIXES", "SKILLS", "LEVELSETS", "TRIGGERABLES", "UNITS/ITEMS", "UNITS/PROPS", "UI", "MISSILES"} {
			mod["MEDIA/"+folder+"/A.DAT"], mod["MEDIA/"+folder+"/B.DAT"] = a, b
			mod["MEDIA/"+folder+"/A.LAYOUT"] = a
		}
		built, found := tables.Build(mod, nil)
		for _, f := range found {
			if !slices.ContainsFunc(tables.Catalog.Kinds(), func(k *check.Kind) bool { return k.ID == f.ID }) {
				t.Fatalf("a finding of no kind: %v", f)
			}
		}
		for file, table := range built {
			data, err := raw.Encode(table)
			if errors.Is(err, fault.ErrLimit) {
				continue // more names than a table can hold
			}
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			back, err := raw.Decode(data, table.Kind())
			if err != nil || utf8.ValidString(a+"|"+b) && !cmp.Equal(back, table) {
				t.Fatalf("%s: %v %s", file, err, cmp.Diff(table, back))
			}
		}
	})
}
