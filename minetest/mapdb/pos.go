package mapdb

import (
	"fmt"
)

// The range of each coordinate of a block: 12 bits.
const (
	MinCoord = -2048
	MaxCoord = 2047
)

// A Pos is the position of a block, in blocks of 16 nodes. Only coordinates from [MinCoord] to [MaxCoord] can be
// stored.
type Pos struct{ X, Y, Z int16 }

func (p Pos) String() string { return fmt.Sprintf("(%d,%d,%d)", p.X, p.Y, p.Z) }

// Valid reports whether p can be stored.
func (p Pos) Valid() bool {
	return inRange(int64(p.X)) && inRange(int64(p.Y)) && inRange(int64(p.Z))
}

func inRange(v int64) bool { return MinCoord <= v && v <= MaxCoord }

// Key returns the database key of p: z*2^24 + y*2^12 + x. Keys sort by z, then y, then x.
func (p Pos) Key() int64 { return int64(p.Z)<<24 + int64(p.Y)<<12 + int64(p.X) }

// keyBias makes the coordinates of a key non-negative, so that its bits can be split.
const keyBias = 0x800800800

// PosOfKey returns the position of a key, and whether the key is valid.
func PosOfKey(key int64) (Pos, bool) {
	if key < -keyBias || key > 0xfffffffff-keyBias {
		return Pos{}, false
	}
	u := key + keyBias
	coord := func(shift int) int16 { return int16(u>>shift&0xfff) + MinCoord }
	return Pos{X: coord(0), Y: coord(12), Z: coord(24)}, true
}

// An Area is the blocks from Min to Max, both included.
type Area struct{ Min, Max Pos }

// All returns the area of all blocks.
func All() Area {
	return Area{Pos{MinCoord, MinCoord, MinCoord}, Pos{MaxCoord, MaxCoord, MaxCoord}}
}

// Contains reports whether p is in the area.
func (a Area) Contains(p Pos) bool {
	return a.Min.X <= p.X && p.X <= a.Max.X && a.Min.Y <= p.Y && p.Y <= a.Max.Y && a.Min.Z <= p.Z && p.Z <= a.Max.Z
}

// Empty reports whether no block is in the area.
func (a Area) Empty() bool { return a.Min.X > a.Max.X || a.Min.Y > a.Max.Y || a.Min.Z > a.Max.Z }

// With returns the smallest area that contains both areas. Empty areas are ignored.
func (a Area) With(b Area) Area {
	switch {
	case a.Empty():
		return b
	case b.Empty():
		return a
	}
	return Area{
		Pos{min(a.Min.X, b.Min.X), min(a.Min.Y, b.Min.Y), min(a.Min.Z, b.Min.Z)},
		Pos{max(a.Max.X, b.Max.X), max(a.Max.Y, b.Max.Y), max(a.Max.Z, b.Max.Z)},
	}
}

// within returns the part of the area whose positions can be stored.
func (a Area) within() Area { return a.and(All()) }

// and returns the intersection of two areas.
func (a Area) and(b Area) Area {
	return Area{
		Pos{max(a.Min.X, b.Min.X), max(a.Min.Y, b.Min.Y), max(a.Min.Z, b.Min.Z)},
		Pos{min(a.Max.X, b.Max.X), min(a.Max.Y, b.Max.Y), min(a.Max.Z, b.Max.Z)},
	}
}

// order is the order of coordinates in a key, the most significant first, as
// indexes into the coordinates of a position.
type order [3]int

var (
	orderZYX = order{2, 1, 0}
	orderXZY = order{0, 2, 1}
)

func (p Pos) coords() [3]int16 { return [3]int16{p.X, p.Y, p.Z} }
func posOf(c [3]int16) Pos     { return Pos{c[0], c[1], c[2]} }
func (o order) compare(a, b Pos) int {
	ca, cb := a.coords(), b.coords()
	for _, i := range o {
		if d := int(ca[i]) - int(cb[i]); d != 0 {
			return d
		}
	}
	return 0
}

// next returns the first position of an area, in the order o, that is not before p. Scans use it to skip positions
// outside the area.
func (o order) next(a Area, p Pos) (Pos, bool) {
	lo, hi, c := a.Min.coords(), a.Max.coords(), p.coords()
	for n, i := range o {
		switch {
		case c[i] < lo[i]:
			// Before the area in this coordinate: continue at its start in this and all following coordinates.
			for _, j := range o[n:] {
				c[j] = lo[j]
			}
			return posOf(c), !a.Empty()
		case c[i] > hi[i]:
			// After the area: take the next value of the preceding coordinate that has one.
			for n--; n >= 0 && c[o[n]] >= hi[o[n]]; n-- {
			}
			if n < 0 {
				return Pos{}, false
			}
			c[o[n]]++
			for _, j := range o[n+1:] {
				c[j] = lo[j]
			}
			return posOf(c), !a.Empty()
		}
	}
	return p, !a.Empty()
}
