package mapedit

import (
	"slices"

	"trowel.example/teeworlds/twmap"
)

// each changes the cells of all layers of some kinds.
func (e *Editor) each(what string, to func(twmap.Kind, Cell) Cell, kinds ...twmap.Kind) {
	for i, g := range e.m.Groups {
		for j, l := range g.Layers {
			t, ok := l.(*twmap.TileLayer)
			if !ok || kinds != nil && !slices.Contains(kinds, t.Kind()) {
				continue
			}
			e.edit(LayerAt{i, j}, nil, what, func(_, _ int, c Cell) Cell { return to(t.Kind(), c) })
		}
	}
}

// flagged lists the physics layers whose tiles have flags.
var flagged = []twmap.Kind{twmap.KindGame, twmap.KindFront, twmap.KindSwitch}

// NormalizeRotation clears the flags of physics tiles without a direction.
func (e *Editor) NormalizeRotation() {
	e.each("flags without a meaning became 0", func(_ twmap.Kind, c Cell) Cell {
		if !twmap.GameTile(c.ID).Rotatable() {
			c.Flags = 0
		}
		return c
	}, flagged...)
}

// FixRotation replaces mirrored tiles with a direction by rotated ones, because DDNet supports only those. Each
// becomes the rotated tile that looks the same, except a crazy shotgun, which becomes the one that shoots in the same
// direction, to the left.
func (e *Editor) FixRotation() {
	e.each("were mirrored, and are rotated now", func(_ twmap.Kind, c Cell) Cell {
		id, g := twmap.GameTile(c.ID), turnOf(c.Flags)
		switch {
		case !g.Mirrored:
			return c
		case leftRightAlike(id):
			g = g.after(LeftRight)
		case isCrazyShotgun(id):
			g = Turn{}.shotgun(g)
		default:
			return c
		}
		c.Flags = c.Flags&^turning | g.flags()
		return c
	}, flagged...)
}

// MigrateSpeedups converts deprecated speedups (28) to current ones (29). Play can change: they compute the maximum speed
// differently.
func (e *Editor) MigrateSpeedups() {
	e.each("were deprecated speedups, and are current ones now, which compute the maximum speed differently", func(_ twmap.Kind, c Cell) Cell {
		if twmap.GameTile(c.ID) == twmap.TileSpeedupOld {
			c.ID = uint8(twmap.TileSpeedup)
		}
		return c
	}, twmap.KindSpeedup)
}

// ZeroUnused clears everything without meaning: all other fields of air, and bytes that the games do not read.
func (e *Editor) ZeroUnused() {
	e.each("had bytes without a meaning, which became 0", func(_ twmap.Kind, c Cell) Cell {
		if c.rest = [2]uint8{}; c.ID == 0 {
			return Cell{}
		}
		return c
	})
}
