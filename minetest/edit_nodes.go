package minetest

import (
	"trowel.example/internal/format"
	"trowel.example/minetest/internal/worldfind"
	"trowel.example/minetest/internal/worldsteps"
)

// Options for changes of nodes.
var (
	optionParam2       = format.Option{Name: "param2", Type: format.Integer, Help: "the param2 of the new nodes, 0 to 255"}
	optionKeepParam2   = format.Option{Name: "keep-param2", Bool: true, Help: "keep the param2 of each node"}
	optionKeepMetadata = format.Option{Name: "keep-metadata", Bool: true, Help: "keep metadata and timers of nodes whose name changes"}
	optionCreate       = format.Option{Name: "create", Bool: true,
		Help: "create missing blocks, filled with air, and change blocks that the map generator has not finished: it " +
			"does not generate them any more"}
	optionOrient = format.Option{Name: "orient", Bool: true,
		Help: "also turn nodes that have a direction, such as chests and stairs, as --nodes defines them; without it only those of minetest_game"}

	paintOptions = []format.Option{worldsteps.OptionNewName, optionParam2, optionKeepMetadata}
	turnOptions  = append([]format.Option{optionOrient, optionCreate}, pieceOptions...)

	argumentNode  = format.Option{Name: "node", Names: worldsteps.NamesNewNode, Help: "the name of the new nodes"}
	argumentWay   = format.Option{Name: "way", Help: "the distance along x, y and z"}
	argumentAxis  = format.Option{Name: "axis", Choices: []string{"x", "y", "z"}, Help: "x to the east, y up or z to the north"}
	argumentAngle = format.Option{Name: "angle", Choices: []string{"90", "180", "270", "-90"}, Help: "in degrees"}
	argumentItem  = format.Option{Name: "item", Names: string(worldfind.KindItem), Help: "the name of the items, with wildcards * and ?"}
)

var nodeCommands = []worldsteps.Command{
	worldsteps.Bind(format.Command{
		Name: "set", Title: "Fill a region with one node", Heading: "Nodes",
		Long:    "Param2 is 0 unless --param2 sets it. Shapes are built with it: set default:glass --sphere 0,20,0:8 --hollow.",
		Args:    []format.Option{argumentNode},
		Options: with(regionOptions, with(paintOptions, optionKeepParam2, optionCreate)...),
		Example: "set default:stonebrick --box 0,0,0:20,5,20 --hollow",
	}, worldsteps.Set),
	worldsteps.Bind(format.Command{
		Name: "replace", Title: "Replace one node by another, keeping param2", Heading: "Nodes",
		Long: "FROM may contain the wildcards * and ?, and may be a name that no game defines any more.",
		Args: []format.Option{
			{Name: "from", Names: string(worldfind.KindNode), Help: "the name of the existing nodes"},
			{Name: "to", Names: worldsteps.NamesNewNode, Help: "the new name"},
		},
		Options: with(regionOptions, paintOptions...),
		Example: "replace default:cobble default:mossycobble --box -100,-20,-100:100,0,100",
	}, worldsteps.Replace),
	worldsteps.Bind(format.Command{
		Name: "replace-inverse", Title: "Replace all nodes except air and those of one name", Heading: "Nodes",
		Args: []format.Option{
			{Name: "keep", Names: worldsteps.NamesRule, Help: "the name of the nodes to keep, with wildcards * and ?"},
			{Name: "to", Names: worldsteps.NamesNewNode, Help: "the new name of all others"},
		},
		Options: with(regionOptions, with(paintOptions, optionKeepParam2)...),
		Example: "replace-inverse default:glass default:stone --box 0,0,0:20,5,20",
	}, worldsteps.ReplaceOthers),
	worldsteps.Bind(format.Command{
		Name: "mix", Title: "Fill a region with several nodes at random", Heading: "Nodes",
		Args: []format.Option{{Name: "node", List: true, Some: true, Names: worldsteps.NamesNewNode,
			Help: "a name, or name=weight; the default weight is 1"}},
		Options: with(regionOptions, with(paintOptions,
			format.Option{Name: "seed", Type: format.Integer, Default: "0", Help: "the `number` that determines the random choice"},
			optionKeepParam2, optionCreate)...),
		Example: "mix default:stone=6 default:cobble=3 default:mossycobble --box 0,0,0:20,5,20",
	}, worldsteps.Mix),
	worldsteps.Bind(format.Command{
		Name: "drain", Title: "Replace liquids by air", Heading: "Nodes",
		Long:    "--nodes defines which nodes are liquids; without it, those of minetest_game and names such as mod:water_source are.",
		Options: with(regionOptions, optionKeepMetadata),
		Example: "drain --box 0,-10,0:50,0,50",
	}, worldsteps.Drain),
	worldsteps.Bind(format.Command{
		Name: "set-param2", Title: "Set the param2 of nodes", Heading: "Nodes",
		Args:    []format.Option{{Name: "value", Type: format.Integer, Help: "0 to 255"}},
		Options: regionOptions,
		Example: "set-param2 3 --where node=default:chest --box 0,0,0:20,5,20",
	}, worldsteps.SetParam2),
	worldsteps.Bind(format.Command{
		Name: "resolve-aliases", Title: "Replace aliases of nodes and items by the names that they mean", Heading: "Nodes",
		Long: "The game does the same with each block that it loads. Afterwards mods can drop their old aliases. --nodes defines the " +
			"aliases; without it, they are those of minetest_game. Items are renamed in the inventories of the nodes and, without a " +
			"region or condition, of all players; dropped items are not.",
		Options: regionOptions,
		Example: "resolve-aliases",
	}, worldsteps.ResolveAliases),
	worldsteps.Bind(format.Command{
		Name: "copy", Title: "Copy a part of the world", Heading: "Pieces",
		Long:    "Nodes are copied with their light, metadata and timers, objects are not. The copy replaces existing nodes, also by air.",
		Args:    []format.Option{argumentWay},
		Options: with(pieceOptions, optionCreate),
		Example: "copy 100,0,0 --box 0,0,0:20,10,20",
	}, worldsteps.Copy),
	worldsteps.Bind(format.Command{
		Name: "move", Title: "Move a part of the world, leaving air", Heading: "Pieces",
		Long:    "A node is not moved if there is no block at its destination.",
		Args:    []format.Option{argumentWay},
		Options: with(pieceOptions, optionCreate),
		Example: "move 0,5,0 --box 0,0,0:20,10,20",
	}, worldsteps.Move),
	worldsteps.Bind(format.Command{
		Name: "stack", Title: "Copy a part of the world several times, in a row", Heading: "Pieces",
		Args:    []format.Option{argumentWay, {Name: "count", Type: format.Integer, Help: "the number of copies"}},
		Options: with(pieceOptions, optionCreate),
		Example: "stack 0,4,0 10 --box 0,0,0:20,3,20",
	}, worldsteps.Stack),
	worldsteps.Bind(format.Command{
		Name: "stretch", Title: "Enlarge a part of the world", Heading: "Pieces",
		Long: "Each node becomes a box of equal nodes, which all have its metadata and inventory. The corner with the lowest " +
			"coordinates keeps its position.",
		Args:    []format.Option{{Name: "factors", Help: "how many nodes each node becomes along x, y and z"}},
		Options: with(pieceOptions, optionCreate),
		Example: "stretch 2,2,2 --box 0,0,0:20,10,20 --create",
	}, worldsteps.Stretch),
	worldsteps.Bind(format.Command{
		Name: "flip", Title: "Mirror a part of the world along an axis", Heading: "Pieces",
		Args:    []format.Option{argumentAxis},
		Options: turnOptions,
		Example: "flip x --orient --box 0,0,0:20,10,20",
	}, worldsteps.Flip),
	worldsteps.Bind(format.Command{
		Name: "transpose", Title: "Exchange two axes of a part of the world", Heading: "Pieces",
		Long: "The corner with the lowest coordinates keeps its position.",
		Args: []format.Option{
			{Name: "axis1", Choices: []string{"x", "y", "z"}, Help: "the first axis"},
			{Name: "axis2", Choices: []string{"x", "y", "z"}, Help: "the second axis"},
		},
		Options: turnOptions,
		Example: "transpose x z --box 0,0,0:20,10,40",
	}, worldsteps.Transpose),
	worldsteps.Bind(format.Command{
		Name: "rotate", Title: "Rotate a part of the world about an axis", Heading: "Pieces",
		Long: "About y, 90 degrees turn the north side to the east. The corner with the lowest coordinates keeps its position. " +
			"Nodes keep their directions unless --orient is given.",
		Args:    []format.Option{argumentAxis, argumentAngle},
		Options: turnOptions,
		Example: "rotate y 90 --orient --box 0,0,0:20,10,40",
	}, worldsteps.Rotate),
	worldsteps.Bind(format.Command{
		Name: "orient", Title: "Turn nodes in place, such as chests and stairs", Heading: "Nodes",
		Long:    "--nodes defines which nodes have a direction; without it, those of minetest_game do.",
		Args:    []format.Option{argumentAxis, argumentAngle},
		Options: regionOptions,
		Example: "orient y 180 --box 0,0,0:20,10,40",
	}, worldsteps.Orient),
}

var lightCommands = []worldsteps.Command{worldsteps.Bind(format.Command{
	Name: "light", Title: "Recompute light, like the game's fix_light", Heading: "Nodes",
	Long: "Recomputes the light of all blocks in --box or --area, of their neighbours as far as their light reaches, and of the " +
		"blocks below as far as sunlight or shadow reaches. It requires --nodes. With --nodes, all other commands also " +
		"recompute the light of the blocks that they change.",
	Options: []format.Option{optionBox, optionArea},
	Example: "light --box -100,-20,-100:100,60,100",
}, worldsteps.Light)}

var schematicCommands = []worldsteps.Command{worldsteps.Bind(format.Command{
	Name: "place", Title: "Place a schematic (.mts) or a WorldEdit file (.we)", Heading: "Nodes",
	Long: "A schematic replaces only air, except for its nodes with force; probabilities and --rotation have the same meaning " +
		"as in the game. A WorldEdit file replaces all nodes, and contains metadata and inventories. --nodes defines how nodes " +
		"turn; without it, only those of minetest_game turn.",
	Args: []format.Option{
		{Name: "file", Input: true, Names: worldsteps.NamesSchematic, Help: "the schematic"},
		{Name: "place", Help: "the position of the corner with the lowest coordinates: `x,y,z`"},
	},
	Options: []format.Option{
		{Name: "rotation", Choices: []string{"0", "90", "180", "270"}, Default: "0",
			Help: "turn it by this number of `degrees`, as the game does: north becomes east"},
		{Name: "force", Bool: true, Help: "replace all nodes"},
		{Name: "seed", Type: format.Integer, Default: "0", Help: "the `number` that determines the random choice"},
		optionKeepMetadata, optionCreate,
	},
	Example: "place house.we 100,12,-40 --rotation 90",
}, worldsteps.Place)}

var pieceCommands = []worldsteps.Command{worldsteps.Apply(func(c format.Command) format.Command {
	c.Long += " Only blocks, players and mod storage can be put back into a world."
	c.Example = "apply castle"
	return c
}(format.ApplyCommand))}
