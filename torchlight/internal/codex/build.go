package codex

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"trowel.example/torchlight/internal/hole"
	"trowel.example/torchlight/internal/inherit"
	"trowel.example/torchlight/text"
)

// build completes all things.
func (r *reader) build() {
	r.Graphs = slices.AppendSeq([]*Graph{}, maps.Values(r.graphs))
	slices.SortFunc(r.Graphs, func(a, b *Graph) int { return cmp.Compare(a.Name, b.Name) })
	r.Effects = slices.AppendSeq([]*EffectType{}, maps.Values(r.effects))
	slices.SortFunc(r.Effects, func(a, b *EffectType) int { return cmp.Compare(a.Name, b.Name) })
	for _, t := range r.Types {
		r.buildType(t)
	}
	for _, t := range r.Types {
		t.All = r.allParents(t)
	}
	for _, c := range r.Classes {
		r.buildClass(c)
	}
	for _, a := range r.Affixes {
		r.buildAffix(a)
	}
	for _, v := range r.Items {
		r.buildItem(v)
	}
	for _, v := range r.Sets {
		r.buildSet(v)
	}
	r.buildMentions()
	for _, v := range r.Skills {
		r.buildSkill(v)
	}
	for _, v := range r.Units {
		r.buildUnit(v)
	}
	for _, v := range r.Places {
		r.buildPlace(v)
	}
	c := newClasses(r.Classes)
	for _, class := range r.Classes {
		for _, e := range class.Entries {
			if e.Cut {
				r.hole("loop", class.Name, e.at, hole.ClassLoop(class.Name, e.To.Name))
			}
		}
	}
	all := c.newTables(func(*Entry) bool { return true })
	for _, v := range r.Recipes {
		r.buildRecipe(v, all)
	}
	r.buildLoots(c)
	r.missingGraphs()
	for _, t := range r.things {
		slices.SortFunc(t.UsedBy, func(a, b Link) int {
			return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
		})
	}
}

// at returns the place of a key of a thing.
func (r *reader) at(t *Thing, key string) place {
	c := r.nodes[t]
	if v, ok := c.Find(key); ok {
		return place{c.Links[v.Link].File, c.Links[v.Link].Root.Name + "." + key}
	}
	return place{t.Files[0], c.Links[0].Root.Name}
}

// each calls do with the effective nodes of a name, and their places.
func (r *reader) each(t *Thing, name string, do func(n *text.Node, at place)) {
	c := r.nodes[t]
	nodes, link := c.Nodes(name)
	for i, n := range nodes {
		at := place{c.Links[link].File, c.Links[link].Root.Name + "." + n.Name}
		if i > 0 {
			at.node += fmt.Sprintf("[%d]", i+1)
		}
		do(n, at)
	}
}

func note(t *Thing, id string) {
	if !slices.Contains(t.Notes, id) {
		t.Notes = append(t.Notes, id)
	}
}

// keysOf returns the keys of a node in upper case with their first values.
func keysOf(n *text.Node) map[string]string {
	keys := make(map[string]string)
	for p := range n.Properties() {
		if key := strings.ToUpper(p.Key); keys[key] == "" {
			keys[key] = p.Value
		}
	}
	return keys
}

func newEffectType(n *text.Node) *EffectType {
	k := keysOf(n)
	t := &EffectType{Name: strings.TrimSpace(cmp.Or(k["NAME"], k["TYPE"])), Graph: k["GRAPH1"], Good: k["GOODDES"], Bad: k["BADDES"],
		GoodOver: k["GOODDESOT"], BadOver: k["BADDESOT"], Precision: whole(k["DISPLAYPRECISION"]),
		MaxExact: Number(k["DISPLAYPRECISIONMAXVAL"])}
	for i := 1; i <= 5; i++ {
		t.Values = append(t.Values, k["VALUE"+strconv.Itoa(i)])
	}
	for len(t.Values) > 0 && t.Values[len(t.Values)-1] == "" {
		t.Values = t.Values[:len(t.Values)-1]
	}
	if t.Name == "" || t.Good == "" && t.Bad == "" && t.GoodOver == "" && t.Graph == "" {
		return nil
	}
	return t
}

// effects returns the effects of a thing at a level.
func (r *reader) effectsOf(t *Thing, level float64) (list []Effect) {
	r.each(t, "EFFECT", func(n *text.Node, _ place) { list = append(list, Effect{Keys: keysOf(n)}) })
	r.each(t, "EFFECTS", func(n *text.Node, _ place) {
		for e := range n.Nodes("EFFECT") {
			list = append(list, Effect{Keys: keysOf(e)})
		}
	})
	return r.texts(t, list, level)
}

// texts returns effects with their texts at a level.
func (r *reader) texts(t *Thing, effects []Effect, level float64) []Effect {
	list := slices.Clone(effects)
	for i := range list {
		kind := r.effects[strings.ToUpper(strings.TrimSpace(list[i].Keys["TYPE"]))]
		if kind == nil {
			continue
		}
		list[i].Text = r.graphs.EffectText(list[i].Keys, kind, level)
		r.curved(t, kind.graphOf(list[i].Keys))
		if kind.MaxExact > 0 {
			note(t, noteEffect)
		}
		if strings.Contains(kind.Good+kind.GoodOver, "[VALUE_OT]") {
			note(t, noteOver)
		}
	}
	return list
}

// curved notes that a value of a thing is from a curved graph.
func (r *reader) curved(t *Thing, name string) {
	if g := r.graphs[strings.ToUpper(name)]; g != nil && g.Curved {
		note(t, noteCurve)
	}
}

func (r *reader) buildType(t *Type) {
	c := r.nodes[&t.Thing]
	for p := range c.Links[0].Root.Properties() {
		if strings.EqualFold(p.Key, "CHILD") {
			t.Parents = append(t.Parents, r.link(KindType, p.Value, r.at(&t.Thing, "CHILD")))
		}
	}
}

// allParents returns all types above a type.
func (r *reader) allParents(t *Type) (all []Link) {
	seen := map[string]bool{t.ID: true}
	var visit func(*Thing)
	visit = func(t *Thing) {
		for p := range r.nodes[t].Links[0].Root.Properties() {
			if !strings.HasPrefix(strings.ToUpper(p.Key), "CHILD") {
				continue
			}
			l, ok := r.names[KindType][strings.ToUpper(strings.TrimSpace(p.Value))]
			if ok && !seen[l.ID] {
				seen[l.ID] = true
				all = append(all, l)
				visit(r.things[keyOf(l)])
			}
		}
	}
	visit(&t.Thing)
	return all
}

func (r *reader) buildClass(c *Class) {
	c.Entries = []Entry{}
	root := r.nodes[&c.Thing].Links[0].Root
	i := 0
	zero, positive := false, false
	for n := range root.Nodes("OBJECT") {
		at := place{c.Files[0], root.Name + ".OBJECT"}
		if i++; i > 1 {
			at.node += fmt.Sprintf("[%d]", i)
		}
		k := keysOf(n)
		e := Entry{Weight: Number(k["WEIGHT"]), Min: 1, Max: 1, override: hole.True(k["RARITY_OVERRIDE"]),
			any: hole.True(k["IGNORE_RANGE"]), at: at}
		_, least := k["MINCOUNT"]
		_, most := k["MAXCOUNT"]
		if least {
			e.Min, e.Max = whole(k["MINCOUNT"]), max(whole(k["MINCOUNT"]), 1)
		}
		if most {
			e.Max = whole(k["MAXCOUNT"])
		}
		switch {
		case k["SPAWNCLASS"] != "":
			e.To = r.link(KindClass, k["SPAWNCLASS"], at.key("SPAWNCLASS"))
		case k["UNITTYPE"] != "" && strings.EqualFold(strings.TrimSpace(k["UNITTYPE"]), "NONE"):
			e.To = Link{Kind: kindNone}
		case k["UNITTYPE"] != "":
			e.To = r.link(KindType, k["UNITTYPE"], at.key("UNITTYPE"))
			note(&c.Thing, noteType)
		case k["UNIT"] != "":
			e.To = r.link(KindUnit, k["UNIT"], at.key("UNIT"))
		default:
			e.To = Link{Kind: kindNone}
		}
		if e.Min != e.Max {
			note(&c.Thing, noteCount)
		}
		if e.any {
			note(&c.Thing, noteLevel)
		}
		zero, positive = zero || e.Weight == 0, positive || e.Weight > 0
		for _, key := range slices.Sorted(maps.Keys(k)) {
			if !slices.Contains([]string{"UNIT", "UNITTYPE", "SPAWNCLASS", "WEIGHT", "MINCOUNT", "MAXCOUNT"}, key) {
				e.Flags = append(e.Flags, key+"="+k[key])
			}
		}
		r.use(e.To, KindClass, &c.Thing)
		c.Entries = append(c.Entries, e)
	}
	if zero && (positive || len(c.Entries) > 1) {
		note(&c.Thing, noteZero)
	}
}

func (r *reader) buildAffix(a *Affix) {
	k := r.keys[&a.Thing]
	a.Weight, a.Rank = Number(k["WEIGHT"]), whole(k["RANK"])
	a.MinLevel, a.MaxLevel = whole(k["MIN_SPAWN_RANGE"]), whole(k["MAX_SPAWN_RANGE"])
	list := func(node string) (links []Link) {
		r.each(&a.Thing, node, func(n *text.Node, at place) {
			for p := range n.Keys("UNITTYPE") {
				links = append(links, r.link(KindType, p.Value, at))
			}
		})
		return links
	}
	a.Types, a.NotTypes = list("UNITTYPES"), list("NOT_UNITTYPES")
	a.Effects = r.effectsOf(&a.Thing, float64(max(a.MinLevel, 1)))
}

// affixesOf returns the affixes of a unit.
func (r *reader) affixesOf(t *Thing, kind string) (list []Link) {
	c := r.nodes[t]
	for _, v := range c.Affixes() {
		from := c.Links[v.Link]
		l := r.link(KindAffix, v.Property.Value, place{from.File, from.Root.Name + "." + inherit.Affixes})
		r.use(l, kind, t)
		list = append(list, l)
	}
	return list
}

func (r *reader) buildItem(v *Item) {
	t := &v.Thing
	k := r.keys[t]
	v.Type = r.link(KindType, k["UNITTYPE"], r.at(t, "UNITTYPE"))
	v.Level, v.MinLevel, v.MaxLevel = whole(k["LEVEL"]), whole(k["MINLEVEL"]), whole(k["MAXLEVEL"])
	if rarity, has := k["RARITY"]; has {
		n := Number(rarity)
		v.Rarity = &n
	}
	v.Created = !hole.True(k["DONTCREATE"])
	level := float64(v.Level)
	get := func(key string) string { return k[key] }
	if v.Damage = r.graphs.itemDamage(get, level); k["MAXDAMAGE"] != "" && k["MINDAMAGE"] != "" {
		r.curved(t, hole.WeaponGraph)
	}
	if Number(k["ARMOR_PHYSICAL"]) != 0 {
		v.Armor = r.graphs.itemArmor(get, level)
		r.curved(t, hole.ArmorGraph)
		note(t, noteArmor)
	}
	for _, key := range []string{"STRENGTH", "DEXTERITY", "MAGIC", "DEFENSE"} {
		if Number(k[key+"_REQUIRED"]) != 0 {
			note(t, noteRequired)
		}
	}
	v.Effects = r.effectsOf(t, level)
	v.Affixes = r.affixesOf(t, KindItem)
	if set := strings.TrimSpace(k["SET"]); set != "" {
		l := r.link(KindSet, set, r.at(t, "SET"))
		v.Set = &l
		r.use(l, KindItem, t)
	}
}

// elements are the elements of damage and armor, in upper case.
var elements = []string{"PHYSICAL", "FIRE", "ICE", "ELECTRIC", "POISON"}

func (r *reader) buildSet(s *Set) {
	s.Members, s.Bonuses = append([]Link{}, s.UsedBy...), []Bonus{}
	s.UsedBy = nil
	for _, v := range r.Items {
		if v.Set != nil && v.Set.ID == s.ID {
			s.Level = max(s.Level, v.Level)
		}
	}
	if len(s.Members) == 0 {
		r.hole("member", s.Name, r.at(&s.Thing, "NAME"), hole.NoMember(s.Name))
	}
	r.each(&s.Thing, "AFFIX", func(n *text.Node, at place) {
		k := keysOf(n)
		b := Bonus{Count: whole(k["COUNT"]), Affix: r.link(KindAffix, k["AFFIX"], at.key("AFFIX"))}
		r.use(b.Affix, KindSet, &s.Thing)
		if a := r.things[keyOf(b.Affix)]; a != nil {
			b.Effects = r.effectsOf(a, float64(s.Level))
		}
		s.Bonuses = append(s.Bonuses, b)
	})
	slices.SortStableFunc(s.Bonuses, func(a, b Bonus) int { return cmp.Compare(a.Count, b.Count) })
}

func (r *reader) buildSkill(s *Skill) {
	k := r.keys[&s.Thing]
	for _, key := range slices.Sorted(maps.Keys(k)) {
		if strings.HasPrefix(key, "TIER") && strings.HasSuffix(key, "_DESCRIPTION") && k[key] != "" {
			s.Tiers = append(s.Tiers, k[key])
		}
	}
	seen := make(map[int]bool)
	for _, link := range r.nodes[&s.Thing].Links {
		for n := range link.Root.Children() {
			number, ok := strings.CutPrefix(strings.ToUpper(n.Name), "LEVEL")
			level, err := strconv.Atoi(number)
			if !ok || err != nil || seen[level] {
				continue
			}
			seen[level] = true
			l := SkillLevel{Level: level, Values: keysOf(n)}
			eachNode(n, place{link.File, link.Root.Name + "." + n.Name}, func(below *text.Node, at place) {
				if strings.EqualFold(below.Name, "AFFIXES") {
					for p := range below.Keys("AFFIX") {
						a := r.link(KindAffix, p.Value, at.key("AFFIX"))
						r.use(a, KindSkill, &s.Thing)
						l.Affixes = append(l.Affixes, a)
					}
				}
			})
			s.Levels = append(s.Levels, l)
		}
	}
	slices.SortFunc(s.Levels, func(a, b SkillLevel) int { return cmp.Compare(a.Level, b.Level) })
}

var treasures = []string{"TREASURE", "TREASURE_SECONDARY", "TREASURE_TERTIARY"}

func (r *reader) buildUnit(u *Unit) {
	t := &u.Thing
	k := r.keys[t]
	u.Type = Link{Kind: KindType}
	if k["UNITTYPE"] != "" {
		u.Type = r.link(KindType, k["UNITTYPE"], r.at(t, "UNITTYPE"))
	}
	u.Champion = hole.IsChampion(k["CHAMPION"], k["BOSS_CHAMPION"], k["UNITTYPE"])
	u.Role = roleOf(u.Files[0], hole.Name(k["UNITTYPE"]), u.Champion)
	u.MinLevel, u.MaxLevel = whole(k["MINLEVEL"]), whole(k["MAXLEVEL"])
	for stat, key := range hole.UnitGraphs {
		if name := strings.TrimSpace(k[key]); name != "" {
			if u.Graphs == nil {
				u.Graphs = make(map[string]string)
			}
			u.Graphs[stat] = name
			note(t, noteGraph)
		}
	}
	if k["MAXHP"] != "" || k["MAXDAMAGE"] != "" {
		for stat := range hole.Stats {
			for d := Easy; d <= VeryHard; d++ {
				r.curved(t, cmp.Or(u.Graphs[stat], StatGraph(stat, u.Champion, d)))
			}
		}
	}
	links := r.nodes[t].Links
	for _, node := range treasures {
		own := false
		for i, link := range links {
			if link.Root.Child(node) != nil {
				if own && i > 0 {
					note(t, noteTreasure)
				}
				own = true
			}
		}
		r.each(t, node, func(n *text.Node, at place) {
			k := keysOf(n)
			if strings.TrimSpace(k["SPAWNCLASS"]) == "" {
				return
			}
			count := func(keys ...string) int {
				for _, key := range keys {
					if s, has := k[key]; has {
						return whole(s)
					}
				}
				return 1
			}
			x := treasure{Node: node, Class: r.link(KindClass, k["SPAWNCLASS"], at.key("SPAWNCLASS")),
				Min: count("MIN", "MINCOUNT"), Max: count("MAX", "MAXCOUNT", "MIN", "MINCOUNT")}
			u.Treasure = append(u.Treasure, x)
			r.use(x.Class, KindUnit, t)
		})
	}
	r.each(t, "SKILL", func(n *text.Node, at place) {
		k := keysOf(n)
		c := cast{Skill: r.link(KindSkill, k["NAME"], at.key("NAME")), Values: k}
		delete(k, "NAME")
		r.use(c.Skill, KindUnit, t)
		u.Skills = append(u.Skills, c)
	})
	u.Effects = r.effectsOf(t, float64(max(u.MinLevel, 1)))
	u.Affixes = r.affixesOf(t, KindUnit)
}

// roleOf returns what a unit is, by its file and its type.
func roleOf(file, kind string, champion bool) string {
	in := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(kind, w) })
	}
	folder := strings.TrimPrefix(path.Dir(file), "MEDIA/UNITS")
	switch {
	case strings.HasPrefix(folder, "/PLAYERS"):
		return "player"
	case in("CHEST"), strings.HasPrefix(folder, "/PROPS") && strings.Contains(path.Base(file), "CHEST"):
		return "chest"
	case strings.HasPrefix(folder, "/PROPS"), in("PROP", "BREAKABLE", "OPENABLE"):
		return "prop"
	case in("MERCHANT"):
		return "merchant"
	case in("BOSS"):
		return "boss"
	case champion:
		return "champion"
	case in("PET", "MINION", "SUMMON"):
		return "pet"
	case in("NPC"):
		return "npc"
	}
	return "monster"
}

func (r *reader) buildPlace(p *Place) {
	p.Strata = []Stratum{}
	for n := range r.nodes[&p.Thing].Links[0].Root.Children() {
		if !strings.HasPrefix(strings.ToUpper(n.Name), "STRATA") {
			continue
		}
		s := Stratum{Name: n.Name, Classes: []Link{}, Values: keysOf(n)}
		for prop := range n.Properties() {
			if strings.HasSuffix(strings.ToUpper(prop.Key), "SPAWNCLASS") && strings.TrimSpace(prop.Value) != "" {
				root := r.nodes[&p.Thing].Links[0].Root.Name
				l := r.link(KindClass, prop.Value, place{p.Files[0], root + "." + n.Name + "." + prop.Key})
				r.use(l, KindPlace, &p.Thing)
				s.Classes = append(s.Classes, l)
			}
		}
		p.Strata = append(p.Strata, s)
	}
}
