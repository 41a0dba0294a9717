package worldsteps

import "trowel.example/internal/format"

// SchematicProbabilities are the commands for schematics of the engine.
var SchematicProbabilities = []*format.Command{
	bind(format.Command{
		Name: "set-probability", Title: "Set how likely nodes are placed", Heading: "Nodes",
		Long:    "A node that is never placed keeps the existing node of the world.",
		Example: "set-probability default:leaves 75%",
	}, "nodes", setProbability),
	bind(format.Command{
		Name: "set-slice-probability", Title: "Set how likely whole horizontal slices are placed", Heading: "Nodes",
		Long:    "A slice that is left out takes no room: the slices above it move down. So trunks get different heights.",
		Example: "set-slice-probability 1:2 50%",
	}, "slices", setSlices),
	bind(format.Command{
		Name: "set-force", Title: "Make nodes replace any existing node, not only air", Heading: "Nodes",
		Example: "set-force default:tree",
	}, "nodes", setForce),
}

// SchematicAliases are the commands for schematics of all forms.
var SchematicAliases = []*format.Command{
	bind(format.Command{
		Name: "resolve-aliases", Title: "Replace aliases of nodes and items by the names that they mean", Heading: "Nodes",
		Long:    "--nodes defines the aliases; without it, they are those of minetest_game.",
		Example: "resolve-aliases",
	}, "nodes and items", resolveAliases),
}
