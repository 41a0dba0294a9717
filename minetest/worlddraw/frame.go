package worlddraw

import (
	"image"

	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// A frame says how a world is looked at along an axis: which coordinate goes to the right
// (u), which downwards (v), and which away from the eye (d). One that goes the other way is
// mirrored, n to -1-n, both of nodes and of blocks: so a block still is 16 nodes from a
// multiple of 16 on.
type frame struct {
	axis   [3]int // of u, v and d: 0 is x, 1 is y, 2 is z
	mirror [3]bool
}

// frames are those of the views along an axis. A side is named after where the eye is.
var frames = map[View]frame{
	Top:   {[3]int{0, 2, 1}, [3]bool{false, true, true}},
	South: {[3]int{0, 1, 2}, [3]bool{false, true, false}},
	North: {[3]int{0, 1, 2}, [3]bool{true, true, true}},
	West:  {[3]int{2, 1, 0}, [3]bool{true, true, false}},
	East:  {[3]int{2, 1, 0}, [3]bool{false, true, true}},
}

// in returns a place as u, v and d, and out is the reverse.
func (f *frame) in(p [3]int) (uvd [3]int) {
	for i, a := range f.axis {
		uvd[i] = p[a]
		if f.mirror[i] {
			uvd[i] = -1 - p[a]
		}
	}
	return uvd
}

func (f *frame) out(uvd [3]int) (p [3]int) {
	for i, a := range f.axis {
		p[a] = uvd[i]
		if f.mirror[i] {
			p[a] = -1 - uvd[i]
		}
	}
	return p
}

// box returns a box as one of u, v and d.
func (f *frame) box(b Box) Box {
	low, high := f.in(b.Min), f.in(b.Max)
	for i := range low {
		low[i], high[i] = min(low[i], high[i]), max(low[i], high[i])
	}
	return Box{low, high}
}

// area returns the blocks in a box of u, v and d, counted in blocks.
func (f *frame) area(b Box) mapdb.Area {
	low, high := f.out(b.Min), f.out(b.Max)
	var a mapdb.Area
	a.Min = mapdb.Pos{X: int16(min(low[0], high[0])), Y: int16(min(low[1], high[1])), Z: int16(min(low[2], high[2]))}
	a.Max = mapdb.Pos{X: int16(max(low[0], high[0])), Y: int16(max(low[1], high[1])), Z: int16(max(low[2], high[2]))}
	return a
}

// steps returns the index of the node in a block at u = v = d = 0, and how far it is from
// there to the next one along each.
func (f *frame) steps() (start int, step [3]int) {
	of := [3]int{mapblock.Index(1, 0, 0), mapblock.Index(0, 1, 0), mapblock.Index(0, 0, 1)}
	for i, a := range f.axis {
		step[i] = of[a]
		if f.mirror[i] {
			start += (mapblock.Side - 1) * of[a]
			step[i] = -of[a]
		}
	}
	return start, step
}

// axes are the names of u and v, with a minus before one that is mirrored.
func (f *frame) axes() (names [2]string) {
	for i := range names {
		names[i] = [3]string{"x", "y", "z"}[f.axis[i]]
		if f.mirror[i] {
			names[i] = "-" + names[i]
		}
	}
	return names
}

func coords(p mapdb.Pos) [3]int { return [3]int{int(p.X), int(p.Y), int(p.Z)} }

// floorDiv is n/m, rounded down.
func floorDiv(n, m int) int {
	if n < 0 {
		return -((m - 1 - n) / m)
	}
	return n / m
}

// Bounds returns the rectangle of the picture in which a box of nodes is visible, for a
// view along an axis; an empty one for a box with nothing in it.
func (v View) Bounds(b Box) image.Rectangle {
	if b.Min[0] > b.Max[0] || b.Min[1] > b.Max[1] || b.Min[2] > b.Max[2] {
		return image.Rectangle{}
	}
	f := frames[v]
	b = f.box(b)
	return image.Rect(b.Min[0], b.Min[1], b.Max[0]+1, b.Max[1]+1)
}

// Axes returns the names of the coordinates that grow to the right and downwards, with a
// minus before one that grows the other way.
func (v View) Axes() [2]string {
	f := frames[v]
	return f.axes()
}
