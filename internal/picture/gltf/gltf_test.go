package gltf_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"image"
	"image/png"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/picture/gltf"
	"trowel.example/internal/testing/judge"
)

// sample returns a model that uses everything: two triangles, one of them with a skin that a clip moves.
func sample(t *testing.T) *gltf.Model {
	t.Helper()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewNRGBA(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	img := &gltf.Image{Name: "stone", PNG: picture.Bytes()}
	ground := &gltf.Material{Name: "ground", Texture: &gltf.Texture{Image: img}, Unlit: true}
	cloth := &gltf.Material{Name: "cloth", Texture: &gltf.Texture{Image: img, ClampU: true, Smooth: true}, Alpha: gltf.Mask, DoubleSided: true}
	glass := &gltf.Material{Name: "glass", Color: &[4]float32{1, 0.5, 0.25, 0.5}, Alpha: gltf.Blend}
	places := [][3]float32{{0, 0, 0}, {0.1, 0, 0}, {0, 0.3, -7}}
	uv := [][2]float32{{0, 0}, {1, 0}, {0, 1}}
	floor := gltf.Primitive{Material: ground, Positions: places, TexCoords: uv, Indices: []uint32{0, 1, 2},
		Colors: [][4]uint16{{1, 2, 3, 65535}, {4, 5, 6, 65535}, {7, 8, 9, 65535}}}
	pane := gltf.Primitive{Material: glass, Positions: places, Indices: []uint32{2, 1, 0, 0, 1, 2}}
	body := gltf.Primitive{Material: cloth, Positions: places, TexCoords: uv, Indices: []uint32{0, 1, 2},
		Normals: [][3]float32{{0, 0, 1}, {0, 1, 0}, {1, 0, 0}},
		Joints:  [][4]uint16{{0, 1}, {1}, {0}}, Weights: [][4]float32{{0.25, 0.75}, {1}, {1}}}
	hand := &gltf.Node{Name: "hand", Translation: [3]float32{0, 1, 0}, Scale: [3]float32{2, 2, 2}}
	arm := &gltf.Node{Name: "arm", Rotation: [4]float32{1, 0, 0, 0}, Children: []*gltf.Node{hand}}
	unit := [16]float32{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}
	times := func() []float32 { return []float32{0, 0.5} }
	return &gltf.Model{
		Copyright: "nobody",
		Nodes: []*gltf.Node{
			{Name: "floor", Mesh: &gltf.Mesh{Name: "floor", Primitives: []gltf.Primitive{floor, pane}}},
			{Name: "body", Mesh: &gltf.Mesh{Name: "body", Primitives: []gltf.Primitive{body}},
				Skin: &gltf.Skin{Name: "bones", Joints: []*gltf.Node{arm, hand}, InverseBind: [][16]float32{unit, unit}}},
			arm,
		},
		Animations: []*gltf.Animation{{Name: "wave", Channels: []gltf.Channel{
			{Node: hand, Path: gltf.Rotation, Times: times(), Values: [][4]float32{{0, 0, 0, 1}, {0, 1, 0, 0}}},
			{Node: arm, Path: gltf.Translation, Times: times(), Values: [][4]float32{{0, 0, 0}, {0, 1, 2}}},
		}}},
	}
}

func write(t *testing.T, m *gltf.Model) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := gltf.Write(&out, m); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestWrite reads a file again: its frame, and the numbers of each kind.
func TestWrite(t *testing.T) {
	data := write(t, sample(t))
	if !bytes.Equal(data, write(t, sample(t))) {
		t.Error("equal models give different files")
	}
	u32 := func(at int) int { return int(binary.LittleEndian.Uint32(data[at:])) }
	n := u32(12)
	if string(data[:4]) != "glTF" || u32(4) != 2 || u32(8) != len(data) || string(data[16:20]) != "JSON" || n%4 != 0 ||
		string(data[24+n:28+n]) != "BIN\x00" || u32(20+n) != len(data)-28-n {
		t.Fatalf("the frame is wrong: % x", data[:20])
	}
	buffer := data[28+n:]
	var doc struct {
		ExtensionsUsed []string
		Nodes          []struct {
			Name       string
			Children   []int
			Mesh, Skin *int
		}
		Meshes []struct {
			Primitives []struct {
				Attributes        map[string]int
				Indices, Material int
			}
		}
		Materials  []struct{ AlphaMode string }
		Images     []struct{ BufferView int }
		Textures   []struct{ Sampler, Source int }
		Samplers   []struct{ MagFilter, MinFilter, WrapS, WrapT int }
		Animations []struct{ Samplers []struct{ Input, Output int } }
		Accessors  []struct {
			BufferView, ComponentType, Count int
			Min, Max                         []float64
		}
		BufferViews []struct{ ByteOffset, ByteLength int }
	}
	if err := json.Unmarshal(data[20:20+n], &doc); err != nil {
		t.Fatal(err)
	}
	floor := doc.Meshes[0].Primitives[0]
	place := doc.Accessors[floor.Attributes["POSITION"]]
	view := buffer[doc.BufferViews[place.BufferView].ByteOffset:]
	if got := math.Float32frombits(binary.LittleEndian.Uint32(view[12:])); got != 0.1 {
		t.Errorf("x of the second vertex is %v, not 0.1", got)
	}
	if place.Count != 3 || place.Max[0] != float64(float32(0.1)) || place.Min[2] != -7 || place.Max[2] != 0 {
		t.Errorf("%d vertices from %v to %v", place.Count, place.Min, place.Max)
	}
	if pane := doc.Meshes[0].Primitives[1]; pane.Attributes["POSITION"] != floor.Attributes["POSITION"] {
		t.Error("a list that two primitives share is written twice")
	}
	colors := doc.BufferViews[doc.Accessors[floor.Attributes["COLOR_0"]].BufferView]
	if got := buffer[colors.ByteOffset : colors.ByteOffset+8]; !bytes.Equal(got, []byte{1, 0, 2, 0, 3, 0, 255, 255}) {
		t.Errorf("the first colour is % x", got)
	}
	indices := doc.Accessors[floor.Indices]
	if indices.ComponentType != 5123 || doc.BufferViews[indices.BufferView].ByteLength != 6 {
		t.Error("indices of few vertices have more than 16 bits")
	}
	if s := doc.Samplers; len(s) != 2 || s[0].MagFilter != 9728 || s[0].WrapS != 10497 || s[1].WrapS != 33071 || s[1].MinFilter != 9987 {
		t.Errorf("samplers: %+v", s)
	}
	if len(doc.Images) != 1 || len(doc.Textures) != 2 || len(doc.ExtensionsUsed) != 1 {
		t.Errorf("%d images, %d textures, extensions %v", len(doc.Images), len(doc.Textures), doc.ExtensionsUsed)
	}
	if m := doc.Materials; m[0].AlphaMode != "" || m[1].AlphaMode != "BLEND" || m[2].AlphaMode != "MASK" {
		t.Errorf("materials: %+v", m)
	}
	if a := doc.Animations[0].Samplers; a[0].Input != a[1].Input {
		t.Error("equal times are written twice")
	}
	if n := doc.Nodes; n[1].Skin == nil || n[2].Name != "arm" || len(n[2].Children) != 1 || n[3].Name != "hand" {
		t.Errorf("nodes: %+v", n)
	}
}

func TestMoreVerticesThanShortIndices(t *testing.T) {
	p := gltf.Primitive{Positions: make([][3]float32, 1<<16), Indices: []uint32{0, 1, 1<<16 - 1}}
	data := write(t, &gltf.Model{Nodes: []*gltf.Node{{Mesh: &gltf.Mesh{Primitives: []gltf.Primitive{p}}}}})
	if last := data[len(data)-12:]; !bytes.Equal(last, []byte{0, 0, 0, 0, 1, 0, 0, 0, 255, 255, 0, 0}) {
		t.Errorf("the last indices are % x", last)
	}
}

func TestInvalidModels(t *testing.T) {
	for want, change := range map[string]func(m *gltf.Model){
		"index 3 of 3 vertices":         func(m *gltf.Model) { m.Nodes[0].Mesh.Primitives[0].Indices[1] = 3 },
		"but TEXCOORD_0 has 2":          func(m *gltf.Model) { p := &m.Nodes[0].Mesh.Primitives[0]; p.TexCoords = p.TexCoords[:2] },
		"2 indices":                     func(m *gltf.Model) { p := &m.Nodes[0].Mesh.Primitives[0]; p.Indices = p.Indices[:2] },
		"a number is NaN":               func(m *gltf.Model) { m.Nodes[1].Mesh.Primitives[0].Normals[0][1] = float32(math.NaN()) },
		"joint 2 of 2":                  func(m *gltf.Model) { m.Nodes[1].Mesh.Primitives[0].Joints[0][1] = 2 },
		"0 joints and 3 weights":        func(m *gltf.Model) { m.Nodes[1].Mesh.Primitives[0].Joints = nil },
		"1 matrices":                    func(m *gltf.Model) { s := m.Nodes[1].Skin; s.InverseBind = s.InverseBind[:1] },
		`node "hand" has two parents`:   func(m *gltf.Model) { m.Nodes = append(m.Nodes, m.Nodes[2].Children...) },
		`node "arm" is not in the sce`:  func(m *gltf.Model) { m.Nodes = m.Nodes[:2] },
		"time 0 does not grow":          func(m *gltf.Model) { m.Animations[0].Channels[0].Times[1] = 0 },
		"1 times, 2 values":             func(m *gltf.Model) { c := &m.Animations[0].Channels[0]; c.Times = c.Times[:1] },
		`mesh "floor" has no primitive`: func(m *gltf.Model) { m.Nodes[0].Mesh.Primitives = nil },
		`image "stone" is empty`:        func(m *gltf.Model) { m.Nodes[0].Mesh.Primitives[0].Material.Texture.Image.PNG = nil },
	} {
		m := sample(t)
		change(m)
		var out bytes.Buffer
		if err := gltf.Write(&out, m); err == nil || !strings.Contains(err.Error(), want) || out.Len() != 0 {
			t.Errorf("%d bytes, and not %q: %v", out.Len(), want, err)
		}
	}
}

func TestJudge(t *testing.T) {
	judge.Node(t, "gltf-validator")
	dir := t.TempDir()
	var files []string
	for name, m := range map[string]*gltf.Model{"sample.glb": sample(t), "empty.glb": {}} {
		files = append(files, filepath.Join(dir, name))
		judge.Write(t, files[len(files)-1], write(t, m))
	}
	judge.ValidateGLTF(t, files...)
}
