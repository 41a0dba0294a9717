package ogre_test

import (
	"encoding/binary"
	"math"

	"trowel.example/torchlight/internal/ogre"
)

func floats(values ...float32) []byte {
	var data []byte
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	return data
}

// quad returns the geometry of a square in two buffers.
func quad() *ogre.Geometry {
	return &ogre.Geometry{Count: 4,
		Declaration: &ogre.Declaration{Elements: []ogre.Element{
			{Type: 2, Semantic: ogre.Position},
			{Type: 2, Semantic: ogre.Normal, Offset: 12},
			{Source: 1, Type: 10, Semantic: ogre.Diffuse},
			{Source: 1, Type: 1, Semantic: ogre.TexCoord, Offset: 4},
		}},
		Buffers: []ogre.Buffer{
			{Stride: 24, Data: floats(0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1)},
			{Bind: 1, Stride: 12, Data: append(floats(1, 0, 0, 1, 1, 0, 1, 1, 1), floats(1, 0, 1)...)},
		}}
}

// sampleMesh returns a mesh with every kind of chunks, and with wrong lengths where real files have them.
func sampleMesh() *ogre.Mesh {
	return &ogre.Mesh{Version: "1.41", Skinned: true, Shared: quad(), Excess: -117,
		SubMeshes: []ogre.SubMesh{
			{Material: "hut/wall", Shared: true, Indices: []uint32{0, 1, 2, 0, 2, 3}, Excess: -20,
				Operation: &ogre.Operation{Kind: ogre.Triangles}, Aliases: []ogre.Alias{{Name: "a", Texture: "b.png"}}},
			{Material: "hut/roof", Wide: true, Indices: []uint32{0, 1, 2}, Geometry: quad(), Excess: 4,
				Operation: &ogre.Operation{Kind: ogre.Triangles},
				Weights:   []ogre.Weight{{Vertex: 3, Bone: 1, Weight: 0.5}, {Vertex: 3, Weight: 0.5}}},
		},
		Skeleton: &ogre.Link{File: "hut.skeleton", Excess: 2},
		Weights:  []ogre.Weight{{Vertex: 1, Bone: 0, Weight: 1}},
		Bounds:   &ogre.Bounds{Max: [3]float32{1, 1, 0}, Radius: 1.4142135},
		Names:    &ogre.Names{List: []ogre.Name{{SubMesh: 1, Name: "roof"}}},
		Edges: &ogre.Edges{Levels: []ogre.EdgeLevel{{Closed: true,
			Triangles: []ogre.EdgeTriangle{{Vertices: [3]uint32{0, 1, 2}, Shared: [3]uint32{0, 1, 2}, Normal: [4]float32{0, 0, 1, 0}}},
			Groups:    []ogre.EdgeGroup{{Count: 1, Edges: []ogre.Edge{{Vertices: [2]uint32{0, 1}, Degenerate: 1}}}}},
			{Level: 1, Manual: true}}},
	}
}

// sampleSkeleton returns a skeleton with every kind of chunks.
func sampleSkeleton() *ogre.Skeleton {
	turn := [4]float32{0, 0, 0, 1}
	return &ogre.Skeleton{Version: "1.80", Blend: &ogre.Blend{Mode: 1},
		Bones: []ogre.Bone{{Name: "root", Rotation: turn},
			{Name: "tag_righthand", Handle: 1, Position: [3]float32{0, 1, 0}, Rotation: turn, Scale: &[3]float32{1, 2, 1}}},
		Parents: []ogre.Parent{{Child: 1}},
		Animations: []ogre.Animation{{Name: "wave", Length: 1, Base: &ogre.Base{Animation: "bind", Time: 0.5}, Excess: 10,
			Tracks: []ogre.Track{{Bone: 1, Keys: []ogre.Key{{Rotation: turn, Translation: [3]float32{0, 0.5, 0}},
				{Time: 1, Rotation: turn, Scale: &[3]float32{1, 1.25, 1}}}}}}},
		Links: []ogre.SkeletonLink{{File: "base.skeleton", Scale: 1}},
	}
}
