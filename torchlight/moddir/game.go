package moddir

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/limits/parallel"
	"trowel.example/torchlight/internal/hole"
	"trowel.example/torchlight/text"
)

// definitions are what a data file defines for other files.
type definitions struct {
	guid    string // UNIT_GUID, UNIQUE_GUID or GUID
	create  bool   // the game creates things from the file: it is not only a base of others
	names   [nameKinds][]definition
	set     string // the set to which an item belongs, in upper case
	classes []class
	needs   hole.Needs // graphs for the values of the file, without those of its base files
}

// definition is a name that a file defines, in upper case.
type definition struct {
	name string
	at   text.Place
}

// class is a spawn class with the names of the classes in its entries, which are "" for other entries.
type class struct {
	definition
	entries []definition
}

func isItem(file string) bool { return strings.HasPrefix(file, "MEDIA/UNITS/ITEMS/") }

// isMonster reports whether a file is a unit, but not an item.
func isMonster(file string) bool { return strings.HasPrefix(file, "MEDIA/UNITS/") && !isItem(file) }

// graphKeys are the keys by which units name graphs.
var graphKeys = func() map[string]bool {
	keys := make(map[string]bool)
	for _, key := range hole.UnitGraphs {
		keys[key] = true
	}
	return keys
}()

func definitionsOf(path string, root *text.Node) (d definitions) {
	file := gameName(path)
	d.create = hole.Creates(file, root)
	if key := guidKey(file); key != "" {
		guid, _ := root.Get(key)
		d.guid = strings.Clone(guid) // values share the memory of their whole file
	}
	for kind := range nameKinds {
		kind.defines(file, root, func(name string, at text.Place) {
			at.Path = path
			d.names[kind] = append(d.names[kind], definition{strings.Clone(name), at})
		})
	}
	get := func(key string) string { value, _ := root.Get(key); return value }
	switch {
	case isItem(file):
		d.set = strings.Clone(hole.Name(get("SET")))
		d.needs.Weapons, d.needs.Armors = get("MAXDAMAGE") != "", get("ARMOR_PHYSICAL") != ""
	case isMonster(file) && get("MAXHP")+get("MAXDAMAGE") != "":
		d.needs.Champions = hole.IsChampion(get("CHAMPION"), get("BOSS_CHAMPION"), get("UNITTYPE"))
		d.needs.Monsters = !d.needs.Champions
	case spawnClasses.definedIn(file):
		for n := range hole.Classes(root) {
			name, _ := n.Get("NAME")
			c := class{definition: definition{strings.Clone(hole.Name(name)), text.Place{Path: path, Node: strings.Clone(n.Name)}}}
			i := 0
			for entry := range n.Nodes("OBJECT") {
				i++
				to, _ := entry.Get("SPAWNCLASS")
				at := text.Place{Path: path, Node: n.Name + "." + indexed(entry.Name, i)}
				c.entries = append(c.entries, definition{strings.Clone(hole.Name(to)), at})
			}
			d.classes = append(d.classes, c)
		}
	}
	return d
}

// gameFacts are what the checks need of the data files of the game. Files that the mod replaces or removes are left out.
type gameFacts struct {
	known   [nameKinds]bool              // the game has names of the kind
	names   [nameKinds]map[string]bool   // in upper case
	creates [nameKinds]map[string]string // the files that define names of things that the game creates
	guids   map[string]string            // files by the key and the GUID
	items   bool                         // the game has items
	members map[string]bool              // names of sets with an item
	classes []class
}

// factsOfGame reads the data files of the game that the mod needs. Files that cannot be read define nothing. Without a base there are
// no facts.
func factsOfGame(all []facts, base Files, gone func(file string) bool) *gameFacts {
	g := &gameFacts{guids: make(map[string]string), members: make(map[string]bool)}
	var want [nameKinds]bool
	recipes := false
	for kind := range nameKinds {
		g.names[kind], g.creates[kind] = make(map[string]bool), make(map[string]string)
		want[kind] = slices.ContainsFunc(all, func(a facts) bool {
			return len(a.names[kind]) > 0 || slices.ContainsFunc(a.mentions, func(m mention) bool { return m.kind == kind })
		})
	}
	for _, a := range all {
		want[units] = want[units] || len(a.names[sets]) > 0
		want[graphs] = want[graphs] || a.needs != hole.Needs{}
		recipes = recipes || guidKey(a.path) == "GUID"
	}
	if base == nil {
		return g
	}
	var files []string
	for file := range base.Files() {
		name := gameName(file)
		g.items = g.items || isItem(name)
		wanted := recipes && guidKey(name) == "GUID" && extension(name) == ".DAT"
		for kind := range nameKinds {
			if kind.definedIn(name) && want[kind] {
				wanted = true
				g.known[kind] = g.known[kind] || gone(name)
			}
		}
		if wanted && !gone(name) {
			files = append(files, file)
		}
	}
	slices.Sort(files)
	list := make([]definitions, len(files))
	parallel.Each(len(files), func(i int) {
		if root, err := base.Tree(files[i]); err == nil {
			list[i] = definitionsOf(files[i], root)
		}
	})
	for i, d := range list {
		file := gameName(files[i])
		first := func(m map[string]string, key string) {
			if m[key] == "" {
				m[key] = file
			}
		}
		for kind := range nameKinds {
			for _, v := range d.names[kind] {
				g.known[kind], g.names[kind][v.name] = true, true
				if d.create {
					first(g.creates[kind], v.name)
				}
			}
		}
		if d.guid != "" && d.create {
			first(g.guids, guidKey(file)+d.guid)
		}
		g.members[d.set] = true
		g.classes = append(g.classes, d.classes...)
	}
	return g
}

// indexed returns the name of a node for a place: with an index unless it is the first one of its name.
func indexed(name string, number int) string {
	if number > 1 {
		return fmt.Sprintf("%s[%d]", name, number)
	}
	return name
}

// byPath returns the facts in the order of their paths.
func byPath(all []facts) []*facts {
	list := make([]*facts, len(all))
	for i := range all {
		list[i] = &all[i]
	}
	slices.SortStableFunc(list, func(a, b *facts) int { return strings.Compare(gameName(a.path), gameName(b.path)) })
	return list
}

// checkNames reports names that neither the mod nor the game defines. There is one finding for each pair of a file and
// a name. It does nothing for kinds of which no name of the game is known. A list of effect types in the mod replaces
// that of the game.
func checkNames(all []facts, game *gameFacts, sink check.Sink) {
	for kind := range nameKinds {
		known, complete := game.names[kind], game.known[kind]
		for _, a := range all {
			for _, v := range a.names[kind] {
				known[v.name] = true
				complete = complete || kind == effectTypes
			}
		}
		if !complete || named[kind].found == nil {
			continue
		}
		names := slices.Sorted(maps.Keys(known))
		for _, a := range all {
			unknown := make(map[string][]check.Place)
			var order []string
			for _, m := range a.mentions {
				if name := hole.Name(m.to); m.kind == kind && !known[name] {
					if unknown[name] == nil {
						order = append(order, name)
					}
					unknown[name] = append(unknown[name], m.at)
				}
			}
			for _, name := range order {
				sink.AddAt(named[kind].found, unknown[name], a.path, -1, "%s", hole.Unknown(named[kind].what, name, names))
			}
		}
	}
}

// checkSameNames reports things that have the NAME of another thing of their kind, in the mod or in the game. Graphs are left out, and
// effect types, which have two names.
func checkSameNames(all []facts, game *gameFacts, sink check.Sink) {
	for kind := range nameKinds {
		if kind == graphs || kind == effectTypes {
			continue
		}
		first := make(map[string]text.Place)
		for _, a := range byPath(all) {
			reported := make(map[string]bool)
			for _, v := range a.names[kind] {
				if v.name == "" || !a.create || reported[v.name] {
					continue
				}
				reported[v.name] = true
				theirs, inGame := game.creates[kind][v.name]
				other, twice := first[v.name]
				switch {
				case inGame:
					sink.AddAt(foundSameName, []check.Place{v.at}, a.path, -1, "%s", hole.SameName(v.name, theirs, hole.Game))
				case !twice:
					first[v.name] = v.at
				case !strings.EqualFold(other.Path, a.path):
					sink.AddAt(foundSameName, []check.Place{v.at, other}, a.path, -1, "%s", hole.SameName(v.name, other.Path, ""))
				}
			}
		}
	}
}

// checkSets reports sets without a member. Without items of the game, members are unknown.
func checkSets(all []facts, game *gameFacts, sink check.Sink) {
	if !game.items {
		return
	}
	for _, a := range all {
		game.members[a.set] = true
	}
	for _, a := range all {
		for _, v := range a.names[sets] {
			if !game.members[v.name] {
				sink.AddAt(foundEmptySet, []check.Place{v.at}, a.path, -1, "%s", hole.NoMember(v.name))
			}
		}
	}
}

// checkLoops reports classes of the mod that contain themselves.
func checkLoops(all []facts, game *gameFacts, sink check.Sink) {
	list := slices.Clone(game.classes)
	own := len(list)
	for _, a := range byPath(all) {
		list = append(list, a.classes...)
	}
	number := make(map[string]int)
	for i, c := range list {
		if before, has := number[c.name]; !has || before < own && i >= own { // a class of the mod wins, then the first file
			number[c.name] = i
		}
	}
	entries := make([][]int, len(list))
	for i, c := range list {
		for _, e := range c.entries {
			to, has := number[e.name]
			if !has || e.name == "" {
				to = -1
			}
			entries[i] = append(entries[i], to)
		}
	}
	reported := make(map[int]bool)
	hole.Cut(entries, func(class, entry int) {
		if c := list[class]; class >= own && !reported[class] {
			reported[class] = true
			e := c.entries[entry]
			sink.AddAt(foundLoop, []check.Place{e.at}, c.at.Path, -1, "%s", hole.ClassLoop(c.name, e.name))
		}
	})
}

// checkGraphs reports the graphs of the game that are missing and that values of the mod depend on. Without graphs of the game, these are
// unknown.
func checkGraphs(all []facts, game *gameFacts, sink check.Sink) {
	if !game.known[graphs] {
		return
	}
	var need hole.Needs
	for _, a := range all {
		need.Monsters, need.Champions = need.Monsters || a.needs.Monsters, need.Champions || a.needs.Champions
		need.Weapons, need.Armors = need.Weapons || a.needs.Weapons, need.Armors || a.needs.Armors
	}
	for _, name := range need.Graphs() {
		if !game.names[graphs][name] { // checkNames has added those of the mod
			sink.AddAt(foundGraph, nil, "", -1, "%s", hole.NoGraph(name))
		}
	}
}
