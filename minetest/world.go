package minetest

import (
	"slices"

	"trowel.example/internal/format"
	"trowel.example/minetest/internal/worldfile"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/internal/worldrepair"
	"trowel.example/minetest/internal/worldscene"
	"trowel.example/minetest/internal/worldsteps"
	"trowel.example/minetest/item"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worlddir"
)

var minetestWorld = &format.Format{
	Name:  worldfile.WorldName,
	Title: "Minetest/Luanti world",
	Doc:   "docs/formats/minetest-world.md",
	Recognition: format.Recognition{
		Folder:    true,
		Recognize: func(src *format.Source) bool { return worlddir.RecognizeWorld(src.Dir) },
	},
	Building: format.Building{RecognizeTree: worlddir.Recognize, Build: worldfile.Build},
	Open:     worldfile.Open,
	Protection: format.Protection{
		Mask:     worlddir.Mask,
		Replaces: worldfile.Replaces,
		Shown:    worldfile.Shown,
		Publish:  worldfile.Publish,
	},
	Comparison: format.Comparison{
		Compare: compareWorlds,
		Actors:  actors,
		Gather:  gather,
	},
	Dump:        worldfile.Dump,
	Repair:      worldRepair,
	Editing:     worldEditing,
	Merging:     worldMerging,
	Backups:     worldBackups,
	Scene:       worldscene.Open,
	Finder:      worldFinder,
	Names:       worldsteps.NamesInWorld,
	Census:      worldCensus,
	Sharding:    &format.Sharding{Split: worldfile.Split, Gather: world.Gather},
	Rewriting:   worldRewriting,
	Conversions: slices.Concat(worldConversions, schematicConversions, []format.Conversion{manifestConversion}),
	Kinds: slices.Concat(world.Catalog.Kinds(), mapblock.Catalog.Kinds(), item.Catalog.Kinds(),
		worldRepairKinds),
	Options: append([]format.Option{worldjob.OptionArea, worldjob.OptionRemote, worldjob.OptionExact,
		worldjob.OptionVerifiers, worldjob.OptionQuick, worldjob.OptionSchema, format.OptionClean, worldjob.OptionSince,
		format.OptionPositions}, worldscene.Options...),
}

// minetestBlock is a separate block: a file of a world of 2011, or a block that was exported from a database.
var minetestBlock = &format.Format{
	Name:  worldfile.BlockName,
	Title: "Minetest/Luanti map block",
	Doc:   "docs/formats/minetest-mapblock.md",
	Recognition: format.Recognition{
		Extensions: []string{".block"},
		Recognize:  func(*format.Source) bool { return false }, // no signature: recognized by name
	},
	Building: format.Building{
		RecognizeTree: worlddir.RecognizeBlock,
		Build:         format.BuildOf(worlddir.BuildBlock),
	},
	Open:    worldfile.OpenBlock,
	Dump:    worldfile.DumpBlock,
	Repair:  blockRepair,
	Kinds:   slices.Concat(mapblock.Catalog.Kinds(), worldrepair.Catalog.Kinds()),
	Scene:   worldscene.OpenBlock,
	Options: append([]format.Option{format.OptionClean}, worldscene.PieceOptions...),
}
