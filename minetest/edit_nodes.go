package minetest

import (
	"trowel.example/internal/format"
	"trowel.example/minetest/internal/worldsteps"
)

var nodeCommands = []*format.Command{
	worldsteps.Bind(format.Command{
		Name: "set", Title: "Fill a region with one node", Heading: "Nodes",
		Long:    "Param2 is 0 unless --param2 sets it. Shapes are built with it: set default:glass --sphere 0,20,0:8 --hollow.",
		Example: "set default:stonebrick --box 0,0,0:20,5,20 --hollow",
	}, worldsteps.Set),
	worldsteps.Bind(format.Command{
		Name: "replace", Title: "Replace one node by another, keeping param2", Heading: "Nodes",
		Long:    "FROM may contain the wildcards * and ?, and may be a name that no game defines any more.",
		Example: "replace default:cobble default:mossycobble --box -100,-20,-100:100,0,100",
	}, worldsteps.Replace),
	worldsteps.Bind(format.Command{
		Name: "replace-inverse", Title: "Replace all nodes except air and those of one name", Heading: "Nodes",
		Example: "replace-inverse default:glass default:stone --box 0,0,0:20,5,20",
	}, worldsteps.ReplaceOthers),
	worldsteps.Bind(format.Command{
		Name: "mix", Title: "Fill a region with several nodes at random", Heading: "Nodes",
		Example: "mix default:stone=6 default:cobble=3 default:mossycobble --box 0,0,0:20,5,20",
	}, worldsteps.Mix),
	worldsteps.Bind(format.Command{
		Name: "drain", Title: "Replace liquids by air", Heading: "Nodes",
		Long:    "--nodes defines which nodes are liquids; without it, those of minetest_game and names such as mod:water_source are.",
		Example: "drain --box 0,-10,0:50,0,50",
	}, worldsteps.Drain),
	worldsteps.Bind(format.Command{
		Name: "set-param2", Title: "Set the param2 of nodes", Heading: "Nodes",
		Example: "set-param2 3 --where node=default:chest --box 0,0,0:20,5,20",
	}, worldsteps.SetParam2),
	worldsteps.Bind(format.Command{
		Name: "resolve-aliases", Title: "Replace aliases of nodes and items by the names that they mean", Heading: "Nodes",
		Long: "The game does the same with each block that it loads. Afterwards mods can drop their old aliases. --nodes defines the " +
			"aliases; without it, they are those of minetest_game. Items are renamed in the inventories of the nodes and, without a " +
			"region or condition, of all players; dropped items are not.",
		Example: "resolve-aliases",
	}, worldsteps.ResolveAliases),
	worldsteps.Bind(format.Command{
		Name: "copy", Title: "Copy a part of the world", Heading: "Pieces",
		Long:    "Nodes are copied with their light, metadata and timers, objects are not. The copy replaces existing nodes, also by air.",
		Example: "copy 100,0,0 --box 0,0,0:20,10,20",
	}, worldsteps.Copy),
	worldsteps.Bind(format.Command{
		Name: "move", Title: "Move a part of the world, leaving air", Heading: "Pieces",
		Long:    "A node is not moved if there is no block at its destination.",
		Example: "move 0,5,0 --box 0,0,0:20,10,20",
	}, worldsteps.Move),
	worldsteps.Bind(format.Command{
		Name: "stack", Title: "Copy a part of the world several times, in a row", Heading: "Pieces",
		Example: "stack 0,4,0 10 --box 0,0,0:20,3,20",
	}, worldsteps.Stack),
	worldsteps.Bind(format.Command{
		Name: "stretch", Title: "Enlarge a part of the world", Heading: "Pieces",
		Long: "Each node becomes a box of equal nodes, which all have its metadata and inventory. The corner with the lowest " +
			"coordinates keeps its position.",
		Example: "stretch 2,2,2 --box 0,0,0:20,10,20 --create",
	}, worldsteps.Stretch),
	worldsteps.Bind(format.Command{
		Name: "flip", Title: "Mirror a part of the world along an axis", Heading: "Pieces",
		Example: "flip x --orient --box 0,0,0:20,10,20",
	}, worldsteps.Flip),
	worldsteps.Bind(format.Command{
		Name: "transpose", Title: "Exchange two axes of a part of the world", Heading: "Pieces",
		Long:    "The corner with the lowest coordinates keeps its position.",
		Example: "transpose x z --box 0,0,0:20,10,40",
	}, worldsteps.Transpose),
	worldsteps.Bind(format.Command{
		Name: "rotate", Title: "Rotate a part of the world about an axis", Heading: "Pieces",
		Long: "About y, 90 degrees turn the north side to the east. The corner with the lowest coordinates keeps its position. " +
			"Nodes keep their directions unless --orient is given.",
		Example: "rotate y 90 --orient --box 0,0,0:20,10,40",
	}, worldsteps.Rotate),
	worldsteps.Bind(format.Command{
		Name: "orient", Title: "Turn nodes in place, such as chests and stairs", Heading: "Nodes",
		Long:    "--nodes defines which nodes have a direction; without it, those of minetest_game do.",
		Example: "orient y 180 --box 0,0,0:20,10,40",
	}, worldsteps.Orient),
}

var moreCommands = []*format.Command{
	worldsteps.Bind(format.Command{
		Name: "place", Title: "Place a schematic (.mts) or a WorldEdit file (.we)", Heading: "Nodes",
		Long: "A schematic replaces only air, except for its nodes with force; probabilities and --rotation have the same meaning " +
			"as in the game. A WorldEdit file replaces all nodes, and contains metadata and inventories. --nodes defines how nodes " +
			"turn; without it, only those of minetest_game turn.",
		Example: "place house.we 100,12,-40 --rotation 90",
	}, worldsteps.Place),
	worldsteps.Bind(format.Command{
		Name: "light", Title: "Recompute light, like the game's fix_light", Heading: "Nodes",
		Long: "Recomputes the light of all blocks in --box or --area, of their neighbours as far as their light reaches, and of the " +
			"blocks below as far as sunlight or shadow reaches. It requires --nodes. With --nodes, all other commands also " +
			"recompute the light of the blocks that they change.",
		Example: "light --box -100,-20,-100:100,60,100",
	}, worldsteps.Light),
	worldsteps.Apply,
}
