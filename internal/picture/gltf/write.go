package gltf

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// Numbers of the format.
const (
	unsignedShort = 5123
	unsignedInt   = 5125
	float         = 5126

	forVertices = 34962
	forIndices  = 34963

	nearest            = 9728
	linear             = 9729
	linearMipmapLinear = 9987
	repeat             = 10497
	clampToEdge        = 33071

	unlit = "KHR_materials_unlit"
)

// Write writes a model. It returns an error for a model that is not valid: lists of different lengths, indices out of
// range, numbers that are not finite, times that do not grow, and nodes with two parents. The lists are not copied.
func Write(w io.Writer, m *Model) error {
	g := writer{
		doc:   document{Asset: asset{Version: "2.0", Generator: "Trowel", Copyright: m.Copyright}, Scenes: make([]scene, 1)},
		lists: make(map[any]int), joined: make(map[jointsOf]bool),
		nodes: make(map[*Node]int), meshes: make(map[*Mesh]int), skins: make(map[*Skin]int),
		materials: make(map[*Material]int), images: make(map[*Image]int),
	}
	for _, n := range m.Nodes {
		g.doc.Scenes[0].Nodes = append(g.doc.Scenes[0].Nodes, g.node(n))
	}
	for _, n := range g.order { // skins need the indices of all nodes
		at := &g.doc.Nodes[g.nodes[n]]
		if n.Mesh != nil {
			at.Mesh = new(g.mesh(n.Mesh))
		}
		if n.Skin != nil {
			at.Skin = new(g.skin(n.Skin))
			for i, p := range n.Mesh.primitives() {
				g.joints(fmt.Sprintf("mesh %q: primitive %d", n.Mesh.Name, i), &p, len(n.Skin.Joints))
			}
		}
	}
	for _, a := range m.Animations {
		g.animation(a)
	}
	if g.err != nil {
		return fmt.Errorf("gltf: %w", g.err)
	}
	return g.write(w)
}

// writer collects the JSON of a model and the parts of its buffer.
type writer struct {
	doc   document
	parts []func(w *bufio.Writer) // one for each bufferView, which writes its bytes
	size  int64                   // of the buffer
	err   error                   // the first one

	lists     map[any]int // accessors, by the address of the first element and the type
	joined    map[jointsOf]bool
	nodes     map[*Node]int
	order     []*Node
	meshes    map[*Mesh]int
	skins     map[*Skin]int
	materials map[*Material]int
	images    map[*Image]int
}

// jointsOf is a list of joints, by its first element, and the number of joints of its skin.
type jointsOf struct {
	first *[4]uint16
	most  int
}

func (g *writer) fail(format string, args ...any) {
	if g.err == nil {
		g.err = fmt.Errorf(format, args...)
	}
}

// node adds a node and those below it, and returns its index.
func (g *writer) node(n *Node) int {
	i := len(g.doc.Nodes)
	if _, twice := g.nodes[n]; twice {
		g.fail("node %q has two parents", n.Name)
		return i
	}
	g.nodes[n] = i
	g.order = append(g.order, n)
	out := node{Name: n.Name}
	if n.Translation != [3]float32{} {
		out.Translation = &n.Translation
	}
	if n.Rotation != [4]float32{} && n.Rotation != [4]float32{0, 0, 0, 1} {
		out.Rotation = &n.Rotation
	}
	if n.Scale != [3]float32{} && n.Scale != [3]float32{1, 1, 1} {
		out.Scale = &n.Scale
	}
	g.doc.Nodes = append(g.doc.Nodes, out)
	for _, child := range n.Children {
		c := g.node(child)
		g.doc.Nodes[i].Children = append(g.doc.Nodes[i].Children, c)
	}
	return i
}

// once returns the index of a value, which it adds to a list if it is new.
func once[K comparable, V any](known map[K]int, key K, list *[]V, make func() V) int {
	i, is := known[key]
	if !is {
		v := make()
		i = len(*list)
		*list = append(*list, v)
		known[key] = i
	}
	return i
}

// primitives returns the primitives of a mesh, which may be nil.
func (m *Mesh) primitives() []Primitive {
	if m == nil {
		return nil
	}
	return m.Primitives
}

func (g *writer) mesh(m *Mesh) int {
	return once(g.meshes, m, &g.doc.Meshes, func() mesh {
		out := mesh{Name: m.Name, Extras: m.Extras}
		if len(m.Primitives) == 0 {
			g.fail("mesh %q has no primitive", m.Name)
		}
		for i := range m.Primitives {
			out.Primitives = append(out.Primitives, g.primitive(fmt.Sprintf("mesh %q: primitive %d", m.Name, i), &m.Primitives[i]))
		}
		return out
	})
}

func (g *writer) primitive(where string, p *Primitive) primitive {
	n := len(p.Positions)
	if n == 0 || len(p.Indices) == 0 || len(p.Indices)%3 != 0 {
		g.fail("%s: %d positions, %d indices", where, n, len(p.Indices))
	}
	for _, i := range p.Indices {
		if int64(i) >= int64(n) {
			g.fail("%s: index %d of %d vertices", where, i, n)
			break
		}
	}
	out := primitive{Attributes: make(map[string]int)}
	vertices := func(name string, length int, add func() int) {
		if length == n {
			out.Attributes[name] = add()
		} else if length != 0 {
			g.fail("%s: %d positions, but %s has %d", where, n, name, length)
		}
	}
	vertices("POSITION", n, func() int { return floats(g, where, p.Positions, "VEC3", forVertices, true) })
	vertices("NORMAL", len(p.Normals), func() int { return floats(g, where, p.Normals, "VEC3", forVertices, false) })
	vertices("TEXCOORD_0", len(p.TexCoords), func() int { return floats(g, where, p.TexCoords, "VEC2", forVertices, false) })
	vertices("COLOR_0", len(p.Colors), func() int { return shorts(g, p.Colors, true) })
	vertices("JOINTS_0", len(p.Joints), func() int { return shorts(g, p.Joints, false) })
	vertices("WEIGHTS_0", len(p.Weights), func() int { return floats(g, where, p.Weights, "VEC4", forVertices, false) })
	out.Indices = g.indices(p.Indices, n)
	if p.Material != nil {
		out.Material = new(g.material(p.Material))
	}
	return out
}

// joints checks the joints of a primitive of a mesh that has a skin.
func (g *writer) joints(where string, p *Primitive, n int) {
	if len(p.Joints) != len(p.Positions) || len(p.Weights) != len(p.Positions) {
		g.fail("%s: a skin, but %d joints and %d weights for %d positions", where, len(p.Joints), len(p.Weights), len(p.Positions))
	}
	if n == 0 || len(p.Joints) == 0 || g.joined[jointsOf{&p.Joints[0], n}] {
		return
	}
	g.joined[jointsOf{&p.Joints[0], n}] = true
	for _, v := range p.Joints {
		if int(slices.Max(v[:])) >= n {
			g.fail("%s: joint %d of %d", where, slices.Max(v[:]), n)
			return
		}
	}
}

func (g *writer) material(m *Material) int {
	return once(g.materials, m, &g.doc.Materials, func() material {
		out := material{Name: m.Name, DoubleSided: m.DoubleSided, PBR: pbr{Color: m.Color}, Extras: m.Extras}
		switch m.Alpha {
		case Mask:
			out.AlphaMode = "MASK" // alphaCutoff defaults to 0.5
		case Blend:
			out.AlphaMode = "BLEND"
		}
		if m.Unlit {
			out.Extensions = map[string]struct{}{unlit: {}}
			if g.doc.ExtensionsUsed == nil {
				g.doc.ExtensionsUsed = []string{unlit}
			}
		}
		if m.Texture != nil {
			out.PBR.Texture = &reference{g.texture(m.Texture)}
		}
		return out
	})
}

func (g *writer) texture(t *Texture) int {
	s := sampler{nearest, nearest, repeat, repeat}
	if t.Smooth {
		s.MagFilter, s.MinFilter = linear, linearMipmapLinear
	}
	if t.ClampU {
		s.WrapS = clampToEdge
	}
	if t.ClampV {
		s.WrapT = clampToEdge
	}
	picture := once(g.images, t.Image, &g.doc.Images, func() image {
		if len(t.Image.PNG) == 0 {
			g.fail("image %q is empty", t.Image.Name)
		}
		view := g.view(int64(len(t.Image.PNG)), 0, func(w *bufio.Writer) { w.Write(t.Image.PNG) })
		return image{t.Image.Name, "image/png", view}
	})
	return index(&g.doc.Textures, texture{index(&g.doc.Samplers, s), picture})
}

// index returns the index of a value in a list, and appends it if it is new.
func index[T comparable](list *[]T, v T) int {
	i := slices.Index(*list, v)
	if i < 0 {
		i = len(*list)
		*list = append(*list, v)
	}
	return i
}

func (g *writer) skin(s *Skin) int {
	return once(g.skins, s, &g.doc.Skins, func() skin {
		out := skin{Name: s.Name}
		if len(s.Joints) == 0 || s.InverseBind != nil && len(s.InverseBind) != len(s.Joints) {
			g.fail("skin %q: %d joints, %d matrices", s.Name, len(s.Joints), len(s.InverseBind))
		}
		for _, n := range s.Joints {
			out.Joints = append(out.Joints, g.inScene(n))
		}
		if len(s.InverseBind) != 0 {
			out.InverseBind = new(floats(g, "skin "+s.Name, s.InverseBind, "MAT4", 0, false))
		}
		return out
	})
}

// inScene returns the index of a node that another part of the model refers to.
func (g *writer) inScene(n *Node) int {
	i, is := g.nodes[n]
	if !is {
		g.fail("node %q is not in the scene", n.Name)
	}
	return i
}

func (g *writer) animation(a *Animation) {
	out := animation{Name: a.Name, Extras: a.Extras}
	if len(a.Channels) == 0 {
		g.fail("animation %q has no channel", a.Name)
	}
	for i := range a.Channels {
		c := &a.Channels[i]
		where := fmt.Sprintf("animation %q: channel %d", a.Name, i)
		if len(c.Times) == 0 || len(c.Times) != len(c.Values) {
			g.fail("%s: %d times, %d values", where, len(c.Times), len(c.Values))
			return
		}
		for i, t := range c.Times {
			if t < 0 || i > 0 && t <= c.Times[i-1] {
				g.fail("%s: time %v does not grow", where, t)
			}
		}
		s := animationSample{Input: g.times(where, c.Times)}
		if c.Path == Rotation {
			s.Output = floats(g, where, c.Values, "VEC4", 0, false)
		} else {
			places := make([][3]float32, len(c.Values))
			for i, v := range c.Values {
				places[i] = [3]float32(v[:3])
			}
			s.Output = floats(g, where, places, "VEC3", 0, false)
		}
		out.Channels = append(out.Channels, channel{len(out.Samplers), target{g.inScene(c.Node), c.Path}})
		out.Samplers = append(out.Samplers, s)
	}
	g.doc.Animations = append(g.doc.Animations, out)
}

// times adds the times of a channel. Channels with equal times share them.
func (g *writer) times(where string, list []float32) int {
	type key string
	k := key(fmt.Sprint(list))
	i, is := g.lists[k]
	if !is {
		times := make([][1]float32, len(list))
		for i, t := range list {
			times[i][0] = t
		}
		i = floats(g, where, times, "SCALAR", 0, true)
		g.lists[k] = i
	}
	return i
}

// vector is an element of an accessor.
type vector interface {
	[1]float32 | [2]float32 | [3]float32 | [4]float32 | [16]float32
}

// floats adds an accessor of floats, with its bounds if these are needed.
func floats[T vector](g *writer, where string, list []T, kind string, use int, bounds bool) int {
	if len(list) == 0 {
		return 0
	}
	return once(g.lists, any(&list[0]), &g.doc.Accessors, func() accessor {
		out := accessor{ComponentType: float, Count: len(list), Type: kind}
		low, high := list[0], list[0]
		for _, v := range list {
			for i := range len(v) {
				if f := float64(v[i]); math.IsNaN(f) || math.IsInf(f, 0) {
					g.fail("%s: a number is %v", where, f)
				}
				low[i], high[i] = min(low[i], v[i]), max(high[i], v[i])
			}
		}
		for i := range len(low) {
			if bounds {
				out.Min, out.Max = append(out.Min, float64(low[i])), append(out.Max, float64(high[i]))
			}
		}
		out.BufferView = g.view(4*int64(len(low))*int64(len(list)), use, func(w *bufio.Writer) {
			for _, v := range list {
				b := w.AvailableBuffer()
				for i := range len(v) {
					b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v[i]))
				}
				w.Write(b)
			}
		})
		return out
	})
}

// shorts adds an accessor of colours or joints.
func shorts(g *writer, list [][4]uint16, normalized bool) int {
	return once(g.lists, any(&list[0]), &g.doc.Accessors, func() accessor {
		view := g.view(8*int64(len(list)), forVertices, func(w *bufio.Writer) {
			for _, v := range list {
				b := w.AvailableBuffer()
				for _, n := range v {
					b = binary.LittleEndian.AppendUint16(b, n)
				}
				w.Write(b)
			}
		})
		return accessor{BufferView: view, ComponentType: unsignedShort, Normalized: normalized, Count: len(list), Type: "VEC4"}
	})
}

// indices adds an accessor of indices of vertices, in the smaller type that can state them. The greatest number of
// a type is not an index.
func (g *writer) indices(list []uint32, vertices int) int {
	if len(list) == 0 {
		return 0
	}
	return once(g.lists, any(&list[0]), &g.doc.Accessors, func() accessor {
		size, kind := int64(4), unsignedInt
		if vertices <= math.MaxUint16 {
			size, kind = 2, unsignedShort
		}
		view := g.view(size*int64(len(list)), forIndices, func(w *bufio.Writer) {
			for _, n := range list {
				if size == 2 {
					w.Write(binary.LittleEndian.AppendUint16(w.AvailableBuffer(), uint16(n)))
				} else {
					w.Write(binary.LittleEndian.AppendUint32(w.AvailableBuffer(), n))
				}
			}
		})
		return accessor{BufferView: view, ComponentType: kind, Count: len(list), Type: "SCALAR"}
	})
}

// view adds a part of the buffer.
func (g *writer) view(size int64, use int, part func(w *bufio.Writer)) int {
	g.doc.BufferViews = append(g.doc.BufferViews, bufferView{ByteOffset: g.size, ByteLength: size, Target: use})
	g.parts = append(g.parts, part)
	g.size += padded(size)
	return len(g.parts) - 1
}

// padded returns a size with what follows it to a multiple of 4.
func padded(n int64) int64 { return (n + 3) &^ 3 }

// write writes the file: a header, the JSON and the buffer.
func (g *writer) write(to io.Writer) error {
	if g.size != 0 {
		g.doc.Buffers = []buffer{{g.size}}
	}
	text, err := json.Marshal(&g.doc)
	if err != nil {
		return fmt.Errorf("gltf: %w", err)
	}
	for len(text)%4 != 0 {
		text = append(text, ' ')
	}
	total := 12 + 8 + int64(len(text))
	if g.size != 0 {
		total += 8 + g.size
	}
	if total > math.MaxUint32 {
		return errors.New("gltf: the file would exceed 4 GiB")
	}
	w := bufio.NewWriterSize(to, 1<<16)
	number := func(n int64) { w.Write(binary.LittleEndian.AppendUint32(w.AvailableBuffer(), uint32(n))) }
	w.WriteString("glTF")
	number(2)
	number(total)
	number(int64(len(text)))
	w.WriteString("JSON")
	w.Write(text)
	if g.size != 0 {
		number(g.size)
		w.WriteString("BIN\x00")
	}
	for i, part := range g.parts {
		part(w)
		for n := g.doc.BufferViews[i].ByteLength; n%4 != 0; n++ {
			w.WriteByte(0)
		}
	}
	return w.Flush()
}
