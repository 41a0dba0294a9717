package minetest

import (
	"slices"

	"trowel.example/minetest/internal/worldscene"
	"trowel.example/minetest/internal/worldsteps"
)

// worldCommands are all commands that change worlds, in the order of the help.
var worldCommands = slices.Concat(nodeCommands, metaCommands, moreCommands, operatorCommands)

var worldEditing = worldsteps.Editing(worldCommands, worldscene.OpenGhost)
