package mapquery

import (
	"errors"

	"trowel.example/fault"
	"trowel.example/teeworlds/mapedit"
	"trowel.example/teeworlds/twmap"
)

// Join requires a tile in another layer, in the same column and row.
type Join struct {
	Layers []string // patterns, as in [Index]
	Match  func(Cell) bool
}

// Joined is a tile that a join found.
type Joined struct {
	Cell
	Path string // of the layer, in the folder of the map
}

// joins are the layers of each join, which are kept in memory.
type joins []struct {
	Join
	layers []layer
}

// joined reads the layers of the joins.
func (f *Index) joined(onMiss func(path string, err error)) joins {
	list := make(joins, len(f.Joins))
	for i, j := range f.Joins {
		list[i].Join = j
		for _, l := range (&Index{m: f.m, edit: f.edit, Layers: j.Layers}).layers() {
			t, ok := l.Layer.(*twmap.TileLayer)
			if !ok {
				continue
			}
			if err := t.Load(); err != nil && !errors.Is(err, fault.ErrVersion) && onMiss != nil {
				onMiss(l.path, err)
			}
			list[i].layers = append(list[i].layers, l)
		}
	}
	return list
}

// at returns the first tile of each join at a position, in layers other than own, and whether each join has one.
func (list joins) at(own layer, x, y int) (found []Joined, ok bool) {
	for _, j := range list {
		before := len(found)
		for _, l := range j.layers {
			t := l.Layer.(*twmap.TileLayer)
			if l.Layer == own.Layer || x >= t.Width() || y >= t.Height() {
				continue
			}
			if c := cellAt(t, x, y); j.Match(c) {
				found = append(found, Joined{c, l.path})
				break
			}
		}
		if len(found) == before {
			return nil, false
		}
	}
	return found, true
}

// cellAt returns a cell of a layer.
func cellAt(l *twmap.TileLayer, x, y int) Cell {
	switch kind := l.Kind(); kind {
	case twmap.KindTele:
		return Cell{kind, mapedit.CellOf(l.Teles().At(x, y))}
	case twmap.KindSpeedup:
		return Cell{kind, mapedit.CellOf(l.Speedups().At(x, y))}
	case twmap.KindSwitch:
		return Cell{kind, mapedit.CellOf(l.Switches().At(x, y))}
	case twmap.KindTune:
		return Cell{kind, mapedit.CellOf(l.Tunes().At(x, y))}
	default:
		return Cell{kind, mapedit.CellOf(l.Tiles().At(x, y))}
	}
}
