package ogre_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/mutate"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/internal/ogre"
	"trowel.example/torchlight/text"
	"trowel.example/trace"
)

func encode(t testing.TB, m ogre.Model) []byte {
	t.Helper()
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// models returns a file of each kind, and those of the corpus if there is one.
func models(t testing.TB) map[string][]byte {
	all := map[string][]byte{"mesh": encode(t, sampleMesh()), "skeleton": encode(t, sampleSkeleton())}
	if dir := os.Getenv("TROWEL_CORPUS"); dir != "" {
		names, _ := filepath.Glob(filepath.Join(dir, "torchlight", "models", "*"))
		for _, name := range names {
			data := judge.Read(t, name)
			if ogre.Recognize(data) {
				all[filepath.Base(name)] = data
			}
		}
	}
	return all
}

func TestModel(t *testing.T) {
	mutate.Model(t, sampleMesh(), (*ogre.Mesh).Clone, (*ogre.Mesh).Equal, (*ogre.Mesh).Encode)
	mutate.Model(t, sampleSkeleton(), (*ogre.Skeleton).Clone, (*ogre.Skeleton).Equal, (*ogre.Skeleton).Encode)
}

// roundTrip decodes a file and compares what the model and the text give back with it.
func roundTrip(t testing.TB, name string, data []byte) {
	t.Helper()
	m, err := ogre.Decode(data)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	back, err := m.Encode()
	usual := err == nil && bytes.Equal(back, data)
	form, residue, err := ogre.Decompile(data, ogre.Options{})
	if err != nil || (residue == nil) != usual || !ogre.IsText(form) {
		t.Errorf("%s: residue %v, %v", name, residue != nil, err)
	}
	if back, err = ogre.Compile(form, residue, ogre.Options{}); err != nil || !bytes.Equal(back, data) {
		t.Errorf("%s: the text gives another file: %v", name, err)
	}
	if again, err := ogre.Parse(form); usual && (err != nil || !bytes.Equal(ogre.Format(again), form)) {
		t.Errorf("%s: the text gives another text: %v", name, err)
	}
}

func TestRoundTrip(t *testing.T) {
	for name, data := range models(t) {
		roundTrip(t, name, data)
		end := int64(0)
		if err := ogre.Dump(data, func(f trace.Field) {
			if f.Offset != end {
				t.Errorf("%s: %s at %d, want %d", name, f.Path, f.Offset, end)
			}
			end = f.Offset + f.Len
		}); err != nil || end != int64(len(data)) {
			t.Errorf("%s: dumped %d of %d bytes: %v", name, end, len(data), err)
		}
		if !ogre.Recognize(data[:32]) || ogre.IsText(data) {
			t.Errorf("%s: not told from other files", name)
		}
	}
	m, err := ogre.DecodeMesh(encode(t, sampleMesh()))
	if err != nil || !m.Equal(sampleMesh()) {
		t.Errorf("the mesh has changed: %v", err)
	}
	if _, err := ogre.DecodeMesh(encode(t, sampleSkeleton())); err == nil {
		t.Error("a skeleton is a mesh")
	}
	s, err := ogre.DecodeSkeleton(encode(t, sampleSkeleton()))
	if err != nil || !s.Equal(sampleSkeleton()) {
		t.Errorf("the skeleton has changed: %v", err)
	}
}

// TestWorked tests the bytes of the worked example of the format's page, and the text of it.
func TestWorked(t *testing.T) {
	m := &ogre.Mesh{Version: "1.40",
		SubMeshes: []ogre.SubMesh{{Material: "tri_mat", Indices: []uint32{0, 1, 2}, Operation: &ogre.Operation{Kind: ogre.Triangles},
			Geometry: &ogre.Geometry{Count: 3, Declaration: &ogre.Declaration{Elements: []ogre.Element{{Type: 2, Semantic: ogre.Position}}},
				Buffers: []ogre.Buffer{{Stride: 12, Data: floats(0, 0, 0, 1, 0, 0, 0, 2, float32(math.NaN()))}}}}},
		Bounds: &ogre.Bounds{Max: [3]float32{1, 2, 0}, Radius: 2}, Names: &ogre.Names{}}
	data := encode(t, m)
	for _, part := range []string{"\x00\x10[MeshSerializer_v1.40]\n\x00\x30",
		"\x00\x40\x76\x00\x00\x00tri_mat\n\x00\x03\x00\x00\x00\x00\x00\x00\x01\x00\x02\x00",
		"\x10\x51\x10\x00\x00\x00\x00\x00\x02\x00\x01\x00\x00\x00\x00\x00", "\x10\x40\x08\x00\x00\x00\x04\x00\x00\x90\x22\x00\x00\x00"} {
		if !strings.Contains(string(data), part) {
			t.Errorf("%x is not in %x", part, data)
		}
	}
	const want = `version "[MeshSerializer_v1.40]"
mesh skinned 0
  submesh "tri_mat" shared 0 indices 3 wide 0
    0 1 2
    geometry vertices 3
      declaration
        element source 0 type float3 semantic position offset 0 index 0
      buffer bind 0 stride 12
        data
          0 0 0
          1 0 0
          0 2 nan:7fc00000
    operation triangles
  bounds min 0 0 0 max 1 2 0 radius 2
  names
`
	_, form, _ := strings.Cut(string(ogre.Format(m)), "\n")
	if form != want {
		t.Errorf("the text is\n%s, want\n%s", form, want)
	}
	edited := strings.Replace(want, "1 0 0\n", "# a comment\n 1e0\t0x0p0 -0", 1)
	back, err := ogre.Compile([]byte(edited), nil, ogre.Options{})
	if err != nil || !bytes.Contains(back, floats(1, 0, float32(math.Copysign(0, -1)))) {
		t.Errorf("%x, %v", back, err)
	}
}

// TestUnusual tests files that only a residue preserves, and chunks that are not read.
func TestUnusual(t *testing.T) {
	data := encode(t, sampleMesh())
	bounds := bytes.Index(data, []byte("\x00\x90\x22\x00"))
	moved := append(bytes.Clone(data[:bounds]), data[bounds+34:]...)
	roundTrip(t, "bounds at the end", append(moved, data[bounds:bounds+34]...))
	roundTrip(t, "a carriage return", bytes.Replace(data, []byte("hut/wall\n"), []byte("hut/wall\r\n"), 1))
	with := append(bytes.Clone(data), "\x00\xc0\x09\x00\x00\x00abc"...)
	roundTrip(t, "poses", with)
	m, err := ogre.DecodeMesh(with)
	if err != nil || string(m.Rest) != "\x00\xc0\x09\x00\x00\x00abc" {
		t.Errorf("%q, %v", m.Rest, err)
	}
	old := bytes.Replace(data, []byte("v1.41]"), []byte("v1.30]"), 1)
	if m, err = ogre.DecodeMesh(old); err != nil || m.Edges != nil || len(m.Rest) == 0 {
		t.Errorf("the edges of version 1.30 are read as others: %v", err)
	}
}

func TestWhole(t *testing.T) {
	mesh := sampleMesh()
	mesh.Edges, mesh.Shared, mesh.Weights, mesh.SubMeshes = nil, nil, nil, mesh.SubMeshes[1:]
	mutate.Whole{Data: encode(t, mesh), Read: mutate.Reads(ogre.Decode)}.Test(t)

	// A skeleton can end after any of its bones, parents and animations.
	whole := encode(t, sampleSkeleton())
	ends := 0
	for n := range len(whole) {
		_, err := ogre.Decode(whole[:n])
		if err == nil {
			ends++
		} else if !errors.Is(err, fault.ErrShort) {
			t.Errorf("%d of %d bytes: %v", n, len(whole), err)
		}
	}
	if ends != 4 {
		t.Errorf("%d prefixes are skeletons, want 4", ends)
	}
}

// TestHostile sets every two and four bytes of all files to extreme numbers, and cuts all files.
func TestHostile(t *testing.T) {
	tried, read := 0, 0
	step := tests.Of(t, 11, 1)
	for name, data := range models(t) {
		if len(data) > 2000 {
			data = data[:2000]
		}
		try := func(data []byte) {
			tried++
			if _, err := ogre.Decode(data); err == nil {
				read++
				roundTrip(t, name, data)
			} else if e := (*fault.Error)(nil); !errors.As(err, &e) || e.Offset < 0 {
				t.Fatalf("%s: %v has no offset", name, err)
			}
			ogre.Check(data, func(check.Finding) {})
		}
		for n := 0; n < len(data); n += step {
			try(data[:n])
		}
		for at := 0; at+4 <= len(data); at += step {
			for _, v := range []uint32{0, 5, 1 << 31, math.MaxUint32} {
				bad := bytes.Clone(data)
				binary.LittleEndian.PutUint32(bad[at:], v)
				try(bad)
			}
		}
	}
	if read == 0 || read == tried {
		t.Errorf("%d of %d damaged files are read", read, tried)
	}
}

func TestMemory(t *testing.T) {
	data := encode(t, sampleMesh())
	mutate.Memory(t, 300, func(i int, rng *rand.Rand) (func(), uint64) {
		bad := bytes.Clone(data)
		for range 1 + i%3 {
			binary.LittleEndian.PutUint32(bad[rng.IntN(len(bad)-4):], []uint32{0, 1 << 31, math.MaxUint32, 65535}[rng.IntN(4)])
		}
		return func() {
			_, _, _ = ogre.Decompile(bad, ogre.Options{})
			ogre.Check(bad, func(check.Finding) {})
		}, uint64(600*len(bad) + 1<<17)
	})
}

// TestOneLine tests that a text whose strings are all on one line takes no more memory for each than its length.
func TestOneLine(t *testing.T) {
	form := "version \"[Serializer_v1.10]\"" + strings.Repeat(` bone "a" handle 0 position 0 0 0 rotation 0 0 0 1`, 2000)
	mutate.Memory(t, 1, func(int, *rand.Rand) (func(), uint64) {
		return func() {
			if _, err := ogre.Parse([]byte(form)); err != nil {
				t.Error(err)
			}
		}, uint64(50 * len(form))
	})
}

func TestErrors(t *testing.T) {
	data := encode(t, sampleMesh())
	for _, c := range []struct{ old, new, want string }{
		{"\x00\x10", "\x10\x00", "expected a little-endian model"},
		{"v1.41", "v1.99", "expected a mesh of version 1.30, 1.40, 1.41, 1.8 or 1.100"},
		{"]\n", "].", "version at offset 2"},
		{"\x00\x30", "\x01\x30", "expected a chunk mesh, 0x3000, found 0x3001"},
		{"\x00\x90\x22\x00", "\x00\x90\x05\x00", "expected at least 6, found 5"},
		{"\x00\x90\x22\x00\x00", "\x00\x90\x22\x00\x01", "bytes, which follow, found 65570"},
		{"\x00\x90\x22\x00", "\x77\x77\x22\x00", "expected a known chunk, found 0x7777"},
	} {
		bad := bytes.Replace(data, []byte(c.old), []byte(c.new), 1)
		if _, err := ogre.Decode(bad); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.new, err)
		}
	}
	form := string(ogre.Format(sampleMesh()))
	for _, c := range []struct{ old, new, want string }{
		{"shared 1", "shared 2", "line 22: expected shared: 0 or 1, found 2"},
		{"stride 24", "stride x", `expected stride: a number from 0 to 65535, found "x"`},
		{`"hut/wall"`, `hut`, `expected material: a string in quotes, found "hut"`},
		{`"hut/wall"`, `"hut`, `a string that ends in quotes`},
		{`"hut/wall"`, `"hut\q"`, `a string in quotes`},
		{"bounds", "bonds", `expected a keyword of this place, found "bonds"`},
		{"type colour_argb", "type purple", "expected type: a number or one of colour, colour_abgr"},
		{"indices 6", "indices 4000000000", `expected index: a number from 0 to 4294967295, found "operation"`},
		{"indices 6", "indices 5", `expected a keyword of this place, found "3"`},
		{"length-117", "length-9999999999", "a number of bytes such as -86 or +4"},
		{"length-117", "length-1000000", "expected 6 to 4294967295"},
	} {
		_, err := ogre.Compile([]byte(strings.Replace(form, c.old, c.new, 1)), nil, ogre.Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.new, err)
		}
	}
	contradictions := map[string]func(m *ogre.Mesh){
		"vertices":                func(m *ogre.Mesh) { m.Shared.Count = 5 },
		"at most 65535":           func(m *ogre.Mesh) { m.SubMeshes[0].Indices[0] = 70000 },
		"bounds (a chunk 0x9000)": func(m *ogre.Mesh) { m.Bounds = nil },
		"a name of one line":      func(m *ogre.Mesh) { m.Skeleton.File = "a\nb" },
		"own geometry":            func(m *ogre.Mesh) { m.SubMeshes[0].Shared = false },
		"1.30, 1.40":              func(m *ogre.Mesh) { m.Version = "2" },
	}
	for want, change := range contradictions {
		m := sampleMesh()
		if change(m); true {
			if _, err := m.Encode(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", want, err)
			}
		}
	}
	s := sampleSkeleton()
	s.Bones[1].Excess = -12
	if _, err := s.Encode(); err == nil || !strings.Contains(err.Error(), "whether there is a scale") {
		t.Error(err)
	}
}

func TestCheck(t *testing.T) {
	nan := float32(math.NaN())
	mesh := func(change func(m *ogre.Mesh)) ogre.Model {
		m := sampleMesh()
		m.Skeleton.Excess, m.SubMeshes[0].Aliases = 0, nil
		change(m)
		return m
	}
	skeleton := func(change func(s *ogre.Skeleton)) ogre.Model {
		s := sampleSkeleton()
		s.Animations[0].Excess = 0
		change(s)
		return s
	}
	for _, c := range []struct {
		want  string
		model ogre.Model
	}{
		{"", mesh(func(*ogre.Mesh) {})},
		{"", skeleton(func(*ogre.Skeleton) {})},
		{"tl-model-length mesh.skeleton: declares 2 more bytes than it has", mesh(func(m *ogre.Mesh) { m.Skeleton.Excess = 2 })},
		{"tl-model-length bone[0]: declares 1 fewer byte than it has (and 1 more)",
			skeleton(func(s *ogre.Skeleton) { s.Bones[0].Excess, s.Parents[0].Excess = -1, -2 })},
		{"tl-model-unread-part rest: has 6 bytes from a chunk 0x8000 on that are not checked",
			mesh(func(m *ogre.Mesh) { m.Rest = []byte{0, 0x80, 6, 0, 0, 0} })},
		{"tl-model-not-finite mesh.bounds.min: is NaN", mesh(func(m *ogre.Mesh) { m.Bounds.Min[0] = nan })},
		{"tl-model-not-finite mesh.geometry: has the normal NaN at vertex 1", mesh(func(m *ogre.Mesh) {
			binary.LittleEndian.PutUint32(m.Shared.Buffers[0].Data[24+12:], math.Float32bits(nan))
		})},
		{"tl-mesh-geometry mesh.geometry.declaration.element[3]: is in buffer 7, which does not exist; " +
			"tl-mesh-geometry mesh.geometry.buffer[1]: the elements of buffer 1 have 4 bytes, a vertex has 12",
			mesh(func(m *ogre.Mesh) { m.Shared.Declaration.Elements[3].Source = 7 })},
		{"tl-mesh-geometry mesh.geometry.buffer[0]: an element has the unknown type 77",
			mesh(func(m *ogre.Mesh) { m.Shared.Declaration.Elements[0].Type = 77 })},
		{"tl-mesh-geometry mesh.geometry.buffer[0]: an element is at 13 of a vertex, expected 12",
			mesh(func(m *ogre.Mesh) { m.Shared.Declaration.Elements[1].Offset = 13 })},
		{"tl-mesh-geometry mesh.submesh[0]: uses the shared geometry, which does not exist",
			mesh(func(m *ogre.Mesh) { m.Shared, m.Weights = nil, nil })},
		{"tl-mesh-index mesh.submesh[0].indices[5]: is vertex 4, of 4", mesh(func(m *ogre.Mesh) { m.SubMeshes[0].Indices[5] = 4 })},
		{"tl-mesh-weight mesh.shared_weight[0]: moves vertex 9, of 4", mesh(func(m *ogre.Mesh) { m.Weights[0].Vertex = 9 })},
		{"tl-mesh-weight mesh.submesh[1].weight[0]: has the weight 0 (and 1 more)",
			mesh(func(m *ogre.Mesh) { m.SubMeshes[1].Weights[0].Weight, m.SubMeshes[1].Weights[1].Weight = 0, -1 })},
		{"tl-mesh-skeleton skinned: is marked as skinned, but names no skeleton", mesh(func(m *ogre.Mesh) { m.Skeleton = nil })},
		{`tl-mesh-skeleton skeleton: names the skeleton "hut.skeleton", but is not marked as skinned`,
			mesh(func(m *ogre.Mesh) { m.Skinned = false })},
		{`tl-mesh-skeleton skeleton: names the skeleton "../a", which is not a file in the same folder`,
			mesh(func(m *ogre.Mesh) { m.Skeleton.File = "../a" })},
		{"tl-mesh-bounds mesh.bounds: is 0 to 0.5 in x, but a vertex is at 1 (and 3 more)",
			mesh(func(m *ogre.Mesh) { m.Bounds.Max[0] = 0.5 })},
		{`tl-mesh-name mesh.names.name[0]: is "roof" of submesh 5, of 2`, mesh(func(m *ogre.Mesh) { m.Names.List[0].SubMesh = 5 })},
		{`tl-skeleton-bone bone[1]: has the name "ROOT" of bone[0]`, skeleton(func(s *ogre.Skeleton) { s.Bones[1].Name = "ROOT" })},
		{"tl-skeleton-bone bone[1]: has the handle 0 of bone[0]; tl-skeleton-bone parent[0]: names bone 1, which does not exist; " +
			"tl-skeleton-track animation[0].track[0]: moves bone 1, which does not exist",
			skeleton(func(s *ogre.Skeleton) { s.Bones[1].Handle = 0 })},
		{"tl-skeleton-bone bone[1]: is its own ancestor", skeleton(func(s *ogre.Skeleton) { s.Parents[0].Parent = 1 })},
		{"tl-skeleton-bone parent[1]: gives bone 1 a second parent, after bone 0",
			skeleton(func(s *ogre.Skeleton) { s.Parents = append(s.Parents, s.Parents[0]) })},
		{"tl-skeleton-roots : 2 bones have no parent", skeleton(func(s *ogre.Skeleton) { s.Parents = nil })},
		{"tl-skeleton-track animation[0].track[1]: moves bone 1, as track[0] does",
			skeleton(func(s *ogre.Skeleton) { s.Animations[0].Tracks = append(s.Animations[0].Tracks, ogre.Track{Bone: 1}) })},
		{"tl-skeleton-time animation[0].track[0].key[1]: is at 0 s, after a key at 0 s",
			skeleton(func(s *ogre.Skeleton) { s.Animations[0].Tracks[0].Keys[1].Time = 0 })},
		{"tl-skeleton-time animation[0].track[0].key[0]: is at -0.5 s (and 1 more)", skeleton(func(s *ogre.Skeleton) {
			s.Animations[0].Tracks[0].Keys[0].Time, s.Animations[0].Tracks[0].Keys[1].Time = -0.5, 3
		})},
		{"tl-skeleton-rotation bone[0]: has the rotation [0 0 0 0]", skeleton(func(s *ogre.Skeleton) { s.Bones[0].Rotation[3] = 0 })},
	} {
		var got []string
		ogre.Check(encode(t, c.model), func(f check.Finding) { got = append(got, f.ID+" "+f.Path+": "+f.Message) })
		if found := strings.Join(got, "; "); found != c.want && !sameSet(got, c.want) {
			t.Errorf("found %s, want %s", found, c.want)
		}
	}
	found := check.Collect(func(s check.Sink) { ogre.Check([]byte("\x00\x10[Ser"), s) })
	if len(found) != 1 || found[0].ID != "tl-model-unreadable" || !strings.Contains(found[0].Message, "offset 2") {
		t.Error(found)
	}
}

// sameSet reports whether findings are those of a list, in any order.
func sameSet(got []string, want string) bool {
	for _, finding := range got {
		if !strings.Contains(want, finding) {
			return false
		}
	}
	return len(strings.Split(want, "; ")) == len(got)
}

func FuzzDecode(f *testing.F) {
	for _, data := range models(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		ogre.Check(data, func(check.Finding) {})
		dumped := ogre.Dump(data, func(trace.Field) {})
		if _, err := ogre.Decode(data); err != nil || dumped != nil {
			if (err == nil) != (dumped == nil) {
				t.Fatalf("Decode: %v, Dump: %v", err, dumped)
			}
			return
		}
		roundTrip(t, "fuzzed", data)
	})
}

func FuzzParse(f *testing.F) {
	for _, data := range models(f) {
		form, _, err := ogre.Decompile(data, ogre.Options{})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(form)
	}
	f.Fuzz(func(t *testing.T, form []byte) {
		ogre.IsText(form)
		data, err := ogre.Compile(form, nil, ogre.Options{})
		if err != nil {
			return
		}
		again, residue, err := ogre.Decompile(data, ogre.Options{})
		if err != nil {
			t.Fatalf("%v, of the text %s", err, form)
		}
		if back, err := ogre.Compile(again, residue, ogre.Options{}); err != nil || !bytes.Equal(back, data) {
			t.Fatalf("%x, want %x, %v", back, data, err)
		}
	})
}

const script = `// a comment
material pole/skin : base
{
	technique
	{
		pass /* of
		two lines */
		{
			ambient 0.588 0.588 0.588
			alpha_rejection greater 200
			texture_unit
			{
				texture "my pole.png"
			}
		}
	}
}
material b { technique { pass { cull_hardware none } } }
`

func TestScript(t *testing.T) {
	s, err := ogre.ParseScript([]byte(script))
	if err != nil {
		t.Fatal(err)
	}
	m := s.Find("POLE/skin")
	if len(s.Materials) != 2 || m == nil || m.Parent != "base" || m.Line != 2 {
		t.Fatalf("%+v", s)
	}
	for pass := range m.Passes() {
		value, _ := pass.Get("alpha_rejection")
		var textures []string
		for name := range pass.Textures() {
			textures = append(textures, name)
		}
		if fmt.Sprint(value, len(textures), textures) != "[greater 200] 1 [my pole.png]" {
			t.Error(value, textures)
		}
	}
	for pass := range s.Find("b").Passes() {
		if value, has := pass.Get("cull_hardware"); !has || value[0] != "none" || pass.Line != 18 {
			t.Error(value, pass.Line)
		}
	}
	for _, c := range []struct{ src, want string }{
		{"material a\n{\n", "line 3: expected } of the material in line 1, found the end of the text"},
		{"}\n", "line 1: expected a material, found } without {"},
		{"{\n", "line 1: expected a material, technique, pass or texture_unit, found { without one"},
		{"ambient 1 1 1\n", "line 1: expected { after a material, found ambient 1 1 1"},
		{"/* a", "line 1: expected */ after a comment, found the end of the text"},
		{strings.Repeat("material a {\n", 40), "line 33: expected at most 32 braces inside each other"},
	} {
		if _, err := ogre.ParseScript([]byte(c.src)); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%.30q: %v", c.src, err)
		}
	}
}

func TestCheckScript(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"", "", ""},
		{"0.588 0.588 0.588", "0.588 0.588",
			`tl-material-value line 9: ambient is "0.588 0.588", expected 3 numbers or 4 numbers or vertexcolour`},
		{"cull_hardware none", "cull_hardware never",
			`tl-material-value line 18: cull_hardware is "never", expected none or clockwise or anticlockwise`},
		{"material b", "material Pole/SKIN", `tl-material-twice line 18: is a second material "Pole/SKIN", after line 2`},
		{"material b { technique", "material b { pass", "tl-material-block line 18: is a pass in a material; it belongs in technique; " +
			"tl-material-block line 18: is a pass in a pass; it belongs in technique"},
		{"}\n", "}}}}}}\n", "tl-material-unreadable line 14: expected a material, found } without {"},
	} {
		var got []string
		ogre.CheckScript([]byte(strings.Replace(script, c.old, c.new, 1)), func(f check.Finding) {
			got = append(got, f.ID+" "+f.Path+": "+f.Message)
		})
		if found := strings.Join(got, "; "); found != c.want {
			t.Errorf("found %s, want %s", found, c.want)
		}
	}
}

// FuzzScript tests that every material of a script is in its lines, or the error has a line.
func FuzzScript(f *testing.F) {
	f.Add([]byte(script))
	f.Add([]byte("material a { technique { pass { texture_unit { texture \"a } } // }"))
	f.Fuzz(func(t *testing.T, data []byte) {
		ogre.CheckScript(data, func(check.Finding) {})
		s, err := ogre.ParseScript(data)
		if err == nil && len(s.Materials) > strings.Count(string(data), "{") {
			t.Errorf("%d materials", len(s.Materials))
		}
		if e := (*text.Error)(nil); err != nil && !errors.As(err, &e) {
			t.Errorf("%v has no line", err)
		}
	})
}

// TestCorpus tests that all models in real mods are read, given back and in order.
func TestCorpus(t *testing.T) {
	if len(tests.CorpusFiles(t, "torchlight/models", ".mesh")) == 0 {
		t.Error("no meshes")
	}
	for name, data := range models(t) {
		ogre.Check(data, func(f check.Finding) {
			if name != "mesh" && name != "skeleton" {
				t.Errorf("%s: %s", name, f)
			}
		})
	}
	for _, name := range tests.CorpusFiles(t, "torchlight/models", ".material") {
		data := judge.Read(t, name)
		if ogre.CheckScript(data, func(f check.Finding) { t.Errorf("%s: %s", name, f) }) == nil {
			t.Error(name)
		}
	}
}

// TestManyElements tests that a declaration of too many elements is not compared with each buffer, and comes back.
func TestManyElements(t *testing.T) {
	m := sampleMesh()
	m.Shared.Declaration.Elements = append(m.Shared.Declaration.Elements, slices.Repeat([]ogre.Element{{Source: 9}}, 300)...)
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	form, residue, err := ogre.Decompile(data, ogre.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if back, err := ogre.Compile(form, residue, ogre.Options{}); err != nil || !bytes.Equal(back, data) {
		t.Errorf("other bytes come back: %v", err)
	}
	found := check.Collect(func(s check.Sink) { ogre.Check(data, s) })
	if !slices.ContainsFunc(found, func(f check.Finding) bool { return strings.Contains(f.Message, "304 elements, expected at most 256") }) {
		t.Errorf("found %v", found)
	}
}
