package mapedit

import (
	"fmt"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/text/words"
	"trowel.example/teeworlds/twmap"
)

// numbers returns the number of tiles that have each number of a series.
func (e *Editor) numbers(n twmap.Numbers) (used [256]int) {
	l := e.m.Physics(n.Kind())
	if l == nil {
		return used
	}
	cells := openGrid(l)
	for y := range l.Height() {
		for x := range l.Width() {
			if c := cells.at(x, y); c.Number != 0 && n.Has(c.ID) {
				used[c.Number]++
			}
		}
	}
	return used
}

// RenumberOptions are the options of [Editor.RenumberTiles].
type RenumberOptions struct {
	// Join allows new numbers that other tiles already have.
	Join bool
}

// RenumberTiles gives the tiles of a series with numbers from first to last new numbers, starting at to, and updates
// the settings about them. It fails if other tiles already have one of the new numbers, unless o.Join is set.
func (e *Editor) RenumberTiles(n twmap.Numbers, first, last, to uint8, o RenumberOptions) error {
	if first == 0 || to == 0 || last < first || int(to)+int(last-first) > 255 {
		return fmt.Errorf("%d to %d from %d on: expected numbers from 1 to 255", first, last, to)
	}
	used := e.numbers(n)
	table := make(map[uint8]uint8)
	found := false
	for i := int(first); i <= int(last); i++ {
		is := i - int(first) + int(to)
		table[uint8(i)] = uint8(is)
		if found = found || used[i] > 0; used[i] > 0 && used[is] > 0 && (is < int(first) || is > int(last)) && !o.Join {
			return fmt.Errorf("%d cannot become %d, the number of %s", i, is, words.Count(used[is], "other tile"))
		}
	}
	if !found {
		missing := &fault.NameError{Kind: string(n) + " tile with the number", Name: fmt.Sprintf("%d-%d", first, last)}
		if first == last {
			missing.Name = fmt.Sprint(first)
		}
		return missing
	}
	e.renumber(n, table)
	return nil
}

// PackNumbers renumbers the tiles of a series from 1 without gaps, in their current order, and updates the settings
// about them.
func (e *Editor) PackNumbers(n twmap.Numbers) {
	table := make(map[uint8]uint8)
	for i, used := range e.numbers(n) {
		if used > 0 {
			table[uint8(i)] = uint8(len(table) + 1)
		}
	}
	e.renumber(n, table)
}

func (e *Editor) renumber(n twmap.Numbers, table map[uint8]uint8) {
	if e.m.Physics(n.Kind()) == nil {
		return
	}
	at, used := e.physicsLayer(n.Kind()), e.numbers(n)
	for i, tiles := range used {
		if is, has := table[uint8(i)]; has && int(is) != i {
			e.reportChange(e.layer(at), tiles, "tiles", "%s %d became %d", n, i, is)
		}
	}
	report := e.report
	e.report = func(check.Change) {} // already reported for each number
	e.edit(at, nil, "", func(_, _ int, c Cell) Cell {
		if is, has := table[c.Number]; has && n.Has(c.ID) {
			c.Number = is
		}
		return c
	})
	e.report = report
	if e.m.Info == nil {
		return
	}
	for i, line := range e.m.Info.Settings {
		was, from, to, about := n.Setting(line)
		if is, has := table[was]; about && has && is != was && used[was] > 0 {
			changed := line[:from] + fmt.Sprint(is) + line[to:]
			e.reportChange(nil, 1, "", "setting: %s became %s", line, changed)
			e.m.Info.Settings[i] = changed
		}
	}
}
