package worldscene_test

import (
	"bytes"
	"image"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/format"
	"trowel.example/internal/testing/judge"
)

// TestSheets tests that views with textures do not depend on the parts in which they are drawn, that --flat and small
// scales are without textures, and that missing files are reported.
func TestSheets(t *testing.T) {
	dir := terrain(t)
	judge.Write(t, filepath.Join(dir, "trowel_nodes.json"), []byte(definitions))
	given := map[string]string{"textures": textures(t), "slice": "3"}
	s := scene(t, dir, given)
	given["flat"] = "true"
	flat := scene(t, dir, given)
	for _, name := range []string{"top", "iso", "south", "north", "east", "west", "night", "slice"} {
		v, _ := format.ViewOf(s.Views, name)
		for scale, parts := range map[float64]int{2: 0, 4: 40, 6.5: 110} {
			l := look(v, scale)
			l.Origin[0] -= 3
			r := image.Rect(0, 0, min(l.Size.X, 300), min(l.Size.Y, 300))
			whole, without := drawPart(t, s, l, r), drawPart(t, flat, l, r)
			if same := bytes.Equal(whole.Pix, without.Pix); same != (scale < 4) {
				t.Errorf("%s at %g: as without textures: %t", name, scale, same)
			}
			for y := 0; parts > 0 && y < r.Max.Y; y += parts {
				part := drawPart(t, s, l, image.Rect(17, y, r.Max.X, min(y+parts, r.Max.Y)))
				for at := part.Rect.Min; at.Y < part.Rect.Max.Y; at.Y++ {
					from, to := whole.PixOffset(at.X, at.Y), whole.PixOffset(part.Rect.Max.X, at.Y)
					if !bytes.Equal(whole.Pix[from:to], part.Pix[part.PixOffset(at.X, at.Y):][:to-from]) {
						t.Fatalf("%s at %g: row %d differs in %v", name, scale, at.Y, part.Rect)
					}
				}
			}
		}
	}
	lacks := ""
	for _, m := range s.Missing() {
		lacks += m.Kind + " " + m.Name + "; "
	}
	if !strings.Contains(lacks, "texture grass.png") || !strings.Contains(lacks, "block 3,0,2") {
		t.Errorf("missing: %s", lacks)
	}
}

// TestCorners tests isometric pictures from all corners: that they fill their bounds, and do not depend on their
// parts.
func TestCorners(t *testing.T) {
	dir := terrain(t)
	judge.Write(t, filepath.Join(dir, "trowel_nodes.json"), []byte(definitions))
	folder := textures(t)
	sums := make(map[[32]byte]string)
	for _, corner := range []string{"south-west", "south-east", "north-east", "north-west"} {
		values := map[string]string{"textures": folder, "corner": corner}
		s := scene(t, dir, values)
		v, _ := format.ViewOf(s.Views, "iso")
		l := look(v, 4)
		whole := drawPart(t, s, l, image.Rectangle{Max: l.Size})
		filled := 0
		for i := 3; i < len(whole.Pix); i += 4 {
			if whole.Pix[i] > 0 {
				filled++
			}
		}
		if filled < len(whole.Pix)/4/3 {
			t.Errorf("%s: only %d of %d pixels", corner, filled, len(whole.Pix)/4)
		}
		r := image.Rect(150, 100, 260, 190)
		part, err := viewOf(s, l.View).Part(l, r)
		if err != nil {
			t.Fatal(err)
		}
		got := drawPart(t, openScene(t, dir, &format.Job{Values: values, Part: part}), l, r)
		for y := r.Min.Y; y < r.Max.Y; y++ {
			if !bytes.Equal(got.Pix[got.PixOffset(r.Min.X, y):][:4*r.Dx()], whole.Pix[whole.PixOffset(r.Min.X, y):][:4*r.Dx()]) {
				t.Fatalf("%s: row %d differs", corner, y)
			}
		}
		sum, err := viewOf(s, l.View).Fingerprint(t.Context(), l, r)
		if err != nil || sum == [32]byte{} || sums[sum] != "" {
			t.Errorf("%s: fingerprint %x, as %s, %v", corner, sum, sums[sum], err)
		}
		sums[sum] = corner
	}
	s := scene(t, dir, map[string]string{"flat": "true", "corner": "north-east"})
	v, _ := format.ViewOf(s.Views, "iso")
	if err := v.Render(t.Context(), image.NewRGBA(image.Rect(0, 0, 9, 9)), look(v, 4)); err == nil ||
		!strings.Contains(err.Error(), "only pictures with textures") {
		t.Errorf("without textures: %v", err)
	}
}
