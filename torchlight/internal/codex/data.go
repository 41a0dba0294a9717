package codex

import "iter"

// Version is the version of the schema of [Data], which docs/codex.md describes. New keys do not change it.
const Version = 1

// Data is everything that a codex contains. Its JSON form is for other programs: keys are added, and never change their
// meaning.
type Data struct {
	Version      int                          `json:"codex"`
	Mods         []Mod                        `json:"mods"` // in the order of the launcher; the base is the first one
	Notes        []Note                       `json:"notes"`
	Graphs       []*Graph                     `json:"graphs"`
	Effects      []*EffectType                `json:"effects"`
	Items        []*Item                      `json:"items"`
	Units        []*Unit                      `json:"units"`
	Sets         []*Set                       `json:"sets"`
	Affixes      []*Affix                     `json:"affixes"`
	Skills       []*Skill                     `json:"skills"`
	Recipes      []*Recipe                    `json:"recipes"`
	Classes      []*Class                     `json:"classes"`
	Types        []*Type                      `json:"types"`
	Places       []*Place                     `json:"places"`
	Loots        []*Loot                      `json:"loots"`
	Holes        []Hole                       `json:"holes"`
	Translations map[string]map[string]string `json:"translations"` // by language, then by text

	chances *chances
}

// Mod is a mod, or the game's own files.
type Mod struct {
	Name   string `json:"name"` // of the file or folder
	Title  string `json:"title"`
	Author string `json:"author,omitempty"`
	Base   bool   `json:"base,omitempty"` // the game's own files
}

// Note is a footnote: something about the game that is a guess, and not measured.
type Note struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// The footnotes.
const (
	noteZero     = "zero"
	noteCount    = "count"
	noteRarity   = "rarity"
	noteType     = "type"
	noteTreasure = "treasure"
	noteRequired = "required"
	noteArmor    = "armor"
	noteEffect   = "effect"
	noteCurve    = "curve"
	noteLevel    = "level"
	noteOver     = "over"
	noteGraph    = "graph"
	noteNamed    = "named"
)

// notes are all footnotes.
var notes = []Note{
	{noteZero, "An entry of weight 0 is always given if its class has no positive weight, and never otherwise."},
	{noteCount, "A count is any number from the least to the greatest with the same chance: rolls of a class, pieces of an item."},
	{noteRarity, "RARITY is the weight among the items of a type. An item of RARITY 0 comes only from an entry with RARITY_OVERRIDE."},
	{noteType,
		"\"Some item of a type\" is an item of this type or of one below it that can be created, has a RARITY, and fits the level; " +
			"the chance is by RARITY. The choice of a rank (normal, magic, unique) comes first and is not included."},
	{noteTreasure, "A unit with its own treasure of a kind does not get that of its base files."},
	{noteRequired, "Requirements are percents of the graphs ITEM_..._REQUIREMENTS at the level of the item."},
	{noteArmor, "Another public page takes ARMORMIN to ARMORMAX as the percent of the armor graph, and ARMOR_PHYSICAL as a share of it."},
	{noteEffect, "DISPLAYPRECISIONMAXVAL is the greatest value that is shown with decimals."},
	{noteCurve, "The rule for curved graphs is unknown: the values between two points are on a straight line here."},
	{noteLevel, "IGNORE_RANGE means that the levels of the item are ignored."},
	{noteGraph, "A unit with HEALTH_GRAPH, ARMOR_GRAPH or DAMAGE_GRAPH has the values of this graph at every difficulty."},
	{noteNamed, "A quest or a layout that names a class rolls it once."},
	{noteOver, "[VALUE_OT] is the value of the effect for each second of its duration."},
}

// Link refers to a thing. Without an ID the thing is not in the files.
type Link struct {
	Kind string `json:"kind"`
	ID   string `json:"id,omitempty"`
	Name string `json:"name,omitempty"` // as written
}

// The kinds of things.
const (
	KindItem, KindUnit, KindSet, KindAffix, KindSkill     = "item", "unit", "set", "affix", "skill"
	KindRecipe, KindClass, KindType, KindPlace, KindGraph = "recipe", "class", "type", "place", "graph"
	kindNone                                              = "none"
)

// Value is the effective value of a key.
type Value struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	From  int    `json:"from,omitempty"` // index in Thing.Files
}

// Thing has the properties that all things share.
type Thing struct {
	ID          string   `json:"id"`             // unique among the things of a kind
	Name        string   `json:"name,omitempty"` // internal name
	Title       string   `json:"title"`          // as the game shows it, with colors |cAARRGGBB and |u
	Description string   `json:"description,omitempty"`
	Mod         int      `json:"mod"`             // index in Data.Mods
	Files       []string `json:"files,omitempty"` // the file, then its base files, the nearest first
	Twins       []string `json:"twins,omitempty"` // other files with the same NAME
	Icon        string   `json:"icon,omitempty"`  // name of a sprite
	Values      []Value  `json:"values,omitempty"`
	UsedBy      []Link   `json:"usedBy,omitempty"`
	Notes       []string `json:"notes,omitempty"` // IDs of footnotes
}

// Entity is a thing of any kind: a pointer to an [Item], a [Unit], and so on.
type Entity interface{ Common() *Thing }

// Common returns the properties that all things share.
func (t *Thing) Common() *Thing { return t }

// All yields all things with their kinds, one kind after the other.
func (d *Data) All() iter.Seq2[string, Entity] {
	return func(yield func(string, Entity) bool) {
		_ = each(KindItem, d.Items, yield) && each(KindUnit, d.Units, yield) && each(KindSet, d.Sets, yield) &&
			each(KindAffix, d.Affixes, yield) && each(KindSkill, d.Skills, yield) && each(KindRecipe, d.Recipes, yield) &&
			each(KindPlace, d.Places, yield) && each(KindClass, d.Classes, yield) && each(KindType, d.Types, yield)
	}
}

func each[E Entity](kind string, list []E, yield func(string, Entity) bool) bool {
	for _, v := range list {
		if !yield(kind, v) {
			return false
		}
	}
	return true
}

// Effect is a node [EFFECT].
type Effect struct {
	Keys map[string]string `json:"keys"` // all keys, in upper case
	Text string            `json:"text"` // at the level of the thing
}

// EffectType is a type of effects of MEDIA/EFFECTSLIST.DAT.
type EffectType struct {
	Name      string   `json:"name"`
	Graph     string   `json:"graph,omitempty"`
	Good      string   `json:"good,omitempty"` // the text of a positive value
	Bad       string   `json:"bad,omitempty"`
	GoodOver  string   `json:"goodOver,omitempty"` // with a duration
	BadOver   string   `json:"badOver,omitempty"`
	Precision int      `json:"precision,omitempty"`
	MaxExact  float64  `json:"maxExact,omitempty"` // values above it have no decimals; 0: no limit
	Values    []string `json:"values,omitempty"`   // the keys of [VALUE1], [VALUE2] and so on
}

// Item is an item.
type Item struct {
	Thing
	Type     Link     `json:"type"`
	Level    int      `json:"level"`
	MinLevel int      `json:"minLevel"`
	MaxLevel int      `json:"maxLevel"` // 0: no limit
	Rarity   *float64 `json:"rarity"`   // null: the files do not contain it
	Created  bool     `json:"created"`  // false: DONTCREATE
	Damage   *damage  `json:"damage,omitempty"`
	Armor    int      `json:"armor,omitempty"`
	Set      *Link    `json:"set,omitempty"`
	Effects  []Effect `json:"effects,omitempty"`
	Affixes  []Link   `json:"affixes,omitempty"`
	Source   bool     `json:"source"` // some drop, merchant or recipe gives it by name or by exact type
}

// damage is the damage of a weapon at its level.
type damage struct {
	Low    int                   `json:"low"`
	High   int                   `json:"high"`
	Shares map[string][2]float64 `json:"shares"` // by element
}

// Unit is a monster, a chest, a merchant, or another unit that is no item.
type Unit struct {
	Thing
	Type     Link   `json:"type"`
	Role     string `json:"role"`     // monster, champion, boss, pet, merchant, npc, player, chest, prop
	Champion bool   `json:"champion"` // the graphs of champions apply

	// Graphs are graphs of the unit's own, by the property: health, damage or armor.
	Graphs map[string]string `json:"graphs,omitempty"`

	MinLevel int        `json:"minLevel"`
	MaxLevel int        `json:"maxLevel"`
	Treasure []treasure `json:"treasure,omitempty"`
	Skills   []cast     `json:"skills,omitempty"`
	Effects  []Effect   `json:"effects,omitempty"`
	Affixes  []Link     `json:"affixes,omitempty"`
	FoundIn  []Link     `json:"foundIn,omitempty"`
}

// treasure is what a unit drops, or sells: rolls of a class.
type treasure struct {
	Node  string `json:"node"`
	Class Link   `json:"class"`
	Min   int    `json:"min"`
	Max   int    `json:"max"`
}

// cast is a skill of a unit.
type cast struct {
	Skill  Link              `json:"skill"`
	Values map[string]string `json:"values"`
}

// Set is a set of items.
type Set struct {
	Thing
	Members []Link  `json:"members"`
	Level   int     `json:"level"` // the highest level of a member, for which the bonuses are computed
	Bonuses []Bonus `json:"bonuses"`
}

// Bonus is a bonus for a number of pieces of a set.
type Bonus struct {
	Count   int      `json:"count"`
	Affix   Link     `json:"affix"`
	Effects []Effect `json:"effects,omitempty"`
}

// Affix is an affix.
type Affix struct {
	Thing
	Weight   float64  `json:"weight"` // 0: never at random
	Rank     int      `json:"rank"`
	MinLevel int      `json:"minLevel"`
	MaxLevel int      `json:"maxLevel"`
	Types    []Link   `json:"types,omitempty"`
	NotTypes []Link   `json:"notTypes,omitempty"`
	Effects  []Effect `json:"effects,omitempty"`
}

// Skill is a skill.
type Skill struct {
	Thing
	Levels []SkillLevel `json:"levels,omitempty"`
	Tiers  []string     `json:"tiers,omitempty"`
}

// SkillLevel is a level of a skill.
type SkillLevel struct {
	Level   int               `json:"level"`
	Values  map[string]string `json:"values"`
	Affixes []Link            `json:"affixes,omitempty"`
}

// Recipe is a recipe.
type Recipe struct {
	Thing
	Hidden      bool         `json:"hidden"`      // not in the list of the game
	ResultShown bool         `json:"resultShown"` // false: the game shows "?"
	MeanLevel   bool         `json:"meanLevel"`   // the level is the mean of the ingredients
	Socket      bool         `json:"socket"`      // adds a socket
	Result      *Link        `json:"result"`      // an item or a class
	Ingredients []Ingredient `json:"ingredients"`
	Results     []Chance     `json:"results"`
	Nothing     float64      `json:"nothing"` // chance that it gives nothing
}

// Ingredient is an ingredient of a recipe.
type Ingredient struct {
	What        Link     `json:"what"`
	Count       int      `json:"count"`
	Description string   `json:"description,omitempty"`
	Flags       []string `json:"flags,omitempty"`
}

// Chance is the chance of a thing.
type Chance struct {
	What     Link    `json:"what"`
	Chance   float64 `json:"chance"`          // at least one, 0 to 1
	Expected float64 `json:"expected"`        // number
	Path     []Link  `json:"path,omitempty"`  // the likeliest one, of classes
	Kinds    int     `json:"kinds,omitempty"` // of the same title; 0 means 1
}

// Class is a spawn class.
type Class struct {
	Thing
	Entries []Entry   `json:"entries"`
	NamedBy []mention `json:"namedBy,omitempty"`
}

// mention is a quest or a layout that names a class.
type mention struct {
	Kind  string `json:"kind"` // quest, layout
	Title string `json:"title,omitempty"`
	Mod   int    `json:"mod"`
	File  string `json:"file,omitempty"`
}

// Entry is an entry of a class.
type Entry struct {
	To     Link     `json:"to"`
	Weight float64  `json:"weight"`
	Min    int      `json:"min"`
	Max    int      `json:"max"`
	Share  float64  `json:"share"` // chance of being chosen; 1 if it is always given
	Always bool     `json:"always,omitempty"`
	Cut    bool     `json:"cut,omitempty"` // it leads back, and counts as nothing
	Flags  []string `json:"flags,omitempty"`

	override, any bool // RARITY_OVERRIDE, IGNORE_RANGE
	leaf          int  // number of an item, a unit or a type among those of all classes, from 1; 0: another target
	at            place
}

// Type is a unit type.
type Type struct {
	Thing
	Parents []Link `json:"parents,omitempty"`
	All     []Link `json:"all,omitempty"` // all types above it
}

// Place is a dungeon.
type Place struct {
	Thing
	Strata []Stratum `json:"strata"`
}

// Stratum is a part of a dungeon.
type Stratum struct {
	Name    string            `json:"name"`
	Classes []Link            `json:"classes"`
	Values  map[string]string `json:"values"`
}

// Loot is a number of rolls of a class on a death, with the units that share it and everything that it can give.
type Loot struct {
	Class  Link     `json:"class"`
	Min    int      `json:"min"`
	Max    int      `json:"max"`
	Units  []Link   `json:"units"`
	Chance []Chance `json:"chances"`
}

// Hole is something that the files lack, or have twice.
type Hole struct {
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Message string `json:"message"`
	Mod     int    `json:"mod"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"` // from 1; 0: unknown

	node string // the place in the file, of which Line is the line
}
