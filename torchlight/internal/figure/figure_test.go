package figure_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/picture/gltf"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/internal/figure"
	"trowel.example/torchlight/internal/ogre"
)

// files are the files of a model.
func files(all map[string][]byte) figure.Files {
	return figure.Files{
		Read: func(at string) ([]byte, error) {
			for name, data := range all {
				if strings.EqualFold(name, at) {
					return data, nil
				}
			}
			return nil, fs.ErrNotExist
		},
		List: func(folder string) (names []string) {
			for name := range all {
				if strings.EqualFold(path.Dir(name), folder) {
					names = append(names, path.Base(name))
				}
			}
			return names
		},
	}
}

// samples returns the models of the corpus.
func samples(t *testing.T) map[string][]byte {
	t.Helper()
	dir := tests.Corpus(t, "torchlight/models")
	all := make(map[string][]byte)
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if err == nil {
			all[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name()))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// expected are the places of bones of pole.mesh at moments of the animation wave.
var expected = []struct {
	seconds float64
	bone    string
	at      [3]float64
}{
	{0, "tag_righthand", [3]float64{-.5, 1.9660, 0}},
	{.25, "tag_righthand", [3]float64{-.8035, 1.55, 0}},
	{.25, "upper", [3]float64{.0625, 1.05, 0}},
	{.5, "tag_righthand", [3]float64{-.875, 1, 0}},
	{.5, "upper", [3]float64{.125, 1, 0}},
}

func near(a, b [3]float64) bool {
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1e-3 {
			return false
		}
	}
	return true
}

// TestPose tests the places of bones against the numbers of the samples, and that lengths that lie change nothing.
func TestPose(t *testing.T) {
	f, err := figure.Open(files(samples(t)), "pole.mesh")
	if err != nil {
		t.Fatal(err)
	}
	clip := f.Usual()
	if clip == nil {
		t.Fatalf("no animation of %q", f.ClipNames())
	}
	for _, want := range expected {
		world := f.Bones.World(clip, want.seconds)
		for i, b := range f.Bones.Bones {
			if got := world[i].Point([3]float64{}); b.Name == want.bone && !near(got, want.at) {
				t.Errorf("%s at %g s: %v, want %v", b.Name, want.seconds, got, want.at)
			}
		}
	}
	short, err := figure.Open(files(samples(t)), "pole_shortlen.mesh")
	if err != nil || short.Low != f.Low || short.High != f.High || len(short.Parts) != len(f.Parts) {
		t.Errorf("the mesh with other lengths: %v", err)
	}
}

// TestThree plays the animation of the glTF model in three.js, which puts the bones to the same places. Khronos' validator
// accepts the models of all meshes.
func TestThree(t *testing.T) {
	judge.Node(t, "three")
	all := samples(t)
	dir := t.TempDir()
	var made []string
	for name := range all {
		if filepath.Ext(name) != ".mesh" {
			continue
		}
		f, err := figure.Open(files(all), name)
		if err != nil {
			t.Fatal(err)
		}
		clips, err := f.ClipsOf(nil)
		if err != nil {
			t.Fatal(err)
		}
		m, err := f.Model(clips)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := gltf.Write(&out, m); err != nil {
			t.Fatal(err)
		}
		made = append(made, filepath.Join(dir, name+".glb"))
		judge.Write(t, made[len(made)-1], out.Bytes())
	}
	judge.ValidateGLTF(t, made...)
	const script = `
const path = require("path"), fs = require("fs"), url = require("url");
const root = path.dirname(path.dirname(require.resolve("three")));
globalThis.self = globalThis;
(async () => {
	const THREE = await import(url.pathToFileURL(path.join(root, "build/three.module.js")));
	const { GLTFLoader } = await import(url.pathToFileURL(path.join(root, "examples/jsm/loaders/GLTFLoader.js")));
	const data = fs.readFileSync(process.argv[1]);
	const buffer = data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength);
	const g = await new Promise((done, fail) => new GLTFLoader().parse(buffer, "", done, fail));
	const mixer = new THREE.AnimationMixer(g.scene), action = mixer.clipAction(g.animations[0]);
	action.play();
	const out = [];
	for (const [seconds, name] of JSON.parse(process.argv[2])) {
		mixer.setTime(seconds);
		g.scene.updateMatrixWorld(true);
		const at = new THREE.Vector3();
		g.scene.getObjectByName(name).getWorldPosition(at);
		out.push([at.x, at.y, at.z]);
	}
	console.log(JSON.stringify(out));
})();`
	var asked [][2]any
	for _, e := range expected {
		asked = append(asked, [2]any{e.seconds, e.bone})
	}
	words, _ := json.Marshal(asked)
	out, err := exec.Command("node", "-e", script, filepath.Join(dir, "pole.mesh.glb"), string(words)).Output()
	var got [][3]float64
	if err == nil {
		err = json.Unmarshal(out, &got)
	}
	if err != nil || len(got) != len(expected) {
		t.Fatalf("three.js: %v: %s", err, out)
	}
	for i, e := range expected {
		if !near(got[i], e.at) {
			t.Errorf("%s at %g s: %v in three.js, want %v", e.bone, e.seconds, got[i], e.at)
		}
	}
}

func floats(values ...float32) (data []byte) {
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	return data
}

// small is a model of one triangle, which a bone lifts by one in the first half second of an animation of one second. Its
// texture is red, and transparent where the mask cuts.
func small(t testing.TB) map[string][]byte {
	t.Helper()
	turn := [4]float32{0, 0, 0, 1}
	m := &ogre.Mesh{Version: "1.40", Skinned: true, Skeleton: &ogre.Link{File: "S.SKELETON"}, Bounds: &ogre.Bounds{}, Names: &ogre.Names{},
		SubMeshes: []ogre.SubMesh{{
			Material: "red", Indices: []uint32{0, 1, 2}, Operation: &ogre.Operation{Kind: ogre.Triangles},
			Geometry: &ogre.Geometry{Count: 3,
				Declaration: &ogre.Declaration{Elements: []ogre.Element{{Type: 2, Semantic: ogre.Position},
					{Type: 2, Semantic: ogre.Normal, Offset: 12}, {Type: 1, Semantic: ogre.TexCoord, Offset: 24}}},
				Buffers: []ogre.Buffer{{Stride: 32, Data: floats(0, 0, 0, 0, 0, 1, 0, 1, 2, 0, 0, 0, 0, 1, 1, 1, 0, 2, 0, 0, 0, 1, 0, 0)}}},
			Weights: []ogre.Weight{{Vertex: 0, Weight: 1}, {Vertex: 1, Weight: 1}, {Vertex: 2, Weight: 1}},
		}}}
	s := &ogre.Skeleton{Version: "1.10", Bones: []ogre.Bone{{Name: "root", Rotation: turn}}, Animations: []ogre.Animation{{Name: "idle",
		Length: 1, Tracks: []ogre.Track{{Keys: []ogre.Key{{Rotation: turn}, {Time: .5, Rotation: turn, Translation: [3]float32{0, 1, 0}},
			{Time: 1, Rotation: turn}}}}}}}
	all := map[string][]byte{"SMALL.MATERIAL": []byte("material red\n{\n technique\n {\n  pass\n  {\n   texture_unit\n   {\n" +
		"    texture red.png\n   }\n  }\n }\n}\n")}
	img := image.NewNRGBA(image.Rect(0, 0, 1, 1))
	img.SetNRGBA(0, 0, color.NRGBA{R: 255, A: 255})
	var picture bytes.Buffer
	err := png.Encode(&picture, img)
	if err == nil {
		all["SMALL.MESH"], err = m.Encode()
	}
	if err == nil {
		all["S.SKELETON"], err = s.Encode()
	}
	if err != nil {
		t.Fatal(err)
	}
	all["RED.PNG"] = picture.Bytes()
	return all
}

func TestDraw(t *testing.T) {
	f, err := figure.Open(files(small(t)), "SMALL.MESH")
	if err != nil || len(f.Lacks) > 0 {
		t.Fatalf("%v, lacks %v", err, f.Lacks)
	}
	clip, err := f.Clip("IDLE")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		seconds float64
		y       int // of a pixel
		drawn   bool
	}{{0, 9, true}, {0, -15, false}, {.5, -5, true}, {.5, 9, false}, {1, 9, true}, {1.5, 9, false}} {
		dst := image.NewRGBA(image.Rect(0, -40, 40, 20))
		// A pixel is a tenth of a unit, and the origin is one above that of the model.
		if err := f.Draw(t.Context(), dst, figure.Front, f.Pose(clip, c.seconds), [2]float64{0, -1}, 10); err != nil {
			t.Fatal(err)
		}
		if got := dst.RGBAAt(2, c.y); (got.A == 255) != c.drawn || c.drawn && (got.R < 150 || got.G > 0) {
			t.Errorf("at %g s, %d: %v", c.seconds, c.y, got)
		}
	}
	if _, err := f.Clip("walk"); err == nil || !strings.Contains(err.Error(), "idle") {
		t.Errorf("an animation that does not exist: %v", err)
	}
	m, err := f.Model([]*figure.Clip{clip})
	if err != nil || len(m.Animations) != 1 || len(m.Animations[0].Channels) != 1 {
		t.Fatalf("%v: animations %v", err, m.Animations)
	}
	if at := m.Animations[0].Channels[0].Values[1]; at != [4]float32{0, 1, 0} {
		t.Errorf("the bone is lifted to %v", at)
	}
	all := small(t)
	delete(all, "S.SKELETON")
	delete(all, "RED.PNG")
	if f, err = figure.Open(files(all), "SMALL.MESH"); err != nil || len(f.Lacks) != 2 || f.Bones != nil {
		t.Errorf("without files: %v, lacks %v", err, f.Lacks)
	}
}

func FuzzFigure(f *testing.F) {
	all := small(f)
	f.Add(all["SMALL.MESH"], all["S.SKELETON"], all["SMALL.MATERIAL"], float32(.5))
	f.Add(all["SMALL.MESH"][:100], all["S.SKELETON"], []byte("material red {"), float32(-1))
	f.Fuzz(func(t *testing.T, mesh, skeleton, material []byte, seconds float32) {
		fig, err := figure.Open(files(map[string][]byte{"SMALL.MESH": mesh, "S.SKELETON": skeleton, "SMALL.MATERIAL": material,
			"RED.PNG": all["RED.PNG"]}), "SMALL.MESH")
		if err != nil {
			return
		}
		clip := fig.Usual()
		dst := image.NewRGBA(image.Rect(0, 0, 16, 16))
		_ = fig.Draw(t.Context(), dst, figure.Iso, fig.Pose(clip, float64(seconds)), [2]float64{fig.Low[0], -fig.High[1]}, 8)
		clips, err := fig.ClipsOf(nil)
		if err != nil {
			t.Fatal(err)
		}
		m, err := fig.Model(clips)
		if err == nil {
			err = gltf.Write(io.Discard, m)
		}
		if err != nil {
			t.Fatal(err)
		}
	})
}
