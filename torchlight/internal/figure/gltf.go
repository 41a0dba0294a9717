package figure

import (
	"bytes"
	"fmt"
	"image/png"
	"slices"

	"trowel.example/internal/picture/gltf"
)

// Model returns the figure with animations as a model. Its axes and lengths are those of the game.
func (f *Figure) Model(clips []*Clip) (*gltf.Model, error) {
	root := &gltf.Node{Name: f.stem()}
	if f.Scale != 1 {
		s := float32(f.Scale)
		root.Scale = [3]float32{s, s, s}
	}
	m := &gltf.Model{Nodes: []*gltf.Node{root}}
	var bones []*gltf.Node
	var skin *gltf.Skin
	if f.Bones != nil {
		bones = f.Bones.nodes(root)
		skin = &gltf.Skin{Name: f.stem(), Joints: bones, InverseBind: make([][16]float32, len(bones))}
		for i, inverse := range f.Bones.inverse {
			for r := range 3 {
				for c := range 4 {
					skin.InverseBind[i][4*c+r] = float32(inverse[r][c])
				}
			}
			skin.InverseBind[i][15] = 1
		}
	}
	materials, images := make(map[*Material]*gltf.Material), make(map[look]*gltf.Image)
	colors := make(map[*Geometry][][4]uint16) // parts may share vertices
	for _, p := range f.Parts {
		mat := materials[p.Material]
		if mat == nil {
			var err error
			if mat, err = p.Material.model(images); err != nil {
				return nil, err
			}
			materials[p.Material] = mat
		}
		if colors[p.Geometry] == nil {
			colors[p.Geometry] = p.linear()
		}
		node := &gltf.Node{Name: p.Name, Mesh: &gltf.Mesh{Name: p.Name, Primitives: []gltf.Primitive{p.primitive(mat, colors[p.Geometry])},
			Extras: map[string]any{"submesh": p.Index}}}
		if node.Name == "" {
			node.Name = fmt.Sprintf("submesh %d", p.Index)
			node.Mesh.Name = node.Name
		}
		if skin != nil && p.Joints != nil {
			node.Skin = skin
			m.Nodes = append(m.Nodes, node)
		} else {
			root.Children = append(root.Children, node)
		}
	}
	for _, c := range clips {
		if a := c.model(f.Bones, bones); len(a.Channels) > 0 {
			m.Animations = append(m.Animations, a)
		}
	}
	return m, nil
}

// nodes returns the bones as nodes below a root.
func (s *Skeleton) nodes(root *gltf.Node) []*gltf.Node {
	nodes := make([]*gltf.Node, len(s.Bones))
	for i, b := range s.Bones {
		nodes[i] = &gltf.Node{Name: b.Name, Translation: narrow(b.Position), Rotation: narrow4(b.Turn), Scale: narrow(b.transform.Scale)}
	}
	for i, b := range s.Bones {
		parent := root
		if b.Parent >= 0 {
			parent = nodes[b.Parent]
		}
		parent.Children = append(parent.Children, nodes[i])
	}
	return nodes
}

func narrow4(v [4]float64) [4]float32 {
	return [4]float32{float32(v[0]), float32(v[1]), float32(v[2]), float32(v[3])}
}

// linear returns the colours of vertices without the curve of sRGB.
func (g *Geometry) linear() (list [][4]uint16) {
	for _, c := range g.Colors {
		list = append(list, [4]uint16{gltf.Linear(c[0]), gltf.Linear(c[1]), gltf.Linear(c[2]), uint16(c[3]) * 257})
	}
	return list
}

// primitive returns the triangles of a part.
func (p *Part) primitive(mat *gltf.Material, colors [][4]uint16) gltf.Primitive {
	out := gltf.Primitive{Material: mat, Positions: p.Positions, Normals: p.Normals, TexCoords: p.Places, Colors: colors, Joints: p.Joints,
		Weights: p.Weights}
	for _, t := range p.Triangles {
		if !p.Material.Front && p.Material.Back {
			t[1], t[2] = t[2], t[1]
		}
		out.Indices = append(out.Indices, t[:]...)
	}
	return out
}

// look is what the picture of a material is made of.
type look struct {
	texture, glow *Texture
	alpha         Alpha
	cutoff        uint8
}

// model returns the material with its texture as PNG. Materials that look the same share their image.
func (m *Material) model(images map[look]*gltf.Image) (*gltf.Material, error) {
	out := &gltf.Material{Name: m.Name, DoubleSided: m.Front && m.Back, Unlit: m.Alpha == Add,
		Alpha: map[Alpha]gltf.Alpha{Opaque: gltf.Opaque, Mask: gltf.Mask, Blend: gltf.Blend, Add: gltf.Blend}[m.Alpha]}
	if m.Script != nil {
		out.Extras = map[string]any{"ogre": m.Script}
	}
	if m.Texture == nil {
		return out, nil
	}
	key := look{m.Texture, m.Glow, m.Alpha, m.Cutoff}
	if images[key] == nil {
		img := m.image()
		if m.Alpha == Mask {
			img = m.cut(img)
		}
		var data bytes.Buffer
		if err := png.Encode(&data, img); err != nil {
			return nil, err
		}
		images[key] = &gltf.Image{Name: m.Texture.Path, PNG: data.Bytes()}
	}
	out.Texture = &gltf.Texture{Image: images[key], Smooth: true}
	return out, nil
}

// model returns the clip as an animation of the nodes of bones.
func (c *Clip) model(s *Skeleton, bones []*gltf.Node) *gltf.Animation {
	out := &gltf.Animation{Name: c.Name}
	if c.Keys != nil {
		out.Extras = map[string]any{"keys": c.Keys}
	}
	for _, t := range c.Tracks {
		var times []float32
		var poses []transform
		for i, seconds := range t.Times {
			at := max(0, float32(seconds))
			if len(times) == 0 || at > times[len(times)-1] {
				times, poses = append(times, at), append(poses, t.Poses[i])
			}
		}
		own := s.Bones[t.Bone].transform
		for _, path := range []struct {
			path gltf.Path
			of   func(transform) [4]float32
		}{
			{gltf.Translation, func(t transform) [4]float32 { v := narrow(t.Position); return [4]float32{v[0], v[1], v[2]} }},
			{gltf.Rotation, func(t transform) [4]float32 { return narrow4(t.Turn) }},
			{gltf.Scale, func(t transform) [4]float32 { v := narrow(t.Scale); return [4]float32{v[0], v[1], v[2]} }},
		} {
			values := make([][4]float32, len(poses))
			for i, pose := range poses {
				values[i] = path.of(pose)
			}
			if !slices.ContainsFunc(values, func(v [4]float32) bool { return v != path.of(own) }) {
				continue // the bone has this value anyway
			}
			out.Channels = append(out.Channels, gltf.Channel{Node: bones[t.Bone], Path: path.path, Times: times, Values: values})
		}
	}
	return out
}
