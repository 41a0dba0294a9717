package mapmerge

import (
	"fmt"

	"trowel.example/check"
	"trowel.example/internal/values/merge3"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// frames holds by how much both sides extended the map, or cropped it where numbers are negative, and the result.
type frames struct {
	ours, theirs, to mapedit.Sides
	conflict         bool // both changed an edge in different ways
}

// frameSides extends and crops base, and each side, by what they lack, so that the changes of the other side are in the
// right positions.
func (m *merger) frameSides() (frames, error) {
	is := frames{ours: mapedit.Framed(m.b, m.o), theirs: mapedit.Framed(m.b, m.t)}
	edge := func(o, t int) int {
		return merge3.Value(0, o, t, func() {}, func() merge3.Side {
			is.conflict = true
			return m.log.Prefer
		})
	}
	o, t := is.ours, is.theirs
	is.to = mapedit.Sides{Left: edge(o.Left, t.Left), Right: edge(o.Right, t.Right), Up: edge(o.Up, t.Up), Down: edge(o.Down, t.Down)}
	for _, one := range []struct {
		m   *twmap.Map
		was mapedit.Sides
	}{{m.b, mapedit.Sides{}}, {m.o, o}, {m.t, t}} {
		by := mapedit.Sides{Left: is.to.Left - one.was.Left, Right: is.to.Right - one.was.Right,
			Up: is.to.Up - one.was.Up, Down: is.to.Down - one.was.Down}
		if by == (mapedit.Sides{}) {
			continue
		}
		if err := mapedit.New(one.m, nil).Frame(by); err != nil {
			return is, fmt.Errorf("one side has more or fewer tiles (%v), and the other cannot get them: %w", is.to, err)
		}
	}
	return is, nil
}

// reportFrame reports how the map was extended or cropped.
func (m *merger) reportFrame(is frames) {
	switch {
	case is.conflict:
		m.conflict(mapFile, check.Conflict{What: fmt.Sprintf("the map was extended or cropped by %v, and by %v", is.ours, is.theirs),
			Ours: is.ours.String(), Theirs: is.theirs.String()})
	case is.to != is.ours:
		m.took(mapFile, "the map was extended or cropped by %v", is.theirs)
	}
}
