package mapedit

import (
	"slices"

	"trowel.example/teeworlds/twmap"
)

// RemoveUnused removes everything without effect: empty layers except the game layer, groups without layers, and then
// unused images, sounds, envelopes and data blocks. It keeps what cannot be read. If it fails, a part of the work may be done.
func (e *Editor) RemoveUnused() error {
	game := e.m.Physics(twmap.KindGame)
	var empty []twmap.Layer
	for _, g := range e.m.Groups {
		for _, l := range g.Layers {
			if t, ok := l.(*twmap.TileLayer); (!ok || t != game) && isEmpty(l) {
				empty = append(empty, l)
			}
		}
	}
	e.removeLayers(empty)
	var groups []int
	for i, g := range e.m.Groups {
		if len(g.Layers) == 0 {
			groups = append(groups, i)
		}
	}
	if err := e.RemoveGroups(groups); err != nil {
		return err
	}
	if err := e.RemoveUnusedImages(); err != nil {
		return err
	}
	if err := e.RemoveUnusedSounds(); err != nil {
		return err
	}
	if err := e.RemoveUnusedEnvelopes(); err != nil {
		return err
	}
	e.reportChange(nil, e.m.RemoveUnusedBlocks(), "blocks", "unused data blocks removed")
	return nil
}

// isEmpty reports whether a layer has no contents with an effect.
func isEmpty(l twmap.Layer) (empty bool) {
	switch l := l.(type) {
	case *twmap.TileLayer:
		l.Look(func(l *twmap.TileLayer) { empty = l.Load() == nil && allAir(l) })
	case *twmap.QuadLayer:
		l.Look(func(quads []twmap.Quad, err error) { empty = len(quads) == 0 && err == nil })
	case *twmap.SoundLayer:
		l.Look(func(sources []twmap.SoundSource, err error) { empty = len(sources) == 0 && err == nil })
	}
	return empty
}

func allAir(l *twmap.TileLayer) bool {
	switch l.Kind() {
	case twmap.KindTele:
		return allCells(l.Teles(), func(t twmap.TeleTile) bool { return t.ID == 0 })
	case twmap.KindSpeedup:
		return allCells(l.Speedups(), func(t twmap.SpeedupTile) bool { return t.ID == 0 && t.Force == 0 })
	case twmap.KindSwitch:
		return allCells(l.Switches(), func(t twmap.SwitchTile) bool { return t.ID == 0 })
	case twmap.KindTune:
		return allCells(l.Tunes(), func(t twmap.TuneTile) bool { return t.ID == 0 })
	}
	return allCells(l.Tiles(), func(t twmap.Tile) bool { return t.ID == 0 })
}

func allCells[T twmap.Cell](g *twmap.Grid[T], is func(T) bool) bool {
	cells, _ := g.Cells()
	return !slices.ContainsFunc(cells, func(c T) bool { return !is(c) })
}
