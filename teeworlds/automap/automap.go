// Package automap draws layers by rules, like the automapper of DDNet's editor: a file of rules belongs to an image,
// and determines the tiles of a layer from the tiles around them.
//
// [ParseRules] reads a file of rules, [ParseJSON] one of Teeworlds 0.7, [Rules.Run] draws a layer by one of its
// sections. For the same rules of DDNet, layer and seed the tiles are identical to those of DDNet, including random
// ones. The rules are described in docs/formats/teeworlds-automap.md.
package automap

import (
	"fmt"
	"strconv"
	"strings"

	"trowel.example/teeworlds/twmap"
)

// Rules holds the rules for an image.
type Rules struct{ sections []*section }

// Section is a named set of rules: a configuration, as the editor and maps call it.
type Section struct {
	Name string
	Line int // the line of its header, from 1
	Runs int // the number of passes over a layer
	// Rules is the number of rules that write tiles: lines Index.
	Rules int
}

// Sections returns the sections in file order: maps refer to a section by its number in this order
// ([twmap.AutoMapper]).
func (r *Rules) Sections() []Section {
	list := make([]Section, len(r.sections))
	for i, s := range r.sections {
		list[i] = Section{Name: s.name, Line: s.line, Runs: len(s.runs)}
		for _, run := range s.runs {
			list[i].Rules += len(run.rules)
		}
		if s.tileset != nil {
			list[i].Runs, list[i].Rules = 1, len(s.tileset.rules)
		}
		if s.doodads != nil {
			list[i].Runs, list[i].Rules = 1, len(s.doodads.rules)
		}
	}
	return list
}

// Section returns the number of a section: the first one with the name, or the one with the number given in digits.
// The error lists the existing sections.
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
	err  error // a line in it is undefined

	// At most one is set, for rules of Teeworlds 0.7, which have no runs.
	tileset *tileset
	doodads *doodads
}

// run is one pass over a layer.
type run struct {
	noCopy bool // conditions see written tiles at once
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

// condition requires a tile at a position relative to another tile.
type condition struct {
	x, y  int
	not   bool // none of the tiles, instead of one of them
	tiles []match
}

// match is a tile that a condition lists.
type match struct {
	id    int32 // -1 is a position outside of the layer
	exact bool  // flags are compared
	flags twmap.TileFlags
}

// modulo holds for one tile in each block of x columns and y rows.
type modulo struct{ x, y, offX, offY int }

// holds reports whether a modulo holds at a position.
func (m modulo) holds(x, y int) bool { return (x+m.offX)%m.x == 0 && (y+m.offY)%m.y == 0 }

// turned is the set of flags that rules can use.
const turned = twmap.FlipX | twmap.FlipY | twmap.Rotate

// finish adds the default condition, unless the rule overrides it: the current tile is not air.
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
