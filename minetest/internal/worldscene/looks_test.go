package worldscene_test

import (
	"bytes"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/format"
	"trowel.example/minetest/internal/worldscene"
)

// TestPartLooks tests that parts of a picture with textures are only drawn with the same textures, and that the textures are in
// the fingerprints.
func TestPartLooks(t *testing.T) {
	dir := terrain(t)
	if err := os.WriteFile(filepath.Join(dir, "trowel_nodes.json"), []byte(definitions), 0o644); err != nil {
		t.Fatal(err)
	}
	one, other := textures(t), textures(t)
	file := filepath.Join(other, "rock.png")
	data, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(filepath.Join(other, "grass.png"), data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	job := func(part []byte, values ...string) *format.Job {
		j := &format.Job{Part: part, Values: make(map[string]string)}
		for i := 0; i < len(values); i += 2 {
			j.Values[values[i]] = values[i+1]
		}
		return j
	}
	for _, view := range []string{"top", "iso", "south"} {
		s := openScene(t, dir, job(nil, "textures", one))
		v, _ := format.ViewOf(s, view)
		l := look(v, 4)
		pixels := image.Rect(40, 40, 140, 100)
		part, err := s.(format.Parting).Part(l, pixels)
		if err != nil {
			t.Fatal(err)
		}
		whole := drawPart(t, s, l, pixels)
		if of := openScene(t, dir, job(part, "textures", one)); !bytes.Equal(drawPart(t, of, l, pixels).Pix, whole.Pix) {
			t.Errorf("%s: the part looks otherwise", view)
		}
		src, err := format.OpenSource(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := worldscene.Open(t.Context(), job(part, "textures", other), src, ""); err == nil ||
			!strings.Contains(err.Error(), "not those with which the picture was begun") {
			t.Errorf("%s: other textures: %v", view, err)
		}
		flat := openScene(t, dir, job(nil, "flat", "true"))
		if part, err = flat.(format.Parting).Part(l, pixels); err != nil {
			t.Fatal(err)
		}
		if of := openScene(t, dir, job(part, "textures", one)); !bytes.Equal(drawPart(t, of, l, pixels).Pix, drawPart(t, flat, l, pixels).Pix) {
			t.Errorf("%s: the flat part looks otherwise", view)
		}
		sums := make(map[[32]byte]string)
		for _, s := range []format.Scene{s, flat, openScene(t, dir, job(nil, "textures", other))} {
			sum, err := s.(format.Fingerprinter).Fingerprint(t.Context(), l, pixels)
			if err != nil || sums[sum] != "" {
				t.Errorf("%s: fingerprints: %v", view, err)
			}
			sums[sum] = view
		}
	}
}

// TestMeans tests that nodes without a colour have that of their texture, if textures are found, and with several folders those
// of the first.
func TestMeans(t *testing.T) {
	dir := terrain(t)
	if err := os.Remove(filepath.Join(dir, "colors.txt")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "trowel_nodes.json"), []byte(definitions), 0o644); err != nil {
		t.Fatal(err)
	}
	mod := filepath.Join(dir, "game", "mods", "rocks")
	if err := os.MkdirAll(mod, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(textures(t), filepath.Join(mod, "textures")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(mod, "mod.conf"), []byte("name = rocks\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := scene(t, dir, map[string]string{"noshading": "true"})
	v, _ := format.ViewOf(s, "top")
	l := look(v, 1)
	img := drawPart(t, s, l, image.Rectangle{Max: l.Size})
	water := 0 // the texture of stone, multiplied by blue
	for i := 0; i < len(img.Pix); i += 4 {
		if p := img.Pix[i:]; p[0] == 0 && p[1] == 0 && p[2] > 200 && p[2] < 250 {
			water++
		} else if p[0] == 255 && p[1] == 0 && p[2] == 255 {
			t.Fatal("a missing texture has a colour")
		}
	}
	for _, m := range s.Missing() {
		if m.Kind == "color" && m.Name == "a:water" {
			t.Errorf("%+v", m)
		}
	}
	if water < 100 {
		t.Errorf("%d pixels have the colour of water", water)
	}
}
