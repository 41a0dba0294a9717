package textured_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/chromedp/chromedp"

	"trowel.example/internal/limits/effort"
	"trowel.example/internal/picture/gltf"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/judge/chromium"
)

// page shows a model as a camera sees it.
const page = `<!doctype html><body style="margin:0"><canvas width=960 height=600></canvas>
<script type="importmap">{"imports":{"three":"/three/build/three.module.js"}}</script>
<script type="module">
import * as THREE from "three";
import { GLTFLoader } from "/three/examples/jsm/loaders/GLTFLoader.js";
const [model, fov, yaw, pitch, x, y, z] = location.hash.slice(1).split(",");
const renderer = new THREE.WebGLRenderer({ canvas: document.querySelector("canvas"), antialias: false, preserveDrawingBuffer: true });
renderer.setSize(960, 600, false);
renderer.setClearColor(0x88a0c0);
const camera = new THREE.PerspectiveCamera(Number(fov), 960 / 600, 0.1, 1000);
camera.rotation.set(-pitch * Math.PI / 180, yaw * Math.PI / 180, 0, "YXZ");
camera.position.set(Number(x), Number(y), Number(z));
const scene = new THREE.Scene();
new GLTFLoader().load("/" + model, (g) => { scene.add(g.scene); renderer.render(scene, camera); document.title = "done"; },
  undefined, (err) => (document.title = String(err)));
</script>`

// TestThree shows models of the client's scenes in three.js, with light and without: at least 97 % of the pixels are within
// 10 levels of a pixel of the camera's picture around their place. Khronos' validator accepts the models.
func TestThree(t *testing.T) {
	out, err := exec.Command(judge.Node(t, "three"), "-p", "require.resolve('three')").Output()
	if err != nil {
		t.Fatal(err)
	}
	three := filepath.Dir(filepath.Dir(string(bytes.TrimSpace(out))))
	dir := t.TempDir()
	mux := http.NewServeMux()
	mux.Handle("/three/", http.StripPrefix("/three/", http.FileServer(http.Dir(three))))
	mux.Handle("/", http.FileServer(http.Dir(dir)))
	mux.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, page)
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	p := chromium.Start(t, 960, 600)
	var files []string
	each(t, func(s *scene) {
		for _, s.volume.Unlit = range []bool{false, true} {
			name := fmt.Sprintf("%s-%v.glb", s.File, s.volume.Unlit)
			files = append(files, filepath.Join(dir, name))
			s.write(t, filepath.Join(dir, name), s.low, s.high, s.Ratio)
			at := [3]float64{s.Eye.X - float64(s.low[0]) + .5, s.Eye.Y - float64(s.low[1]) + .5, float64(s.low[2]) - .5 - s.Eye.Z}
			p.Do(chromedp.Navigate("about:blank"), chromedp.Navigate(fmt.Sprintf("%s/page#%s,%g,%g,%g,%g,%g,%g", server.URL, name, s.Fov,
				s.Yaw, s.Pitch, at[0], at[1], at[2])))
			p.Wait("document.title !== ''")
			if title := chromium.Eval[string](p, "document.title"); title != "done" {
				t.Fatalf("%s: %s", name, title)
			}
			near, same, _ := compare(s.draw(t), p.Picture(name))
			t.Logf("%s: %.2f %% near, %.2f %% within 2", name, near, same)
			if near < 97 {
				t.Errorf("%s: %.2f %% near", name, near)
			}
		}
		s.volume.Unlit = false
	})
	judge.ValidateGLTF(t, files...)
}

// contents are the numbers of things in a model.
type contents struct{ meshes, primitives, materials, pictures int }

// write writes a box of a scene as a model.
func (s *scene) write(t *testing.T, file string, low, high [3]int, daylight float64) contents {
	t.Helper()
	m, err := s.game.Model(t.Context(), s.volume, low, high, daylight, effort.WorldModelFaces)
	if err != nil {
		t.Fatal(err)
	}
	var data bytes.Buffer
	if err := gltf.Write(&data, m); err != nil {
		t.Fatal(err)
	}
	judge.Write(t, file, data.Bytes())
	primitives := 0
	meshes, materials, pictures := make(map[*gltf.Mesh]bool), make(map[*gltf.Material]bool), make(map[*gltf.Image]bool)
	for _, n := range m.Nodes {
		meshes[n.Mesh] = true
		for _, p := range n.Mesh.Primitives {
			primitives++
			materials[p.Material], pictures[p.Material.Texture.Image] = true, true
		}
	}
	return contents{len(meshes), primitives, len(materials), len(pictures)}
}

// TestAssimp tests that assimp lists every primitive, material and picture of the models of the client's scenes.
func TestAssimp(t *testing.T) {
	path := judge.Find(t, "assimp")
	each(t, func(s *scene) {
		file := filepath.Join(t.TempDir(), "scene.glb")
		n := s.write(t, file, s.low, s.high, s.Ratio)
		out, err := exec.Command(path, "info", file).Output()
		if err != nil {
			t.Fatalf("assimp: %v\n%s", err, out)
		}
		for name, want := range map[string]int{"Meshes": n.primitives, "Materials": n.materials, "Textures (embed.)": n.pictures} {
			pattern := fmt.Sprintf(`(?m)^%s: +%d$`, regexp.QuoteMeta(name), want)
			if !regexp.MustCompile(pattern).Match(out) {
				t.Errorf("%s: assimp does not list %d for %q:\n%s", s.File, want, name, out)
			}
		}
	})
}

// TestBlender tests that Blender imports every mesh, material and picture of the models of the client's scenes.
func TestBlender(t *testing.T) {
	if os.Getenv("TROWEL_BLENDER") == "" {
		t.Skip("Blender is large: set TROWEL_BLENDER")
	}
	const script = `import sys, bpy, numpy
if not hasattr(numpy, "bool"): numpy.bool = bool  # Debian's importer is older than its numpy
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.import_scene.gltf(filepath=sys.argv[-1])
print("imported", len(bpy.data.meshes), len(bpy.data.materials), len(bpy.data.images))`
	path := judge.Find(t, "blender")
	each(t, func(s *scene) {
		file := filepath.Join(t.TempDir(), "scene.glb")
		n := s.write(t, file, s.low, s.high, s.Ratio)
		out, err := exec.Command(path, "--background", "--factory-startup", "--python-exit-code", "1",
			"--python-expr", script, "--", file).CombinedOutput()
		want := fmt.Sprintf("imported %d %d %d\n", n.meshes, n.materials, n.pictures)
		if err != nil || !bytes.Contains(out, []byte(want)) {
			t.Errorf("%s: %v: Blender did not print %q:\n%s", s.File, err, want, out)
		}
	})
}

// TestRandomModels makes models of random boxes, which Khronos' validator accepts.
func TestRandomModels(t *testing.T) {
	judge.Node(t, "gltf-validator")
	r := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	var files []string
	each(t, func(s *scene) {
		for range 5 {
			low, high := s.low, s.high
			for a := range low {
				n := s.high[a] - s.low[a] + 1
				i, k := r.IntN(n), r.IntN(n)
				low[a], high[a] = s.low[a]+min(i, k), s.low[a]+max(i, k)
			}
			files = append(files, filepath.Join(dir, fmt.Sprintf("%v-%v.glb", low, high)))
			s.write(t, files[len(files)-1], low, high, r.Float64())
		}
	})
	judge.ValidateGLTF(t, files...)
}
