package textured

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image/png"
	"math"
	"slices"
	"strings"

	"trowel.example/internal/limits/effort"
	"trowel.example/internal/picture/gltf"
	"trowel.example/minetest/internal/nodemesh"
)

// pieceSide is the edge of the cubes of nodes that become one mesh.
const pieceSide = 32

// Model returns the nodes of a box of a volume as a model, both corners inclusive. Its origin is the low corner of
// the box, and -z is the north. Daylight is the light of the time of day, from 0 to 1, unless the volume is unlit. More faces than
// most allows are an error that wraps [fault.ErrLimit].
func (g *Game) Model(ctx context.Context, v *nodemesh.Volume, low, high [3]int, daylight float64, most *effort.Kind) (*gltf.Model, error) {
	light := v.Daylight(daylight)
	return g.model(ctx, v, low, high, most, func(c [4]uint8) [4]uint16 {
		rgb := light.Color(c)
		return [4]uint16{gltf.Linear(rgb[0]), gltf.Linear(rgb[1]), gltf.Linear(rgb[2]), math.MaxUint16}
	})
}

// Lights is [Game.Model] for any time of day: the colours are those of [nodemesh.Vertex], divided by 255.
func (g *Game) Lights(ctx context.Context, v *nodemesh.Volume, low, high [3]int, most *effort.Kind) (*gltf.Model, error) {
	return g.model(ctx, v, low, high, most, func(c [4]uint8) (wide [4]uint16) {
		for i := range c {
			wide[i] = uint16(c[i]) * (math.MaxUint16 / math.MaxUint8)
		}
		return wide
	})
}

func (g *Game) model(ctx context.Context, v *nodemesh.Volume, low, high [3]int, most *effort.Kind,
	color func([4]uint8) [4]uint16) (*gltf.Model, error) {
	m := &modeller{game: g, color: color, ctx: ctx, most: most, images: make(map[string]*gltf.Image), out: new(gltf.Model)}
	for a := range 3 {
		m.corner[a] = float32(low[a]-v.Origin[a]) - .5
	}
	for z := low[2]; z <= high[2]; z += pieceSide {
		for y := low[1]; y <= high[1]; y += pieceSide {
			for x := low[0]; x <= high[0]; x += pieceSide {
				m.parts, m.cubes = nil, m.cubes[:0]
				to := [3]int{min(x+pieceSide-1, high[0]), min(y+pieceSide-1, high[1]), min(z+pieceSide-1, high[2])}
				v.Faces([3]int{x, y, z}, to, m.face)
				m.merge()
				if m.err == nil {
					m.err = ctx.Err()
				}
				if m.err != nil {
					return nil, m.err
				}
				m.mesh(fmt.Sprintf("%d,%d,%d", x, y, z))
			}
		}
	}
	return m.out, nil
}

// modeller makes a model of faces.
type modeller struct {
	game   *Game
	color  func([4]uint8) [4]uint16 // of a vertex
	ctx    context.Context
	out    *gltf.Model
	faces  int
	most   *effort.Kind // faces
	pixels int
	corner nodemesh.Vec // the low corner of the box, in the volume
	err    error

	materials []nodemesh.Material
	made      []*gltf.Material // for each material; nil: not made yet, or its image is empty
	images    map[string]*gltf.Image

	parts []*gltf.Primitive // of the mesh, for each material
	cubes []side
}

// side is a side of a cube that may be merged with others.
type side struct {
	face nodemesh.Face
	run  int // faces along u that are merged
	key  sideKey
	at   [2]int // along the sides of the texture: to the right and down
}

// sideKey is equal for faces that can be merged: in one plane, with one material, colour and pattern.
type sideKey struct {
	material    int
	over        bool
	color       [4]uint8
	right, down [3]int8
	plane       int
	pattern     [6]int32 // how the place on the texture changes to the right and down, and where it is at 0, in steps
}

// face adds a face.
func (m *modeller) face(f *nodemesh.Face) bool {
	for len(m.materials) <= f.Material {
		m.materials = m.game.Materials()
		m.made = append(m.made, make([]*gltf.Material, len(m.materials)-len(m.made))...)
	}
	if s, is := m.side(f); is {
		m.cubes = append(m.cubes, s)
	} else {
		m.add(f)
	}
	return m.err == nil
}

// steps is the number of parts of a texture's side that patterns distinguish.
const steps = 1 << 16

// side returns a face as a side of a cube, if it can be merged with others.
func (m *modeller) side(f *nodemesh.Face) (s side, is bool) {
	mat := &m.materials[f.Material]
	c := f.V[0].Color
	if !f.Cube || !mat.RepeatU || !mat.RepeatV || f.V[1].Color != c || f.V[2].Color != c || f.V[3].Color != c {
		return s, false
	}
	s = side{face: *f, run: 1, key: sideKey{material: f.Material, over: f.Over, color: c}}
	for a := range 3 {
		at := int(math.Round(float64(f.V[0].Pos[a]) * 2))
		right, down := int8(math.Round(float64(f.V[1].Pos[a]-f.V[0].Pos[a]))), int8(math.Round(float64(f.V[3].Pos[a]-f.V[0].Pos[a])))
		s.key.right[a], s.key.down[a] = right, down
		s.at[0] += at * int(right) >> 1
		s.at[1] += at * int(down) >> 1
		if right == 0 && down == 0 {
			s.key.plane = at
		}
	}
	step := func(f float32) int32 { return int32(math.Round(float64(f) * steps)) }
	for i := range 2 {
		right, down := step(f.V[1].UV[i]-f.V[0].UV[i]), step(f.V[3].UV[i]-f.V[0].UV[i])
		zero := step(f.V[0].UV[i]) - int32(s.at[0])*right - int32(s.at[1])*down
		s.key.pattern[i], s.key.pattern[2+i], s.key.pattern[4+i] = right, down, zero&(steps-1)
	}
	return s, true
}

func (k *sideKey) compare(o *sideKey) int {
	over := func(k *sideKey) int {
		if k.over {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(k.material, o.material), cmp.Compare(over(k), over(o)), slices.Compare(k.color[:], o.color[:]),
		slices.Compare(k.right[:], o.right[:]), slices.Compare(k.down[:], o.down[:]), cmp.Compare(k.plane, o.plane),
		slices.Compare(k.pattern[:], o.pattern[:]))
}

// merge adds the sides of cubes: first those beside each other become one, then equal ones below each other.
func (m *modeller) merge() {
	slices.SortFunc(m.cubes, func(a, b side) int {
		return cmp.Or(a.key.compare(&b.key), cmp.Compare(a.at[1], b.at[1]), cmp.Compare(a.at[0], b.at[0]))
	})
	rows := m.cubes[:0]
	for _, s := range m.cubes {
		if n := len(rows); n > 0 {
			last := &rows[n-1]
			if last.key == s.key && last.at[1] == s.at[1] && last.at[0]+last.run == s.at[0] {
				last.run++
				continue
			}
		}
		rows = append(rows, s)
	}
	slices.SortFunc(rows, func(a, b side) int {
		return cmp.Or(a.key.compare(&b.key), cmp.Compare(a.at[0], b.at[0]), cmp.Compare(a.run, b.run), cmp.Compare(a.at[1], b.at[1]))
	})
	for i := 0; i < len(rows) && m.err == nil; {
		first, n := &rows[i], 1
		for ; i+n < len(rows); n++ {
			s := &rows[i+n]
			if s.key != first.key || s.at[0] != first.at[0] || s.run != first.run || s.at[1] != first.at[1]+n {
				break
			}
		}
		f := &first.face
		stretch(f, 1, 0, 2, 3, first.run)
		stretch(f, 3, 0, 2, 1, n)
		m.add(f)
		i += n
	}
}

// stretch makes a face n times as long in the direction from a corner to the corner to. The other side goes from
// the corner other to the corner far.
func stretch(f *nodemesh.Face, to, from, far, other, n int) {
	for _, e := range [2][2]int{{from, to}, {other, far}} {
		a, b := &f.V[e[0]], &f.V[e[1]]
		for i := range b.Pos {
			b.Pos[i] = a.Pos[i] + (b.Pos[i]-a.Pos[i])*float32(n)
		}
		for i := range b.UV {
			b.UV[i] = a.UV[i] + (b.UV[i]-a.UV[i])*float32(n)
		}
	}
}

// overlay is how far overlays are in front of their tiles, in nodes.
const overlay = .001

// add adds a face to the mesh.
func (m *modeller) add(f *nodemesh.Face) {
	mat := m.material(f.Material)
	if mat == nil || m.err != nil {
		return
	}
	m.faces++
	if m.err = m.most.Check("", int64(m.faces)); m.err != nil {
		return
	}
	if m.faces%4096 == 0 {
		m.err = m.ctx.Err()
	}
	if len(m.parts) <= f.Material {
		m.parts = append(m.parts, make([]*gltf.Primitive, len(m.materials)-len(m.parts))...)
	}
	p := m.parts[f.Material]
	if p == nil {
		p = &gltf.Primitive{Material: mat}
		m.parts[f.Material] = p
	}
	first := uint32(len(p.Positions))
	var shift nodemesh.Vec
	if f.Over {
		shift = front(f)
	}
	for a := range 3 {
		shift[a] = shift[a]*overlay - m.corner[a]
	}
	for i := range f.N {
		v := &f.V[i]
		p.Positions = append(p.Positions, [3]float32{v.Pos[0] + shift[0], v.Pos[1] + shift[1], -v.Pos[2] - shift[2]})
		p.TexCoords = append(p.TexCoords, v.UV)
		p.Colors = append(p.Colors, m.color(v.Color))
	}
	for _, t := range f.Triangles() { // the mirrored z turns them round
		p.Indices = append(p.Indices, first+uint32(t[0]), first+uint32(t[2]), first+uint32(t[1]))
	}
}

// front returns the direction that a face looks to.
func front(f *nodemesh.Face) (n nodemesh.Vec) {
	var a, b nodemesh.Vec
	for i := range a {
		a[i], b[i] = f.V[1].Pos[i]-f.V[0].Pos[i], f.V[2].Pos[i]-f.V[0].Pos[i]
	}
	n = nodemesh.Vec{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
	length := float32(math.Sqrt(float64(n[0]*n[0] + n[1]*n[1] + n[2]*n[2])))
	if length == 0 {
		return nodemesh.Vec{}
	}
	for i := range n {
		n[i] /= length
	}
	return n
}

// material returns a material, or nil if its image is empty.
func (m *modeller) material(i int) *gltf.Material {
	if m.made[i] != nil {
		return m.made[i]
	}
	mat := &m.materials[i]
	img, known := m.images[mat.Texture]
	if !known {
		img = m.image(mat.Texture)
		m.images[mat.Texture] = img
	}
	if img == nil {
		return nil
	}
	m.made[i] = &gltf.Material{
		Name: img.Name, Texture: &gltf.Texture{Image: img, ClampU: !mat.RepeatU, ClampV: !mat.RepeatV},
		Alpha: gltf.Alpha(mat.Alpha), Unlit: true, DoubleSided: !mat.Culling,
	}
	return m.made[i]
}

// maxName is the length of a texture string that becomes the name of an image.
const maxName = 100

// image returns the image of a texture string, or nil if it is empty.
func (m *modeller) image(text string) *gltf.Image {
	img := m.game.files.Image(text)
	if img == nil || img.Rect.Empty() {
		return nil
	}
	if m.pixels += img.Rect.Dx() * img.Rect.Dy(); m.err == nil {
		if m.err = effort.WorldModelTexels.Check("", int64(m.pixels)); m.err != nil {
			return nil
		}
	}
	var data bytes.Buffer
	if err := png.Encode(&data, img); err != nil {
		m.err = err
		return nil
	}
	if len(text) > maxName {
		text = strings.ToValidUTF8(text[:maxName], "") + "..."
	}
	return &gltf.Image{Name: text, PNG: data.Bytes()}
}

// mesh adds the faces since the last mesh to the model.
func (m *modeller) mesh(name string) {
	out := &gltf.Mesh{Name: name}
	for _, p := range m.parts {
		if p == nil {
			continue
		}
		white := [4]uint16{math.MaxUint16, math.MaxUint16, math.MaxUint16, math.MaxUint16}
		if !slices.ContainsFunc(p.Colors, func(c [4]uint16) bool { return c != white }) {
			p.Colors = nil
		}
		out.Primitives = append(out.Primitives, *p)
	}
	if len(out.Primitives) > 0 {
		m.out.Nodes = append(m.out.Nodes, &gltf.Node{Name: name, Mesh: out})
	}
}
