package teeworlds

import (
	"trowel.example/internal/format"
	"trowel.example/teeworlds/internal/mapops"
	"trowel.example/teeworlds/mapedit"
)

// tileOperations change tiles of layers.
var tileOperations = []*format.Command{
	onTiles(format.Command{Name: "fill-tiles", Heading: headingTiles,
		Title:   "Fill an area or whole layers with one tile; omitted fields are 0",
		Long:    "As in the editor, hook-through (5) in the game layer becomes unhookable there and hook-through in the front layer.",
		Example: "fill-tiles 1 --layer game --area 10,10:29,10"}, mapops.Fill),
	onLayers(format.Command{Name: mapops.DrawName, Heading: headingTiles,
		Title: "Draw rows of tiles; X,Y is the place of the first one",
		Long: "The tiles of a row are separated by spaces and written as in the text of a layer: 12xr is tile 12 with its " +
			"flags (x and y mirror it, r rotates it), 26:3 a tele or tune tile with its number, 28:50/0/90 a speedup with force, " +
			"maximum speed and angle, 24r:7/5 a switch tile with number and delay, a dot is air. _ keeps a tile, and *N after a " +
			"tile repeats it. Hook-through (5) in the game layer is drawn as by fill-tiles.",
		Example: "draw-tiles 10 12 '1*3 _ 12x' '1 .*2 _ 12' --layer game"}, mapops.Draw),
	onTiles(format.Command{Name: "replace-tiles", Heading: headingTiles,
		Title:   "Replace one tile by another; omitted fields are kept",
		Example: "replace-tiles 12 13 --layer 'Tree/*' --from-flags none"}, mapops.Replace),
	onTiles(format.Command{Name: "mirror-tiles", Heading: headingTiles,
		Title:   "Mirror layers, or an area of them, like a brush in the editor",
		Example: "mirror-tiles up-down --layer Tree/Leaves"}, mapops.MirrorTiles),
	onTiles(format.Command{Name: "rotate-tiles", Heading: headingTiles,
		Title:   "Rotate layers, or an area of them, clockwise, like a brush in the editor",
		Example: "rotate-tiles 90 --layer game --area 10,10:14,14"}, mapops.RotateTiles),
	onLayers(format.Command{Name: "shift-tiles", Heading: headingTiles,
		Title:   "Move all tiles of layers; uncovered tiles become air",
		Example: "shift-tiles 5 0 --layer Tree/Leaves"}, mapops.ShiftTiles),
	onLayers(format.Command{Name: "border", Heading: headingTiles,
		Title:   "Make a border of solid tiles, two tiles wide, as in the editor",
		Long:    "The first two and the last two rows and columns become solid; flags are kept.",
		Example: "border"},
		func(e *editor, list []mapedit.LayerAt, _ mapops.BorderLayers) error { return e.Border(list) }),
	onMap(format.Command{Name: "renumber", Heading: headingTiles,
		Title:   "Give tele, switch or tune tiles other numbers, also in settings that use the numbers",
		Example: "renumber tele 5-9 20"}, mapops.Renumber),
	onMap(format.Command{Name: "pack-numbers", Heading: headingTiles,
		Title:   "Number tele, switch or tune tiles from 1 without gaps",
		Example: "pack-numbers switch"}, mapops.PackNumbers),
	onLayers(format.Command{Name: "construct-game-tiles", Heading: headingTiles,
		Title: "Set a game tile wherever a design layer has a tile",
		Long: "The group of the layer must have a parallax of 100,100 and an offset of whole tiles. Physics layers grow if " +
			"necessary; blue-checkpoint-tele and red-checkpoint-tele go into the tele layer.",
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
		Title: "Convert deprecated speedups to current ones",
		Long: "Play can change: a current speedup (29) computes the maximum speed differently from a deprecated one (28), and " +
			"acts without a force if it has a maximum speed.",
		Example: "migrate-speedups"}, always((*mapedit.Editor).MigrateSpeedups)),
	plain(format.Command{Name: "zero-unused", Heading: headingTiles,
		Title:   "Set everything without a meaning to 0: all fields of air, and bytes that the games do not read",
		Example: "zero-unused"}, always((*mapedit.Editor).ZeroUnused)),
}
