package codex

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"trowel.example/internal/limits/parallel"
	"trowel.example/torchlight/internal/hole"
	"trowel.example/torchlight/internal/inherit"
	"trowel.example/torchlight/internal/translation"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/text"
)

// Source is a mod, or the game's own files.
type Source struct {
	Mod
	Files   moddir.Files
	Removed []string // files that the mod removes from the game
}

// folders are the folders with data of the game that a codex shows, by the kinds of the things in them.
var folders = []struct{ prefix, kind string }{
	{"MEDIA/UNITS/ITEMS/", KindItem},
	{"MEDIA/UNITS/", KindUnit},
	{"MEDIA/SETS/", KindSet},
	{"MEDIA/AFFIXES/", KindAffix},
	{"MEDIA/SKILLS/", KindSkill},
	{"MEDIA/RECIPES/", KindRecipe},
	{"MEDIA/SPAWNCLASSES/", KindClass},
	{"MEDIA/UNITTYPES/", KindType},
	{"MEDIA/DUNGEONS/", KindPlace},
	{"MEDIA/GRAPHS/", KindGraph},
	{"MEDIA/TRANSLATIONS/", kindTranslation},
	{"MEDIA/EFFECTSLIST.DAT", kindEffects},
	{"MEDIA/QUESTS/", kindQuest},
}

const kindTranslation, kindEffects = "translation", "effects"

func kindOf(file string) string {
	switch path.Ext(file) {
	case ".LAYOUT":
		return kindLayout
	case ".DAT":
	default:
		return ""
	}
	for _, f := range folders {
		if strings.HasPrefix(file, f.prefix) {
			return f.kind
		}
	}
	return ""
}

// file is a data file of the latest source that has its path.
type file struct {
	path   string
	kind   string
	source int
	root   *text.Node
	err    error

	// Of quests and layouts.
	title string
	names []named
}

// files returns the files that a codex reads, each in the latest source that has it.
func files(sources []Source) map[string]*file {
	found := make(map[string]*file)
	for i, s := range sources {
		for _, name := range s.Removed {
			delete(found, upper(name))
		}
		for name := range s.Files.Files() {
			name = upper(name)
			if kind := kindOf(name); kind != "" {
				found[name] = &file{path: name, kind: kind, source: i}
			}
		}
	}
	return found
}

func upper(s string) string {
	return strings.ToUpper(strings.ReplaceAll(strings.TrimSpace(s), `\`, "/"))
}

// Options are the options of [Read].
type Options struct {
	Languages []string // folders of MEDIA/TRANSLATIONS whose texts are included
	NoChances bool     // Loot.Chance remains empty
}

// reader makes the data.
type reader struct {
	*Data
	Options
	sources []Source
	files   map[string]*file
	list    []*file // in the order of their paths
	graphs  Graphs
	effects map[string]*EffectType // by name in upper case
	names   map[string]map[string]Link
	things  map[string]*Thing // by the keys of their links
	nodes   map[*Thing]inherit.Chain
	keys    map[*Thing]map[string]string
	holes   map[string]bool

	declared []declared
	nearby   map[string][]string // the results of near
}

// place is the place of a hole.
type place struct{ file, node string }

// key returns the place of a key of a node.
func (p place) key(key string) place { return place{p.file, p.node + "." + key} }

// Read makes the data of a codex from the game's own files, if they are given, and mods in the order of the launcher: later
// ones win.
func Read(ctx context.Context, sources []Source, o Options) (*Data, error) {
	data := &Data{Version: Version, Notes: notes, Translations: make(map[string]map[string]string), Items: []*Item{}, Units: []*Unit{},
		Sets: []*Set{}, Affixes: []*Affix{}, Skills: []*Skill{}, Recipes: []*Recipe{}, Classes: []*Class{}, Types: []*Type{},
		Places: []*Place{},
		Loots:  []*Loot{}, Holes: []Hole{}}
	r := &reader{Data: data, Options: o, sources: sources,
		files: files(sources), graphs: make(Graphs), effects: make(map[string]*EffectType), names: make(map[string]map[string]Link),
		things: make(map[string]*Thing), nodes: make(map[*Thing]inherit.Chain), keys: make(map[*Thing]map[string]string),
		holes: make(map[string]bool), nearby: make(map[string][]string)}
	for _, s := range sources {
		r.Mods = append(r.Mods, s.Mod)
	}
	list := slices.SortedFunc(maps.Values(r.files), func(a, b *file) int { return cmp.Compare(a.path, b.path) })
	r.list = list
	err := parallel.Ordered(ctx, func(yield func(*file) error) error {
		for _, f := range list {
			if f.kind == kindTranslation && !inLanguages(f.path, o.Languages) {
				continue
			}
			if err := yield(f); err != nil {
				return err
			}
		}
		return nil
	}, func(f *file) *file {
		if f.kind == kindLayout {
			if data, err := sources[f.source].Files.Content(f.path); err == nil && !mayName(data) {
				return f
			}
		}
		if f.root, f.err = sources[f.source].Files.Tree(f.path); f.kind == kindLayout || f.kind == kindQuest {
			f.readNames()
		}
		return f
	}, func(f *file) error {
		if f.err != nil {
			r.hole("unreadable", f.path, place{f.path, ""}, fmt.Sprintf("the file cannot be read: %v", f.err))
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	for _, f := range list { // names first: things refer to each other
		if f.root != nil {
			r.declare(f)
		}
	}
	r.findTwins()
	r.build()
	r.locate()
	return r.Data, ctx.Err()
}

func inLanguages(file string, languages []string) bool {
	return slices.ContainsFunc(languages, func(l string) bool {
		return strings.HasPrefix(file, "MEDIA/TRANSLATIONS/"+strings.ToUpper(l)+"/")
	})
}

// hole adds something that is missing. Each is reported once for a file.
func (r *reader) hole(kind, name string, at place, message string) {
	h := Hole{Kind: kind, Name: name, Message: message, File: at.file, Mod: -1, node: at.node}
	if f := r.files[at.file]; f != nil {
		h.Mod = f.source
	}
	if key := kind + "\x00" + upper(name) + "\x00" + at.file; !r.holes[key] {
		r.holes[key] = true
		r.Holes = append(r.Holes, h)
	}
}

// locate finds the lines of the holes.
func (r *reader) locate() {
	var index *text.Index
	indexed := ""
	slices.SortStableFunc(r.Holes, func(x, y Hole) int {
		return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(upper(x.Name), upper(y.Name)), cmp.Compare(x.File, y.File))
	})
	for i := range r.Holes {
		h := &r.Holes[i]
		f := r.files[h.File]
		if f == nil || h.node == "" {
			continue
		}
		if indexed != h.File {
			index, indexed = nil, h.File
			if data, err := r.sources[f.source].Files.Content(h.File); err == nil && text.Recognize(data) {
				index, _ = text.NewIndex(data)
			}
		}
		if index != nil {
			h.Line = index.Line(text.Place{Node: h.node})
		}
	}
}

// chain returns a file with its base files.
func (r *reader) chain(f *file) inherit.Chain {
	c := inherit.Follow(f.path, f.root, func(base string) (*text.Node, error) {
		if b := r.files[base]; b != nil && b.root != nil {
			return b.root, nil
		}
		return nil, fs.ErrNotExist
	})
	if c.Err != nil {
		what := hole.BaseFile(c.Missing, "", "")
		if c.Err == inherit.ErrLoop {
			what = hole.BaseLoop(c.Missing)
		}
		last := c.Links[len(c.Links)-1]
		r.hole("file", c.Missing, place{last.File, last.Root.Name + "." + inherit.Key}, what)
	}
	return c
}

// declare adds the things that a file defines, with their names.
func (r *reader) declare(f *file) {
	switch f.kind {
	case KindGraph:
		r.graphs.add(f.path, f.root, f.source)
	case kindEffects:
		for n := range f.root.All() {
			if t := newEffectType(n); t != nil && r.effects[strings.ToUpper(t.Name)] == nil {
				r.effects[strings.ToUpper(t.Name)] = t
			}
		}
	case kindTranslation:
		language := strings.Split(f.path, "/")[2]
		if r.Translations[language] == nil {
			r.Translations[language] = make(map[string]string)
		}
		for p := range translation.Pairs(f.root) {
			r.Translations[language][p.Original] = p.Translation
		}
	case KindClass:
		for n := range hole.Classes(f.root) {
			name, _ := n.Get("NAME")
			class := new(Class)
			r.fill(&class.Thing, f, name, inherit.Chain{Links: []inherit.Link{{File: f.path, Root: n}}})
			r.Classes = append(r.Classes, class)
		}
	case KindItem:
		add(r, f, &r.Items)
	case KindUnit:
		add(r, f, &r.Units)
	case KindSet:
		add(r, f, &r.Sets)
	case KindAffix:
		add(r, f, &r.Affixes)
	case KindSkill:
		add(r, f, &r.Skills)
	case KindRecipe:
		add(r, f, &r.Recipes)
	case KindType:
		add(r, f, &r.Types)
	case KindPlace:
		add(r, f, &r.Places)
	}
}

// add adds the thing of a file to a list.
func add[E interface {
	*T
	Entity
}, T any](r *reader, f *file, list *[]E) {
	v := E(new(T))
	c := r.chain(f)
	r.fill(v.Common(), f, c.Get("NAME"), c)
	*list = append(*list, v)
}

// fill sets the common properties of a thing, and makes it known by its name.
func (r *reader) fill(t *Thing, f *file, name string, c inherit.Chain) {
	keys := make(map[string]string)
	*t = Thing{Name: strings.TrimSpace(name), Mod: f.source}
	for _, v := range c.Values() {
		if key := strings.ToUpper(v.Key); v.Key != inherit.Affixes { // those are listed as links
			keys[key] = v.Property.Value
			t.Values = append(t.Values, Value{key, v.Property.Value, v.Link})
		}
	}
	for _, l := range c.Links {
		t.Files = append(t.Files, l.File)
	}
	if t.Name == "" {
		t.Name = strings.TrimSuffix(path.Base(f.path), ".DAT")
	}
	t.Title = cmp.Or(strings.TrimSpace(keys["DISPLAYNAME"]), t.Name)
	t.Description = cmp.Or(keys["DESCRIPTION"], keys["BASE_DESCRIPTION"])
	t.Icon = strings.TrimSpace(cmp.Or(keys["ICON"], keys["SKILL_ICON"]))
	r.nodes[t], r.keys[t] = c, keys
	r.identify(t, f, keys)
	r.declared = append(r.declared, declared{t, f})
}

// declared is a thing with the file that defines it.
type declared struct {
	*Thing
	*file
}

// findTwins reports GUIDs and names that occur twice. Of two mods, the later one has the hole.
func (r *reader) findTwins() {
	slices.SortStableFunc(r.declared, func(a, b declared) int { return a.source - b.source })
	guids, names := make(map[string]*file), make(map[string]*file)
	for _, d := range r.declared {
		of := func(other *file) string {
			switch m := r.Mods[other.source]; {
			case other.source == d.source:
				return ""
			case m.Base:
				return hole.Game
			default:
				return hole.OfMod(m.Name)
			}
		}
		if !hole.Creates(d.path, d.root) {
			continue
		}
		c := r.nodes[d.Thing]
		if key := hole.GUIDKey(d.path); key != "" {
			at := place{d.path, d.root.Name + "." + key}
			own, _ := d.root.Get(key)
			v, inherited := c.Find(key)
			switch other := guids[key+own]; {
			case own == "" && inherited && v.Link > 0:
				r.hole("guid", v.Property.Value, at, hole.InheritedGUID(key, c.Links[v.Link].File))
			case own == "":
			case other != nil:
				r.hole("guid", own, at, hole.SameGUID(key, own, other.path, of(other)))
			default:
				guids[key+own] = d.file
			}
		}
		name, _ := c.Links[0].Root.Get("NAME")
		if d.kind == KindRecipe || strings.TrimSpace(name) == "" {
			continue // nothing refers to the name of a recipe
		}
		key := spaceOf(d.kind) + " " + hole.Name(name)
		if other := names[key]; other != nil {
			r.hole("name", d.Name, place{d.path, c.Links[0].Root.Name + ".NAME"}, hole.SameName(name, other.path, of(other)))
		} else {
			names[key] = d.file
		}
	}
}

// identify gives a thing its ID: its GUID, or a hash of its name.
func (r *reader) identify(t *Thing, f *file, keys map[string]string) {
	for _, key := range []string{"UNIT_GUID", "UNIQUE_GUID", "GUID"} {
		if id, ok := text.ParseInt64(keys[key]); ok && id != 0 {
			t.ID = fmt.Sprint(id)
			if r.things[f.kind+"="+t.ID] != nil {
				t.ID = ""
			}
			break
		}
	}
	space := spaceOf(f.kind)
	if r.names[space] == nil {
		r.names[space] = make(map[string]Link)
	}
	name := strings.ToUpper(t.Name)
	before, twice := r.names[space][name]
	if t.ID == "" {
		t.ID = hashed(name)
		if r.things[f.kind+"="+t.ID] != nil {
			t.ID = hashed(f.path + "\x00" + name)
		}
		for r.things[f.kind+"="+t.ID] != nil {
			t.ID += "x"
		}
	}
	own := Link{f.kind, t.ID, t.Name}
	r.things[keyOf(own)] = t
	if !twice {
		r.names[space][name] = own
		return
	}
	other := r.things[keyOf(before)]
	t.Twins, other.Twins = append(t.Twins, other.Files[0]), append(other.Twins, f.path)
	if t.Mod > other.Mod {
		r.names[space][name] = own
	}
}

// spaceOf returns the kind whose names a kind shares: items are units.
func spaceOf(kind string) string {
	if kind == KindItem {
		return KindUnit
	}
	return kind
}

func hashed(s string) string {
	h := fnv.New64a()
	h.Write([]byte(s))
	return fmt.Sprintf("%016x", h.Sum64())
}

// link returns the link to a thing that a file names. If there is none, that is a hole of the file.
func (r *reader) link(kind, name string, at place) Link {
	name = strings.TrimSpace(name)
	if l, ok := r.names[spaceOf(kind)][strings.ToUpper(name)]; ok {
		l.Name = r.things[keyOf(l)].Name
		return l
	}
	if !hole.IsNone(name) {
		r.hole(kind, name, at, hole.Unknown(cmp.Or(gameWords[kind], kind), name, r.near(spaceOf(kind))))
	}
	return Link{Kind: kind, Name: name}
}

// gameWords are the words of the game for kinds.
var gameWords = map[string]string{KindClass: "spawn class", KindType: "unit type"}

// near returns the names of a kind that a wrong name may mean. Without names of the game, the right one is probably missing.
func (r *reader) near(space string) []string {
	names, known := r.nearby[space]
	if known {
		return names
	}
	base := false
	isBase := func(mod int) { base = base || r.Mods[mod].Base }
	if space == KindGraph {
		names = slices.Collect(maps.Keys(r.graphs))
		for _, g := range r.graphs {
			isBase(g.Mod)
		}
	}
	for name, l := range r.names[space] {
		names = append(names, name)
		isBase(r.things[keyOf(l)].Mod)
	}
	if !base {
		names = nil
	}
	slices.Sort(names)
	r.nearby[space] = names
	return names
}

// use notes that a thing is used by another.
func (r *reader) use(used Link, kind string, by *Thing) {
	t := r.things[keyOf(used)]
	if l := (Link{kind, by.ID, by.Name}); used.ID != "" && t != nil && !slices.Contains(t.UsedBy, l) {
		t.UsedBy = append(t.UsedBy, l)
	}
}
