// Package gltf writes models as glTF 2.0 binary files (.glb).
//
// The axes are those of glTF: right-handed, y up, lengths in metres; triangles are counter-clockwise seen from the front.
// The parts of a model refer to each other by pointer: what is referred to from several places is written once, and
// nothing else is written. Equal models give identical files.
//
// [Scripts] read and draw such files in a browser.
package gltf

import "math"

// Model is a scene of nodes, and what moves them.
type Model struct {
	Copyright  string  // of the pictures, if known
	Nodes      []*Node // without a parent
	Animations []*Animation
}

// Node is a place, relative to its parent.
type Node struct {
	Name        string
	Translation [3]float32
	Rotation    [4]float32 // a quaternion x, y, z, w of length 1; none if 0
	Scale       [3]float32 // 1 if 0
	Children    []*Node
	Mesh        *Mesh

	// Skin moves the mesh, which must have joints. The node has no parent and no place then.
	Skin *Skin
}

// Mesh has at least one primitive.
type Mesh struct {
	Name       string
	Primitives []Primitive
	Extras     map[string]any // facts for programs that know them; values are strings, finite numbers, and lists and maps of them
}

// Primitive are triangles of one material. Every list except Indices has the length of Positions, or is nil. Primitives may
// share lists.
type Primitive struct {
	Material  *Material
	Positions [][3]float32
	Normals   [][3]float32 // of length 1
	TexCoords [][2]float32 // (0, 0) is the top left corner of the picture
	Colors    [][4]uint16  // linear; the texture is multiplied by Colors/65535
	Joints    [][4]uint16  // indices into the joints of the skin; 0 where the weight is 0
	Weights   [][4]float32 // with sum 1
	Indices   []uint32     // three for each triangle
}

// Material is how a surface looks.
type Material struct {
	Name        string
	Texture     *Texture    // white if nil
	Color       *[4]float32 // linear; the texture is multiplied by it
	Alpha       Alpha
	Unlit       bool // the colours are final: no lamp changes them
	DoubleSided bool
	Extras      map[string]any // as of a Mesh
}

// Alpha is how the alpha of a surface is used.
type Alpha uint8

const (
	Opaque Alpha = iota // not at all
	Mask                // what is below one half is not drawn
	Blend               // mixed with what is behind
)

// Texture is a picture with its sampling. It repeats unless it is clamped to its edge.
type Texture struct {
	Image          *Image
	ClampU, ClampV bool
	Smooth         bool // interpolated, and reduced with mipmaps; else the nearest texel
}

// Image is a picture as a PNG file.
type Image struct {
	Name string
	PNG  []byte
}

// Skin moves the vertices of a mesh with its joints.
type Skin struct {
	Name        string
	Joints      []*Node       // in the scene; at least one
	InverseBind [][16]float32 // for each joint, column by column; nil if these are identities
}

// Animation is a clip: channels that move nodes together.
type Animation struct {
	Name     string
	Channels []Channel      // at least one
	Extras   map[string]any // as of a Mesh
}

// Channel moves a node. Between its times, it interpolates.
type Channel struct {
	Node   *Node
	Path   Path
	Times  []float32    // in seconds, each later than the one before; at least one
	Values [][4]float32 // for each time: x, y, z, and w of rotations
}

// Path is the property that a channel moves.
type Path string

const (
	Translation Path = "translation"
	Rotation    Path = "rotation"
	Scale       Path = "scale"
)

// Linear returns a value of sRGB without its curve, for colours of vertices.
func Linear(c uint8) uint16 { return straight[c] }

var straight = func() (all [256]uint16) {
	for i := range all {
		c := float64(i) / 255
		if c <= .04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+.055)/1.055, 2.4)
		}
		all[i] = uint16(math.Round(c * math.MaxUint16))
	}
	return all
}()
