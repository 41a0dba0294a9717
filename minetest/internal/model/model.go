// Package model reads the models of nodes: .obj, .b3d, .gltf, .glb and text .x files.
package model

import (
	"path"
	"strings"

	"trowel.example/fault"
)

// Model is the shape of a node. Its vertices are in nodes, relative to the node's centre: x to the east, y up, z to the
// north. Triangles are clockwise seen from the front. V is 0 at the top of the texture.
type Model struct{ Parts []Part }

// Part are the triangles of one tile of the node.
type Part struct {
	Tile     int // 0 to 5
	Vertices []Vertex
	Indices  []uint32 // three for each triangle
}

// Vertex is a corner of triangles. Its normal has length 1.
type Vertex struct {
	Pos, Normal [3]float32
	UV          [2]float32
}

// Parse reads a model. The ending of the file name decides the format.
func Parse(name string, data []byte) (*Model, error) {
	switch ext := strings.ToLower(path.Ext(name)); ext {
	case ".obj":
		return parseOBJ(data)
	default:
		return nil, &fault.Error{Offset: -1, Want: "a model: .obj, .b3d, .gltf, .glb or .x", Got: ext, Err: fault.ErrFormat}
	}
}
