package tables

import (
	"path"
	"strings"

	"trowel.example/torchlight/internal/hole"
	"trowel.example/torchlight/raw"
	"trowel.example/torchlight/text"
)

func (b *builder) affixes() *raw.Affixes {
	t := new(raw.Affixes)
	for file, tree := range b.scan("MEDIA/AFFIXES/", ".DAT", byName) {
		name, _ := tree.Get("NAME")
		if name == "" {
			name = "NA"
		}
		t.Affixes = append(t.Affixes, raw.Affix{
			File:                file,
			Name:                upper(name),
			MinSpawnRange:       b.integer(file, tree, "MIN_SPAWN_RANGE", 0),
			MaxSpawnRange:       b.integer(file, tree, "MAX_SPAWN_RANGE", 999999),
			Weight:              b.integer(file, tree, "WEIGHT", 1),
			DifficultiesAllowed: b.integer(file, tree, "DIFFICULTIES_ALLOWED", -1),
			UnitTypes:           values(tree, "UNITTYPES"),
			NotUnitTypes:        values(tree, "NOT_UNITTYPES"),
		})
	}
	return t
}

// values returns the strings in the nodes with a name, whatever their keys are: sources use both UNITTYPE and UNITTYPES
// for the same purpose.
func values(n *text.Node, name string) (all []string) {
	for child := range n.Nodes(name) {
		for p := range child.Properties() {
			if p.Type.IsString() {
				all = append(all, p.Value)
			}
		}
	}
	return all
}

func (b *builder) skills() *raw.Skills {
	t := new(raw.Skills)
	for file, tree := range b.scan("MEDIA/SKILLS/", ".DAT", byName) {
		name, _ := tree.Get("NAME")
		if name == "" {
			b.add(foundNoName, file, "the skill has no NAME")
			continue
		}
		t.Skills = append(t.Skills, raw.Skill{Name: upper(name), File: file, GUID: b.guid(file, tree, "UNIQUE_GUID")})
	}
	return t
}

func (b *builder) triggerables() *raw.Triggerables {
	t := new(raw.Triggerables)
	for file, tree := range b.scan("MEDIA/TRIGGERABLES/", ".DAT", filesFirst) {
		name, ok := tree.Get("NAME")
		if !ok {
			name = strings.TrimSuffix(path.Base(file), ".DAT")
		}
		t.Triggerables = append(t.Triggerables, raw.Triggerable{File: file, Name: name})
	}
	return t
}

func (b *builder) roomPieces() *raw.RoomPieces {
	t := new(raw.RoomPieces)
	for file, tree := range b.scan("MEDIA/LEVELSETS/", ".DAT", filesFirst) {
		set := raw.LevelSet{File: file}
		for n := range tree.All() {
			if _, ok := n.Get("GUID"); ok && strings.EqualFold(n.Name, "PIECE") {
				set.Pieces = append(set.Pieces, b.guid(file, n, "GUID"))
			}
		}
		t.LevelSets = append(t.LevelSets, set)
	}
	return t
}

// objects returns the properties of each object of a layout with the given descriptor, in the order of the text.
func objects(layout *text.Node, descriptor string) (found []*text.Node) {
	for n := range layout.All() {
		if d, _ := n.Get("DESCRIPTOR"); strings.EqualFold(d, descriptor) && strings.EqualFold(n.Name, "PROPERTIES") {
			found = append(found, n)
		}
	}
	return found
}

func (b *builder) missiles() *raw.Missiles {
	t := new(raw.Missiles)
	for file, tree := range b.scan("MEDIA/MISSILES/", ".LAYOUT", byName) {
		l := raw.MissileLayout{File: file}
		for _, missile := range objects(tree, "Missile") {
			name, ok := missile.Get("MISSILE NAME")
			if !ok {
				name = "NA"
			}
			l.Missiles = append(l.Missiles, upper(name))
		}
		t.Layouts = append(t.Layouts, l)
	}
	return t
}

// ui returns the records of the first menu definition of each layout.
func (b *builder) ui() *raw.UI {
	t := new(raw.UI)
	for file, tree := range b.scan("MEDIA/UI/", ".LAYOUT", filesFirst) {
		menus := objects(tree, "Menu Definition")
		if len(menus) == 0 {
			continue
		}
		menu := menus[0]
		if flag(menu, "DO NOT CREATE") {
			continue
		}
		name, _ := menu.Get("MENU NAME")
		if name == "" {
			b.add(foundNoName, file, "the menu has no MENU NAME")
			continue
		}
		binding, _ := menu.Get("KEY BINDING")
		m := raw.Menu{
			Name:             name,
			File:             file,
			CreateOnLoad:     flagByte(flag(menu, "ALWAYS VISIBLE") || flag(menu, "CREATE ON LOAD")),
			MultiplayerOnly:  flagByte(flag(menu, "MULTIPLAYER ONLY")),
			SingleplayerOnly: flagByte(flag(menu, "SINGLEPLAYER ONLY")),
			KeyBinding:       binding,
		}
		var ok bool
		if value, _ := menu.Get("TYPE"); value != "" {
			if m.Type, ok = raw.ParseMenuType(value); !ok {
				b.add(foundEnum, file, "the menu %q has the TYPE %q", name, value)
			}
		}
		if value, _ := menu.Get("GAME STATE"); value != "" {
			if m.GameState, ok = raw.ParseGameState(value); !ok {
				b.add(foundEnum, file, "the menu %q has the GAME STATE %q", name, value)
			}
		}
		t.Menus = append(t.Menus, m)
	}
	return t
}

func flag(n *text.Node, key string) bool {
	value, _ := n.Get(key)
	return hole.True(value)
}

func flagByte(v bool) raw.Flag { return raw.Flag(boolInt(v)) }
