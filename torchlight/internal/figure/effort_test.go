package figure_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"runtime"
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/picture/gltf"
	"trowel.example/torchlight/internal/figure"
	"trowel.example/torchlight/internal/ogre"
)

// crowd returns a mesh of parts that share vertices with colours. The skeleton has one bone.
func crowd(t *testing.T, vertices, parts int) []byte {
	var data []byte
	for i := range vertices {
		data = append(data, 0, 0, byte(i), 0x40, 0, 0, 0x80, 0x3f, 0, 0, byte(i*i), 0x3f, byte(i), 0, 0, 255)
	}
	return encoded(t, &ogre.Mesh{Version: "1.41", Skinned: true, Bounds: new(ogre.Bounds), Names: new(ogre.Names),
		Skeleton: &ogre.Link{File: "S.SKELETON"},
		Shared: &ogre.Geometry{Count: uint32(vertices), Buffers: []ogre.Buffer{{Stride: 16, Data: data}},
			Declaration: &ogre.Declaration{Elements: []ogre.Element{{Type: 2, Semantic: ogre.Position},
				{Type: 10, Semantic: ogre.Diffuse, Offset: 12}}}},
		SubMeshes: slices.Repeat([]ogre.SubMesh{{Material: "M", Shared: true, Indices: []uint32{0, 1, 2}}}, parts)})
}

func encoded(t *testing.T, m ogre.Model) []byte {
	t.Helper()
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// waving returns a skeleton of one bone with an animation of many keys at one time.
func waving(t *testing.T, keys int, length float32) []byte {
	turn := [4]float32{3: 1}
	return encoded(t, &ogre.Skeleton{Version: "1.10", Bones: []ogre.Bone{{Name: "a", Rotation: turn}},
		Animations: []ogre.Animation{{Name: "IDLE", Length: length,
			Tracks: []ogre.Track{{Keys: slices.Repeat([]ogre.Key{{Rotation: turn}}, keys)}}}}})
}

func open(t *testing.T, all map[string][]byte) *figure.Figure {
	t.Helper()
	f, err := figure.Open(files(all), "M.MESH")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestSharedVertices tests that vertices that many parts share are moved, coloured and written once.
func TestSharedVertices(t *testing.T) {
	f := open(t, map[string][]byte{"M.MESH": crowd(t, 2000, 2000), "S.SKELETON": waving(t, 1, 1)})
	clip := f.Usual()
	if len(f.Parts) != 2000 || clip == nil {
		t.Fatalf("%d parts, clip %v: %v", len(f.Parts), clip, f.Lacks)
	}
	var before, after runtime.MemStats
	var out bytes.Buffer
	runtime.ReadMemStats(&before)
	f.Bounds(figure.Front, clip)
	m, err := f.Model([]*figure.Clip{clip})
	if err == nil {
		err = gltf.Write(&out, m)
	}
	runtime.ReadMemStats(&after)
	if made := (after.TotalAlloc - before.TotalAlloc) >> 20; err != nil || out.Len() > 2<<20 || made > 32 {
		t.Errorf("%v: %d bytes from %d MB of memory", err, out.Len(), made)
	}
}

// TestEffort tests that the animations and the textures of a model have budgets, beyond which parts of it are reported
// as lost.
func TestEffort(t *testing.T) {
	lost := func(f *figure.Figure, name, want string) {
		t.Helper()
		i := slices.IndexFunc(f.Lacks, func(l figure.Lack) bool { return l.Loss })
		if i < 0 || f.Lacks[i].Name != name || !strings.Contains(f.Lacks[i].Why, want) {
			t.Errorf("expected %q, found %v", want, f.Lacks)
		}
	}
	var list strings.Builder
	for i := range 300 {
		fmt.Fprintf(&list, "[ANIMATION]\n<STRING>NAME:%d\n<STRING>FILE:S\n[/ANIMATION]\n", i)
	}
	all := map[string][]byte{"M.MESH": crowd(t, 3, 1), "M.ANIMATION": []byte("[ANIMATIONS]\n" + list.String() + "[/ANIMATIONS]\n")}
	for _, length := range []float32{0, 1} { // the usual animation has a length
		all["S.SKELETON"] = waving(t, 20000, length)
		f := open(t, all)
		if clip := f.Usual(); (clip != nil) != (length > 0) {
			t.Errorf("length %v: %v", length, clip)
		}
		if clips, err := f.ClipsOf(nil); err != nil || length > 0 && len(clips) != 1<<22/20003-1 {
			t.Errorf("%d animations: %v", len(clips), err)
		}
		lost(f, "others", "at most 4,194,304 bones, tracks and keys of its animations")
	}

	var texture bytes.Buffer
	if err := png.Encode(&texture, image.NewGray(image.Rect(0, 0, 2048, 2048))); err != nil {
		t.Fatal(err)
	}
	m := &ogre.Mesh{Version: "1.41", Bounds: new(ogre.Bounds), Names: new(ogre.Names), Shared: &ogre.Geometry{Count: 1,
		Buffers:     []ogre.Buffer{{Stride: 12, Data: make([]byte, 12)}},
		Declaration: &ogre.Declaration{Elements: []ogre.Element{{Type: 2, Semantic: ogre.Position}}}}}
	var script strings.Builder
	for i := range 40 {
		m.SubMeshes = append(m.SubMeshes, ogre.SubMesh{Material: fmt.Sprint(i), Shared: true, Indices: []uint32{0, 0, 0}})
		fmt.Fprintf(&script, "material %d\n{\ntechnique\n{\npass\n{\ntexture_unit\n{\ntexture T.PNG\n}\n}\n}\n}\n", i)
	}
	f := open(t, map[string][]byte{"M.MESH": encoded(t, m), "M.MATERIAL": []byte(script.String()), "T.PNG": texture.Bytes()})
	lost(f, "T.PNG", "at most 134,217,728 pixels")
	if n := slices.IndexFunc(f.Parts, func(p figure.Part) bool { return p.Material.Texture == nil }); n != 32 || len(f.Lacks) != 1 {
		t.Errorf("part %d is the first without a texture: %v", n, f.Lacks)
	}
}
