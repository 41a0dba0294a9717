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
			m, err := s.game.Model(t.Context(), s.volume, s.low, s.high, s.Ratio)
			if err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("%s-%v.glb", s.File, s.volume.Unlit)
			f, err := os.Create(filepath.Join(dir, name))
			if err == nil {
				err = gltf.Write(f, m)
				f.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f.Name())
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

// TestAssimp tests that assimp lists every primitive, material and picture of the models of the client's scenes.
func TestAssimp(t *testing.T) {
	path := judge.Find(t, "assimp")
	each(t, func(s *scene) {
		m, err := s.game.Model(t.Context(), s.volume, s.low, s.high, s.Ratio)
		if err != nil {
			t.Fatal(err)
		}
		meshes, materials, pictures := 0, make(map[*gltf.Material]bool), make(map[*gltf.Image]bool)
		for _, n := range m.Nodes {
			for _, p := range n.Mesh.Primitives {
				meshes++
				materials[p.Material], pictures[p.Material.Texture.Image] = true, true
			}
		}
		file := filepath.Join(t.TempDir(), "scene.glb")
		var data bytes.Buffer
		if err := gltf.Write(&data, m); err != nil {
			t.Fatal(err)
		}
		judge.Write(t, file, data.Bytes())
		out, err := exec.Command(path, "info", file).Output()
		if err != nil {
			t.Fatalf("assimp: %v\n%s", err, out)
		}
		for name, want := range map[string]int{"Meshes": meshes, "Materials": len(materials), "Textures (embed.)": len(pictures)} {
			pattern := fmt.Sprintf(`(?m)^%s: +%d$`, regexp.QuoteMeta(name), want)
			if !regexp.MustCompile(pattern).Match(out) {
				t.Errorf("%s: assimp does not list %d for %q:\n%s", s.File, want, name, out)
			}
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
			m, err := s.game.Model(t.Context(), s.volume, low, high, r.Float64())
			if err != nil {
				t.Fatal(err)
			}
			f, err := os.Create(filepath.Join(dir, fmt.Sprintf("%v-%v.glb", low, high)))
			if err == nil {
				err = gltf.Write(f, m)
				f.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f.Name())
		}
	})
	judge.ValidateGLTF(t, files...)
}
