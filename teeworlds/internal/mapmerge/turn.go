package mapmerge

import (
	"fmt"

	"trowel.example/check"
	"trowel.example/internal/values/merge3"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// turns holds the turns of both sides.
type turns struct{ ours, theirs mapedit.Turn }

// both reports whether both sides turned it, in different ways.
func (t turns) both() bool {
	return t.ours != mapedit.Turn{} && t.theirs != mapedit.Turn{} && t.ours != t.theirs
}

// counts returns the turn of the merged map.
func (t turns) counts(m *merger) mapedit.Turn {
	if t.ours == (mapedit.Turn{}) || t.both() && m.log.Prefer == merge3.Theirs {
		return t.theirs
	}
	return t.ours
}

// turnSides turns base, and the side that is not turned, where a side mirrored or rotated the map, so that the changes of
// the other side are in the right positions.
func (m *merger) turnSides() (turns, error) {
	is := turns{mapedit.Turned(mapedit.PairsOf(m.b, m.ours.Layers)), mapedit.Turned(mapedit.PairsOf(m.b, m.yours.Layers))}
	to := is.counts(m)
	if to == (mapedit.Turn{}) {
		return is, nil
	}
	for _, one := range []struct {
		m   *twmap.Map
		was mapedit.Turn
	}{{m.b, mapedit.Turn{}}, {m.o, is.ours}, {m.t, is.theirs}} {
		if by := one.was.To(to); by != (mapedit.Turn{}) {
			if err := mapedit.New(one.m, nil).Turn(by); err != nil {
				return is, fmt.Errorf("one side is %v, and the other cannot be: %w", to, err)
			}
		}
	}
	return is, nil
}

// reportTurn reports how the map was turned.
func (m *merger) reportTurn(is turns) {
	switch {
	case is.both():
		m.conflict(mapFile, check.Conflict{What: fmt.Sprintf("the map was %v and %v", is.ours, is.theirs),
			Ours: is.ours.String(), Theirs: is.theirs.String()})
	case is.ours == mapedit.Turn{} && is.theirs != mapedit.Turn{}:
		m.took(mapFile, "the map was %v", is.theirs)
	}
}

// turnLayers returns base and theirs turned like ours, if one side turned all tiles of a layer. If that side was
// theirs, it also turns ours. ok is false if both sides turned the layer in different ways.
func (m *merger) turnLayers(b, o, t *twmap.TileLayer) (base, theirs *twmap.TileLayer, ok bool) {
	is := turns{mapedit.Turned([][2]*twmap.TileLayer{{b, o}}), mapedit.Turned([][2]*twmap.TileLayer{{b, t}})}
	to := is.counts(m)
	if to == (mapedit.Turn{}) || is.both() {
		return b, t, !is.both()
	}
	turned := func(l *twmap.TileLayer, was mapedit.Turn) *twmap.TileLayer {
		by := was.To(to)
		if by == (mapedit.Turn{}) {
			return l
		}
		l = l.Clone()
		mapedit.TurnLayer(l, by)
		return l
	}
	if by := is.ours.To(to); by != (mapedit.Turn{}) {
		mapedit.TurnLayer(o, by)
		m.took(b, "the tiles were %v", to)
	}
	return turned(b, mapedit.Turn{}), turned(t, is.theirs), true
}
