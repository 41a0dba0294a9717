package ogre

import (
	"math"
	"slices"

	"trowel.example/internal/values/deep"
)

// Mesh is a model: parts with triangles, and the bones that move their vertices.
type Mesh struct {
	Version   string // such as 1.40
	Skinned   bool   // a skeleton moves the mesh
	Shared    *Geometry
	SubMeshes []SubMesh
	Skeleton  *Link
	Weights   []Weight // of the shared geometry
	Bounds    *Bounds
	Names     *Names
	Edges     *Edges
	Rest      []byte // from the first chunk on that is not read: levels of detail, poses, animations of vertices

	Excess int64 // the declared length of the chunk minus the length of its content, as in all other chunks
}

// SubMesh is a part of a mesh with one material.
type SubMesh struct {
	Material string
	Shared   bool // the triangles use the geometry of the mesh
	Wide     bool // indices have 32 bits
	Indices  []uint32
	Geometry *Geometry
	// Operation is the meaning of the indices; a missing one is [Triangles].
	Operation *Operation
	Weights   []Weight
	Aliases   []Alias

	Excess int64
}

// Operation is the kind of primitives in a part.
type Operation struct {
	Kind   uint16
	Excess int64
}

// The kinds of primitives.
const (
	Points uint16 = 1 + iota
	Lines
	LineStrip
	Triangles
	TriangleStrip
	TriangleFan
)

// Alias gives a texture of a material another name.
type Alias struct {
	Name, Texture string
	Excess        int64
}

// Link names the skeleton of a mesh.
type Link struct {
	File   string
	Excess int64
}

// Weight is the influence of a bone on a vertex.
type Weight struct {
	Vertex uint32
	Bone   uint16 // the handle of the bone
	Weight float32
	Excess int64
}

// Bounds is the box around all vertices, and the radius of the sphere around the origin.
type Bounds struct {
	Min, Max [3]float32
	Radius   float32
	Excess   int64
}

// Names holds names of parts.
type Names struct {
	List   []Name
	Excess int64
}

// Name is the name of a part.
type Name struct {
	SubMesh uint16
	Name    string
	Excess  int64
}

// Geometry is a list of vertices in one or more buffers.
type Geometry struct {
	Count       uint32
	Declaration *Declaration
	Buffers     []Buffer
	Excess      int64
}

// Declaration describes the buffers of a geometry.
type Declaration struct {
	Elements []Element
	Excess   int64
}

// Element is a property of a vertex.
type Element struct {
	Source   uint16 // the buffer
	Type     uint16
	Semantic uint16
	Offset   uint16 // in the bytes of a vertex
	Index    uint16 // which of several with the same semantic
	Excess   int64
}

// The semantics of elements that real files have.
const (
	Position = 1
	Normal   = 4
	Diffuse  = 5
	TexCoord = 7
	Tangent  = 9
)

// The words for numbers in texts.
var (
	operationNames = map[uint16]string{Points: "points", Lines: "lines", LineStrip: "line_strip", Triangles: "triangles",
		TriangleStrip: "triangle_strip", TriangleFan: "triangle_fan"}
	typeNames = map[uint16]string{0: "float1", 1: "float2", 2: "float3", 3: "float4", 4: "colour", 9: "ubyte4",
		10: "colour_argb", 11: "colour_abgr"}
	semanticNames = map[uint16]string{Position: "position", Normal: "normal", Diffuse: "diffuse", TexCoord: "texture_coordinate",
		Tangent: "tangent"}
)

// Buffer holds some properties of each vertex.
type Buffer struct {
	Bind       uint16 // the number of the buffer in the declaration
	Stride     uint16 // bytes of a vertex
	Data       []byte
	Excess     int64
	DataExcess int64
}

// Edges holds the edge lists for shadows.
type Edges struct {
	Levels []EdgeLevel
	Excess int64
}

// EdgeLevel is the edge list of a level of detail.
type EdgeLevel struct {
	Level     uint16
	Manual    bool // the level is another mesh and has no list
	Closed    bool
	Triangles []EdgeTriangle
	Groups    []EdgeGroup
	Excess    int64
}

// EdgeTriangle is a triangle of an edge list.
type EdgeTriangle struct {
	IndexSet, VertexSet uint32
	Vertices, Shared    [3]uint32
	Normal              [4]float32
}

// EdgeGroup holds the edges of one set of vertices.
type EdgeGroup struct {
	VertexSet, First, Count uint32 // the triangles
	Edges                   []Edge
	Excess                  int64
}

// Edge is an edge between two triangles.
type Edge struct {
	Triangles, Vertices, Shared [2]uint32
	Degenerate                  uint8
}

var (
	kindMesh        = kind{0x3000, "mesh", anyLength}
	kindSubMesh     = kind{0x4000, "submesh", anyLength}
	kindOperation   = kind{0x4010, "operation", 0}
	kindWeight      = kind{0x4100, "weight", 0}
	kindAlias       = kind{0x4200, "alias", 0}
	kindGeometry    = kind{0x5000, "geometry", 0}
	kindDeclaration = kind{0x5100, "declaration", 0}
	kindElement     = kind{0x5110, "element", 0}
	kindBuffer      = kind{0x5200, "buffer", 0}
	kindData        = kind{0x5210, "data", 0}
	kindLink        = kind{0x6000, "skeleton", 16}
	kindShared      = kind{0x7000, "shared_weight", 0}
	kindBounds      = kind{0x9000, "bounds", 0}
	kindNames       = kind{0xA000, "names", 0}
	kindName        = kind{0xA100, "name", 0}
	kindEdges       = kind{0xB000, "edges", 0}
	kindLevel       = kind{0xB100, "level", 0}
	kindGroup       = kind{0xB110, "group", 0}

	meshKinds = []kind{kindMesh, kindSubMesh, kindOperation, kindWeight, kindAlias, kindGeometry, kindDeclaration, kindElement,
		kindBuffer, kindData, kindLink, kindShared, kindBounds, kindNames, kindName, kindEdges, kindLevel, kindGroup}

	// unread are the IDs of chunks that only Rest holds: levels of detail, poses, animations of vertices, extremes.
	unread = []uint16{0x8000, 0xC000, 0xD000, 0xE000}
)

func (m *Mesh) head() *string { return &m.Version }
func (m *Mesh) rest() *[]byte { return &m.Rest }

func (m *Mesh) kinds() []kind {
	if m.Version == "1.30" { // its edge lists have another form
		return slices.DeleteFunc(slices.Clone(meshKinds), func(k kind) bool { return k == kindEdges })
	}
	return meshKinds
}

func (m *Mesh) complete() string {
	switch {
	case len(m.Rest) > 0:
	case m.Bounds == nil:
		return "bounds (a chunk 0x9000)"
	case m.Names == nil:
		return "names of submeshes (a chunk 0xa000)"
	}
	return ""
}

// Encode returns the file.
func (m *Mesh) Encode() ([]byte, error) { return encode(m) }

// Clone returns an independent copy of the mesh.
func (m *Mesh) Clone() *Mesh { return deep.Clone(m) }

// Equal reports whether both meshes have equal contents.
func (m *Mesh) Equal(other *Mesh) bool { return deep.Equal(m, other) }

func (m *Mesh) walk(c *codec) {
	c.open(kindMesh, -1, &m.Excess)
	c.boolean("skinned", &m.Skinned)
	c.parts(
		optional(c, kindGeometry, &m.Shared, func(g *Geometry) { g.walk(c) }),
		list(kindSubMesh, &m.SubMeshes, func(i int, s *SubMesh) { s.walk(c, i) }),
		optional(c, kindLink, &m.Skeleton, func(l *Link) {
			c.open(kindLink, -1, &l.Excess)
			c.text("_file", &l.File)
			c.close()
		}),
		list(kindShared, &m.Weights, func(i int, w *Weight) { w.walk(c, kindShared, i) }),
		optional(c, kindBounds, &m.Bounds, func(b *Bounds) {
			c.open(kindBounds, -1, &b.Excess)
			c.floats("min", b.Min[:])
			c.floats("max", b.Max[:])
			c.float("radius", &b.Radius)
			c.close()
		}),
		optional(c, kindNames, &m.Names, func(n *Names) {
			c.open(kindNames, -1, &n.Excess)
			c.parts(list(kindName, &n.List, func(i int, name *Name) {
				c.open(kindName, i, &name.Excess)
				c.u16("_submesh", &name.SubMesh)
				c.text("_name", &name.Name)
				c.close()
			}))
			c.close()
		}),
		optional(c, kindEdges, &m.Edges, func(e *Edges) {
			c.open(kindEdges, -1, &e.Excess)
			c.parts(list(kindLevel, &e.Levels, func(i int, l *EdgeLevel) { l.walk(c, i) }))
			c.close()
		}),
	)
	c.close()
}

func (s *SubMesh) walk(c *codec, i int) {
	c.open(kindSubMesh, i, &s.Excess)
	c.text("_material", &s.Material)
	c.boolean("shared", &s.Shared)
	count := c.count("indices", len(s.Indices))
	c.boolean("wide", &s.Wide)
	bits := 16
	if s.Wide {
		bits = 32
	}
	c.indices(count, bits, &s.Indices)
	geometry := []part{}
	if !s.Shared || !c.reads() {
		geometry = append(geometry, optional(c, kindGeometry, &s.Geometry, func(g *Geometry) { g.walk(c) }))
	}
	if s.Shared && s.Geometry != nil || !s.Shared && s.Geometry == nil && !c.reads() {
		c.fail("shared", "either its own geometry or the shared one", "both or none")
	}
	c.parts(append(geometry,
		optional(c, kindOperation, &s.Operation, func(o *Operation) {
			c.open(kindOperation, -1, &o.Excess)
			c.choice("_kind", &o.Kind, operationNames)
			c.close()
		}),
		list(kindWeight, &s.Weights, func(i int, w *Weight) { w.walk(c, kindWeight, i) }),
		list(kindAlias, &s.Aliases, func(i int, a *Alias) {
			c.open(kindAlias, i, &a.Excess)
			c.text("_name", &a.Name)
			c.text("_texture", &a.Texture)
			c.close()
		}),
	)...)
	if c.reads() && c.ok() && !s.Shared && s.Geometry == nil {
		new(Geometry).walk(c) // reports what is in its place
	}
	c.close()
}

// count is the number of elements of a list of which each needs at least one byte.
func (c *codec) count(name string, n int) int {
	v := uint32(n)
	c.u32(name, &v)
	return int(min(v, math.MaxInt32))
}

func (w *Weight) walk(c *codec, k kind, i int) {
	c.open(k, i, &w.Excess)
	c.u32("_vertex", &w.Vertex)
	c.u16("_bone", &w.Bone)
	c.float("_weight", &w.Weight)
	c.close()
}

func (g *Geometry) walk(c *codec) {
	c.open(kindGeometry, -1, &g.Excess)
	c.u32("vertices", &g.Count)
	c.parts(
		optional(c, kindDeclaration, &g.Declaration, func(d *Declaration) {
			c.open(kindDeclaration, -1, &d.Excess)
			c.parts(list(kindElement, &d.Elements, func(i int, e *Element) {
				c.open(kindElement, i, &e.Excess)
				c.u16("source", &e.Source)
				c.choice("type", &e.Type, typeNames)
				c.choice("semantic", &e.Semantic, semanticNames)
				c.u16("offset", &e.Offset)
				c.u16("index", &e.Index)
				c.close()
			}))
			c.close()
		}),
		list(kindBuffer, &g.Buffers, func(i int, b *Buffer) {
			c.open(kindBuffer, i, &b.Excess)
			c.u16("bind", &b.Bind)
			c.u16("stride", &b.Stride)
			c.open(kindData, -1, &b.DataExcess)
			c.vertices(int(min(g.Count, math.MaxInt32)), int(b.Stride), g.columns(b), &b.Data)
			c.close()
			c.close()
		}),
	)
	c.close()
}

func (l *EdgeLevel) walk(c *codec, i int) {
	c.open(kindLevel, i, &l.Excess)
	c.u16("_lod", &l.Level)
	c.boolean("manual", &l.Manual)
	if !l.Manual {
		c.boolean("closed", &l.Closed)
		triangles := c.count("triangles", len(l.Triangles))
		groups := c.count("groups", len(l.Groups))
		each(c, triangles, &l.Triangles, func(t *EdgeTriangle) {
			c.row()
			c.u32("_index_set", &t.IndexSet)
			c.u32("_vertex_set", &t.VertexSet)
			for i := range t.Vertices {
				c.u32("_vertex", &t.Vertices[i])
			}
			for i := range t.Shared {
				c.u32("_shared_vertex", &t.Shared[i])
			}
			c.floats("_normal", t.Normal[:])
		})
		index := 0
		each(c, groups, &l.Groups, func(g *EdgeGroup) {
			c.open(kindGroup, index, &g.Excess)
			index++
			c.u32("set", &g.VertexSet)
			c.u32("first", &g.First)
			c.u32("triangles", &g.Count)
			each(c, c.count("edges", len(g.Edges)), &g.Edges, func(e *Edge) {
				c.row()
				for _, pair := range []*[2]uint32{&e.Triangles, &e.Vertices, &e.Shared} {
					c.u32("_", &pair[0])
					c.u32("_", &pair[1])
				}
				c.u8("_degenerate", &e.Degenerate)
			})
			c.close()
		})
	} else if len(l.Triangles)+len(l.Groups) > 0 || l.Closed {
		c.fail("manual", "no edges", "a list of edges")
	}
	c.close()
}

// each walks a list after its count.
func each[T any](c *codec, count int, items *[]T, walk func(*T)) {
	for i := 0; i < count && c.ok(); i++ {
		if c.reads() {
			*items = append(*items, *new(T))
		}
		walk(&(*items)[i])
	}
}
