package maprules

import (
	"context"
	"fmt"
	"strings"

	"trowel.example/check"
	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/twmap"
)

// Options say what a map is checked for.
type Options struct {
	Type     string   // one of [Types]; "": solo if the settings say so, else a usual map
	Name     string   // of the map
	Released []string // names of released maps
	Mapres   []string // folders with the game's images
}

// Check reports what the rules of a set find in a map, after [twmap.Map.Check] has reported the rest, and at the end what only a
// person can judge. It reads the whole map.
func Check(ctx context.Context, m *twmap.Map, set *Set, o Options, sink check.Sink) error {
	c := &checker{ctx: ctx, m: m, set: set, Options: o, sink: sink}
	for _, line := range c.settings() {
		if f := strings.Fields(line); c.Type == "" && len(f) == 2 && strings.EqualFold(f[0], "sv_solo_server") && f[1] != "0" {
			c.Type = "solo"
		}
	}
	var err error
	if c.field, err = newField(m); err != nil {
		sink.Add(foundUnread, "", -1, "%v", err)
		return nil
	}
	if c.field == nil {
		return nil // tw-map-no-game-layer
	}
	r, err := mapdraw.New(m, mapdraw.Options{Mapres: o.Mapres})
	if err != nil {
		sink.Add(foundUnread, "", -1, "%v", err)
		return nil
	}
	c.sight = newSight(m, r)
	c.all = c.field.flood(everywhere)
	set.run(c)
	if c.err != nil {
		return c.err
	}
	if text := set.persons(c.Type); text != "" {
		c.report(nil, foundPerson, "", nil, "a person must still check: %s", text)
	}
	return nil
}

// checker is one check.
type checker struct {
	ctx   context.Context
	m     *twmap.Map
	set   *Set
	field *field
	all   reach // what players reach
	sight *sight
	sink  check.Sink
	err   error
	Options
}

// maxNamed is the number of places that a message names.
const maxNamed = 5

// maxAt is the number of places of a finding.
const maxAt = 10_000

// add reports a finding by its rule, if the rule is for maps of the type.
func (c *checker) add(kind *check.Kind, path string, at []check.Place, format string, args ...any) {
	r := c.set.ruleOf(kind.ID)
	if r == nil || !r.applies(c.Type) {
		return
	}
	c.report(r, kind, path, at, format, args...)
}

// report reports a finding by a rule; without one, it is about all rules of the set.
func (c *checker) report(r *rule, kind *check.Kind, path string, at []check.Place, format string, args ...any) {
	check.Sink(func(f check.Finding) {
		f.Rule = c.set.named(r)
		c.sink.Report(f)
	}).AddAt(kind, at, path, -1, format, args...)
}

// addCells reports cells of a layer.
func (c *checker) addCells(kind *check.Kind, layer twmap.Kind, cells []int, format string, args ...any) {
	if len(cells) == 0 {
		return
	}
	part := c.m.PartOf(c.m.Physics(layer))
	if part == nil {
		part = c.m.PartOf(c.m.Physics(twmap.KindGame))
	}
	c.add(kind, part.Path(), c.places(part, cells), "%s: %s", fmt.Sprintf(format, args...), c.where(cells))
}

// places returns cells of a layer.
func (c *checker) places(part *twmap.Part, cells []int) (at []check.Place) {
	for _, i := range cells[:min(len(cells), maxAt)] {
		place := part.Tile(i%c.field.w, i/c.field.w)
		at = append(at, &place)
	}
	return at
}

// where lists cells for people.
func (c *checker) where(cells []int) string {
	var list []string
	for _, i := range cells[:min(len(cells), maxNamed)] {
		list = append(list, fmt.Sprintf("%d,%d", i%c.field.w, i/c.field.w))
	}
	if more := len(cells) - maxNamed; more > 0 {
		list = append(list, fmt.Sprintf("and %s more", words.Thousands(int64(more))))
	}
	return strings.Join(list, " ")
}

// count returns a number with its thing, whose first word takes the plural, such as "2 groups of switches".
func count(n int, thing string) string {
	word, rest, more := strings.Cut(thing, " of ")
	if more {
		rest = " of " + rest
	}
	return words.Count(n, word) + rest
}

// list joins the first of some words.
func list(all []string) string {
	text := strings.Join(all[:min(len(all), maxNamed)], ", ")
	if more := len(all) - maxNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func (c *checker) settings() []string {
	if c.m.Info == nil {
		return nil
	}
	return c.m.Info.Settings
}

// setting returns the argument of the last setting of a name.
func (c *checker) setting(name string) (value string, ok bool) {
	for _, line := range c.settings() {
		if f := strings.Fields(line); len(f) > 1 && strings.EqualFold(f[0], name) {
			value, ok = f[1], true
		}
	}
	return value, ok
}
