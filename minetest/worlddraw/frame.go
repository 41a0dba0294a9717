package worlddraw

import (
	"image"

	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// A frame maps the world to the picture for a view along an axis: which coordinate increases to the right (u),
// downwards (v), and away from the eye (d). A coordinate in the opposite direction is mirrored, n to -1-n, for nodes
// and for blocks. So a block still consists of 16 nodes that begin at a multiple of 16.
type frame struct {
	axis   [3]int // of u, v and d: 0 is x, 1 is y, 2 is z
	mirror [3]bool
}

// frames are the frames of the views along an axis. A side is named after the position of the eye.
var frames = map[View]frame{
	Top:   {[3]int{0, 2, 1}, [3]bool{false, true, true}},
	South: {[3]int{0, 1, 2}, [3]bool{false, true, false}},
	North: {[3]int{0, 1, 2}, [3]bool{true, true, true}},
	West:  {[3]int{2, 1, 0}, [3]bool{true, true, false}},
	East:  {[3]int{2, 1, 0}, [3]bool{false, true, true}},
}

// in converts a position to u, v and d. The function out is its inverse.
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

// box converts a box to u, v and d.
func (f *frame) box(b Box) Box {
	low, high := f.in(b.Min), f.in(b.Max)
	for i := range low {
		low[i], high[i] = min(low[i], high[i]), max(low[i], high[i])
	}
	return Box{low, high}
}

// area returns the area of blocks in a box of u, v and d, counted in blocks.
func (f *frame) area(b Box) mapdb.Area {
	low, high := f.out(b.Min), f.out(b.Max)
	var a mapdb.Area
	a.Min = mapdb.Pos{X: int16(min(low[0], high[0])), Y: int16(min(low[1], high[1])), Z: int16(min(low[2], high[2]))}
	a.Max = mapdb.Pos{X: int16(max(low[0], high[0])), Y: int16(max(low[1], high[1])), Z: int16(max(low[2], high[2]))}
	return a
}

// steps returns the index of the node at u = v = d = 0 of a block, and the distances of indexes along u, v and d.
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

// axes returns the names of u and v, with a minus sign before mirrored ones.
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

// floorDiv returns n/m, rounded down.
func floorDiv(n, m int) int {
	if n < 0 {
		return -((m - 1 - n) / m)
	}
	return n / m
}

// Bounds returns the rectangle of the picture that shows a box of nodes, for a view along an axis. It is empty for an
// empty box.
func (v View) Bounds(b Box) image.Rectangle {
	if b.Min[0] > b.Max[0] || b.Min[1] > b.Max[1] || b.Min[2] > b.Max[2] {
		return image.Rectangle{}
	}
	f := frames[v]
	b = f.box(b)
	return image.Rect(b.Min[0], b.Min[1], b.Max[0]+1, b.Max[1]+1)
}

// Axes returns the names of the coordinates that increase to the right and downwards, with a minus sign before one
// that decreases.
func (v View) Axes() [2]string {
	f := frames[v]
	return f.axes()
}
