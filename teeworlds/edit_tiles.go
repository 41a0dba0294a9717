package teeworlds

import (
	"slices"

	"trowel.example/internal/format"
	"trowel.example/teeworlds/internal/mapops"
	"trowel.example/teeworlds/internal/mapquery"
	"trowel.example/teeworlds/mapedit"
)

var (
	argNumbers = format.Option{Name: "kind", Choices: []string{"tele", "checkpoint", "switch", "tune"}, Help: "whose numbers"}

	optionUnused = format.Option{Name: "unused", Bool: true, Help: "also tiles without a meaning in the layer"}
	tilesIn      = opts{optionLayers, optionNot, optionArea}
)

// tileFields are the fields of a tile.
var tileFields = opts{
	{Name: "flags", Help: "`words` of xflip, yflip and rotate, separated by commas, or none"},
	{Name: "number", Type: format.Integer, Help: "of tele, switch and tune tiles, 0 to 255"},
	{Name: "delay", Type: format.Integer, Help: "of switch tiles, in `seconds`, 0 to 255"},
	{Name: "force", Type: format.Integer, Help: "of speedups, 0 to 255"},
	{Name: "max-speed", Type: format.Integer, Help: "of speedups, 0 to 255; 0 means no limit"},
	{Name: "angle", Type: format.Integer, Help: "of speedups, in `degrees` clockwise; 0 is to the right"},
}

// fromFields are tileFields for the tiles that are replaced.
var fromFields = func() opts {
	list := slices.Clone(tileFields)
	for i, o := range list {
		list[i].Name, list[i].Help = "from-"+o.Name, "only tiles with this value: "+o.Help
	}
	return list
}()

// tileOperations change tiles of layers.
var tileOperations = []operation{
	onTiles(format.Command{Name: "fill-tiles", Heading: headingTiles,
		Title:   "Fill an area or whole layers with one tile; omitted fields are 0",
		Long:    "As in the editor, hook-through (5) in the game layer becomes unhookable there and hook-through in the front layer.",
		Args:    opts{{Name: "id", Names: mapquery.KindTile, Help: "the tile, 0 to 255 or a name such as freeze"}},
		Options: slices.Concat(tilesIn, tileFields, opts{optionUnused}),
		Example: "fill-tiles 1 --layer game --area 10,10:29,10"}, mapops.Fill),
	onLayers(format.Command{Name: mapops.DrawName, Heading: headingTiles,
		Title: "Draw rows of tiles; X,Y is the place of the first one",
		Long: "The tiles of a row are separated by spaces and written as in the text of a layer: 12xr is tile 12 with its " +
			"flags (x and y mirror it, r rotates it), 26:3 a tele or tune tile with its number, 28:50/0/90 a speedup with force, " +
			"maximum speed and angle, 24r:7/5 a switch tile with number and delay, a dot is air. _ keeps a tile, and *N after a " +
			"tile repeats it. Hook-through (5) in the game layer is drawn as by fill-tiles.",
		Args: opts{
			{Name: "x", Type: format.Integer, Help: "the column of the first tile of each row, from 0"},
			{Name: "y", Type: format.Integer, Help: "the row of the first tile, from 0"},
			{Name: "row", List: true, Some: true, Help: "the tiles of a row, such as '12xr*3 _ .'"},
		},
		Options: opts{optionLayers, optionNot, optionUnused},
		Example: "draw-tiles 10 12 '1*3 _ 12x' '1 .*2 _ 12' --layer game"}, mapops.Draw),
	onTiles(format.Command{Name: "replace-tiles", Heading: headingTiles,
		Title: "Replace one tile by another; omitted fields are kept",
		Args: opts{
			{Name: "from", Names: mapquery.KindTile, Help: "the tile to replace: 0 to 255, a name such as freeze (* and ? select several), or any"},
			{Name: "to", Names: mapquery.KindTile, Help: "the new tile: 0 to 255, a name, or same"},
		},
		Options: slices.Concat(tilesIn, fromFields, tileFields, opts{optionUnused}),
		Example: "replace-tiles 12 13 --layer 'Tree/*' --from-flags none"}, mapops.Replace),
	onTiles(format.Command{Name: "mirror-tiles", Heading: headingTiles,
		Title: "Mirror layers, or an area of them, like a brush in the editor",
		Args:  opts{argWay}, Options: tilesIn, Example: "mirror-tiles up-down --layer Tree/Leaves"}, mapops.MirrorTiles),
	onTiles(format.Command{Name: "rotate-tiles", Heading: headingTiles,
		Title: "Rotate layers, or an area of them, clockwise, like a brush in the editor",
		Args:  opts{argAngle}, Options: tilesIn, Example: "rotate-tiles 90 --layer game --area 10,10:14,14"}, mapops.RotateTiles),
	onLayers(format.Command{Name: "shift-tiles", Heading: headingTiles,
		Title: "Move all tiles of layers; uncovered tiles become air",
		Args: opts{
			{Name: "x", Type: format.Integer, Help: "tiles to the right; less than 0 moves to the left"},
			{Name: "y", Type: format.Integer, Help: "tiles down; less than 0 moves up"},
		},
		Options: opts{optionLayers, optionNot}, Example: "shift-tiles 5 0 --layer Tree/Leaves"}, mapops.ShiftTiles),
	onLayers(format.Command{Name: "border", Heading: headingTiles,
		Title:   "Make a border of solid tiles, two tiles wide, as in the editor",
		Long:    "The first two and the last two rows and columns become solid; flags are kept.",
		Args:    opts{{Name: "layer", Names: mapquery.KindLayer, Default: "game", Help: layerHelp}},
		Example: "border"},
		func(e *editor, list []mapedit.LayerAt, _ mapops.LayerArg) error { return e.Border(list) }),
	onMap(format.Command{Name: "renumber", Heading: headingTiles,
		Title: "Give tele, switch or tune tiles other numbers, also in settings that use the numbers",
		Args: opts{argNumbers,
			{Name: "numbers", Help: "a number such as 5, or a range such as 5-9"},
			{Name: "to", Type: format.Integer, Help: "the new first number"},
		},
		Options: opts{{Name: "join", Bool: true, Help: "allow numbers that other tiles already have"}},
		Example: "renumber tele 5-9 20"}, mapops.Renumber),
	onMap(format.Command{Name: "pack-numbers", Heading: headingTiles,
		Title: "Number tele, switch or tune tiles from 1 without gaps",
		Args:  opts{argNumbers}, Example: "pack-numbers switch"}, mapops.PackNumbers),
	onLayers(format.Command{Name: "construct-game-tiles", Heading: headingTiles,
		Title: "Set a game tile wherever a design layer has a tile",
		Long: "The group of the layer must have a parallax of 100,100 and an offset of whole tiles. Physics layers grow if " +
			"necessary; blue-checkpoint-tele and red-checkpoint-tele go into the tele layer.",
		Args:    opts{argLayer, {Name: "tile", Choices: mapops.GameTileNames(), Help: "the tile to set"}},
		Example: "construct-game-tiles Ground/Grass hookable"}, mapops.ConstructGameTiles),
	plain(format.Command{Name: "clean-game-tiles", Heading: headingTiles,
		Title:   "Remove solid, deadly and unhookable game tiles where no layer of their group has a tile",
		Example: "clean-game-tiles"}, (*mapedit.Editor).CleanGameTiles),
	plain(format.Command{Name: "normalize-rotation", Heading: headingTiles,
		Title:   "Set the flags of physics tiles without a direction to 0",
		Example: "normalize-rotation"}, always((*mapedit.Editor).NormalizeRotation)),
	plain(format.Command{Name: "fix-rotation", Heading: headingTiles,
		Title:   "Rotate physics tiles with a direction instead of mirroring them",
		Example: "fix-rotation"}, always((*mapedit.Editor).FixRotation)),
	plain(format.Command{Name: "migrate-speedups", Heading: headingTiles,
		Title:   "Convert deprecated speedups to current ones",
		Example: "migrate-speedups"}, always((*mapedit.Editor).MigrateSpeedups)),
	plain(format.Command{Name: "zero-unused", Heading: headingTiles,
		Title:   "Set everything without a meaning to 0: all fields of air, and bytes that the games do not read",
		Example: "zero-unused"}, always((*mapedit.Editor).ZeroUnused)),
}
