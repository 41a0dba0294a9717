package maprules

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"trowel.example/check"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// maxPlaces is the maximum number of places that are listed for a map; further ones are only counted.
const maxPlaces = 100_000

var kinds = []twmap.Kind{twmap.KindGame, twmap.KindFront, twmap.KindTele, twmap.KindSpeedup, twmap.KindSwitch, twmap.KindTune}

// ComparePhysics calls change with each difference that affects gameplay. It reads all tiles of the physics layers; an error
// means that some could not be read.
func ComparePhysics(ctx context.Context, oldNames, newNames *mapdir.Names, change func(check.Change) error) error {
	old, new := oldNames.Map(), newNames.Map()
	if err := settingsOf(old, new, change); err != nil {
		return err
	}
	for _, m := range []*twmap.Map{old, new} {
		for _, kind := range kinds {
			if l := m.Physics(kind); l != nil {
				if err := l.Load(); err != nil {
					return err
				}
			}
		}
	}
	framed := mapedit.Framed(old, new)
	if framed != (mapedit.Sides{}) {
		if err := edges(old, new, newNames, framed, change); err != nil {
			return err
		}
		moved := old.Clone()
		if mapedit.New(moved, nil).Frame(framed) == nil {
			old = moved
		}
	}
	left := maxPlaces
	for _, kind := range kinds {
		if err := ctx.Err(); err != nil {
			return err
		}
		a, b := old.Physics(kind), new.Physics(kind)
		c := layer{a: a, b: b, kind: kind, change: change, left: &left}
		if c.names, c.part = newNames, new.PartOf(b); b == nil {
			c.names, c.part = oldNames, old.PartOf(a)
		}
		if err := c.compare(); err != nil {
			return err
		}
	}
	return nil
}

// edges reports that the map was extended or cropped.
func edges(old, new *twmap.Map, names *mapdir.Names, framed mapedit.Sides, change func(check.Change) error) error {
	part := new.PartOf(new.Physics(twmap.KindGame))
	path := part.Path()
	if g := part.Group; g != nil {
		path = strings.TrimSuffix(names.Layer(g.Number, part.Number), ".json")
	}
	a, b := old.Physics(twmap.KindGame), new.Physics(twmap.KindGame)
	return change(check.Change{Path: path, Count: 1, What: fmt.Sprintf("%d x %d tiles became %d x %d, at the edges: %v",
		a.Width(), a.Height(), b.Width(), b.Height(), framed)})
}

// settingsOf compares the lines that a server executes.
func settingsOf(old, new *twmap.Map, change func(check.Change) error) error {
	a, b := commands(old), commands(new)
	if slices.Equal(a, b) {
		return nil
	}
	report := func(list []string, others map[string]int, what string) (some bool, err error) {
		for _, line := range list {
			if others[line]--; others[line] >= 0 {
				continue
			}
			some = true
			if err := change(check.Change{Path: "settings", What: fmt.Sprintf("%q was %s", line, what), Count: 1, Unit: "settings"}); err != nil {
				return some, err
			}
		}
		return some, nil
	}
	gone, err := report(a, counted(b), "removed")
	if err != nil {
		return err
	}
	come, err := report(b, counted(a), "added")
	if err != nil || gone || come {
		return err
	}
	return change(check.Change{Path: "settings", What: "their order has changed", Count: int64(len(b)), Unit: "settings"})
}

// commands returns the settings of a map without comments and empty lines.
func commands(m *twmap.Map) (list []string) {
	if m.Info == nil {
		return nil
	}
	for _, line := range m.Info.Settings {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			list = append(list, line)
		}
	}
	return list
}

func counted(list []string) map[string]int {
	n := make(map[string]int)
	for _, line := range list {
		n[line]++
	}
	return n
}

// layer compares a physics layer.
type layer struct {
	a, b   *twmap.TileLayer // nil: there is none
	names  *mapdir.Names
	part   *twmap.Part // the layer in the new map, or else in the old one
	kind   twmap.Kind
	change func(check.Change) error
	left   *int // places that may still be listed
}

// effect is what the game makes of a tile; the zero value is no effect.
type effect struct {
	id, number, force, most, delay uint8
	flags                          twmap.TileFlags
	angle                          int16
}

func (c *layer) compare() error {
	if c.part == nil { // neither map has such a layer
		return nil
	}
	path := c.part.Path()
	if g := c.part.Group; g != nil {
		path = strings.TrimSuffix(c.names.Layer(g.Number, c.part.Number), ".json")
	}
	wa, ha := size(c.a)
	wb, hb := size(c.b)
	if c.kind == twmap.KindGame && (wa != wb || ha != hb) { // the borders of the map
		err := c.change(check.Change{Path: path, What: fmt.Sprintf("%d x %d tiles became %d x %d", wa, ha, wb, hb), Count: 1})
		if err != nil {
			return err
		}
	}
	found := make(map[[2]effect]*check.Change)
	was, is := c.effects(c.a), c.effects(c.b)
	for y := range max(ha, hb) {
		for x := range max(wa, wb) {
			from, to := was(x, y), is(x, y)
			if from == to {
				continue
			}
			one := found[[2]effect{from, to}]
			if one == nil {
				one = &check.Change{Path: path, What: fmt.Sprintf("%s became %s", c.words(from), c.words(to)), Unit: "tiles"}
				found[[2]effect{from, to}] = one
			}
			if one.Count++; *c.left > 0 {
				*c.left--
				at := c.part.Tile(x, y)
				one.At = append(one.At, &at)
			}
		}
	}
	var list []*check.Change
	for _, one := range found {
		list = append(list, one)
	}
	slices.SortFunc(list, func(a, b *check.Change) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.What, b.What))
	})
	for _, one := range list {
		if err := c.change(*one); err != nil {
			return err
		}
	}
	return nil
}

func size(l *twmap.TileLayer) (width, height int) {
	if l == nil {
		return 0, 0
	}
	return l.Width(), l.Height()
}

// effects returns the effect of each tile of a layer. There is none outside.
func (c *layer) effects(l *twmap.TileLayer) func(x, y int) effect {
	if l == nil {
		return func(int, int) effect { return effect{} }
	}
	const turned = twmap.FlipX | twmap.FlipY | twmap.Rotate
	at := func(x, y int) effect {
		t := l.Tiles().At(x, y)
		return effect{id: t.ID, flags: t.Flags & turned}
	}
	switch c.kind {
	case twmap.KindTele:
		at = func(x, y int) effect {
			t := l.Teles().At(x, y)
			return effect{id: t.ID, number: t.Number}
		}
	case twmap.KindSpeedup:
		at = func(x, y int) effect {
			t := l.Speedups().At(x, y)
			if t.Force == 0 && (t.Unused() || twmap.GameTile(t.ID) != twmap.TileSpeedup) {
				return effect{}
			}
			return effect{id: t.ID, force: t.Force, most: t.MaxSpeed, angle: t.Angle}
		}
	case twmap.KindSwitch:
		at = func(x, y int) effect {
			t := l.Switches().At(x, y)
			return effect{id: t.ID, number: t.Number, flags: t.Flags & turned, delay: t.Delay}
		}
	case twmap.KindTune:
		at = func(x, y int) effect {
			t := l.Tunes().At(x, y)
			return effect{id: t.ID, number: t.Number}
		}
	}
	return func(x, y int) effect {
		if x >= l.Width() || y >= l.Height() {
			return effect{}
		}
		e := at(x, y)
		if e.id == 0 && c.kind != twmap.KindSpeedup {
			return effect{}
		}
		return e
	}
}

// words describes an effect.
func (c *layer) words(e effect) string {
	if e == (effect{}) {
		return "nothing"
	}
	text := fmt.Sprintf("tile %d", e.id)
	switch c.kind {
	case twmap.KindTele, twmap.KindTune:
		text += fmt.Sprintf(" number %d", e.number)
	case twmap.KindSwitch:
		text += fmt.Sprintf(" number %d delay %d", e.number, e.delay)
	case twmap.KindSpeedup:
		text += fmt.Sprintf(" force %d max speed %d angle %d", e.force, e.most, e.angle)
	}
	if e.flags != 0 {
		text += " flags " + e.flags.String()
	}
	return text
}
