package codex

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"trowel.example/torchlight/internal/hole"
	"trowel.example/torchlight/text"
)

// never reports whether an entry cannot give its item, because of its RARITY.
func (r *reader) never(e *Entry, items map[string]*Item) bool {
	v := items[e.To.ID]
	return e.To.Kind == KindItem && v != nil && v.Rarity != nil && *v.Rarity == 0 && !e.override
}

// buildRecipe completes a recipe. It takes the results regardless of RARITY, as the public gallery does.
func (r *reader) buildRecipe(v *Recipe, c *tables) {
	t := &v.Thing
	k := r.keys[t]
	v.Ingredients, v.Results, v.ResultShown = []Ingredient{}, []Chance{}, true
	v.Hidden = hole.True(k["HIDDEN"])
	if result := k["RESULT"]; result != "" && k["DISPLAYNAME"] == "" {
		v.Title = result
	}
	r.each(t, "INGREDIENT", func(n *text.Node, at place) {
		k := keysOf(n)
		in := Ingredient{Count: 1, Description: k["DESCRIPTION"]}
		if s, has := k["COUNT"]; has {
			in.Count = whole(s)
		}
		if k["UNITTYPE"] != "" {
			in.What = r.link(KindType, k["UNITTYPE"], at.key("UNITTYPE"))
		} else {
			in.What = r.link(KindUnit, k["UNIT"], at.key("UNIT"))
		}
		for _, flag := range []string{"USEASBASE", "USELEVELASMIN", "ISUNSOCKETED", "ISSETITEM"} {
			if hole.True(k[flag]) {
				in.Flags = append(in.Flags, flag)
			}
		}
		r.use(in.What, KindRecipe, t)
		v.Ingredients = append(v.Ingredients, in)
	})
	r.each(t, "RESULT", func(n *text.Node, at place) {
		k := keysOf(n)
		v.ResultShown = v.ResultShown && !hole.True(k["HIDDEN"])
		v.MeanLevel = v.MeanLevel || hole.True(k["USEAVERAGEITEMLEVEL"])
		v.Socket = v.Socket || hole.True(k["SOCKET"])
		var l Link
		switch {
		case k["SPAWNCLASS"] != "":
			l = r.link(KindClass, k["SPAWNCLASS"], at.key("SPAWNCLASS"))
		case k["UNIT"] != "":
			l = r.link(KindUnit, k["UNIT"], at.key("UNIT"))
		default:
			return
		}
		v.Result = &l
		r.use(l, KindRecipe, t)
	})
	switch class := c.resultOf(v); {
	case class != nil:
		v.Results, v.Nothing = r.table(class, c)
	case v.Result != nil && v.Result.ID != "":
		v.Results = []Chance{{What: *v.Result, Chance: 1, Expected: 1}}
	default:
		v.Nothing = 1
		if v.Socket {
			v.Nothing = 0
		}
	}
}

func (c *classes) resultOf(v *Recipe) *Class {
	if v.Result == nil || v.Result.Kind != KindClass {
		return nil
	}
	return c.byID[v.Result.ID]
}

// table returns what one roll of a class gives, the likeliest first, and the chance of nothing. Things with the same title are
// one line.
func (r *reader) table(class *Class, c *tables) (list []Chance, nothing float64) {
	gives := make(map[string]share)
	for _, s := range c.of(class) {
		gives[keyOf(c.leaf[s.leaf-1])] = s
	}
	whole := &search{c.classes, func(*Entry) float64 { return 1 }, nil, make(map[string]odds)}
	nothing = 1 - whole.of(class).chance
	byTitle := make(map[string]int)
	for _, what := range c.below(class) {
		o, has := gives[keyOf(what)]
		if !has {
			continue
		}
		title := what.Kind + " " + what.Name
		if t := r.things[keyOf(what)]; t != nil {
			title = what.Kind + " " + t.Title
		}
		if i, has := byTitle[title]; has {
			list[i].Chance, list[i].Expected = min(list[i].Chance+o.chance, 1), list[i].Expected+o.expected
			list[i].Kinds = max(list[i].Kinds, 1) + 1
			continue
		}
		byTitle[title] = len(list)
		list = append(list, Chance{What: what, Chance: o.chance, Expected: o.expected})
	}
	slices.SortStableFunc(list, func(a, b Chance) int { return -cmp.Compare(a.Chance, b.Chance) })
	return list, max(nothing, 0)
}

// below returns what a class can give, in the order of its entries.
func (c *classes) below(class *Class) (list []Link) {
	seen := make(map[string]bool)
	var visit func(*Class)
	visit = func(class *Class) {
		for i := range class.Entries {
			e := &class.Entries[i]
			key := keyOf(e.To)
			if e.Cut || e.Share == 0 || e.To.ID == "" || seen[key] {
				continue
			}
			seen[key] = true
			if to := c.byID[e.To.ID]; e.To.Kind == KindClass && to != nil {
				visit(to)
			} else {
				list = append(list, e.To)
			}
		}
	}
	visit(class)
	return list
}

// buildLoots computes everything that units drop, where monsters are found, and which items have a source.
func (r *reader) buildLoots(c *classes) {
	items := make(map[string]*Item)
	sourced := make(map[string]bool) // by key of the link
	for _, v := range r.Items {
		items[v.ID] = v
	}
	byKey := make(map[string]*Loot)
	for _, u := range r.Units {
		for _, t := range u.Treasure {
			if t.Class.ID == "" {
				continue
			}
			key := fmt.Sprint(t.Class.ID, " ", t.Min, " ", t.Max)
			if byKey[key] == nil {
				l := &Loot{Class: t.Class, Min: t.Min, Max: t.Max, Units: []Link{}, Chance: []Chance{}}
				byKey[key], r.Loots = l, append(r.Loots, l)
			}
			if by := (Link{KindUnit, u.ID, u.Name}); !slices.Contains(byKey[key].Units, by) {
				byKey[key].Units = append(byKey[key].Units, by)
			}
		}
	}
	slices.SortFunc(r.Loots, func(a, b *Loot) int {
		return cmp.Or(cmp.Compare(a.Class.Name, b.Class.Name), cmp.Compare(a.Class.ID, b.Class.ID), a.Min-b.Min, a.Max-b.Max)
	})
	places := make(map[string][]*Place)
	for _, p := range r.Places {
		for _, s := range p.Strata {
			for _, l := range s.Classes {
				if list := places[l.ID]; l.ID != "" && !slices.Contains(list, p) {
					places[l.ID] = append(list, p)
				}
			}
		}
	}
	units := make(map[string]*Unit)
	for _, u := range r.Units {
		units[u.ID] = u
	}
	gives := func(e *Entry) bool { return !r.never(e, items) }
	t := c.newTables(gives)
	r.chances = &chances{t, make([]*search, len(c.leaf))}
	for _, what := range c.leaf {
		u := units[what.ID]
		if what.Kind != KindUnit || u == nil {
			continue
		}
		above := c.above(what)
		for _, class := range c.list {
			for _, p := range places[class.ID] {
				if l := (Link{KindPlace, p.ID, p.Name}); above[class.ID] && !slices.Contains(u.FoundIn, l) {
					u.FoundIn = append(u.FoundIn, l)
				}
			}
		}
	}
	for _, l := range r.Loots {
		for _, s := range t.of(c.byID[l.Class.ID]) {
			if Any(s.chance, l.Min, l.Max) > 0 {
				sourced[keyOf(c.leaf[s.leaf-1])] = true
			}
		}
		if !r.NoChances {
			l.Chance = r.Gives(l)
		}
	}
	for _, class := range r.Classes {
		if len(class.NamedBy) > 0 {
			for _, s := range t.of(class) {
				sourced[keyOf(c.leaf[s.leaf-1])] = true
			}
		}
	}
	for _, v := range r.Recipes {
		for _, x := range v.Results {
			sourced[keyOf(x.What)] = true
		}
	}
	for _, v := range r.Items {
		v.Source = sourced[KindItem+"="+v.ID] || sourced[KindType+"="+v.Type.ID] && v.Type.ID != ""
	}
	for _, class := range r.Classes {
		for i := range class.Entries {
			e := &class.Entries[i]
			if r.never(e, items) {
				note(&class.Thing, noteRarity)
			}
		}
	}
}

// chances compute what loots give.
type chances struct {
	*tables
	searches []*search // for the paths to leaves, by their numbers less 1
}

func (c *chances) searchOf(leaf int) *search {
	s := &c.searches[leaf-1]
	if *s == nil {
		*s = c.search(c.leaf[leaf-1], c.gives)
	}
	return *s
}

// Gives returns everything that a loot can give, the likeliest first. Only one call may run at a time.
func (d *Data) Gives(l *Loot) []Chance {
	list, class := []Chance{}, d.chances.byID[l.Class.ID]
	for _, s := range d.chances.of(class) {
		if chance := Any(s.chance, l.Min, l.Max); chance > 0 {
			list = append(list, Chance{What: d.chances.leaf[s.leaf-1], Chance: chance, Expected: s.expected * mean(l.Min, l.Max),
				Path: d.chances.searchOf(s.leaf).path(class)})
		}
	}
	slices.SortFunc(list, func(a, b Chance) int {
		return cmp.Or(-cmp.Compare(a.Chance, b.Chance), cmp.Compare(keyOf(a.What), keyOf(b.What)))
	})
	return list
}

// Origin is a loot that can give a thing, and the chance.
type Origin struct {
	Loot *Loot
	Chance
}

// Origins returns the loots that can give an item, a unit, or "some item of a type", the likeliest first. Only one call may run at
// a time.
func (d *Data) Origins(what Link) (list []Origin) {
	leaf := 1 + slices.IndexFunc(d.chances.leaf, func(l Link) bool { return keyOf(l) == keyOf(what) })
	if leaf == 0 {
		return nil
	}
	s := d.chances.searchOf(leaf)
	for _, l := range d.Loots {
		class := d.chances.byID[l.Class.ID]
		if !s.only[class.ID] {
			continue
		}
		o := s.of(class)
		if chance := Any(o.chance, l.Min, l.Max); chance > 0 {
			list = append(list, Origin{l, Chance{What: what, Chance: chance, Expected: o.expected * mean(l.Min, l.Max), Path: s.path(class)}})
		}
	}
	slices.SortStableFunc(list, func(a, b Origin) int { return -cmp.Compare(a.Chance.Chance, b.Chance.Chance) })
	return list
}

// missingGraphs reports the graphs that values need and the files lack.
func (r *reader) missingGraphs() {
	var need hole.Needs
	for _, u := range r.Units {
		k := r.keys[&u.Thing]
		fights := k["MAXHP"] != "" || k["MAXDAMAGE"] != ""
		need.Champions, need.Monsters = need.Champions || fights && u.Champion, need.Monsters || fights && !u.Champion
		for _, stat := range slices.Sorted(maps.Keys(u.Graphs)) {
			if name := u.Graphs[stat]; r.graphs[strings.ToUpper(name)] == nil && !hole.IsNone(name) {
				r.hole(KindGraph, name, r.at(&u.Thing, hole.UnitGraphs[stat]), hole.Unknown("graph", name, r.near(KindGraph)))
			}
		}
	}
	for _, v := range r.Items {
		k := r.keys[&v.Thing]
		need.Weapons, need.Armors = need.Weapons || k["MAXDAMAGE"] != "", need.Armors || k["ARMOR_PHYSICAL"] != ""
	}
	for _, name := range need.Graphs() {
		if r.graphs[name] == nil {
			r.hole(KindGraph, name, place{}, hole.NoGraph(name))
		}
	}
}
