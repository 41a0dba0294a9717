package moddir

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"trowel.example/check"
	"trowel.example/torchlight/internal/hole"
	"trowel.example/torchlight/layout"
	"trowel.example/torchlight/text"
)

// A nameKind is a kind of things that files refer to by name.
type nameKind uint8

const (
	effectTypes nameKind = iota
	unitTypes
	skills
	affixes
	spawnClasses
	units
	sets
	graphs
	dungeons  // that two have the same name is reported, but not who refers to them
	nameKinds // their number
)

// named describes the kinds: the finding about an unknown name, and the folder of the files that define names.
var named = [nameKinds]struct {
	found   *check.Kind
	what    string
	folders []string
}{
	effectTypes:  {foundEffectType, "effect type", []string{"MEDIA/EFFECTSLIST.DAT"}},
	unitTypes:    {foundUnitType, "unit type", []string{"MEDIA/UNITTYPES/"}},
	skills:       {foundSkill, "skill", []string{"MEDIA/SKILLS/"}},
	affixes:      {foundAffix, "affix", []string{"MEDIA/AFFIXES/"}},
	spawnClasses: {foundSpawnClass, "spawn class", []string{"MEDIA/SPAWNCLASSES/"}},
	units:        {foundUnit, "unit", []string{"MEDIA/UNITS/"}},
	sets:         {foundSet, "set", []string{"MEDIA/SETS/"}},
	graphs:       {foundGraph, "graph", []string{"MEDIA/GRAPHS/"}},
	dungeons:     {nil, "dungeon", []string{"MEDIA/DUNGEONS/"}},
}

// mention is a name that a file refers to.
type mention struct {
	kind nameKind
	reference
}

// mentions calls yield for the names that a node of a data file refers to.
func mentions(file string, n *text.Node, parent string, yield func(kind nameKind, p *text.Property)) {
	node := strings.ToUpper(n.Name)
	effect, _ := n.Get("TYPE")
	casts := node == "EFFECT" && strings.HasPrefix(strings.ToUpper(effect), "CAST SKILL")
	for p := range n.Properties() {
		if !p.Type.IsString() || hole.IsNone(p.Value) {
			continue
		}
		switch key := strings.ToUpper(p.Key); {
		case key == "TYPE" && node == "EFFECT":
			yield(effectTypes, p)
		case key == "UNITTYPE", strings.HasPrefix(key, "CHILD") && parent == "" && strings.HasPrefix(file, "MEDIA/UNITTYPES/"):
			yield(unitTypes, p)
		case key == "SKILL" && parent != "", key == "NAME" && (casts || node == "SKILL" && parent == "UNIT"):
			yield(skills, p)
		case key == "AFFIX":
			yield(affixes, p)
		case strings.Contains(key, "SPAWNCLASS"):
			yield(spawnClasses, p)
		case key == "UNIT" && (strings.HasPrefix(file, "MEDIA/SPAWNCLASSES/") || strings.HasPrefix(file, "MEDIA/RECIPES/")):
			yield(units, p)
		case key == "SET" && parent == "" && isItem(file):
			yield(sets, p)
		case parent == "" && isMonster(file) && graphKeys[key]:
			yield(graphs, p)
		}
	}
}

// mentionsInLayout calls yield for the names that the objects of a layout refer to.
func mentionsInLayout(f *layout.File, yield func(kind nameKind, name string, object int64)) {
	for o := range f.All() {
		desc := layout.DescriptorOf(o.Descriptor)
		for _, p := range o.Properties {
			info := desc.Property(p.Code)
			if info == nil || info.Kind != layout.String {
				continue
			}
			name, ok := p.Text()
			if !ok || hole.IsNone(name) {
				continue
			}
			switch key := info.Name; {
			case key == "UNITTYPE" || key == "UNIT TYPE":
				yield(unitTypes, name, o.ID)
			case key == "SKILL":
				yield(skills, name, o.ID)
			case key == "AFFIX":
				yield(affixes, name, o.ID)
			case strings.Contains(key, "SPAWNCLASS") || key == "SPAWN CLASS":
				yield(spawnClasses, name, o.ID)
			}
		}
	}
}

// definedIn reports whether a file can define names of a kind.
func (kind nameKind) definedIn(file string) bool {
	return extension(file) == ".DAT" && slices.ContainsFunc(named[kind].folders, func(f string) bool { return strings.HasPrefix(file, f) })
}

// defines calls yield for the names of a kind that a data file defines, and their places.
func (kind nameKind) defines(file string, root *text.Node, yield func(name string, at text.Place)) {
	if !kind.definedIn(file) {
		return
	}
	define := func(n *text.Node, key string) {
		if name, ok := n.Get(key); ok {
			yield(hole.Name(name), text.Place{Path: file, Node: n.Name + "." + key})
		}
	}
	switch kind {
	case effectTypes:
		for n := range root.Children() {
			for _, key := range []string{"EFFECT", "NAME"} { // both occur as TYPE
				define(n, key)
			}
		}
	case graphs:
		for name, n := range hole.Graphs(file, root) {
			yield(hole.Name(name), text.Place{Path: file, Node: n.Name})
		}
	case spawnClasses:
		for n := range hole.Classes(root) {
			define(n, "NAME")
		}
	default:
		define(root, "NAME")
	}
}

// checkRanges reports lowest values above highest values in a node, and impossible levels.
func checkRanges(file string, n *text.Node, parent, way string, sink check.Sink) {
	number := func(key string) (v float64, ok bool) {
		value, has := n.Get(key)
		v, clean := text.ParseDouble(value)
		return v, has && clean
	}
	at := func(key string) []check.Place { return []check.Place{text.Place{Path: file, Node: way + key}} }
	for p := range n.Properties() {
		low := strings.ToUpper(p.Key)
		high := strings.Replace(low, "MIN", "MAX", 1)
		if high == low {
			continue
		}
		least, ok := number(low)
		most, has := number(high)
		if ok && has && least > most && most != noLimit && (least > 0 || most > 0) {
			sink.AddAt(foundMinAboveMax, append(at(low), at(high)...), file, -1, "%s%s is %s, above %s, which is %s", way, low, plain(least),
				high, plain(most))
		}
	}
	isUnit := parent == "" && strings.HasPrefix(gameName(file), "MEDIA/UNITS/")
	required, ok := number("LEVEL_REQUIRED")
	if ok && (required < 0 || required > maxLevel) && (isUnit || strings.HasPrefix(gameName(file), "MEDIA/SKILLS/")) {
		sink.AddAt(foundLevel, at("LEVEL_REQUIRED"), file, -1, "%sLEVEL_REQUIRED is %s: characters have levels 1 to %d", way, plain(required),
			maxLevel)
	}
	level, ok := number("LEVEL")
	least, hasLeast := number("MINLEVEL")
	most, hasMost := number("MAXLEVEL")
	switch {
	case !isUnit || !ok:
	case level < 0:
		sink.AddAt(foundLevel, at("LEVEL"), file, -1, "%sLEVEL is %s, below 0", way, plain(level))
	case hasLeast && hasMost && least <= most && least < neverLevel && (level < least || level > most):
		sink.AddAt(foundLevel, at("LEVEL"), file, -1, "%sLEVEL is %s, outside of MINLEVEL %s to MAXLEVEL %s", way, plain(level), plain(least),
			plain(most))
	}
}

const (
	maxLevel   = 100 // of characters
	noLimit    = -1  // as a highest value
	neverLevel = 500 // as a lowest level, from which on the unit is never dropped
)

// plain formats a number without an exponent.
func plain(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// mesh records the mesh of a unit, which is named without extension in its RESOURCEDIRECTORY.
func (a *facts) mesh(root *text.Node) {
	dir, _ := root.Get("RESOURCEDIRECTORY")
	mesh, _ := root.Get("MESHFILE")
	if dir == "" || mesh == "" || !strings.HasPrefix(gameName(a.path), "MEDIA/UNITS/") {
		return
	}
	to := strings.TrimRight(gameName(dir), "/") + "/" + strings.TrimSuffix(gameName(mesh), ".MESH") + ".MESH"
	a.meshes = append(a.meshes, reference{to, text.Place{Path: a.path, Node: root.Name + ".MESHFILE"}})
}

// checkMeshes reports meshes and textures that neither the mod nor the game has. It reports no meshes in parts of MEDIA of which no
// meshes of the game are known, and no textures unless textures of models of the game are known.
func checkMeshes(all []facts, present map[string]bool, base Files, sink check.Sink) {
	if base == nil {
		return
	}
	inGame := make(map[string]bool)
	folders := make(map[string]bool)  // with meshes of the game
	pictures := make(map[string]bool) // names of textures
	known := false                    // textures of the game
	note := func(file string) {
		if isTexture(file) {
			pictures[textureName(file)] = true
		}
	}
	for file := range present {
		note(file)
	}
	for file := range base.Files() {
		if extension(file) == ".MESH" {
			inGame[strings.ToUpper(file)] = true
			folders[topFolder(file)] = true
		}
		note(file)
		known = known || isTexture(file) && topFolder(file) == "MEDIA/MODELS/"
	}
	for i := range all {
		a := &all[i]
		a.reportMissing(foundMeshMissing, "mesh", a.meshes, sink, func(name string) bool {
			return present[name] || inGame[name] || !folders[topFolder(name)]
		})
		a.reportMissing(foundTextureMissing, "texture", a.textures, sink, func(name string) bool {
			return !known || pictures[textureName(name)]
		})
	}
}

// reportMissing reports the files that a file names and that do not exist, one finding for each.
func (a *facts) reportMissing(kind *check.Kind, what string, named []reference, sink check.Sink, exists func(name string) bool) {
	places := make(map[string][]check.Place)
	var order []string
	for _, r := range named {
		if name := path.Clean(gameName(r.to)); !exists(name) {
			if places[name] == nil {
				order = append(order, name)
			}
			places[name] = append(places[name], Reference{r.at, name})
		}
	}
	for _, name := range order {
		sink.AddAt(kind, places[name], a.path, -1, "names the %s %s, which does not exist", what, name)
	}
}

// isTexture reports whether a file can be a texture.
func isTexture(file string) bool {
	switch extension(file) {
	case ".DDS", ".TGA", ".PNG", ".JPG":
		return true
	}
	return false
}

// textureName returns the name by which a texture is looked up: the game finds it in other folders than that of the material,
// and X.DDS for X.PNG.
func textureName(file string) string {
	name := path.Base(gameName(file))
	return strings.TrimSuffix(name, path.Ext(name))
}

// noTexture is the texture of materials whose texture a wardrobe gives.
const noTexture = "NULL_01"

// texture records a texture.
func (a *facts) texture(name string, at text.Place) {
	if name != "" && textureName(name) != noTexture {
		a.textures = append(a.textures, reference{name, at})
	}
}
