package effort

var kinds []*Kind

func add(k *Kind) *Kind {
	kinds = append(kinds, k)
	return k
}

// Kinds returns all kinds.
func Kinds() []*Kind { return kinds }

// Files.
var (
	WholeFile = add(&Kind{Work: "a file that is read as a whole",
		Unit: "bytes", Least: 1 << 30,
		Known: 4_110_406, Thing: "a mod of the public repositories"})
	TextFile = add(&Kind{Work: "a text, a definition or a picture next to a map, a mod or a world; a text in a world",
		Unit: "bytes", Least: 256 << 20,
		Known: 679_358, Thing: "a picture of a map"})
	SideFile = add(&Kind{Work: "a sound or a font for a map, a texture of a game, the journal of a copy",
		Unit: "bytes", Least: 64 << 20,
		Known: 4043, Thing: "a texture of minetest_game"})
	ScriptFile = add(&Kind{Work: "a script of edits, an SVG picture, a plan to restore",
		Unit: "bytes", Least: 16 << 20})
	RulesFile = add(&Kind{Work: "rules of an automapper, names for blocks of Minecraft",
		Unit: "bytes", Least: 4 << 20,
		Known: 24_693, Thing: "DDNet's rules for generic_unhookable_0.7"})
	SmallFile = add(&Kind{Work: "a file of passwords, keys or addresses",
		Unit: "bytes", Least: 1 << 20})
	PicturePixels = add(&Kind{Work: "a picture",
		Unit: "pixels", Least: 1 << 28,
		Known: 28_224, Thing: "a picture of a mod"})
	OutlinePoints = add(&Kind{Work: "the lines of an SVG picture, and the outline of a letter",
		Unit: "points", Least: 1 << 18})
	SVGDepth = add(&Kind{Work: "elements of an SVG picture in each other",
		Unit: "nested elements", Least: 200, Most: 10_000})
	Entities = add(&Kind{Work: "texts of the entities of an SVG picture, for each use",
		Unit: "bytes of texts of entities", Least: 1 << 22, Each: 8, Size: "byte of the file"})
	Letters = add(&Kind{Work: "letters of a font, and the tables that place them",
		Unit: "bytes of letters: 512 for each part, 32 for each point", Least: 1 << 26, Each: 64, Size: "byte of the font"})
)

// Maps of Teeworlds.
var (
	MapFile = add(&Kind{Work: "a map or another datafile",
		Unit: "bytes", Least: 256 << 20,
		Known: 1_487_119, Thing: "DDNet's Tutorial for 0.7"})
	MapContents = add(&Kind{Work: "contents of the layers, images, sounds and texts of a map, counted for each part that names them",
		Unit: "bytes of contents of its parts", Least: 8 << 30, Each: 64, Size: "byte of the file",
		Known: 6_505_416_792, Thing: "51 layers of the size of those of DDNet++'s main map"})
	MapGrid = add(&Kind{Work: "a layer or an embedded image of a map, which can be in memory as a whole",
		Unit: "tiles of a layer or pixels of an image", Least: 48 << 20,
		Known: 31_889_298, Thing: "a layer of DDNet++'s main map, 9,611 x 3,318"})
	MapBlock = add(&Kind{Work: "a sound, a text, or any other data block of a map for which no layer or image states a larger size",
		Unit: "bytes of contents of a data block", Least: 64 << 20,
		Known: 4_194_304, Thing: "ctf1 of 2008"})
	MapMade = add(&Kind{Work: "layers of a map that an edit makes",
		Unit: "tiles of all layers", Least: 96 << 20,
		Known: 31_889_298, Thing: "a layer of DDNet++'s main map, 9,611 x 3,318"})
	MapTurned = add(&Kind{Work: "mirroring, rotating or repairing a map: only one large layer is in memory at a time",
		Unit: "tiles of all layers", Least: 4 << 30,
		Known: 1_626_354_198, Thing: "51 layers of the size of those of DDNet++'s main map"})
	MapPicture = add(&Kind{Work: "drawing a picture of a map, or a tile of a pyramid",
		Unit: "drawn pixels", Least: 1 << 25, Each: 512, Size: "pixel of the picture"})
	Rules = add(&Kind{Work: "drawing layers of a map by rules of the automapper",
		Unit: "tries of rules and of their conditions", Least: 1 << 34})
)

// Mods of Torchlight II.
var (
	ModContents = add(&Kind{Work: "contents of the files of a mod or an archive, whose blocks may overlap",
		Unit: "bytes of contents of files", Least: 512 << 20, Each: 64, Size: "byte of the archive",
		Known: 1_061_478, Thing: "a mod of the public repositories"})
	ModFile = add(&Kind{Work: "a file of a mod or an archive, with or without compression",
		Unit: "bytes", Least: 512 << 20,
		Known: 116_021, Thing: "a file of a mod of the public repositories"})
	ModManifest = add(&Kind{Work: "the list of files of a mod or an archive",
		Unit: "bytes", Least: 256 << 20,
		Known: 13_736, Thing: "a mod of the public repositories"})
	ModHeader = add(&Kind{Work: "the header of a mod, with the bytes up to its archive",
		Unit: "bytes", Least: 64 << 20,
		Known: 569, Thing: "a mod of the public repositories"})
	ModGap = add(&Kind{Work: "bytes of an archive between files",
		Unit: "bytes that belong to no file", Least: 64 << 20,
		Known: 8, Thing: "a mod of the public repositories"})
	ModPaths = add(&Kind{Work: "the paths of the files of an archive, which repeat the names of directories",
		Unit: "bytes of paths", Least: 1 << 20, Each: 16, Size: "byte of names in the list",
		Known: 7336, Thing: "a mod of the public repositories"})
	ModPathDepth = add(&Kind{Work: "directories of an archive in each other",
		Unit: "directories in a path", Least: 200, Most: 10_000,
		Known: 4, Thing: "a mod of the public repositories"})
	DataDepth = add(&Kind{Work: "groups of a data file in each other",
		Unit: "nested nodes", Least: 200, Most: 10_000,
		Known: 8, Thing: "a layout of Torchlight I"})
	DataText = add(&Kind{Work: "the text of a data file",
		Unit: "characters of text", Least: 1 << 20, Each: 100, Size: "byte of the file",
		Known: 89_063, Thing: "an animation of a mod"})
	LayoutDepth = add(&Kind{Work: "objects and groups of a layout in each other",
		Unit: "nested objects", Least: 60, Most: 3_000,
		Known: 12, Thing: "a skill tree of a mod"})
	LinkedObjects = add(&Kind{Work: "drawing the plan of a layout with the layouts that it links to",
		Unit: "objects of linked layouts", Least: 1 << 20})
	ModelPoses = add(&Kind{Work: "animations of a model of Torchlight II, each time one is read",
		Unit: "bones, tracks and keys of its animations", Least: 1 << 22,
		Known: 14, Thing: "a model of a mod"})
	ModelTexels = add(&Kind{Work: "textures of a model of Torchlight II, for each material",
		Unit: "pixels of the textures of its materials", Least: 1 << 27})
	Sprites = add(&Kind{Work: "sprites of the image sets of a mod, which may overlap",
		Unit: "pixels of sprites", Least: 1 << 27, Each: 64, Size: "byte of the archive or image set"})
)

// Worlds of Minetest/Luanti.
var (
	BlockData = add(&Kind{Work: "a block of a world, as it is stored",
		Unit: "bytes", Least: 64 << 20,
		Known: 66_956, Thing: "a block with much metadata"})
	WorldContents = add(&Kind{Work: "blocks of a world that inflate to more than 256 KiB and 1,024 bytes for each byte",
		Unit: "bytes of contents of such blocks", Least: 1 << 31,
		Known: 557_056, Thing: "a world with much metadata"})
	PlayerGaps = add(&Kind{Work: "slots of the inventories of a player without a row in the database",
		Unit: "slots without a row", Least: 1 << 16})
	Recovered = add(&Kind{Work: "a database that is copied because its program did not close it",
		Unit: "bytes", Least: 4 << 30,
		Known: 2_347_008, Thing: "a world of 5.17"})
	SchematicFile = add(&Kind{Work: "a schematic of Minetest/Luanti",
		Unit: "bytes", Least: 1 << 29})
	SchematicVolume = add(&Kind{Work: "the size of a schematic",
		Unit: "nodes in all", Least: 1 << 26})
	SchematicNodes = add(&Kind{Work: "nodes of a schematic of Minetest/Luanti or Minecraft",
		Unit: "nodes", Least: 1 << 24, Each: 64, Size: "byte of the file"})
	SchematicMeta = add(&Kind{Work: "metadata of a schematic",
		Unit: "bytes of metadata", Least: 1 << 28})
	SchematicText = add(&Kind{Work: "writing a schematic as a text of Lua, for WorldEdit too",
		Unit: "bytes of text: 64 and its name for each node", Least: 1 << 29})
	MinecraftFile = add(&Kind{Work: "a schematic of Minecraft, after decompression",
		Unit: "bytes", Least: 1 << 28})
	MinecraftTags = add(&Kind{Work: "values in a schematic of Minecraft",
		Unit: "tags", Least: 1 << 20, Each: 8, Size: "byte of the file"})
	ModelVertices = add(&Kind{Work: "a model of a node",
		Unit: "vertices or corners of faces", Least: 1 << 20,
		Known: 84, Thing: "a model of minetest_game"})
	ModelElements = add(&Kind{Work: "the arrays of a glTF model of a node",
		Unit: "elements", Least: 1 << 22})
	ModelDepth = add(&Kind{Work: "parts of a model of a node in each other",
		Unit: "nested parts", Least: 100, Most: 10_000})
	ModelLine = add(&Kind{Work: "a line of an .obj model",
		Unit: "bytes in a line", Least: 1 << 20,
		Known: 99, Thing: "a model of minetest_game"})
	ModelReuse = add(&Kind{Work: "descriptions in a glTF model that other parts use again",
		Unit: "bytes of JSON that is used again", Least: 8 << 20, Each: 2, Size: "byte of JSON"})
	TextureFiles = add(&Kind{Work: "image files in the folders of textures",
		Unit: "image files", Least: 1 << 20,
		Known: 460, Thing: "minetest_game"})
	TexturePixels = add(&Kind{Work: "the image of a texture string",
		Unit: "pixels", Least: 1 << 24,
		Known: 256, Thing: "minetest_game"})
	TextureText = add(&Kind{Work: "a texture string",
		Unit: "characters", Least: 1 << 20,
		Known: 84, Thing: "minetest_game"})
	TextureDepth = add(&Kind{Work: "texture strings in each other",
		Unit: "nested strings", Least: 64, Most: 10_000,
		Known: 1, Thing: "minetest_game"})
	Texture = add(&Kind{Work: "making the image of a texture string, such as `a.png^[resize:4096x4096`",
		Unit: "computed pixels", Least: 1 << 27,
		Known: 1618, Thing: "minetest_game"})
	Textures = add(&Kind{Work: "making the images of all texture strings of a game",
		Unit: "computed pixels of all textures", Least: 1 << 33,
		Known: 160_220, Thing: "minetest_game"})
	WorldPixels = add(&Kind{Work: "faces of nodes with textures, in a part of a picture",
		Unit: "pixels of faces over each other", Least: 1 << 24, Each: 512, Size: "pixel of the part",
		Known: 1_511_450, Thing: "a world with the textures of minetest_game"})
	WorldFaces = add(&Kind{Work: "faces of nodes with textures, in a part of a picture",
		Unit: "faces", Least: 1 << 24,
		Known: 59_638, Thing: "a world with the textures of minetest_game"})
	WorldTriangles = add(&Kind{Work: "models of nodes, in a part of a picture",
		Unit: "triangles of models", Least: 1 << 22,
		Known: 750, Thing: "a world with the textures of minetest_game"})
	WorldTranslucent = add(&Kind{Work: "translucent nodes, in a part of a picture",
		Unit: "translucent faces", Least: 1 << 20,
		Known: 28_895, Thing: "a world with the textures of minetest_game"})
	WorldTexels = add(&Kind{Work: "textures, in a part of a picture",
		Unit: "pixels of textures", Least: 1 << 27,
		Known: 73_408, Thing: "a world with the textures of minetest_game"})
	WorldModelNodes = add(&Kind{Work: "a part of a world as a model",
		Unit: "nodes", Least: 1 << 24})
	WorldModelFaces = add(&Kind{Work: "a part of a world as a model",
		Unit: "visible faces", Least: 1 << 21})
	TurningFaces = add(&Kind{Work: "a part of a world that the viewer turns; larger parts are pictures",
		Unit: "visible faces", Least: 500_000})
	WorldModelTexels = add(&Kind{Work: "textures of a part of a world as a model",
		Unit: "pixels of textures", Least: 1 << 26})
)
