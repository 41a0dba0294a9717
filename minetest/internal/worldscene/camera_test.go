package worldscene_test

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/internal/worldscene"
)

// textures returns a folder with one texture.
func textures(t *testing.T) string {
	dir := t.TempDir()
	img := image.NewRGBA(image.Rect(0, 0, 4, 4))
	for i := range img.Pix {
		img.Pix[i] = byte(i*7) | 15
	}
	var data bytes.Buffer
	if err := png.Encode(&data, img); err != nil {
		t.Fatal(err)
	}
	judge.Write(t, filepath.Join(dir, "rock.png"), data.Bytes())
	return dir
}

const definitions = `{"format": "trowel-nodes", "version": 2, "nodes": [
	{"name": "a:stone", "tiles": ["rock.png"]}, {"name": "a:grass", "tiles": ["grass.png"]},
	{"name": "a:water", "tiles": ["rock.png^[multiply:#0000ff"], "drawtype": "liquid", "paramtype": "light"}]}`

// TestCamera tests that a camera's picture does not depend on the parts in which it is drawn, has a fingerprint that
// changes with the view, and reports missing files.
func TestCamera(t *testing.T) {
	dir := terrain(t)
	values := map[string]string{"at": "30,14,-3", "look": "10,30", "fov": "60", "textures": textures(t)}
	judge.Write(t, filepath.Join(dir, "trowel_nodes.json"), []byte(definitions))
	s := scene(t, dir, values)
	v := s.Views[0]
	l := format.Look{View: "camera", Origin: v.Frame(image.Pt(80, 50)).Min, Scale: 50, Size: image.Pt(80, 50)}
	whole := drawPart(t, s, l, image.Rectangle{Max: l.Size})
	colors := make(map[[4]byte]bool)
	for _, r := range []image.Rectangle{image.Rect(0, 0, 33, 50), image.Rect(33, 0, 80, 17), image.Rect(33, 17, 80, 50)} {
		part := drawPart(t, s, l, r)
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				if part.RGBAAt(x, y) != whole.RGBAAt(x, y) {
					t.Fatalf("%d,%d is %v, and %v in %v", x, y, whole.RGBAAt(x, y), part.RGBAAt(x, y), r)
				}
				colors[[4]byte(part.Pix[part.PixOffset(x, y):][:4])] = true
			}
		}
	}
	if len(colors) < 20 {
		t.Errorf("%d colours", len(colors))
	}
	lacks := ""
	for _, m := range s.Missing() {
		lacks += m.Kind + " " + m.Name + "; "
	}
	if !strings.Contains(lacks, "texture grass.png") || !strings.Contains(lacks, "block 3,0,2") {
		t.Errorf("missing: %s", lacks)
	}
	print := func(look string) [32]byte {
		values["look"] = look
		sum, err := viewOf(scene(t, dir, values), l.View).Fingerprint(t.Context(), l, whole.Rect)
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	if a, b := print("10,30"), print("11,30"); a == b || a != print("10,30") {
		t.Errorf("fingerprints %x, %x", a, b)
	}
}

// TestCameraOptions tests the messages about wrong options, and about a world without definitions or textures.
func TestCameraOptions(t *testing.T) {
	dir := terrain(t)
	for want, values := range map[string]map[string]string{
		"--at: expected three numbers, x,y,z":          {"at": "1,2"},
		"--at: 99999 is outside of the world":          {"at": "1,99999,3"},
		"--look: expected two numbers, yaw,pitch":      {"at": "1,2,3", "look": "1,2,3"},
		"--fov: 0: expected 1 to 170":                  {"at": "1,2,3", "fov": "0"},
		"--daylight: 2: expected 0 to 1":               {"at": "1,2,3", "daylight": "2"},
		"no definitions of the nodes of game \"test\"": {"at": "1,2,3"},
	} {
		src, err := format.OpenSource(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := worldscene.Open(context.Background(), &format.Job{Values: values}, src, ""); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", values, err, want)
		}
	}
	judge.Write(t, filepath.Join(dir, "trowel_nodes.json"), []byte(definitions))
	src, err := format.OpenSource(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := worldscene.Open(context.Background(), &format.Job{Values: map[string]string{"at": "1,2,3"}}, src, ""); err == nil ||
		!strings.Contains(err.Error(), "name it with --textures") {
		t.Errorf("without textures: %v", err)
	}
}
