package mapedit

import (
	"math"
	"slices"

	"trowel.example/teeworlds/twmap"
)

// fewCells is the number of changed cells above which a turn of the whole layer is considered.
const fewCells = 16

// Turned finds out how layers were turned: it returns the turn that leaves the fewest differences between the first and
// the second layers of the pairs, if these are at most half as many as without a turn, or otherwise the zero Turn. The
// layers of a pair have the same kind. Resized layers are ignored, and unreadable cells count as air.
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

// others returns the number of cells in which the turned first layers differ from the second ones, up to a limit. All
// cells differ if the sizes do.
func (t Turn) others(pairs [][2]*twmap.TileLayer, limit int) (n int) {
	for _, p := range pairs {
		if t == (Turn{}) && p[0].SameStream(p[1]) {
			continue
		}
		old, new := p[0].Clone(), p[1].Clone() // their cells are released with them
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

// To returns the turn from something turned by t to the same thing turned by o.
func (t Turn) To(o Turn) Turn { return o.after(t.back()) }

// TurnLayer turns a layer of tiles.
func TurnLayer(l *twmap.TileLayer, t Turn) {
	New(&twmap.Map{}, nil).turnLayer(t, l, l.Width(), l.Height())
}

// PairsOf returns the pairs of tile layers that are the same in two maps, for [Turned]. The keys of same are the new
// layers.
func PairsOf(old *twmap.Map, same map[twmap.Layer]twmap.Layer) (pairs [][2]*twmap.TileLayer) {
	for new, was := range same {
		a, ok := was.(*twmap.TileLayer)
		if b, too := new.(*twmap.TileLayer); ok && too && a.Kind() == b.Kind() {
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
