package nodemesh

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"trowel.example/fault"
	"trowel.example/internal/bytes/bin"
	"trowel.example/internal/limits/effort"
)

// parseGLB reads the container of a glTF model and its buffer.
func parseGLB(data []byte) (*Model, error) {
	r := bin.NewReader(data, bin.LittleEndian)
	if magic := string(r.Bytes("magic", 4)); r.Err() == nil && magic != "glTF" {
		r.FailAt(0, "magic", fault.ErrFormat, "glTF, the first bytes of a .glb file", strconv.Quote(magic))
	}
	if version := r.U32("version"); r.Err() == nil && version != 2 {
		r.FailAt(4, "version", fault.ErrVersion, "2", strconv.Itoa(int(version)))
	}
	if size := r.U32("length"); r.Err() == nil && int64(size) != int64(len(data)) {
		r.FailAt(8, "length", fault.ErrFormat, fmt.Sprintf("%d, the size of the file", len(data)), strconv.Itoa(int(size)))
	}
	var text, buffer []byte
	var start int64
	for i := 0; r.Err() == nil && r.Len() > 0; i++ {
		n := r.Count32("chunk_length", 1)
		kind := string(r.Bytes("chunk_type", 4))
		at := r.Offset()
		chunk := r.Bytes("chunk", n)
		switch {
		case i == 0 && kind == "JSON":
			text, start = chunk, at
		case i == 0:
			r.FailAt(at-4, "chunk_type", fault.ErrFormat, "JSON", strconv.Quote(kind))
		case kind == "BIN\x00" && buffer == nil:
			buffer = chunk
		}
	}
	if r.Err() != nil {
		return nil, r.Err()
	}
	return parseGLTF(text, start, buffer)
}

// list is an array of JSON whose elements are decoded when they are used.
type list[T any] []json.RawMessage

// element returns an element of an array, with an error that names the array.
func element[T any](g *gltf, l list[T], name string, i int) (v T, err error) {
	if i < 0 || i >= len(l) {
		return v, wrong(name, fault.ErrFormat, fmt.Sprintf("fewer than %d", len(l)), fmt.Sprintf("a reference to %s %d", name, i))
	}
	if err := g.reuse.Spend(int64(len(l[i]))); err != nil {
		err.(*fault.Error).Path = name
		return v, err
	}
	if err := json.Unmarshal(l[i], &v); err != nil {
		return v, wrong(fmt.Sprintf("%s[%d]", name, i), fault.ErrFormat, "an object of glTF", err.Error())
	}
	return v, nil
}

func wrong(path string, err error, want, got string) error {
	return &fault.Error{Path: path, Offset: -1, Want: want, Got: got, Err: err}
}

type (
	// gltf is a glTF model that is being read.
	gltf struct {
		Extensions  []string `json:"extensionsRequired"`
		Scene       int
		Scenes      list[struct{ Nodes []int }]
		Nodes       list[gltfNode]
		Meshes      list[struct{ Primitives []gltfPrimitive }]
		Materials   list[gltfMaterial]
		Accessors   list[gltfAccessor]
		BufferViews list[gltfView]
		Buffers     list[gltfBuffer]

		own      []byte // the buffer of a .glb file
		opened   map[int][]byte
		seen     map[int]bool // nodes
		model    Model
		reuse    effort.Meter // counts decoded bytes of JSON
		elements int          // of accessors, that were read
		vertices int
		parts    int
	}
	gltfNode struct {
		Children           []int
		Mesh, Skin         *int
		Matrix             *matrix
		Translation, Scale *[3]float32
		Rotation           *[4]float32
	}
	gltfPrimitive struct {
		Attributes              map[string]int
		Indices, Material, Mode *int
	}
	gltfMaterial struct {
		Plain struct {
			Texture *struct{ Index int } `json:"baseColorTexture"`
		} `json:"pbrMetallicRoughness"`
	}
	gltfAccessor struct {
		BufferView                       *int
		ByteOffset, ComponentType, Count int
		Normalized                       bool
		Type                             string
		Sparse                           *struct {
			Count   int
			Indices struct{ BufferView, ByteOffset, ComponentType int }
			Values  struct{ BufferView, ByteOffset int }
		}
	}
	gltfView   struct{ Buffer, ByteOffset, ByteLength, ByteStride int }
	gltfBuffer struct {
		URI        *string
		ByteLength int
	}
)

// parseGLTF reads a glTF model. Text begins at a place in its file; own is the buffer that has no URI.
func parseGLTF(text []byte, start int64, own []byte) (*Model, error) {
	g := gltf{own: own, reuse: effort.ModelReuse.Start(int64(len(text))), opened: make(map[int][]byte), seen: make(map[int]bool)}
	if err := json.Unmarshal(text, &g); err != nil {
		at := int64(-1)
		if e, ok := errors.AsType[*json.SyntaxError](err); ok {
			at = start + e.Offset
		} else if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			at = start + e.Offset
		}
		return nil, &fault.Error{Offset: at, Want: "the JSON of glTF", Got: err.Error(), Err: fault.ErrFormat}
	}
	for _, e := range g.Extensions {
		if e != "KHR_mesh_quantization" && !strings.HasPrefix(e, "KHR_materials_") {
			return nil, wrong("extensionsRequired", fault.ErrVersion, "a model without this extension", e)
		}
	}
	roots, err := g.roots()
	for _, i := range roots {
		if err == nil {
			err = g.node(i, &identity, 0)
		}
	}
	return &g.model, err
}

// roots returns the nodes of the scene, or those without a parent if there is no scene.
func (g *gltf) roots() ([]int, error) {
	if len(g.Scenes) > 0 {
		scene, err := element(g, g.Scenes, "scenes", g.Scene)
		return scene.Nodes, err
	}
	inner := make(map[int]bool)
	for i := range g.Nodes {
		node, err := element(g, g.Nodes, "nodes", i)
		if err != nil {
			return nil, err
		}
		for _, c := range node.Children {
			inner[c] = true
		}
	}
	var roots []int
	for i := range g.Nodes {
		if !inner[i] {
			roots = append(roots, i)
		}
	}
	return roots, nil
}

func (g *gltf) node(i int, parent *matrix, depth int) error {
	path := fmt.Sprintf("nodes[%d]", i)
	if g.seen[i] {
		return wrong(path, fault.ErrFormat, "one parent for each node", "more")
	}
	if err := effort.ModelDepth.Check(path, int64(depth)); err != nil {
		return err
	}
	g.seen[i] = true
	n, err := element(g, g.Nodes, "nodes", i)
	if err != nil {
		return err
	}
	at := n.Matrix
	if at == nil {
		scale, turn, to := [3]float32{1, 1, 1}, [4]float32{3: 1}, [3]float32{}
		if n.Scale != nil {
			scale = *n.Scale
		}
		if n.Rotation != nil {
			turn = *n.Rotation
		}
		if n.Translation != nil {
			to = *n.Translation
		}
		at = placed(scale, turn, to)
	}
	at = parent.times(at)
	if n.Mesh != nil {
		mesh, err := element(g, g.Meshes, "meshes", *n.Mesh)
		if err != nil {
			return err
		}
		move := at
		if n.Skin != nil {
			move = &identity // the joints place it
		}
		for k := range mesh.Primitives {
			if err := g.primitive(fmt.Sprintf("meshes[%d].primitives[%d]", *n.Mesh, k), &mesh.Primitives[k], move); err != nil {
				return err
			}
		}
	}
	for _, c := range n.Children {
		if err := g.node(c, at, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// primitive adds a part. Points and lines have no faces.
func (g *gltf) primitive(path string, p *gltfPrimitive, at *matrix) error {
	part := Part{Tile: g.parts}
	g.parts++
	if p.Material != nil {
		m, err := element(g, g.Materials, "materials", *p.Material)
		if err != nil {
			return err
		}
		if m.Plain.Texture != nil {
			part.Tile = m.Plain.Texture.Index
		}
	}
	if part.Tile < 0 {
		return wrong(path, fault.ErrFormat, "a texture of 0 or more", strconv.Itoa(part.Tile))
	}
	part.Tile = min(part.Tile, 5)
	place, is := p.Attributes["POSITION"]
	if !is {
		return nil
	}
	places, err := g.numbers(place, 3)
	if err != nil {
		return err
	}
	g.vertices += len(places) / 3
	if err := effort.ModelVertices.Check(path, int64(g.vertices)); err != nil {
		return err
	}
	part.Vertices = make([]ModelVertex, len(places)/3)
	for name, width := range map[string]int{"NORMAL": 3, "TEXCOORD_0": 2} {
		i, is := p.Attributes[name]
		if !is {
			continue
		}
		numbers, err := g.numbers(i, width)
		if err == nil && len(numbers)/width != len(part.Vertices) {
			err = wrong(path+"."+name, fault.ErrFormat, fmt.Sprintf("%d, as many as POSITION has", len(part.Vertices)),
				strconv.Itoa(len(numbers)/width))
		}
		if err != nil {
			return err
		}
		for k := range part.Vertices {
			if width == 3 {
				part.Vertices[k].Normal = [3]float32(numbers[3*k:])
			} else {
				part.Vertices[k].UV = [2]float32(numbers[2*k:])
			}
		}
	}
	for k := range part.Vertices {
		v := &part.Vertices[k]
		v.Pos = [3]float32(places[3*k:])
		*v = v.moved(at)
		v.Pos[0], v.Normal[0] = -v.Pos[0], -v.Normal[0] // x is mirrored
		if !v.finite() {
			return wrong(path, fault.ErrFormat, "finite vertices", fmt.Sprintf("%v as vertex %d", v.Pos, k))
		}
	}
	if part.Indices, err = g.indices(path, p, len(part.Vertices)); err == nil && len(part.Indices) > 0 {
		g.model.Parts = append(g.model.Parts, part)
	}
	return err
}

// indices returns the triangles of a primitive.
func (g *gltf) indices(path string, p *gltfPrimitive, vertices int) ([]uint32, error) {
	order := make([]uint32, vertices)
	for i := range order {
		order[i] = uint32(i)
	}
	if p.Indices != nil {
		numbers, err := g.numbers(*p.Indices, 1)
		if err != nil {
			return nil, err
		}
		order = make([]uint32, len(numbers))
		for i, n := range numbers {
			if !(n >= 0 && n < float32(vertices)) {
				return nil, wrong(path+".indices", fault.ErrFormat, fmt.Sprintf("fewer than %d", vertices), fmt.Sprint(n))
			}
			order[i] = uint32(n)
		}
	}
	mode := 4
	if p.Mode != nil {
		mode = *p.Mode
	}
	var all []uint32
	add := func(a, b, c uint32) { all = append(all, a, c, b) } // mirrored, so turned round
	switch mode {
	case 0, 1, 2, 3:
	case 4:
		for i := 0; i+3 <= len(order); i += 3 {
			add(order[i], order[i+1], order[i+2])
		}
	case 5:
		for i := 0; i+3 <= len(order); i++ {
			add(order[i], order[i+1+i%2], order[i+2-i%2])
		}
	case 6:
		for i := 2; i < len(order); i++ {
			add(order[0], order[i-1], order[i])
		}
	default:
		return nil, wrong(path+".mode", fault.ErrFormat, "0 to 6", strconv.Itoa(mode))
	}
	return slices.Clip(all), nil
}
