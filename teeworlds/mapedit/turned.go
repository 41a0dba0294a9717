package mapedit

import (
	"math"
	"slices"

	"trowel.example/teeworlds/twmap"
)

// fewCells is how many cells have to be others before that may mean that all was turned.
const fewCells = 16

// Turned returns how layers were turned: the turn after which each first layer of the pairs is
// like the second in at least twice as many of the cells that differ now. It is the zero Turn if
// there is none. The layers of a pair are of one kind; those that were resized tell nothing, and
// cells that cannot be read count as air.
func Turned(pairs [][2]*twmap.TileLayer) Turn {
	var best Turn
	pairs = slices.DeleteFunc(pairs, func(p [2]*twmap.TileLayer) bool {
		w, h, nw, nh := p[0].Width(), p[0].Height(), p[1].Width(), p[1].Height()
		return (w != nw || h != nh) && (w != nh || h != nw)
	})
	least := best.others(pairs, math.MaxInt)
	if least < fewCells {
		return best
	}
	least = least/2 + 1
	for q := range 8 {
		t := Turn{q&1 != 0, q >> 1}
		if n := t.others(pairs, least); n < least {
			best, least = t, n
		}
	}
	return best
}

// others counts the cells in which the turned first layers differ from the second ones, up to a
// limit: all of them where the sizes do.
func (t Turn) others(pairs [][2]*twmap.TileLayer, limit int) (n int) {
	for _, p := range pairs {
		old, new := p[0].Clone(), p[1].Clone() // whose cells are gone with them
		w, h := t.size(old.Width(), old.Height())
		if w != new.Width() || h != new.Height() {
			if n += w * h; n >= limit {
				return limit
			}
			continue
		}
		a, b, kind, back := openGrid(old), openGrid(new), old.Kind(), t.back()
		for y := range h {
			for x := range w {
				ox, oy := back.place(x, y, w-1, h-1)
				if t.cell(kind, a.at(ox, oy)) != (Turn{}).cell(kind, b.at(x, y)) {
					if n++; n >= limit {
						return n
					}
				}
			}
		}
	}
	return n
}

// To returns the turn that makes what was turned by t what was turned by o.
func (t Turn) To(o Turn) Turn { return o.after(t.back()) }

// TurnLayer turns a layer of tiles.
func TurnLayer(l *twmap.TileLayer, t Turn) {
	New(&twmap.Map{}, nil).turnLayer(t, l, l.Width(), l.Height())
}

// PairsOf returns the pairs of layers of tiles among those that are the same in two maps, by the
// new ones, for [Turned].
func PairsOf(old *twmap.Map, same map[twmap.Layer]twmap.Layer) (pairs [][2]*twmap.TileLayer) {
	for new, was := range same {
		a, is := was.(*twmap.TileLayer)
		if b, too := new.(*twmap.TileLayer); is && too && a.Kind() == b.Kind() {
			pairs = append(pairs, [2]*twmap.TileLayer{a, b})
		}
	}
	order := make(map[twmap.Layer]int)
	for i, l := range old.Layers() {
		order[l] = i
	}
	slices.SortFunc(pairs, func(a, b [2]*twmap.TileLayer) int { return order[a[0]] - order[b[0]] })
	return pairs
}
