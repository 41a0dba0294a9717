package worldscene_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/internal/worldscene"
)

// TestPartLooks tests that parts of a picture with textures are only drawn with the same textures, and that the textures are in
// the fingerprints.
func TestPartLooks(t *testing.T) {
	dir := terrain(t)
	judge.Write(t, filepath.Join(dir, "trowel_nodes.json"), []byte(definitions))
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
		v, _ := format.ViewOf(s.Views, view)
		l := look(v, 4)
		pixels := image.Rect(40, 40, 140, 100)
		part, err := viewOf(s, l.View).Part(l, pixels)
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
		if part, err = viewOf(flat, l.View).Part(l, pixels); err != nil {
			t.Fatal(err)
		}
		if of := openScene(t, dir, job(part, "textures", one)); !bytes.Equal(drawPart(t, of, l, pixels).Pix, drawPart(t, flat, l, pixels).Pix) {
			t.Errorf("%s: the flat part looks otherwise", view)
		}
		sums := make(map[[32]byte]string)
		for _, s := range []*format.Scene{s, flat, openScene(t, dir, job(nil, "textures", other))} {
			sum, err := viewOf(s, l.View).Fingerprint(t.Context(), l, pixels)
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
	judge.Write(t, filepath.Join(dir, "trowel_nodes.json"), []byte(definitions))
	mod := filepath.Join(dir, "game", "mods", "rocks")
	if err := os.MkdirAll(mod, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(textures(t), filepath.Join(mod, "textures")); err != nil {
		t.Fatal(err)
	}
	judge.Write(t, filepath.Join(mod, "mod.conf"), []byte("name = rocks\n"))
	s := scene(t, dir, map[string]string{"noshading": "true"})
	v, _ := format.ViewOf(s.Views, "top")
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

// TestPrecedence tests that colours without textures follow the folders of textures in the order of the engine and their
// override.txt, and that fingerprints and parts depend on these folders.
func TestPrecedence(t *testing.T) {
	dir := terrain(t)
	if err := os.Remove(filepath.Join(dir, "colors.txt")); err != nil {
		t.Fatal(err)
	}
	game, pack := t.TempDir(), t.TempDir()
	put := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		judge.Write(t, name, []byte(text))
	}
	picture := func(name string, c color.NRGBA) {
		t.Helper()
		img := image.NewNRGBA(image.Rect(0, 0, 1, 1))
		img.SetNRGBA(0, 0, c)
		var b bytes.Buffer
		if err := png.Encode(&b, img); err != nil {
			t.Fatal(err)
		}
		put(name, b.String())
	}
	put(filepath.Join(dir, "trowel_nodes.json"), strings.Replace(definitions, "rock.png^[", "water.png^[", 1))
	put(filepath.Join(game, "game.conf"), "")
	red, green := color.NRGBA{R: 250, A: 255}, color.NRGBA{G: 250, A: 255}
	picture(filepath.Join(game, "textures", "rock.png"), red)
	picture(filepath.Join(game, "textures", "grass.png"), red)
	picture(filepath.Join(pack, "sub", "grass.png"), green)
	put(filepath.Join(pack, "override.txt"), "a:stone top grass.png\n")
	sums := make(map[[32]byte]string)
	var parts [][]byte
	for folders, want := range map[string][2]int{game: {1, 0}, game + "\n" + pack: {0, 1}, pack + "\n" + game: {0, 1}} {
		job := &format.Job{Values: map[string]string{"textures": folders, "noshading": "true"}}
		s := openScene(t, dir, job)
		v, _ := format.ViewOf(s.Views, "top")
		l := look(v, 1)
		img := drawPart(t, s, l, image.Rectangle{Max: l.Size})
		var got [2]int
		for i := 0; i < len(img.Pix); i += 4 {
			for k, c := range []color.NRGBA{red, green} {
				if img.Pix[i] == c.R && img.Pix[i+1] == c.G && img.Pix[i+2] == 0 {
					got[k] = 1
				}
			}
		}
		if got != want {
			t.Errorf("%q: red and green %v, expected %v", folders, got, want)
		}
		for _, view := range []string{"top", "iso"} {
			v, _ := format.ViewOf(s.Views, view)
			l := look(v, 1)
			part, err := viewOf(s, l.View).Part(l, image.Rect(0, 0, 9, 9))
			if err != nil {
				t.Fatal(err)
			}
			parts = append(parts, part)
			sum, err := viewOf(s, l.View).Fingerprint(t.Context(), l, image.Rectangle{Max: l.Size})
			if was := sums[sum]; err != nil || was != "" {
				t.Errorf("%s of %q has the fingerprint of %s (%v)", view, folders, was, err)
			}
			sums[sum] = view
		}
	}
	picture(filepath.Join(pack, "other.png"), red)
	picture(filepath.Join(game, "textures", "other.png"), red)
	src, err := format.OpenSource(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, part := range parts {
		job := &format.Job{Part: part, Values: map[string]string{"textures": game + "\n" + pack}}
		if _, err := worldscene.Open(t.Context(), job, src, ""); err == nil ||
			!strings.Contains(err.Error(), "not those with which the picture was begun") {
			t.Errorf("part %d with changed textures: %v", i, err)
		}
	}
	put(filepath.Join(pack, "mods", "a", "init.lua"), "")
	job := &format.Job{Values: map[string]string{"textures": game + "\n" + pack}}
	if _, err := worldscene.Open(t.Context(), job, src, ""); err == nil || !strings.Contains(err.Error(), "both games") {
		t.Errorf("two games: %v", err)
	}
}

// TestNoDefinitions tests that pictures of other games report, once, how their nodes get textures.
func TestNoDefinitions(t *testing.T) {
	dir := terrain(t)
	if err := os.Remove(filepath.Join(dir, "colors.txt")); err != nil {
		t.Fatal(err)
	}
	for _, scale := range []float64{1, 4} {
		var done []string
		s := openScene(t, dir, &format.Job{Reports: format.Reports{OnDone: func(text string) { done = append(done, text) }}})
		for _, view := range []string{"top", "iso"} {
			v, _ := format.ViewOf(s.Views, view)
			l := look(v, scale)
			drawPart(t, s, l, image.Rectangle{Max: l.Size})
		}
		if len(done) != 1 || !strings.Contains(done[0], "copy contrib/minetest/trowel_nodes") {
			t.Errorf("scale %g: %q", scale, done)
		}
	}
}
