package nodedef

// Node is the definition of a node, with the defaults of the engine for everything that its mod leaves out. Names and
// values are those of the engine's Lua API. Definitions of version 1 have only those fields that are marked with a 1.
type Node struct {
	Name     string // 1
	DrawType string // 1; such as "normal" or "nodebox"

	Tiles    []Tile // 1; up to six, for +Y, -Y, +X, -X, +Z and -Z. The last of a shorter list is for the other faces
	Overlays []Tile // as Tiles, drawn over them; a Tile without a name draws nothing
	Specials []Tile // for flowing liquids, rooted plants, framed glass and simple leaves

	// Alpha is "opaque", "clip" or "blend". It is "" if the definition leaves it to the textures (nodeboxes and meshes
	// before 5.9): clip if a texel of a tile is not opaque, otherwise opaque.
	Alpha   string
	Color   string // 1; such as "#ff0000" or a CSS name; "" is white. It is multiplied into the tiles
	Palette string // 1; the texture with the colours of param2, "" for none

	VisualScale float64 // 1 is the size of a node
	Mesh        string  // file name of the model of drawtype "mesh"
	Box         NodeBox // shape of drawtype "nodebox"

	ConnectsTo   []string       // names and "group:NAME" of nodes that a connected nodebox joins
	ConnectSides []string       // sides that connected nodeboxes may join: top, bottom, front, left, back, right; empty: all
	Groups       map[string]int // never 0

	ParamType          string // 1; "none" or "light"
	ParamType2         string // 1; "none", "facedir", ...; "flowingliquid" for all flowing liquids
	LightSource        int    // 1; 0 to 14
	SunlightPropagates bool   // 1
	Leveled            int    // height of leveled nodeboxes if param2 has none, in 1/64 node
	LeveledMax         int    // at most 127

	LiquidType    string // 1; "none", "source" or "flowing"
	LiquidFlowing string // name of the flowing form of this liquid
	LiquidSource  string // name of the source of this liquid
	LiquidRange   int    // 0 to 8
	Waving        int    // 0 none, 1 plants, 2 leaves, 3 liquids
	Walkable      bool   // 1

	LegacyFacedirSimple, LegacyWallmounted bool // for blocks before version 22
}

// Tile is the image of a face.
type Tile struct {
	Name             string // a texture string; "" has no image
	BackfaceCulling  bool   // false: also visible from behind
	RepeatU, RepeatV bool   // false: the texels at the edge are extended
	Align            string // "node", "world" or "user"
	Scale            int    // nodes along an edge of the image, at least 1, if the tile is aligned to the world
	Color            string // replaces the colour of the node and of its palette; "" for none
	Animation        Animation
}

// Animation is how a texture shows its frames. Type is "" for a still image.
type Animation struct {
	Type             string  // "vertical_frames" or "sheet_2d"
	AspectW, AspectH int     // of a vertical frame
	FramesW, FramesH int     // columns and rows of a sheet
	Length           float64 // seconds: of all vertical frames, or of one frame of a sheet
}

// Box is a box from its lowest corner (x, y, z) to its highest, relative to the node's centre, with 1 for the
// length of a node.
type Box [6]float32

// NodeBox is the shape of a nodebox.
type NodeBox struct {
	Type  string // "regular", "fixed", "leveled", "wallmounted" or "connected"
	Fixed []Box  // of fixed, leveled and connected boxes

	WallTop, WallBottom, WallSide []Box // of wallmounted boxes, with their defaults

	// Connect and Disconnected are for the directions +Y, -Y, -Z, -X, +Z and +X: top, bottom, front, left, back and
	// right.
	Connect, Disconnected           [6][]Box
	DisconnectedAll, DisconnectedXZ []Box // if nothing is joined, and if none of the four sides is
}

// Tile returns the tile of a face: 0 to 5 for +Y, -Y, +X, -X, +Z and -Z. A node without tiles has the zero Tile.
func (n *Node) Tile(face int) Tile { return at(n.Tiles, face) }

// Overlay is [Node.Tile] for Overlays.
func (n *Node) Overlay(face int) Tile { return at(n.Overlays, face) }

func at(tiles []Tile, face int) Tile {
	if len(tiles) == 0 {
		return Tile{}
	}
	return tiles[min(face, len(tiles)-1)]
}
