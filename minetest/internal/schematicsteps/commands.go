package schematicsteps

import (
	"trowel.example/internal/format"
	"trowel.example/minetest/internal/worldfind"
)

var (
	argumentNode = format.Option{Name: "node", Names: string(worldfind.KindNode), Help: "the name of the nodes, with wildcards * and ?"}
	optionBox    = format.Option{Name: "box",
		Help: "only the nodes in `x1,y1,z1:x2,y2,z2`, counted from the corner with the lowest coordinates, 0,0,0"}

	argumentProbability = format.Option{Name: "probability", Help: "0 (never) to 127 (always), or 0% to 100%"}
)

// Probabilities are the commands for schematics of the engine.
var Probabilities = []Command{
	bind(format.Command{
		Name: "set-probability", Title: "Set how likely nodes are placed", Heading: "Nodes",
		Long:    "A node that is never placed keeps the existing node of the world.",
		Args:    []format.Option{argumentNode, argumentProbability},
		Options: []format.Option{optionBox},
		Example: "set-probability default:leaves 75%",
	}, "nodes", setProbability),
	bind(format.Command{
		Name: "set-slice-probability", Title: "Set how likely whole horizontal slices are placed", Heading: "Nodes",
		Long: "A slice that is left out takes no room: the slices above it move down. So trunks get different heights.",
		Args: []format.Option{
			{Name: "slices", Help: "the height of a slice, counted from 0, or of the first and the last such as 1:3"},
			argumentProbability,
		},
		Example: "set-slice-probability 1:2 50%",
	}, "slices", setSlices),
	bind(format.Command{
		Name: "set-force", Title: "Make nodes replace any existing node, not only air", Heading: "Nodes",
		Args:    []format.Option{argumentNode},
		Options: []format.Option{optionBox, {Name: "off", Bool: true, Help: "make them replace only air again"}},
		Example: "set-force default:tree",
	}, "nodes", setForce),
}

// Aliases are the commands for schematics of all forms.
var Aliases = []Command{
	bind(format.Command{
		Name: "resolve-aliases", Title: "Replace aliases of nodes and items by the names that they mean", Heading: "Nodes",
		Long:    "--nodes defines the aliases; without it, they are those of minetest_game.",
		Example: "resolve-aliases",
	}, "nodes and items", resolveAliases),
}
