//go:build !js

package minetest

import (
	"slices"

	"trowel.example/internal/format"
	"trowel.example/minetest/internal/minecraft"
	"trowel.example/minetest/internal/worldfile"
	"trowel.example/minetest/internal/worldjob"
	"trowel.example/minetest/internal/worldscene"
	"trowel.example/minetest/schematic"
)

var minecraftFormats = []*format.Format{minecraftSchematic}

// minecraftSchematic are schematics of Minecraft, which become those of Minetest.
var minecraftSchematic = &format.Format{
	Name:  worldfile.MinecraftName,
	Title: "Minecraft schematic",
	Doc:   "docs/formats/minecraft-schematic.md",
	Recognition: format.Recognition{
		Extensions: []string{".schem", ".schematic"},
		Recognize:  func(src *format.Source) bool { return minecraft.Recognize(src.Head(minecraft.HeadSize)) },
	},
	Open:    worldfile.OpenMinecraft,
	Dump:    worldfile.DumpMinecraft,
	Kinds:   worldfile.MinecraftCatalog.Kinds(),
	Scene:   worldscene.OpenMinecraft,
	Options: slices.Concat(worldjob.MinecraftOptions, worldscene.PieceOptions),
	Conversions: []format.Conversion{
		worldfile.MinecraftTo(schematic.MTS, ".mts", "a schematic of the engine"),
		worldfile.MinecraftTo(schematic.WorldEdit, ".we", "a WorldEdit file"),
		worldfile.MinecraftTo(schematic.Lua, ".lua", "a schematic as a Lua table"),
	},
}
