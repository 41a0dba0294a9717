package minetest

import (
	"slices"

	"trowel.example/internal/format"
	"trowel.example/minetest/internal/worldscene"
	"trowel.example/minetest/internal/worldsteps"
)

// worldCommands are all commands that change worlds, in the order of the help.
var worldCommands = slices.Concat(nodeCommands, metaCommands, schematicCommands, lightCommands, pieceCommands, operatorCommands)

var worldEditing = worldsteps.Editing(worldCommands, worldscene.OpenGhost)

// Options that select a region.
var (
	optionBox  = format.Option{Name: "box", Help: "only the nodes in `x1,y1,z1:x2,y2,z2`, two opposite corners in any order"}
	optionArea = format.Option{Name: "area",
		Help: "only the blocks in `x1,y1,z1:x2,y2,z2`, two opposite corners in any order, counted in blocks of 16 nodes"}
	optionSphere = format.Option{Name: "sphere", Help: "only the nodes in a sphere: `x,y,z:radius`"}
	optionDome   = format.Option{Name: "dome",
		Help: "only the nodes in the upper half of a sphere: `x,y,z:radius`; a negative radius selects the lower half"}
	optionCylinder = format.Option{Name: "cylinder",
		Help: "only the nodes in a cylinder that starts at a node, or in a cone with another radius at its end: " +
			"`x,y,z:axis,length,radius[,end]`, such as 0,0,0:y,10,4; a negative length extends in the other direction"}
	optionPyramid = format.Option{Name: "pyramid",
		Help: "only the nodes in a pyramid on a node: `x,y,z:axis,height`, such as 0,0,0:y,10; a negative height extends in the other direction"}
	optionHollow = format.Option{Name: "hollow", Bool: true, Help: "only the hull of the shape or of the box"}
	optionInvert = format.Option{Name: "invert", Bool: true, Help: "only the nodes outside of the region"}
	optionWhere  = format.Option{Name: "where", List: true, Names: worldsteps.NamesCondition,
		Help: "only nodes that meet a `condition`: node=NAME, owner=NAME, or meta:KEY=VALUE; * and ? are wildcards"}

	placeOptions  = []format.Option{optionBox, optionArea, optionSphere}
	pieceOptions  = append(placeOptions[:3:3], optionDome, optionCylinder, optionPyramid, optionHollow, optionWhere)
	regionOptions = append([]format.Option{optionInvert}, pieceOptions...)
)

// with returns options followed by those that several commands share.
func with(shared []format.Option, own ...format.Option) []format.Option {
	return slices.Concat(own, shared)
}
