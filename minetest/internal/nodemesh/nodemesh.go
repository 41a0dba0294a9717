// Package nodemesh makes the faces of nodes as the game's client does: their geometry, textures and light. It reads
// the models of nodes: .obj, .b3d, .gltf, .glb and text .x files.
//
// [Looks] holds what definitions say about nodes, a [Volume] the nodes of a box, and [Volume.Faces] makes their faces.
package nodemesh

import (
	"image"
)

// Vec is a position or a direction: x to the east, y up, z to the north, with 1 for the length of a node.
type Vec [3]float32

// Alpha is how the alpha of a texture is used.
type Alpha uint8

const (
	Opaque Alpha = iota // not at all
	Clip                // texels below one half are not drawn
	Blend               // texels are mixed with what is behind them
)

// Material is how a face is painted.
type Material struct {
	Texture          string // a texture string
	Alpha            Alpha
	Culling          bool // the face cannot be seen from behind
	RepeatU, RepeatV bool // otherwise the texels at the edge are extended
}

// Vertex is a corner of a face.
type Vertex struct {
	Pos   Vec        // relative to the volume's Origin
	UV    [2]float32 // of the texture: (0, 0) is its top left corner, (1, 1) its bottom right one
	Color [4]uint8   // light with the colour of the tile; the last is the share of daylight. See [Daylight]
}

// Face is a quad, or a triangle if N is 3. Its vertices are clockwise seen from the front.
type Face struct {
	V        [4]Vertex
	N        int
	Material int  // index for [Looks.Materials]
	Split13  bool // a quad consists of the triangles 013 and 123, not 012 and 023
	Cube     bool // the face is a whole side of a cube
	Over     bool // the face is a tile's overlay, in the plane of the tile
}

var (
	split02 = [][3]int{{0, 1, 2}, {0, 2, 3}}
	split13 = [][3]int{{0, 1, 3}, {1, 2, 3}}
)

// Triangles returns the corners of the triangles of the face. They are clockwise seen from the front.
func (f *Face) Triangles() [][3]int {
	switch {
	case f.N == 3:
		return split02[:1]
	case f.Split13:
		return split13
	}
	return split02
}

// Assets are the files of a game.
type Assets interface {
	// Image returns the image of a texture string, or nil if it has none. Such faces are not drawn.
	Image(texture string) *image.NRGBA
	// Model returns the model in a file, or nil if there is none. Such nodes are not drawn.
	Model(file string) *Model
}

// The faces of a cube and their directions.
const (
	up = iota
	down
	east
	west
	north
	south
)

var directions = [6][3]int{{0, 1, 0}, {0, -1, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1}}

// opposite returns the face on the other side.
func opposite(face int) int { return face ^ 1 }
