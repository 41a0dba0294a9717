package codex

import (
	"cmp"
	"math"
	"regexp"
	"strconv"
	"strings"

	"trowel.example/torchlight/internal/hole"
)

// The formulas of this file are also in codexsite/page/formula.js; testdata/triples.json tests both.

// Difficulty is one of the difficulties of the game.
type Difficulty int

// The difficulties.
const (
	Easy Difficulty = iota
	Normal
	Hard
	VeryHard
)

// MaxLevel is the highest level of values.
const MaxLevel = 200

// StatGraph returns the name of the graph of a property of monsters: health, damage, armor or experience.
func StatGraph(stat string, champion bool, d Difficulty) string {
	name := hole.Stats[stat][0]
	if champion {
		name = hole.Stats[stat][1]
	}
	return name + hole.Difficulties[d]
}

// Stat returns a property of a monster, of which the files have a percent of a graph: of its own, or the usual one if own is "".
func (g Graphs) Stat(percent float64, stat, own string, champion bool, d Difficulty, level float64) (float64, bool) {
	v, ok := g.At(cmp.Or(own, StatGraph(stat, champion, d)), level)
	return percent / 100 * v, ok
}

// Weapon are the percents of the damage of a weapon.
type Weapon struct{ Min, Max, Rarity, Speed float64 }

// damage returns the damage of a weapon at its level, exactly and as the game shows it.
func (g Graphs) Damage(w Weapon, level float64) (exact [2]float64, low, high int, ok bool) {
	base, ok := g.At(hole.WeaponGraph, level)
	if !ok || w.Max == 0 {
		return exact, 0, 0, false
	}
	f := base * w.Rarity / 100 * w.Speed / 100
	exact = [2]float64{f * w.Min / 100, f * w.Max / 100}
	top := up(exact[1])
	return exact, int(bounded(round(top*w.Min/w.Max, 0))), int(bounded(top)), true
}

// Armor returns the armor of an item at its level.
func (g Graphs) Armor(physical, rarity, special, level float64) (int, bool) {
	base, ok := g.At(hole.ArmorGraph, level)
	if !ok || physical == 0 {
		return 0, ok
	}
	return int(bounded(max(up(base*physical/100*rarity/100*special/100), 1))), true
}

// percentOf returns the percent of a factor, of which a missing one changes nothing.
func percentOf(get func(key string) string, key string) float64 {
	if s := get(key); s != "" {
		return Number(s)
	}
	return 100
}

// itemDamage returns the damage of an item at a level, or nil.
func (g Graphs) itemDamage(get func(key string) string, level float64) *damage {
	if get("MAXDAMAGE") == "" || get("MINDAMAGE") == "" {
		return nil
	}
	exact, low, high, ok := g.Damage(Weapon{Number(get("MINDAMAGE")), Number(get("MAXDAMAGE")), percentOf(get, "RARITY_DMG_MOD"),
		percentOf(get, "SPEED_DMG_MOD")}, level)
	if !ok {
		return nil
	}
	d := &damage{Low: low, High: high, Shares: make(map[string][2]float64)}
	for _, element := range elements {
		if share := Number(get("DAMAGE_" + element)); share != 0 {
			d.Shares[strings.ToLower(element)] = [2]float64{exact[0] * share / 100, exact[1] * share / 100}
		}
	}
	return d
}

// itemArmor returns the armor of an item at a level.
func (g Graphs) itemArmor(get func(key string) string, level float64) int {
	armor, _ := g.Armor(Number(get("ARMOR_PHYSICAL")), percentOf(get, "RARITY_AMR_MOD"), percentOf(get, "SPECIAL_AMR_MOD"), level)
	return armor
}

// AtLevel is what a property of a thing is at a level, from Low to High.
type AtLevel struct {
	Name      string // damage, a share of it such as "fire damage", armor, "fire armor", health or experience
	Low, High float64
	Range     bool // whether the property is a range; otherwise Low and High are the same
	Known     bool // the thing has the property, and its graph exists
}

// ItemValues returns the damage of an item, its shares, and its armor. get returns the effective value of a key, or "".
func (g Graphs) ItemValues(get func(key string) string, level float64) []AtLevel {
	d := g.itemDamage(get, level)
	if d == nil {
		d = new(damage)
	}
	list := []AtLevel{{"damage", float64(d.Low), float64(d.High), true, d.Shares != nil}}
	for _, element := range elements {
		element = strings.ToLower(element)
		share, has := d.Shares[element]
		list = append(list, AtLevel{element + " damage", round(share[0], 0), round(share[1], 0), true, has})
	}
	armor := float64(g.itemArmor(get, level))
	return append(list, AtLevel{"armor", armor, armor, false, armor != 0})
}

// UnitValues returns the health, damage, armor and experience of a monster. get returns the effective value of a key, or "".
func (g Graphs) UnitValues(get func(key string) string, level float64, d Difficulty) (list []AtLevel) {
	champion := hole.IsChampion(get("CHAMPION"), get("BOSS_CHAMPION"), get("UNITTYPE"))
	add := func(name, stat, low, high string, has bool) {
		own := strings.TrimSpace(get(hole.UnitGraphs[stat]))
		from, known := g.Stat(percentOf(get, low), stat, own, champion, d, level)
		to, _ := g.Stat(percentOf(get, high), stat, own, champion, d, level)
		list = append(list, AtLevel{name, round(from, 0), round(to, 0), low != high, has && known})
	}
	add("health", "health", "MINHP", "MAXHP", get("MINHP") != "" && get("MAXHP") != "")
	add("damage", "damage", "MINDAMAGE", "MAXDAMAGE", get("MINDAMAGE") != "" && get("MAXDAMAGE") != "")
	add("armor", "armor", "ARMOR", "ARMOR", get("ARMOR") != "")
	for _, element := range elements[1:] { // a missing one is 100 percent
		add(strings.ToLower(element)+" armor", "armor", "ARMOR_"+element, "ARMOR_"+element, get("ARMOR") != "")
	}
	add("experience", "experience", "XP", "XP", get("XP") != "")
	return list
}

// bounded keeps a number in the range of the integers of the game.
func bounded(v float64) float64 { return min(max(v, math.MinInt32), math.MaxInt32) }

// up rounds up; errors of the arithmetic do not count.
func up(v float64) float64 { return math.Ceil(v - 1e-9) }

// round rounds to a number of decimals, halves away from 0.
func round(v float64, decimals int) float64 {
	scale := math.Pow(10, float64(decimals))
	r := math.Floor(math.Abs(v)*scale+0.5+1e-9) / scale
	if v < 0 {
		r = -r
	}
	return r + 0 // no -0
}

// graphOf returns the name of the graph of an effect, or "".
func (t *EffectType) graphOf(keys map[string]string) string {
	if hole.True(keys["NOGRAPH"]) {
		return keys["GRAPHOVERRIDE"]
	}
	return cmp.Or(keys["GRAPHOVERRIDE"], t.Graph)
}

// effectRange returns the values of an effect at a level, which are equal unless it has a graph.
func (g Graphs) effectRange(keys map[string]string, t *EffectType, level float64) (low, high float64) {
	low, high = Number(keys["MIN"]), Number(keys["MAX"])
	graph := t.graphOf(keys)
	if v, ok := g.At(graph, level); ok && graph != "" {
		return low * v / 100, high * v / 100
	}
	low += (high - low) * min(level, 500) / 500
	return low, low
}

// decimals returns the number of decimals with which a value of an effect is shown.
func (t *EffectType) decimals(v float64) int {
	if t.MaxExact > 0 && math.Abs(v) > t.MaxExact {
		return 0
	}
	return min(max(t.Precision, 0), 6)
}

var token = regexp.MustCompile(`\[(VALUE_OT|VALUE([1-5])ASDURATION|VALUE3AND4|VALUE([1-5])|VALUE|DURATION|DMGTYPE|NAME)\]`)

// EffectText returns the text of an effect at a level.
func (g Graphs) EffectText(keys map[string]string, t *EffectType, level float64) string {
	low, high := g.effectRange(keys, t, level)
	duration := Number(keys["DURATION"])
	form := t.Good
	switch {
	case high < 0 && duration > 0:
		form = cmp.Or(t.BadOver, t.Bad, t.Good)
	case high < 0:
		form = cmp.Or(t.Bad, t.Good)
	case duration > 0:
		form = cmp.Or(t.GoodOver, t.Good)
	}
	if form == "" {
		return ""
	}
	shown := func(v float64) string { return plain(round(math.Abs(v), t.decimals(v))) }
	value := shown(low)
	if to := shown(high); to != value {
		value += " - " + to
	}
	numbered := func(n string) string {
		i := int(n[0] - '1')
		if i >= len(t.Values) {
			return ""
		}
		return plain(round(math.Abs(Number(keys[strings.ToUpper(t.Values[i])])), 2))
	}
	return token.ReplaceAllStringFunc(form, func(s string) string {
		m := token.FindStringSubmatch(s)
		switch {
		case m[2] != "":
			return numbered(m[2])
		case m[3] != "":
			return numbered(m[3])
		}
		switch m[1] {
		case "VALUE", "VALUE_OT":
			return value
		case "VALUE3AND4":
			return numbered("3") + " - " + numbered("4")
		case "DURATION":
			return plain(round(duration, 2))
		case "DMGTYPE":
			return strings.ToLower(keys["DAMAGE_TYPE"])
		}
		return keys["NAME"]
	})
}

// plain formats a number without needless digits.
func plain(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
