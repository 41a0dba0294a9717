package modauthor

import (
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"trowel.example/torchlight/internal/modinfo"
	"trowel.example/torchlight/text"
)

// kind is a kind of things that files define and mention.
type kind uint8

const (
	kindFile   kind = iota // by its path in the game, in upper case
	kindGUID               // by its number
	kindSprite             // of an image set, by its name in upper case
	kindAny                // a thing of a kind that only the game knows
	kindThing              // the first of things
)

// things are kinds of things that a data file defines by NAME in its root, by the folders of these files below MEDIA.
// Other files mention them in keys that contain one of the words.
var things = []struct {
	folder, title string
	words         []string
}{
	{"UNITS", "unit", []string{"UNIT", "ITEM", "MONSTER", "PLAYER", "PET", "NPC", "RESOURCE", "SPAWN", "MINION", "CHARACTER"}},
	{"SKILLS", "skill", []string{"SKILL", "WIDGET NAME"}},
	{"AFFIXES", "affix", []string{"AFFIX"}},
	{"DUNGEONS", "dungeon", []string{"DUNGEON", "TOWN"}},
	{"STATS", "stat", []string{"STAT"}},
	{"TRIGGERABLES", "triggerable", []string{"TRIGGERABLE", "TRIGGER"}},
	{"SPAWNCLASSES", "spawn class", []string{"SPAWNCLASS", "SPAWN CLASS", "SPAWN_CLASS", "TREASURE"}},
	{"UNITTYPES", "unit type", []string{"UNITTYPE", "UNIT TYPE", "CHILD"}},
	{"UNITTHEMES", "unit theme", []string{"THEME"}},
	{"QUESTS", "quest", []string{"QUEST"}},
	{"RECIPES", "recipe", []string{"RECIPE"}},
}

func (k kind) String() string {
	switch k {
	case kindFile:
		return "file"
	case kindGUID:
		return "GUID"
	case kindSprite:
		return "sprite"
	case kindAny:
		return "thing"
	}
	return things[k-kindThing].title
}

// symbol is a thing.
type symbol struct {
	kind kind
	name string
}

// defines returns the kind of things that a data file of the game defines by its NAME.
func defines(game string) (k kind, ok bool) {
	folders := strings.SplitN(game, "/", 3)
	if len(folders) < 3 || path.Ext(game) != ".DAT" && path.Ext(game) != ".TEMPLATE" {
		return 0, false
	}
	for i, t := range things {
		if folders[1] == t.folder {
			return kindThing + kind(i), true
		}
	}
	return 0, false
}

// guidKeys are the keys that define the GUID of a unit or skill.
var guidKeys = []string{"UNIT_GUID", "UNIQUE_GUID"}

// ownsGUID reports whether a key of a node defines the GUID of the file or of the piece of a level set that has it.
func ownsGUID(game, key string, way []string) bool {
	switch {
	case strings.HasPrefix(game, "MEDIA/UNITS/"):
		return key == "UNIT_GUID" && len(way) == 1
	case strings.HasPrefix(game, "MEDIA/SKILLS/"):
		return key == "UNIQUE_GUID" && len(way) == 1
	case strings.HasPrefix(game, "MEDIA/LEVELSETS/"):
		return key == "GUID" && strings.EqualFold(way[len(way)-1], "PIECE")
	}
	return false
}

// objectKeys are the keys of layouts whose values are IDs of objects and not GUIDs.
var objectKeys = []string{"ID", "PARENTID", "OBJECTID", "LINKINGTO", "PARENTOBJECT"}

// iconKeys are the keys whose value is a sprite or the path of a picture.
var iconKeys = []string{"ICON", "ICONLIT", "ICONSELECTED", "SKILL_ICON", "SKILL_ICON_INACTIVE", "IMAGE"}

// resourceWords are parts of keys whose value is a file of the RESOURCEDIRECTORY, often without extension.
var resourceWords = []string{"MESH", "TEXTURE", "MATERIAL", "SKELETON", "RAGDOLL"}

// meaning returns what the value of a property names, and whether the property defines it.
func meaning(game string, e *event) (s symbol, own, ok bool) {
	value := strings.TrimSpace(e.value)
	key := strings.ToUpper(e.key)
	if value == "" || len(value) > maxName || len(e.way) == 0 {
		return s, false, false
	}
	isText := e.typ == text.String
	if id, clean := text.ParseInt64(value); clean {
		isGUID := e.typ == text.Integer64 || strings.Contains(key, "GUID") || isText && (id > math.MaxUint32 || id < -math.MaxUint32)
		if !isGUID || id == 0 || id == -1 || slices.Contains(objectKeys, key) {
			return s, false, false
		}
		return symbol{kindGUID, strconv.FormatInt(id, 10)}, ownsGUID(game, key, e.way), true
	}
	if !isText {
		return s, false, false
	}
	if target, is := modinfo.Target(value); is && strings.Contains(target, "/") {
		return symbol{kindFile, inMedia(target)}, false, true
	}
	name := strings.ToUpper(value)
	if slices.Contains(iconKeys, key) {
		return symbol{kindSprite, name}, false, true
	}
	if key == "NAME" && len(e.way) == 1 {
		k, is := defines(game)
		return symbol{k, name}, true, is
	}
	k, is := mentions(key, strings.ToUpper(e.way[len(e.way)-1]))
	return symbol{k, name}, false, is
}

// maxName is the length in bytes of the longest value that can be a name.
const maxName = 250

// mentions returns the kind of things that a key in a node names.
func mentions(key, node string) (k kind, ok bool) {
	context := key
	if key == "NAME" {
		context = node
	}
	if context == "EFFECT" {
		return kindAny, true
	}
	longest := 0
	for i, t := range things {
		for _, word := range t.words {
			if len(word) > longest && strings.Contains(context, word) {
				k, longest = kindThing+kind(i), len(word)
			}
		}
	}
	return k, longest > 0
}

// inMedia returns a path in upper case below MEDIA/.
func inMedia(target string) string {
	target = path.Clean("/" + strings.ToUpper(strings.ReplaceAll(target, `\`, "/")))[1:]
	if !strings.HasPrefix(target, "MEDIA/") {
		target = "MEDIA/" + target
	}
	return target
}
