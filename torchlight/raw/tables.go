package raw

// Affixes is AFFIXES.RAW: the affixes of items and units.
type Affixes struct {
	Affixes []Affix `json:"affixes"` // at most 65535
}

// Affix is one file below MEDIA/AFFIXES.
type Affix struct {
	File                string   `json:"file"`                   // path in upper case, for example "MEDIA/AFFIXES/X.DAT"
	Name                string   `json:"name"`                   // NAME in upper case
	MinSpawnRange       int32    `json:"minSpawnRange"`          // lowest level
	MaxSpawnRange       int32    `json:"maxSpawnRange"`          // highest level
	Weight              int32    `json:"weight"`                 // relative probability of being chosen; 0 means never
	DifficultiesAllowed int32    `json:"difficultiesAllowed"`    // -1: all
	UnitTypes           []string `json:"unittypes,omitempty"`    // types of units that can have the affix, at most 255; empty means any
	NotUnitTypes        []string `json:"notUnittypes,omitempty"` // types of units that cannot have the affix, at most 255
}

// Kind returns KindAffixes.
func (*Affixes) Kind() Kind { return KindAffixes }

// Len returns the number of affixes.
func (t *Affixes) Len() int { return len(t.Affixes) }

func (t *Affixes) walk(c *codec) {
	list(c, "affixes", 2, 22, &t.Affixes, func(c *codec, a *Affix) {
		c.text("file", &a.File)
		c.text("name", &a.Name)
		c.i32("min_spawn_range", &a.MinSpawnRange)
		c.i32("max_spawn_range", &a.MaxSpawnRange)
		c.i32("weight", &a.Weight)
		c.i32("difficulties_allowed", &a.DifficultiesAllowed)
		c.names("unittypes", &a.UnitTypes)
		c.names("not_unittypes", &a.NotUnitTypes)
	})
}

// Missiles is MISSILES.RAW: the layouts that contain each missile.
type Missiles struct {
	Layouts []MissileLayout `json:"layouts"` // at most 65535
}

// MissileLayout is one layout below MEDIA/MISSILES.
type MissileLayout struct {
	File     string   `json:"file"`     // path in upper case, for example "MEDIA/MISSILES/X.LAYOUT"
	Missiles []string `json:"missiles"` // the MISSILE NAME of each Missile object in upper case, at most 255
}

// Kind returns KindMissiles.
func (*Missiles) Kind() Kind { return KindMissiles }

// Len returns the number of layouts.
func (t *Missiles) Len() int { return len(t.Layouts) }

func (t *Missiles) walk(c *codec) {
	list(c, "layouts", 2, 3, &t.Layouts, func(c *codec, l *MissileLayout) {
		c.text("file", &l.File)
		c.names("missiles", &l.Missiles)
	})
}

// RoomPieces is ROOMPIECES.RAW: the level sets that contain each room piece.
type RoomPieces struct {
	LevelSets []LevelSet `json:"levelsets"`
}

// LevelSet is one file below MEDIA/LEVELSETS. In the file of the table the
// paths of all level sets come first, then the pieces of all.
type LevelSet struct {
	File   string `json:"file"`   // path in upper case, for example "MEDIA/LEVELSETS/X.DAT"
	Pieces []GUID `json:"pieces"` // the GUID of each piece
}

// Kind returns KindRoomPieces.
func (*RoomPieces) Kind() Kind { return KindRoomPieces }

// Len returns the number of level sets.
func (t *RoomPieces) Len() int { return len(t.LevelSets) }

func (t *RoomPieces) walk(c *codec) {
	list(c, "levelsets", 4, 6, &t.LevelSets, func(c *codec, s *LevelSet) { c.text("file", &s.File) })
	c.each("levelsets", len(t.LevelSets), func(i int) {
		list(c, "pieces", 4, 8, &t.LevelSets[i].Pieces, func(c *codec, g *GUID) { c.guid("", g) })
	})
}

// Skills is SKILLS.RAW.
type Skills struct {
	Skills []Skill `json:"skills"`
}

// Skill is one file below MEDIA/SKILLS.
type Skill struct {
	Name string `json:"name"` // NAME in upper case
	File string `json:"file"` // path in upper case, for example "MEDIA/SKILLS/X.DAT"
	GUID GUID   `json:"guid"` // UNIQUE_GUID; -1 if there is none
}

// Kind returns KindSkills.
func (*Skills) Kind() Kind { return KindSkills }

// Len returns the number of skills.
func (t *Skills) Len() int { return len(t.Skills) }

func (t *Skills) walk(c *codec) {
	list(c, "skills", 4, 12, &t.Skills, func(c *codec, s *Skill) {
		c.text("name", &s.Name)
		c.text("file", &s.File)
		c.guid("guid", &s.GUID)
	})
}

// Triggerables is TRIGGERABLES.RAW: actions that events trigger.
type Triggerables struct {
	Triggerables []Triggerable `json:"triggerables"` // at most 65535
}

// Triggerable is one file below MEDIA/TRIGGERABLES.
type Triggerable struct {
	File string `json:"file"` // path in upper case, for example "MEDIA/TRIGGERABLES/X.DAT"
	Name string `json:"name"` // NAME
}

// Kind returns KindTriggerables.
func (*Triggerables) Kind() Kind { return KindTriggerables }

// Len returns the number of triggerables.
func (t *Triggerables) Len() int { return len(t.Triggerables) }

func (t *Triggerables) walk(c *codec) {
	list(c, "triggerables", 2, 4, &t.Triggerables, func(c *codec, a *Triggerable) {
		c.text("file", &a.File)
		c.text("name", &a.Name)
	})
}

// UI is UI.RAW: the menus.
type UI struct {
	Menus []Menu `json:"menus"`
}

// Menu is the menu definition of one layout below MEDIA/UI.
type Menu struct {
	Name             string    `json:"name"` // MENU NAME, unchanged
	File             string    `json:"file"` // path in upper case, for example "MEDIA/UI/X.LAYOUT"
	Type             MenuType  `json:"type"`
	GameState        GameState `json:"gameState"`        // when the menu is visible
	CreateOnLoad     Flag      `json:"createOnLoad"`     // CREATE ON LOAD or ALWAYS VISIBLE
	MultiplayerOnly  Flag      `json:"multiplayerOnly"`  // MULTIPLAYER ONLY
	SingleplayerOnly Flag      `json:"singleplayerOnly"` // SINGLEPLAYER ONLY
	KeyBinding       string    `json:"keyBinding"`       // KEY BINDING
}

// Kind returns KindUI.
func (*UI) Kind() Kind { return KindUI }

// Len returns the number of menus.
func (t *UI) Len() int { return len(t.Menus) }

func (t *UI) walk(c *codec) {
	list(c, "menus", 4, 17, &t.Menus, func(c *codec, m *Menu) {
		c.text("name", &m.Name)
		c.text("file", &m.File)
		c.i32("type", (*int32)(&m.Type))
		c.r.Means(m.Type)
		c.i32("game_state", (*int32)(&m.GameState))
		c.r.Means(m.GameState)
		c.u8("create_on_load", (*uint8)(&m.CreateOnLoad))
		c.u8("multiplayer_only", (*uint8)(&m.MultiplayerOnly))
		c.u8("singleplayer_only", (*uint8)(&m.SingleplayerOnly))
		c.text("key_binding", &m.KeyBinding)
	})
}

// UnitData is UNITDATA.RAW: all units, by the folder below MEDIA/UNITS that contains them.
type UnitData struct {
	Items    []Unit `json:"items"`
	Monsters []Unit `json:"monsters"`
	Players  []Unit `json:"players"`
	Props    []Unit `json:"props"`
}

// Unit is one file below MEDIA/UNITS.
type Unit struct {
	GUID     GUID      `json:"guid"` // UNIT_GUID; -1 if there is none
	Name     string    `json:"name"` // NAME in upper case
	File     string    `json:"file"` // path in upper case, for example "MEDIA/UNITS/ITEMS/X.DAT"
	Flags    UnitFlags `json:"flags"`
	Level    int32     `json:"level"`          // LEVEL
	MinLevel int32     `json:"minlevel"`       // lowest level of the player
	MaxLevel int32     `json:"maxlevel"`       // highest level of the player
	Rarity   int32     `json:"rarity"`         // relative frequency
	RarityHC int32     `json:"rarityHardcore"` // the same for hardcore characters
	UnitType string    `json:"unittype"`       // UNITTYPE in upper case
}

// Kind returns KindUnitData.
func (*UnitData) Kind() Kind { return KindUnitData }

// Len returns the number of units.
func (t *UnitData) Len() int {
	return len(t.Items) + len(t.Monsters) + len(t.Players) + len(t.Props)
}

// Section is one of the four lists of units.
type Section struct {
	Name  string  // for example "items": the folder below MEDIA/UNITS
	Units *[]Unit // the list itself
}

// Sections returns the lists in the order of the file.
func (t *UnitData) Sections() []Section {
	return []Section{{"items", &t.Items}, {"monsters", &t.Monsters}, {"players", &t.Players}, {"props", &t.Props}}
}

func (t *UnitData) walk(c *codec) {
	for _, s := range t.Sections() {
		list(c, s.Name, 4, 35, s.Units, func(c *codec, u *Unit) {
			c.guid("guid", &u.GUID)
			c.text("name", &u.Name)
			c.text("file", &u.File)
			c.u8("flags", (*uint8)(&u.Flags))
			c.r.Means(u.Flags)
			c.i32("level", &u.Level)
			c.i32("minlevel", &u.MinLevel)
			c.i32("maxlevel", &u.MaxLevel)
			c.i32("rarity", &u.Rarity)
			c.i32("rarity_hardcore", &u.RarityHC)
			c.text("unittype", &u.UnitType)
		})
	}
}
