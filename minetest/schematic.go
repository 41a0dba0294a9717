package minetest

import (
	"io/fs"
	"slices"

	"trowel.example/internal/format"
	"trowel.example/minetest/internal/worldfile"
	"trowel.example/minetest/internal/worldscene"
	"trowel.example/minetest/internal/worldsteps"
	"trowel.example/minetest/schematic"
)

const schematicDoc = "docs/formats/minetest-schematic.md"

// minetestSchematic is the engine's own format of schematics, as a binary file or as a Lua table.
var minetestSchematic = &format.Format{
	Name:  schematic.MTS.FolderName(),
	Title: "Minetest/Luanti schematic",
	Doc:   schematicDoc,
	Recognition: format.Recognition{
		Extensions: []string{".mts"},
		Recognize: func(src *format.Source) bool {
			form, _ := schematic.Recognize(src.Head(schematic.HeadSize))
			return form == schematic.MTS || form == schematic.Lua
		},
	},
	Building: format.Building{
		RecognizeTree: func(fsys fs.FS) bool { return schematic.RecognizeFolder(fsys, schematic.MTS) },
		Build:         format.BuildOf(schematic.Build),
	},
	Open:    worldfile.OpenSchematic,
	Dump:    worldfile.DumpSchematic,
	Kinds:   schematic.Catalog.Kinds(),
	Scene:   worldscene.OpenSchematic,
	Names:   worldsteps.SchematicNames,
	Editing: worldsteps.SchematicEditing(slices.Concat(worldsteps.SchematicProbabilities, worldsteps.SchematicAliases)),
	Options: append([]format.Option{format.OptionClean}, worldscene.PieceOptions...),
	Conversions: []format.Conversion{
		worldfile.SchematicTo(schematic.WorldEdit, ".we", "a WorldEdit file"),
		worldfile.SchematicTo(schematic.Lua, ".lua", "a schematic as a Lua table"),
		worldfile.SchematicTo(schematic.MTS, ".mts", "a schematic of version 4"),
		worldscene.SchematicModel,
	},
}

var minetestWorldEdit = &format.Format{
	Name:   schematic.WorldEdit.FolderName(),
	Title:  "WorldEdit file of Minetest/Luanti",
	Common: true,
	Doc:    schematicDoc,
	Recognition: format.Recognition{
		Extensions: []string{".we"},
		Recognize: func(src *format.Source) bool {
			return schematic.IsWorldEdit(src.Head(schematic.HeadSize))
		},
	},
	Building: format.Building{
		RecognizeTree: func(fsys fs.FS) bool { return schematic.RecognizeFolder(fsys, schematic.WorldEdit) },
		Build:         format.BuildOf(schematic.Build),
	},
	Open:    worldfile.OpenSchematic,
	Dump:    worldfile.DumpSchematic,
	Kinds:   schematic.Catalog.Kinds(),
	Scene:   worldscene.OpenSchematic,
	Names:   worldsteps.SchematicNames,
	Editing: worldsteps.SchematicEditing(worldsteps.SchematicAliases),
	Options: append([]format.Option{format.OptionClean}, worldscene.PieceOptions...),
	Conversions: []format.Conversion{
		worldfile.SchematicTo(schematic.MTS, ".mts", "a schematic of the engine"),
		worldfile.SchematicTo(schematic.Lua, ".lua", "a schematic as a Lua table"),
		worldfile.SchematicTo(schematic.WorldEdit, ".we", "a WorldEdit file of version 5"),
		worldscene.SchematicModel,
	},
}

// schematicConversions convert a part of a world to a schematic.
var schematicConversions = []format.Conversion{
	worldfile.WorldToSchematic(schematic.MTS, ".mts", "a schematic of the nodes in --box"),
	worldfile.WorldToSchematic(schematic.WorldEdit, ".we", "a WorldEdit file of the nodes in --box, with metadata and inventories"),
	worldscene.WorldModel(worldfile.OptionBox),
}
