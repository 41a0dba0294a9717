package nodemesh_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/fault"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/internal/nodemesh"
	"trowel.example/minetest/internal/texture"
)

// le returns values in little-endian order, and texts as they are.
func le(values ...any) []byte {
	var b bytes.Buffer
	for _, v := range values {
		switch v := v.(type) {
		case string:
			b.WriteString(v)
		case []byte:
			b.Write(v)
		default:
			binary.Write(&b, binary.LittleEndian, v)
		}
	}
	return b.Bytes()
}

func chunk(kind string, values ...any) []byte {
	data := le(values...)
	return le(kind, int32(len(data)), data)
}

// The samples show one triangle, which the frames move: in nodes, from (1, 2, 3) a step up and then a step east, so that
// it faces south. The texture of the .b3d file is repeated twice.
var (
	corners = []float32{0, 0, 0, 0, 1, 0, 1, 0, 0}
	uvs     = []float32{0, 1, 0, 0, 1, 1}
)

func b3d(extra ...any) []byte {
	var vertices []float32
	for i := range 3 {
		// turned, so that y of the file is north and z is up
		p := corners[3*i:]
		vertices = append(vertices, p[0]*2, -p[2], p[1]*2, uvs[2*i], uvs[2*i+1])
	}
	half := float32(math.Sqrt(.5))
	inner := chunk("NODE", "inner\x00", []float32{0, 0, 0, .5, .5, .5, half, half, 0, 0},
		chunk("MESH", int32(-1), chunk("VRTS", []int32{0, 1, 2}, vertices), chunk("TRIS", []int32{0, 0, 1, 2})), le(extra...))
	return chunk("BB3D", int32(1),
		chunk("TEXS", "a.png\x00", []int32{1, 2}, []float32{0, 0, 2, 1, 0}),
		chunk("BRUS", int32(1), "brush\x00", []float32{1, 1, 1, 1, 0}, []int32{1, 0, 0}),
		chunk("NODE", "outer\x00", []float32{1, 2, 3, 1, 1, 1, 1, 0, 0, 0}, inner))
}

const text = `xof 0303txt 0032
template Frame { <3d82ab46-62da-11cf-ab39-0020af71e433> [...] } // a comment
Frame Root {
 FrameTransformMatrix { 1.0,0,0,0, 0,1,0,0, 0,0,1,0, 1,2,3,1;; }
 Frame { FrameTransformMatrix { .5,0,0,0, 0,.5,0,0, 0,0,.5,0, 0,0,0,1;; }
  Mesh m { 3; 0;0;0;, 0;2;0;, 2;0;0;; 1; 3;0,1,2;;
   MeshNormals { 1; 0;0;-2;; 1; 3;0,0,0;; }
   MeshTextureCoords { 3; 0;1;, 0;0;, 1;1;; }
   MeshMaterialList { 3; 1; 2;; Material { 1;1;1;1;; 0; 0;0;0;; 0;0;0;; TextureFilename { "a{.png"; } } { Shared } }
  }
 }
}
`

const animation = `AnimationSet { Animation { { Root } AnimationKey { 2; 1; 0; 3; 0,0,0;;; } } }`

// gltf returns a model, and its buffer.
func gltf(uri string) (string, []byte) {
	buffer := le(corners[:9], []uint16{0, 65535, 0, 0, 65535, 65535}, []uint8{0, 2, 1, 1}, []float32{-1, 0, 0})
	return fmt.Sprintf(`{"asset": {"version": "2.0"}, "scenes": [{"nodes": [1]}],
	"nodes": [{"mesh": 0, "scale": [10, 10, 10]}, {"children": [0], "matrix": [1,0,0,0, 0,1,0,0, 0,0,1,0, -10,20,30,1]}],
	"materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 2}}}],
	"meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "indices": 2, "material": 0}]}],
	"accessors": [
		{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "sparse": {"count": 1,
			"indices": {"bufferView": 2, "byteOffset": 1, "componentType": 5121}, "values": {"bufferView": 3}}},
		{"bufferView": 1, "componentType": 5123, "normalized": true, "count": 3, "type": "VEC2"},
		{"bufferView": 2, "componentType": 5121, "count": 3, "type": "SCALAR"}],
	"bufferViews": [{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 12},
		{"buffer": 0, "byteOffset": 48, "byteLength": 4}, {"buffer": 0, "byteOffset": 52, "byteLength": 12}],
	"buffers": [{"byteLength": %d%s}]}`, len(buffer), uri), buffer
}

func samples() map[string][]byte {
	_, buffer := gltf("")
	withURI, _ := gltf(`, "uri": "data:application/octet-stream;base64,` + base64.StdEncoding.EncodeToString(buffer) + `"`)
	plain, _ := gltf("")
	body := le(int32(len(plain)), "JSON", plain, int32(len(buffer)), "BIN\x00", buffer)
	return map[string][]byte{
		"a.obj": []byte(wedge), "a.b3d": b3d(), "a.x": []byte(text), "a.gltf": []byte(withURI),
		"a.glb": le("glTF", int32(2), int32(12+len(body)), body),
	}
}

func TestFormats(t *testing.T) {
	for name, data := range samples() {
		m, err := nodemesh.ParseModel(name, data, texture.Newest)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if name == "a.obj" {
			continue
		}
		if len(m.Parts) != 1 || len(m.Parts[0].Indices) != 3 {
			t.Errorf("%s: %+v", name, m)
			continue
		}
		p := m.Parts[0]
		if want := map[string]int{"a.x": 2, "a.glb": 2, "a.gltf": 2}[name]; p.Tile != want {
			t.Errorf("%s: tile %d, expected %d", name, p.Tile, want)
		}
		want := []nodemesh.ModelVertex{
			{Pos: [3]float32{1, 2, 3}, Normal: [3]float32{0, 0, -1}, UV: [2]float32{0, 1}},
			{Pos: [3]float32{1, 3, 3}, Normal: [3]float32{0, 0, -1}},
			{Pos: [3]float32{2, 2, 3}, Normal: [3]float32{0, 0, -1}, UV: [2]float32{1, 1}},
		}
		if name == "a.b3d" {
			want[2].UV[0] = 2
		}
		for i, w := range want {
			if v := p.Vertices[p.Indices[i]]; !near(v, w) {
				t.Errorf("%s: corner %d is %v, expected %v", name, i, v, w)
			}
		}
	}
}

func near(a, b nodemesh.ModelVertex) bool {
	for i := range 3 {
		if math.Abs(float64(a.Pos[i]-b.Pos[i])) > 1e-5 || math.Abs(float64(a.Normal[i]-b.Normal[i])) > 1e-5 {
			return false
		}
	}
	return a.UV == b.UV
}

// TestUnits reads models whose units depend on animation and on the engine.
func TestUnits(t *testing.T) {
	key := chunk("KEYS", int32(1), int32(1), []float32{0, 0, 0})
	for name, data := range map[string][]byte{
		"bone.b3d": b3d(chunk("BONE", int32(0), float32(1))), "keys.b3d": b3d(chunk("ANIM", []int32{0, 1}, float32(25)), key),
		"a.x": []byte(text + animation), "a.glb": samples()["a.glb"],
	} {
		var tall [2]float32
		for i, engine := range []texture.Engine{11, 12} {
			m, err := nodemesh.ParseModel(name, data, engine)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			low, high := bounds(m)
			tall[i] = high[1] - low[1]
		}
		if math.Abs(float64(tall[0]-10*tall[1])) > 1e-4 {
			t.Errorf("%s: %v nodes up to 5.11, then %v", name, tall[0], tall[1])
		}
	}
}

func TestModes(t *testing.T) {
	for mode, want := range map[int][]uint32{1: nil, 4: {0, 2, 1}, 5: {0, 2, 1, 1, 2, 3}, 6: {0, 2, 1, 0, 3, 2}} {
		text := fmt.Sprintf(`{"nodes": [{"mesh": 0}], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "mode": %d}]}],
			"accessors": [{"componentType": 5126, "count": 4, "type": "VEC3"}]}`, mode)
		m, err := nodemesh.ParseModel("a.gltf", []byte(text), texture.Newest)
		var got []uint32
		if err == nil && len(m.Parts) > 0 {
			got = m.Parts[0].Indices
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("mode %d: %v, %v", mode, got, err)
		}
	}
}

// TestCut cuts each model at each place, and changes each byte.
func TestCut(t *testing.T) {
	for name, data := range samples() {
		for i := range data {
			for _, bad := range [][]byte{data[:i], slices.Concat(data[:i], []byte{255}, data[i+1:])} {
				if _, err := nodemesh.ParseModel(name, bad, texture.Newest); err != nil {
					if _, is := errors.AsType[*fault.Error](err); !is {
						t.Fatalf("%s: %T: %v", name, err, err)
					}
				} else if len(bad) < len(data) && (name == "a.b3d" || name == "a.glb") {
					t.Errorf("%s is read without its last %d bytes", name, len(data)-i)
				}
			}
		}
	}
}

func TestBadModels(t *testing.T) {
	node := func(n int) string { return strings.Repeat("Frame {", n) }
	for want, file := range map[string]struct{ name, data string }{
		"as text":                  {"a.x", "xof 0303bin 0032"},
		"xof":                      {"b.x", "a picture"},
		"a number":                 {"c.x", "xof 0303txt 0032\nMesh { 1; 1; 2; x"},
		"at most 100 nested parts": {"d.x", "xof 0303txt 0032\n" + node(300)},
		"0 to 2":                   {"e.x", "xof 0303txt 0032\nMesh { 3; 0;0;0; 0;0;0; 0;0;0; 1; 3; 0,1,3; }"},
		"of one file": {"a.gltf",
			strings.Replace(string(samples()["a.gltf"]), "data:application/octet-stream;base64,", "a.bin,", 1)},
		"one parent": {"b.gltf", `{"nodes": [{"children": [0]}], "scenes": [{"nodes": [0]}]}`},
		"at most 4,194,304 elements": {"c.gltf", `{"nodes": [{"mesh": 0}], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}], ` +
			`"accessors": [{"componentType": 5126, "count": 1000000000, "type": "VEC3"}]}`},
		"fewer than 0": {"d.gltf", `{"nodes": [{"mesh": 0}]}`},
		"offset 3":     {"e.gltf", `{"a`},
		"extension":    {"f.gltf", `{"extensionsRequired": ["KHR_draco_mesh_compression"]}`},
		"offset 23: expected a vertex from 1 to 2, found \"9\"": {"a.obj", "# a\r\nv 0 0 0\r\nv 0 1 0\r\nf 1 2 9\r\n"},
		"offset 8: expected at most 1,048,576 bytes in a line":  {"b.obj", "v 0 0 0\nv" + strings.Repeat(" ", 1<<20)},
		"size at offset 4: expected at most":                    {"b.b3d", "BB3D\xff\xff\xff\x7f"},
		"expected BB3D":                                         {"c.b3d", "BB3E\x04\x00\x00\x00\x01\x00\x00\x00"},
		"vertices 0 to 2": {"a.b3d", strings.Replace(string(b3d()), string(le([]int32{0, 0, 1, 2})),
			string(le([]int32{0, 0, 1, 3})), 1)},
	} {
		_, err := nodemesh.ParseModel(file.name, []byte(file.data), texture.Newest)
		if f, is := errors.AsType[*fault.Error](err); !is || !strings.Contains(f.Error(), want) {
			t.Errorf("%s: %v, expected %q", file.name, err, want)
		}
	}
}

// TestOverused refers to the same large mesh, and to zeros, again and again. No time and memory is wasted.
func TestOverused(t *testing.T) {
	for want, text := range map[string]string{
		"of JSON": `{"nodes": [` + strings.Repeat(`{"mesh":0},`, 500) + `{}], "meshes": [{"name": "` + strings.Repeat("a", 40000) + `"}]}`,
		"vertices": `{"nodes": [{"mesh":0}], "meshes": [{"primitives": [` + strings.Repeat(`{"attributes": {"POSITION": 0}},`, 2) +
			`{}]}], "accessors": [{"componentType": 5126, "count": 1000000, "type": "VEC3"}]}`,
	} {
		if _, err := nodemesh.ParseModel("a.gltf", []byte(text), texture.Newest); !errors.Is(err, fault.ErrLimit) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
	many := "xof 0303txt 0032\n" + strings.Repeat("Mesh { 0; 0; MeshMaterialList { 1000000; 0; } }", 20000)
	if _, err := nodemesh.ParseModel("a.x", []byte(many), texture.Newest); err != nil {
		t.Error(err)
	}
}

func bounds(m *nodemesh.Model) (low, high [3]float32) {
	first := true
	for _, p := range m.Parts {
		for _, v := range p.Vertices {
			for a, x := range v.Pos {
				if first || x < low[a] {
					low[a] = x
				}
				if first || x > high[a] {
					high[a] = x
				}
			}
			first = false
		}
	}
	return low, high
}

// TestGames reads all models of the games of Debian's packages. A door is 1 wide, 2 high and 1/8 thick.
func TestGames(t *testing.T) {
	tests.LongOnly(t, "it reads installed games")
	read := 0
	for _, dir := range []string{"/usr/share/games/minetest/games", "/usr/share/minetest/games"} {
		filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !slices.Contains([]string{".b3d", ".x", ".obj", ".gltf", ".glb"}, filepath.Ext(path)) {
				return nil
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Error(err)
				return nil
			}
			m, err := nodemesh.ParseModel(path, data, 6)
			if err != nil || len(m.Parts) == 0 {
				t.Errorf("%s: %v", path, err)
				return nil
			}
			read++
			low, high := bounds(m)
			t.Log(filepath.Base(path), low, high)
			if strings.HasPrefix(d.Name(), "door_") {
				for a, want := range [2][3]float32{{-.5, -.5, -.5}, {.5, 1.5, -.375}} {
					for i, got := range [2][3]float32{low, high}[a] {
						if math.Abs(float64(got-want[i])) > .01 {
							t.Errorf("%s: from %v to %v", path, low, high)
						}
					}
				}
			}
			return nil
		})
	}
	if read == 0 {
		t.Skip("no game of the packages minetest-data and minetest-game is installed")
	}
}
