// Package worlddraw draws worlds: from above, identical to minetestmapper in every pixel, and from the sides; cut at
// a height, in the light of night, or as a height map.
//
// A Map is the picture of a store of blocks in one of these ways. It can draw any rectangle of the picture, and no
// pixel depends on the choice of the rectangle.
package worlddraw

import (
	"image/color"
	"math"

	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodecolor"
)

// View is a direction from which a world is drawn.
type View string

// The views along an axis. A side is named after the position of the eye: South looks north.
const (
	Top   View = "top"
	North View = "north"
	South View = "south"
	West  View = "west"
	East  View = "east"
)

// Light is the light in which a world is drawn.
type Light uint8

const (
	Full  Light = iota // unchanged colours of the list
	Day                // light at noon, which blocks store for each node
	Night              // light at midnight
)

// Box is the box of positions from Min to Max, both inclusive: x, y and z.
type Box struct{ Min, Max [3]int }

// Everything is the box of all nodes.
func Everything() Box {
	const low, high = mapdb.MinCoord * side, mapdb.MaxCoord*side + side - 1
	return Box{[3]int{low, low, low}, [3]int{high, high, high}}
}

// Coloring returns the colours of nodes.
type Coloring interface {
	// Color returns the colour of a node, or false if it is unknown: such nodes are not drawn.
	Color(name string) (nodecolor.Color, bool)
}

// Painted is a Coloring in which the param2 of a node can select a colour.
type Painted interface {
	Coloring
	// Palette returns the colours for all values of param2, or nil if param2 has no colour.
	Palette(name string) *[256]nodecolor.Color
}

// Options control how a world is drawn. The zero value is not useful: it has no colours and an empty box.
type Options struct {
	View   View
	Colors Coloring

	// Box is the box of nodes to draw. [Map.Bounds] is rounded to complete blocks.
	Box Box

	Alpha bool // draw what is behind colours that are not opaque
	Flat  bool // without the shading of relief
	Tints bool // show heights in colours: blue up to y = 1, then sand, green, yellow, brown, grey, and white from 250 upwards
	Light Light

	// Depth darkens nodes with their distance from the eye's side of the box, for a cut through the world. Nodes at
	// this distance or more are invisible. 0 disables it.
	Depth int

	// Gaps treats rows without blocks as a gap in the relief, as minetestmapper does with --exhaustive full.
	// Otherwise the rows on both sides of the gap are shaded as neighbours.
	Gaps bool

	Lost func(error) // receives errors about blocks that cannot be read, at each attempt
}

const (
	side   = 16
	noNode = math.MinInt16 // the height of a pixel without an opaque node
)

// pixel is the visible content of a pixel, before relief and background.
type pixel struct {
	color  color.NRGBA // alpha 0: nothing
	height int16       // towards the eye: y from above; noNode if nothing opaque is visible
	thick  uint8       // thickness of what is before it
}
