package figure_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"image"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/picture/gltf"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/dat"
	"trowel.example/torchlight/internal/figure"
	"trowel.example/torchlight/internal/ogre"
)

// unit are the files of small in a folder of the game, with a unit and the files that it is based on.
func unit(t testing.TB) map[string][]byte {
	t.Helper()
	all := make(map[string][]byte)
	for name, data := range small(t) {
		all["MEDIA/MODELS/SMALL/"+name] = data
	}
	all["MEDIA/MODELS/SMALL/OTHER.MESH"] = all["MEDIA/MODELS/SMALL/SMALL.MESH"]
	all["MEDIA/MODELS/BLUE.PNG"] = all["MEDIA/MODELS/SMALL/RED.PNG"]
	all["MEDIA/UNITS/A.DAT"] = []byte("[UNIT]\n<STRING>BASEFILE:media\\units\\b.dat\n<FLOAT>SCALE:3\n[MESHFILES]\n<STRING>MESHFILE:other\n" +
		"[/MESHFILES]\n[/UNIT]\n")
	all["MEDIA/UNITS/B.DAT"] = []byte("[UNIT]\n<STRING>BASEFILE:units/c.dat\n<STRING>MESHFILE:Small\n<FLOAT>SCALE:2\n[/UNIT]\n")
	all["MEDIA/UNITS/C.DAT"] = []byte("[UNIT]\n<STRING>RESOURCEDIRECTORY:Media\\models/small/\n<STRING>MESHFILE:none\n" +
		"<STRING>TEXTURE_OVERRIDE:media/models/blue.dds\n[/UNIT]\n")
	return all
}

// TestUnit tests that a unit finds its mesh through its base files, and has its size and texture.
func TestUnit(t *testing.T) {
	f, err := figure.OpenUnit(files(unit(t)), "MEDIA/UNITS/A.DAT", "")
	if err != nil || len(f.Lacks) > 0 {
		t.Fatalf("%v, lacks %v", err, f.Lacks)
	}
	if f.Path != "MEDIA/MODELS/SMALL/SMALL.MESH" || f.Scale != 3 ||
		f.Parts[0].Material.Texture.Path != "media/models/blue.PNG" || f.Usual() == nil {
		t.Errorf("%s, scale %g, texture %s", f.Path, f.Scale, f.Parts[0].Material.Texture.Path)
	}
	if low, high := f.Bounds(figure.Front, nil); high[0]-low[0] != 6 || high[1]-low[1] != 6 {
		t.Errorf("drawn from %v to %v", low, high)
	}
	if m, err := f.Model(nil); err != nil || m.Nodes[0].Scale != [3]float32{3, 3, 3} {
		t.Errorf("%v: the scale of the model is %v", err, m.Nodes[0].Scale)
	}
	if !slices.Equal(f.Meshes, []string{"Small", "other"}) || !slices.Equal(f.Available(), []string{"idle"}) {
		t.Errorf("meshes %q, animations %q", f.Meshes, f.Available())
	}
	f, err = figure.OpenUnit(files(unit(t)), "MEDIA/UNITS/A.DAT", "OTHER")
	if err != nil || !strings.EqualFold(f.Path, "MEDIA/MODELS/SMALL/OTHER.MESH") {
		t.Errorf("another mesh: %v", err)
	}
	_, err = figure.OpenUnit(files(unit(t)), "MEDIA/UNITS/A.DAT", "third")
	if err == nil || !strings.Contains(err.Error(), "the unit has Small, other") {
		t.Errorf("a mesh that the unit does not have: %v", err)
	}
}

// TestUnitLacks tests what is reported of units without some of their files.
func TestUnitLacks(t *testing.T) {
	for _, c := range []struct {
		without, unit, wanted string
		noMesh                bool
	}{
		{without: "MEDIA/UNITS/B.DAT", wanted: "MESHFILE is missing, and so is the base file MEDIA/UNITS/B.DAT", noMesh: true},
		{without: "MEDIA/UNITS/C.DAT", wanted: "RESOURCEDIRECTORY is missing, and so is the base file MEDIA/UNITS/C.DAT", noMesh: true},
		{without: "MEDIA/MODELS/SMALL/SMALL.MESH", wanted: "mesh MEDIA/MODELS/SMALL/SMALL.MESH: not found", noMesh: true},
		{without: "MEDIA/UNITS/A.DAT", wanted: "not found"},
		{without: "MEDIA/MODELS/BLUE.PNG", wanted: "texture media/models/blue.dds not found in the mod, in --base or next to the file; " +
			"the mesh keeps its textures"},
		{unit: "<STRING>MESHFILE:small\n<STRING>RESOURCEDIRECTORY:media/models/small\n<STRING>BASEFILE:x.dat\n<FLOAT>SCALE:-2\n",
			wanted: "base MEDIA/X.DAT not found in the mod, in --base or next to the file; values from it may be missing, " +
				"scale -2 not a scale above 0; the mesh keeps its size"},
		{unit: "<STRING>MESHFILE:../../../../etc/passwd\n<STRING>RESOURCEDIRECTORY:media\n",
			wanted: "mesh MEDIA/ETC/PASSWD.MESH: not found", noMesh: true},
	} {
		all := unit(t)
		delete(all, c.without)
		if c.unit != "" {
			all["MEDIA/UNITS/A.DAT"] = []byte("[UNIT]\n" + c.unit + "[/UNIT]\n")
		}
		f, err := figure.OpenUnit(files(all), "MEDIA/UNITS/A.DAT", "")
		var got []string
		if err != nil {
			got = append(got, err.Error())
		} else {
			for _, l := range f.Lacks {
				got = append(got, l.Kind+" "+l.Name+" "+l.Why)
			}
		}
		if lacks := strings.Join(got, ", "); !strings.Contains(lacks, c.wanted) || errors.Is(err, figure.ErrNoMesh) != c.noMesh {
			t.Errorf("without %s%s: %s", c.without, c.unit, lacks)
		}
	}
}

// TestUnitValid tests that Khronos' validator accepts the model of a unit with all that it can have.
func TestUnitValid(t *testing.T) {
	all := make(map[string][]byte)
	for name, data := range samples(t) {
		all["MEDIA/MODELS/"+name] = data
	}
	maps.Copy(all, map[string][]byte{"MEDIA/UNITS/A.DAT": []byte("[UNIT]\n<STRING>MESHFILE:pole\n<STRING>RESOURCEDIRECTORY:media/models\n" +
		"<FLOAT>SCALE:1.5\n[/UNIT]\n")})
	f, err := figure.OpenUnit(files(all), "MEDIA/UNITS/A.DAT", "")
	if err != nil {
		t.Fatal(err)
	}
	clips, err := f.ClipsOf(nil)
	if err != nil || len(clips) == 0 {
		t.Fatalf("%d animations: %v", len(clips), err)
	}
	m, err := f.Model(clips)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	name := filepath.Join(t.TempDir(), "unit.glb")
	if err = gltf.Write(&out, m); err == nil {
		err = os.WriteFile(name, out.Bytes(), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Meshes, Materials, Animations []struct {
			Extras struct {
				Submesh *int
				Ogre    []string
				Keys    []figure.Key
			}
		}
	}
	const head = 20 // bytes before the JSON, the last eight are its size and kind
	size := binary.LittleEndian.Uint32(out.Bytes()[12:])
	if err := json.Unmarshal(out.Bytes()[head:head+size], &doc); err != nil {
		t.Fatal(err)
	}
	if n := doc.Meshes[0].Extras.Submesh; n == nil || *n != 0 {
		t.Error("the mesh has no submesh in its extras")
	}
	if lines := doc.Materials[0].Extras.Ogre; !slices.Contains(lines, "alpha_rejection greater 200") {
		t.Errorf("the script of the material is %q", lines)
	}
	if keys := doc.Animations[0].Extras.Keys; len(keys) != 1 || keys[0] != (figure.Key{Name: "HIT", Seconds: .5}) {
		t.Errorf("the keys of the animation are %v", keys)
	}
	judge.ValidateGLTF(t, name)
}

// TestModelImages tests that materials with the same picture share it.
func TestModelImages(t *testing.T) {
	all := small(t)
	m, err := ogre.Decode(all["SMALL.MESH"])
	if err != nil {
		t.Fatal(err)
	}
	mesh := m.(*ogre.Mesh)
	mesh.SubMeshes = append(mesh.SubMeshes, mesh.SubMeshes[0])
	mesh.SubMeshes[1].Material = "other"
	if all["SMALL.MESH"], err = mesh.Encode(); err != nil {
		t.Fatal(err)
	}
	script := string(all["SMALL.MATERIAL"])
	all["SMALL.MATERIAL"] = []byte(script + strings.Replace(script, "material red", "material other", 1))
	f, err := figure.Open(files(all), "SMALL.MESH")
	if err != nil || len(f.Lacks) > 0 {
		t.Fatalf("%v %v", err, f.Lacks)
	}
	model, err := f.Model(nil)
	if err != nil {
		t.Fatal(err)
	}
	images := make(map[*gltf.Image]bool)
	materials := make(map[*gltf.Material]bool)
	for _, n := range model.Nodes {
		if n.Mesh != nil {
			materials[n.Mesh.Primitives[0].Material] = true
			images[n.Mesh.Primitives[0].Material.Texture.Image] = true
		}
	}
	if len(materials) != 2 || len(images) != 1 {
		t.Errorf("%d materials with %d images", len(materials), len(images))
	}
}

func FuzzUnit(f *testing.F) {
	all := unit(f)
	f.Add(all["MEDIA/UNITS/A.DAT"], all["MEDIA/UNITS/B.DAT"], all["MEDIA/UNITS/C.DAT"])
	f.Add([]byte("[UNIT]\n<FLOAT>SCALE:1e4\n<STRING>BASEFILE:media/units/a.dat\n[/UNIT]\n"), []byte("[UNIT]\n"), []byte(nil))
	f.Fuzz(func(t *testing.T, a, b, c []byte) {
		all := maps.Clone(all)
		all["MEDIA/UNITS/A.DAT"], all["MEDIA/UNITS/B.DAT"], all["MEDIA/UNITS/C.DAT"] = a, b, c
		fig, err := figure.OpenUnit(files(all), "MEDIA/UNITS/A.DAT", "")
		if err != nil {
			return
		}
		low, high := fig.Bounds(figure.Iso, nil)
		scale := 16 / max(high[0]-low[0], high[1]-low[1], 1e-6)
		if err := fig.Draw(t.Context(), image.NewRGBA(image.Rect(0, 0, 16, 16)), figure.Iso, nil, low, scale); err != nil {
			t.Fatal(err)
		}
		m, err := fig.Model(nil)
		if err == nil {
			err = gltf.Write(io.Discard, m)
		}
		if err != nil {
			t.Fatal(err)
		}
	})
}

// TestUnitDamage cuts each file of a unit at every byte, and sets every four bytes to extreme lengths. Each gives an error or
// a model that can be drawn and written, in little memory.
func TestUnitDamage(t *testing.T) {
	const most = 4 << 20 // bytes, of one model of a few hundred bytes
	all := unit(t)
	compiled, err := dat.Compile(all["MEDIA/UNITS/B.DAT"], nil, dat.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all["MEDIA/UNITS/B.DAT"] = compiled
	models := 0
	try := func(name string, data []byte) {
		damaged := maps.Clone(all)
		damaged[name] = data
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f, err := figure.OpenUnit(files(damaged), "MEDIA/UNITS/A.DAT", "")
		if err == nil {
			models++
			clip := f.Usual()
			low, high := f.Bounds(figure.Front, clip)
			scale := 8 / max(high[0]-low[0], high[1]-low[1], 1e-6)
			dst := image.NewRGBA(image.Rect(0, 0, 8, 8))
			if err = f.Draw(t.Context(), dst, figure.Front, f.Pose(clip, .3), low, scale); errors.Is(err, figure.ErrCrowded) {
				err = nil
			}
			var m *gltf.Model
			if err == nil {
				m, err = f.Model(nil)
			}
			if err == nil {
				err = gltf.Write(io.Discard, m)
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > most {
			t.Errorf("%s with %d bytes: %d bytes are allocated", name, len(data), after.TotalAlloc-before.TotalAlloc)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		data := all[name]
		for i := range data {
			if i%tests.Of(t, 3, 1) == 0 {
				try(name, data[:i])
			}
			if i+4 > len(data) || i%tests.Of(t, 7, 1) > 0 {
				continue
			}
			for _, v := range []uint32{0, 5, 1 << 31, math.MaxUint32} {
				changed := slices.Clone(data)
				binary.LittleEndian.PutUint32(changed[i:], v)
				try(name, changed)
			}
		}
	}
	if models == 0 {
		t.Error("no model survives")
	}
}
