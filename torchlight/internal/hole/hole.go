// Package hole describes what the files of mods lack, or have twice. The check of mods and the codex report the same with the
// same sentences, each about the file that it is reported for.
package hole

import (
	"cmp"
	"fmt"
	"iter"
	"path"
	"strings"

	"trowel.example/internal/text/words"
	"trowel.example/torchlight/internal/inherit"
	"trowel.example/torchlight/text"
)

// Unknown returns the sentence about a name that no file defines. What is the kind of the named thing, and known are the names
// in upper case that the file may mean.
func Unknown(what, name string, known []string) string {
	name = Name(name)
	return fmt.Sprintf("names the %s %q, which is not in these files%s", what, name, words.DidYouMean(name, known, min(2, (len(name)-1)/5)))
}

// BaseFile returns the sentence about a base file that does not exist. Times is "", or states how often the file is named; near
// is "", or the end of the sentence with a similar file.
func BaseFile(file, times, near string) string {
	return fmt.Sprintf("refers%s to %s, which is not in these files%s", times, file, near)
}

// BaseLoop returns the sentence about base files that are based on each other.
func BaseLoop(file string) string {
	return fmt.Sprintf("%s forms a circle through %s, or a chain of more than %d files", inherit.Key, file, inherit.MaxBases)
}

// SameGUID returns the sentence about two files with the same GUID. Of is the mod of the other file, [Game], or "" if both files are of the
// same mod.
func SameGUID(key, guid, file, of string) string {
	return fmt.Sprintf("has the same %s %s as %s%s", key, guid, file, of)
}

// InheritedGUID returns the sentence about a file that has only the GUID of its base file.
func InheritedGUID(key, base string) string {
	return fmt.Sprintf("has no %s of its own, but that of %s", key, base)
}

// SameName returns the sentence about two files that define the same name. Of is as in [SameGUID].
func SameName(name, file, of string) string {
	return fmt.Sprintf("has the same NAME %q as %s%s", Name(name), file, of)
}

// Game is the end of a sentence about a file of the game.
const Game = " of the game"

// OfMod returns the end of a sentence about a file of a mod.
func OfMod(name string) string { return " of " + name }

// ClassLoop returns the sentence about a class that contains itself.
func ClassLoop(class, entry string) string {
	return fmt.Sprintf("the spawn class %q contains %q, which contains the class again, or is nested too deeply", Name(class), Name(entry))
}

// NoMember returns the sentence about a set to which no item belongs.
func NoMember(set string) string {
	return fmt.Sprintf("the set %q has no member in these files", Name(set))
}

// NoGraph returns the sentence about a graph of the game that no file defines.
func NoGraph(name string) string {
	return fmt.Sprintf("the graph %q is not in these files, so values that depend on the graph are unknown", name)
}

// Name returns a name in the form in which names are compared.
func Name(s string) string { return strings.ToUpper(strings.TrimSpace(s)) }

// True reports whether the game reads the value of a flag as true.
func True(s string) bool { v, _ := text.ParseBool(s); return v }

// IsChampion reports whether the graphs of champions apply to a unit with these values of CHAMPION, BOSS_CHAMPION and UNITTYPE.
func IsChampion(champion, boss, kind string) bool {
	return True(champion) || True(boss) || strings.HasSuffix(Name(kind), "_CHAMPION")
}

// IsNone reports whether the game reads a name as no name, or as any.
func IsNone(name string) bool {
	switch Name(name) {
	case "", "NONE", "ANY":
		return true
	}
	return false
}

// guidKeys are the keys of GUIDs by the folders of the files.
var guidKeys = []struct{ folder, key string }{{"MEDIA/UNITS/", "UNIT_GUID"}, {"MEDIA/SKILLS/", "UNIQUE_GUID"}, {"MEDIA/RECIPES/", "GUID"}}

// GUIDKey returns the key of the GUID of a file, of which the path is in upper case, or "" for files without one.
func GUIDKey(file string) string {
	for _, k := range guidKeys {
		if strings.HasPrefix(file, k.folder) {
			return k.key
		}
	}
	return ""
}

// Creates reports whether the game creates things from a file: the file is not only a base of others.
func Creates(file string, root *text.Node) bool {
	switch GUIDKey(file) {
	case "UNIT_GUID":
		never, _ := root.Get("DONTCREATE")
		return !True(never)
	case "UNIQUE_GUID":
		return strings.EqualFold(root.Name, "SKILL")
	}
	return true
}

// Classes returns the nodes of a file of MEDIA/SPAWNCLASSES that define classes.
func Classes(root *text.Node) iter.Seq[*text.Node] {
	return func(yield func(*text.Node) bool) {
		for n := range root.All() {
			if (strings.EqualFold(n.Name, "SPAWNCLASS") || n == root && n.Child("OBJECT") != nil) && !yield(n) {
				return
			}
		}
	}
}

// Graphs returns the nodes of a file of MEDIA/GRAPHS that define graphs, with their names.
func Graphs(file string, root *text.Node) iter.Seq2[string, *text.Node] {
	return func(yield func(string, *text.Node) bool) {
		for n := range root.All() {
			own, _ := n.Get("NAME")
			if n.Child("POINT") != nil && !yield(cmp.Or(own, strings.TrimSuffix(path.Base(file), ".DAT")), n) {
				return
			}
		}
	}
}

// UnitGraphs are the keys of units that name graphs of their own, by the property.
var UnitGraphs = map[string]string{"health": "HEALTH_GRAPH", "damage": "DAMAGE_GRAPH", "armor": "ARMOR_GRAPH"}

// Difficulties are the ends of the names of graphs of monsters.
var Difficulties = [...]string{"_EASY", "", "_HARD", "_VERYHARD"}

// Stats are the names of the graphs of the properties of monsters, and of champions.
var Stats = map[string][2]string{
	"health":     {"HEALTH_MONSTER_BYLEVEL", "HEALTH_CHAMPIONMONSTER_BYLEVEL"},
	"damage":     {"DAMAGE_MONSTER", "DAMAGE_CHAMPIONMONSTER"},
	"armor":      {"ARMOR_MONSTER_BYLEVEL", "ARMOR_CHAMPIONMONSTER_BYLEVEL"},
	"experience": {"EXPERIENCE_MONSTER", "EXPERIENCE_CHAMPIONMONSTER"},
}

// Graphs of items.
const (
	WeaponGraph = "BASE_WEAPON_DAMAGE"
	ArmorGraph  = "ARMOR_PLAYER_BYLEVEL_FORSET"
)

// Needs are the things of which the values depend on graphs of the game.
type Needs struct{ Monsters, Champions, Weapons, Armors bool }

// Graphs returns the names of the graphs that the values depend on.
func (n Needs) Graphs() (names []string) {
	for _, stat := range []string{"health", "damage", "armor", "experience"} {
		for _, end := range Difficulties {
			if n.Monsters {
				names = append(names, Stats[stat][0]+end)
			}
			if n.Champions {
				names = append(names, Stats[stat][1]+end)
			}
		}
	}
	if n.Weapons {
		names = append(names, WeaponGraph)
	}
	if n.Armors {
		names = append(names, ArmorGraph)
	}
	return names
}

// MaxDepth is the number of classes in each other from which on entries are cut. Real files have at most 5.
const MaxDepth = 64

// Cut calls cut for the entries that lead from a class back to the class, and for those that are too deep. The entries of class i are
// the numbers of classes, or -1.
func Cut(classes [][]int, cut func(class, entry int)) {
	const open, done = 1, 2
	state := make([]int, len(classes))
	var visit func(class, depth int)
	visit = func(class, depth int) {
		if state[class] != 0 {
			return
		}
		state[class] = open
		for i, to := range classes[class] {
			switch {
			case to < 0:
			case state[to] == open || depth >= MaxDepth:
				cut(class, i)
			default:
				visit(to, depth+1)
			}
		}
		state[class] = done
	}
	for i := range classes {
		visit(i, 0)
	}
}
