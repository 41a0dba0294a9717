// Package automap draws layers by rules, as the automapper of DDNet's editor does: a file of
// rules belongs to an image, and says which tile stands where, by what is around it.
//
// [ParseRules] reads a file of rules, [Rules.Run] draws a layer by one of its sections. For
// the same rules, layer and seed the tiles are those of DDNet, random ones too. The rules are
// described in docs/formats/teeworlds-automap.md.
package automap

import (
	"fmt"
	"strconv"
	"strings"

	"trowel.example/teeworlds/twmap"
)

// Rules are the rules for an image.
type Rules struct{ sections []*section }

// Section is a set of rules that people choose by its name: a configuration, as the editor and
// maps call it.
type Section struct {
	Name string
	Line int // where it begins, from 1
	Runs int // how often it goes over a layer
	// Rules is the number of the tiles that it may write: lines Index.
	Rules int
}

// Sections returns the sections in the order of the file: the number of a section is what a
// map says of a layer ([twmap.AutoMapper]).
func (r *Rules) Sections() []Section {
	list := make([]Section, len(r.sections))
	for i, s := range r.sections {
		list[i] = Section{Name: s.name, Line: s.line, Runs: len(s.runs)}
		for _, run := range s.runs {
			list[i].Rules += len(run.rules)
		}
	}
	return list
}

// Section returns the number of a section: the first of a name, or that of a number in digits.
// The error says which there are.
func (r *Rules) Section(name string) (int, error) {
	for i, s := range r.sections {
		if s.name == name {
			return i, nil
		}
	}
	if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(r.sections) {
		return i, nil
	}
	if name == "" {
		return 0, fmt.Errorf("no section is named: the rules have %s", r.names())
	}
	return 0, fmt.Errorf("no section %q: the rules have %s", name, r.names())
}

// names lists the names of sections for messages.
func (r *Rules) names() string {
	if len(r.sections) == 0 {
		return "none"
	}
	names := make([]string, len(r.sections))
	for i, s := range r.sections {
		names[i] = strconv.Quote(s.name)
	}
	return strings.Join(names, ", ")
}

type section struct {
	name string
	line int
	runs []*run
	err  error // a line in it that means nothing certain
}

// run is one pass over a layer.
type run struct {
	noCopy bool // what it writes is seen at once
	rules  []*rule
}

// rule writes a tile where all of its conditions hold.
type rule struct {
	line                int
	section             *section
	tile                twmap.Tile
	conditions          []condition
	modulos             []modulo
	probability         float32 // 1 or more: always
	noDefault           bool
	skipEmpty, skipFull bool
}

// condition is what has to be at a place as seen from a tile.
type condition struct {
	x, y  int
	not   bool // none of the tiles, not one of them
	tiles []match
}

// match is a tile that a condition names.
type match struct {
	id    int32 // -1 is what lies outside of the layer
	exact bool  // the flags count
	flags twmap.TileFlags
}

// modulo holds in one tile of x columns and y rows.
type modulo struct{ x, y, offX, offY int }

// holds reports whether a modulo holds at a tile.
func (m modulo) holds(x, y int) bool { return (x+m.offX)%m.x == 0 && (y+m.offY)%m.y == 0 }

// turned are the flags that rules know.
const turned = twmap.FlipX | twmap.FlipY | twmap.Rotate

// finish adds the rule of every tile that does not say it: it stands for no air.
func (r *rule) finish() {
	found := false
	for _, c := range r.conditions {
		if c.x == 0 && c.y == 0 && !c.not {
			for _, t := range c.tiles {
				found = found || t.id == 0
			}
			break
		}
	}
	if !found && !r.noDefault {
		r.conditions = append(r.conditions, condition{not: true, tiles: []match{{}}})
		r.skipEmpty, r.skipFull = true, false
	}
	if r.skipEmpty && r.skipFull {
		r.skipEmpty, r.skipFull = false, false
	}
}
