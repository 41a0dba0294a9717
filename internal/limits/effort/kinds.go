package effort

// The kinds of work. No file of the corpus needs a tenth of a budget.
var (
	MapContents = Kind{Work: "contents of the layers, images, sounds and texts of a map, counted for each part that names them",
		Unit: "bytes of contents of its parts", Least: 3 << 30, Each: 64, Size: "byte of the file"}
	MapPicture = Kind{Work: "drawing a picture of a map, or a tile of a pyramid", Unit: "drawn pixels",
		Least: 1 << 25, Each: 512, Size: "pixel of the picture"}
	Rules = Kind{Work: "drawing layers of a map by rules of the automapper", Unit: "tries of rules and of their conditions",
		Least: 1 << 34}
	Entities = Kind{Work: "texts of the entities of an SVG picture, for each use", Unit: "bytes of texts of entities", Least: 1 << 22,
		Each: 8, Size: "byte of the file"}
	Letters = Kind{Work: "letters of a font, and the tables that place them", Unit: "bytes of letters: 512 for each part, 32 for each point",
		Least: 1 << 26, Each: 64, Size: "byte of the font"}
	ModContents = Kind{Work: "contents of the files of a mod or an archive, whose blocks may overlap",
		Unit: "bytes of contents of files", Least: 512 << 20, Each: 64, Size: "byte of the archive"}
	LinkedObjects = Kind{Work: "drawing the plan of a layout with the layouts that it links to",
		Unit: "objects of linked layouts", Least: 1 << 20}
	ModelPoses = Kind{Work: "animations of a model of Torchlight II, each time one is read", Unit: "bones, tracks and keys of its animations",
		Least: 1 << 22}
	ModelTexels = Kind{Work: "textures of a model of Torchlight II, for each material", Unit: "pixels of the textures of its materials",
		Least: 1 << 27}
	Sprites = Kind{Work: "sprites of the image sets of a mod, which may overlap", Unit: "pixels of sprites", Least: 1 << 27, Each: 64,
		Size: "byte of the archive or image set"}

	WorldContents = Kind{Work: "blocks of a world that inflate to more than 256 KiB and 1,024 bytes for each byte",
		Unit: "bytes of contents of such blocks", Least: 1 << 31}
	SchematicNodes = Kind{Work: "nodes of a schematic of Minetest/Luanti or Minecraft", Unit: "nodes", Least: 1 << 24, Each: 64,
		Size: "byte of the file"}
	SchematicText = Kind{Work: "writing a schematic as a text of Lua, for WorldEdit too",
		Unit: "bytes of text: 64 and its name for each node", Least: 1 << 29}
	MinecraftTags = Kind{Work: "values in a schematic of Minecraft", Unit: "tags", Least: 1 << 20, Each: 8, Size: "byte of the file"}

	WorldPixels = Kind{Work: "faces of nodes with textures, in a part of a picture", Unit: "pixels of faces over each other",
		Least: 1 << 24, Each: 512, Size: "pixel of the part"}
	WorldFaces       = Kind{Work: "faces of nodes with textures, in a part of a picture", Unit: "faces", Least: 1 << 24}
	WorldTriangles   = Kind{Work: "models of nodes, in a part of a picture", Unit: "triangles of models", Least: 1 << 22}
	WorldTranslucent = Kind{Work: "translucent nodes, in a part of a picture", Unit: "translucent faces", Least: 1 << 20}
	WorldTexels      = Kind{Work: "textures, in a part of a picture", Unit: "pixels of textures", Least: 1 << 27}

	Texture  = Kind{Work: "making the image of a texture string, such as `a.png^[resize:4096x4096`", Unit: "computed pixels", Least: 1 << 27}
	Textures = Kind{Work: "making the images of all texture strings of a game", Unit: "computed pixels of all textures", Least: 1 << 33}
)

// Kinds returns all kinds of work.
func Kinds() []*Kind {
	return []*Kind{&MapContents, &MapPicture, &Rules, &Entities, &Letters, &ModContents, &LinkedObjects, &ModelPoses, &ModelTexels,
		&Sprites, &WorldContents, &SchematicNodes, &SchematicText, &MinecraftTags, &WorldPixels, &WorldFaces, &WorldTriangles, &WorldTranslucent,
		&WorldTexels, &Texture, &Textures}
}
