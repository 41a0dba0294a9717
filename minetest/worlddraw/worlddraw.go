// Package worlddraw draws worlds: from above as minetestmapper does, to the pixel, and from
// the sides; cut open at a height, in the light of night, as heights.
//
// A Map is what a store of blocks shows in one of these ways. It draws any rectangle of its
// picture, and no pixel depends on which one.
package worlddraw

import (
	"image/color"
	"math"

	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodecolor"
)

// View is a way to look at a world.
type View string

// The views along an axis. A side is named after where the eye is: South looks north.
const (
	Top   View = "top"
	North View = "north"
	South View = "south"
	West  View = "west"
	East  View = "east"
)

// Light is the light that a world is drawn in.
type Light uint8

const (
	Full  Light = iota // colours are as they are in the list
	Day                // that of noon, which the block keeps for each node
	Night              // that of midnight
)

// Box is places from Min to Max, both of them in it: x, y and z.
type Box struct{ Min, Max [3]int }

// Everything is the box of all nodes.
func Everything() Box {
	const low, high = mapdb.MinCoord * side, mapdb.MaxCoord*side + side - 1
	return Box{[3]int{low, low, low}, [3]int{high, high, high}}
}

// Coloring says what colour a node has.
type Coloring interface {
	// Color returns the colour of a node, and false if nobody knows one: such nodes are
	// not drawn.
	Color(name string) (nodecolor.Color, bool)
}

// Painted is a Coloring in which param2 of a node can mean a colour, too.
type Painted interface {
	Coloring
	// Palette returns the colours for all values of param2, nil if it means none.
	Palette(name string) *[256]nodecolor.Color
}

// Options say how a world is drawn. The zero value is not of use: it has no colours and an
// empty box.
type Options struct {
	View   View
	Colors Coloring

	// Box is what is drawn, in nodes. From the sides of it towards which the picture
	// reaches, whole blocks are seen.
	Box Box

	Alpha bool // colours that are not opaque let through what is behind them
	Flat  bool // without the shading of relief
	Light Light

	// Depth makes what is farther from the eye's side of the box darker, for a cut
	// through the world: what is so many nodes away or more is not seen. 0: nothing does.
	Depth int

	// Gaps makes rows of blocks in which there is nothing a gap in the relief, as
	// minetestmapper does with --exhaustive full; without, the rows at both sides of it
	// are shaded as neighbours.
	Gaps bool

	Lost func(error) // is told of blocks that cannot be read, each time that is tried
}

const (
	side   = 16
	noNode = math.MinInt16 // the height of a pixel that shows none
)

// pixel is what is visible at a place of the picture, before relief and background.
type pixel struct {
	color  color.NRGBA // alpha 0: nothing
	height int16       // towards the eye: y from above; noNode if nothing opaque is seen
	thick  uint8       // of what is before it
}
