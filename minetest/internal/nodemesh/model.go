package nodemesh

import (
	"path"
	"strings"

	"trowel.example/fault"
	"trowel.example/minetest/internal/texture"
)

// Model is the shape of a node. Its vertices are in nodes, relative to the node's centre: x to the east, y up, z to the
// north. Triangles are clockwise seen from the front. V is 0 at the top of the texture.
type Model struct{ Parts []Part }

// Part are the triangles of one tile of the node.
type Part struct {
	Tile     int // 0 to 5
	Vertices []ModelVertex
	Indices  []uint32 // three for each triangle
}

// ModelVertex is a corner of triangles. Its normal has length 1.
type ModelVertex struct {
	Pos, Normal [3]float32
	UV          [2]float32
}

// ParseModel reads a model as a version of the engine does. The ending of the file name decides the format. What is animated
// is returned in the pose of the file.
func ParseModel(name string, data []byte, engine texture.Engine) (*Model, error) {
	var m *Model
	var tenth bool // up to 5.11 no model was in tenths of nodes
	var err error
	switch ext := strings.ToLower(path.Ext(name)); ext {
	case ".obj":
		m, err = parseOBJ(data)
	case ".b3d":
		m, tenth, err = parseB3D(data)
	case ".gltf":
		m, err = parseGLTF(data, 0, nil)
		tenth = true
	case ".glb":
		m, err = parseGLB(data)
		tenth = true
	case ".x":
		m, tenth, err = parseX(data)
	default:
		err = &fault.Error{Offset: -1, Want: "a model: .obj, .b3d, .gltf, .glb or .x", Got: ext, Err: fault.ErrFormat}
	}
	if err != nil {
		return nil, err
	}
	if tenth && (engine == texture.Newest || engine >= 12) {
		for _, p := range m.Parts {
			for i := range p.Vertices {
				for a := range 3 {
					p.Vertices[i].Pos[a] /= 10
				}
			}
		}
	}
	m.addNormals()
	return m, nil
}
