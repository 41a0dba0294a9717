package effort

// The kinds of work. No file of the corpus needs a tenth of a budget.
var (
	MapContents = Kind{Work: "contents of the layers, images, sounds and texts of a map, counted for each part that names them",
		Unit: "bytes of contents of its parts", Least: 2 << 30, Each: 64, Size: "byte of the file"}
	MapPicture = Kind{Work: "drawing a picture of a map, or a tile of a pyramid", Unit: "drawn pixels",
		Least: 1 << 25, Each: 512, Size: "pixel of the picture"}
	ModContents = Kind{Work: "contents of the files of a mod or an archive, whose blocks may overlap",
		Unit: "bytes of contents of files", Least: 512 << 20, Each: 64, Size: "byte of the archive"}
	LinkedObjects = Kind{Work: "drawing the plan of a layout with the layouts that it links to",
		Unit: "objects of linked layouts", Least: 1 << 20}
)

// Kinds returns all kinds of work.
func Kinds() []*Kind { return []*Kind{&MapContents, &MapPicture, &ModContents, &LinkedObjects} }
