package modscene

import (
	"cmp"
	"fmt"
	"image"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/torchlight/internal/inherit"
	sheets "trowel.example/torchlight/internal/sheet"
	"trowel.example/torchlight/text"
)

// A thing is an item, a skill or a monster of a mod.
type thing struct {
	origin
	file  string // path in the game
	chain inherit.Chain
}

// colorCode is a code in a text of the game that changes its color.
var colorCode = regexp.MustCompile(`(?i)\|c[0-9a-f]{8}|\|u`)

// first returns the first effective value of several keys that is not empty.
func (t *thing) first(keys ...string) string {
	for _, key := range keys {
		if value := t.chain.Get(key); value != "" {
			return value
		}
	}
	return ""
}

func (t *thing) title() string {
	title := colorCode.ReplaceAllString(t.first("DISPLAYNAME", "NAME"), "")
	return cmp.Or(strings.TrimSpace(title), strings.TrimSuffix(path.Base(t.file), path.Ext(t.file)))
}

func (t *thing) icon() string { return strings.TrimSpace(t.first("ICON", "SKILL_ICON")) }
func (t *thing) guid() string { return t.first("UNIT_GUID", "UNIQUE_GUID") }

// cardRows are the rows of cards. A row with several keys is a range. Rows with # are about the levels of skills: the row shows
// the first level and the last.
var cardRows = []struct {
	label string
	keys  []string
}{
	{"level", []string{"LEVEL"}},
	{"at levels", []string{"MINLEVEL", "MAXLEVEL"}},
	{"rarity", []string{"RARITY"}},
	{"damage", []string{"MINDAMAGE", "MAXDAMAGE"}},
	{"damage at level #", []string{"LEVEL#.MINDAMAGE", "LEVEL#.MAXDAMAGE"}},
	{"health", []string{"MINHP", "MAXHP"}},
	{"armor", []string{"ARMOR"}},
	{"experience", []string{"XP"}},
	{"value", []string{"VALUE"}},
	{"activation", []string{"ACTIVATION_TYPE"}},
	{"mana at level #", []string{"LEVEL#.MANACOST"}},
	{"weapon damage at level # (%)", []string{"LEVEL#.EVENT_TRIGGER.WEAPONDAMAGEPCT"}},
	{"cooldown (ms)", []string{"COOLDOWNMS"}},
	{"levels to invest", []string{"MAX_INVEST_LEVEL"}},
}

// Limits of a card.
const (
	cardWidth  = 352
	iconSide   = 64
	maxCardRow = 8   // rows of each kind
	maxNodes   = 1e4 // nodes of a file that are searched for affixes
)

// card returns the cell of a thing. Inherited values are dim. leveled calls its argument with the values at a level.
func (t *thing) card(c *icons, leveled func(row func(label, text string))) sheets.Cell {
	const inset, right = 8, 8 + iconSide + 8
	cell := sheets.Cell{Fill: sheets.Panel}
	if m := c.get(t.icon()); m != nil {
		cell.Parts = append(cell.Parts, sheets.Picture(reduced(m, iconSide), image.Pt(inset, inset)))
	} else {
		cell.Parts = append(cell.Parts, sheets.Absent(image.Pt(inset, inset), image.Pt(iconSide, iconSide)))
	}
	y := cell.Write(image.Pt(right, inset), cardWidth-right-inset,
		sheets.Text{Text: t.title(), Size: 15, Color: sheets.Bright, Most: 2},
		sheets.Text{Text: t.first("UNITTYPE", "TARGET_TYPE"), Size: 12, Color: sheets.Plain, Most: 1},
		sheets.Text{Text: t.guid(), Size: 11, Color: sheets.Dim, Most: 1})
	var rows []sheets.Text
	row := func(own bool, label, value string) {
		color := sheets.Dim
		if own {
			color = sheets.Plain
		}
		rows = append(rows, sheets.Text{Text: label + ": " + colorCode.ReplaceAllString(value, ""), Size: 12, Color: color, Most: 3})
	}
	leveled(func(label, text string) { row(true, label, text) })
	for _, r := range cardRows {
		if value, own := t.between(r.keys...); value != "" {
			row(own, r.label, value)
		}
		for _, level := range t.levels() {
			var keys []string
			for _, key := range r.keys {
				if strings.Contains(key, "#") {
					keys = append(keys, strings.Replace(key, "#", level, 1))
				}
			}
			if value, own := t.between(keys...); value != "" {
				row(own, strings.Replace(r.label, "#", level, 1), value)
			}
		}
	}
	for _, kind := range []struct {
		label         string
		prefix, after string
	}{{"", "DAMAGE_", ""}, {"", "ARMOR_", ""}, {"requires ", "", "_REQUIRED"}} {
		n := 0
		for _, v := range t.chain.Values() {
			key := strings.ToUpper(v.Key)
			name := strings.TrimSuffix(key, kind.after)
			if n < maxCardRow && v.Value != "" && !strings.HasSuffix(key, "_RADIUS") && !strings.HasSuffix(key, "_GRAPH") &&
				strings.HasPrefix(key, kind.prefix) && strings.HasSuffix(key, kind.after) {
				n++
				row(v.Link == 0, kind.label+strings.ToLower(strings.ReplaceAll(name, "_", " ")), v.Value)
			}
		}
	}
	list := func(own bool, label string, names []string) {
		if n := len(names) - maxCardRow; n > 0 {
			names = append(names[:maxCardRow-1:maxCardRow-1], fmt.Sprintf("%s and %d more", names[maxCardRow-1], n))
		}
		if len(names) > 0 {
			row(own, label, strings.Join(names, ", "))
		}
	}
	affixes, effects, link := t.affixes()
	list(true, "affixes", affixes[0])
	list(false, "affixes of the base files", affixes[1])
	list(link == 0, "effects", effects)
	if d := t.first("DESCRIPTION", "BASE_DESCRIPTION"); d != "" {
		rows = append(rows, sheets.Text{Text: colorCode.ReplaceAllString(d, ""), Size: 12, Color: sheets.Bright, Most: 3})
	}
	y = cell.Write(image.Pt(inset, max(y, inset+iconSide)+4), cardWidth-2*inset, rows...)
	cell.Size = image.Pt(cardWidth, y+inset)
	return cell
}

// levels returns the numbers of the first and the last level of a skill, one if they are the same, none if it has no levels.
func (t *thing) levels() []string {
	first, last := math.MaxInt, 0
	for _, l := range t.chain.Links {
		for n := range l.Root.Children() {
			if number, ok := strings.CutPrefix(strings.ToUpper(n.Name), "LEVEL"); ok {
				if i, err := strconv.Atoi(number); err == nil && i > 0 {
					first, last = min(first, i), max(last, i)
				}
			}
		}
	}
	switch {
	case last == 0:
		return nil
	case first == last:
		return []string{strconv.Itoa(last)}
	}
	return []string{strconv.Itoa(first), strconv.Itoa(last)}
}

// between returns the effective values of keys, as "1 to 2" if they differ, and whether the file itself has one of them.
func (t *thing) between(keys ...string) (value string, own bool) {
	var values []string
	for _, key := range keys {
		if v, ok := t.chain.Find(key); ok && v.Value != "" {
			own = own || v.Link == 0
			if !slices.Contains(values, v.Value) {
				values = append(values, v.Value)
			}
		}
	}
	return strings.Join(values, " to "), own
}

// affixes returns the names of the affixes of the file and of its base files, and the effects of the nearest file that has
// effects or skills with affixes.
func (t *thing) affixes() (affixes [2][]string, effects []string, link int) {
	add := func(list *[]string, s string) {
		if s != "" && !slices.Contains(*list, s) && len(*list) < 1000 {
			*list = append(*list, s)
		}
	}
	for _, v := range t.chain.Affixes() {
		add(&affixes[min(v.Link, 1)], v.Value)
	}
	for i, l := range t.chain.Links {
		left := int(maxNodes)
		found := false
		var walk func(n *text.Node, depth int)
		walk = func(n *text.Node, depth int) {
			if left--; left < 0 || depth == 1 && strings.EqualFold(n.Name, "AFFIXES") { // these add up
				return
			}
			for p := range n.Keys("AFFIX") {
				add(&affixes[min(i, 1)], p.Value)
				found = true
			}
			if strings.EqualFold(n.Name, "EFFECT") {
				add(&effects, effectOf(n))
				found = true
			}
			for child := range n.Children() {
				walk(child, depth+1)
			}
		}
		walk(l.Root, 0)
		if found {
			return affixes, effects, i
		}
	}
	return affixes, effects, 0
}

// effectOf returns the words for an effect: its type and its range.
func effectOf(n *text.Node) string {
	kind, _ := n.Get("TYPE")
	low, _ := n.Get("MIN")
	high, _ := n.Get("MAX")
	switch {
	case low == "" && high == "", low == "0" && high == "0":
		return kind
	case low == high || high == "":
		return kind + " " + low
	}
	return kind + " " + low + " to " + high
}

// describe returns the thing with all of its effective values, each with the file that it comes from.
func (t *thing) describe() format.Thing {
	d := format.Thing{Title: t.title(), Place: text.Place{Path: t.place}}
	if t.tree != "" {
		d.Line = check.Line{Path: t.tree, Line: 1}
	}
	var bases []string
	for _, l := range t.chain.Links[1:] {
		bases = append(bases, l.File)
	}
	if bases != nil {
		d.Facts = append(d.Facts, format.Fact("basedOn", "based on", bases))
	}
	if t.chain.Missing != "" {
		d.Facts = append(d.Facts, format.Fact("missing", "not available", t.chain.Missing))
	}
	for _, v := range t.chain.Values() {
		value := v.Value
		if v.Link > 0 {
			value += " (from " + t.chain.Links[v.Link].File + ")"
		}
		d.Facts = append(d.Facts, format.Fact(v.Key, "<"+v.Type.String()+">"+v.Key, value))
	}
	return d
}
