package textured_test

import (
	"bytes"
	"encoding/json"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"trowel.example/internal/testing/corpus"
	"trowel.example/minetest/internal/nodemesh"
	"trowel.example/minetest/internal/texture"
	"trowel.example/minetest/internal/textured"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodedef"
)

type camera struct {
	File  string  `json:"file"`
	Ratio float64 `json:"day_night_ratio"`
	Fov   float64 `json:"fov_y_degrees"`
	Pitch float64 `json:"pitch_degrees"`
	Yaw   float64 `json:"yaw_degrees"`
	Eye   struct{ X, Y, Z float64 }
}

// TestClient draws pictures of the real client again. At least 97 % of the pixels are within 10 levels of a pixel around
// their place, and 95 % within 2 levels at their place.
func TestClient(t *testing.T) {
	each(t, func(s *scene) {
		near, same, equal := compare(s.draw(t), s.want)
		t.Logf("%s: %.2f %% near, %.2f %% within 2, %.2f %% equal", s.File, near, same, equal)
		if near < 97 || same < 95 {
			t.Errorf("%s: %.2f %% near, %.2f %% within 2", s.File, near, same)
		}
	})
}

// scene is what a camera of the client sees, and its picture.
type scene struct {
	camera
	game      *textured.Game
	volume    *nodemesh.Volume
	low, high [3]int
	want      image.Image
}

// draw draws the scene.
func (s *scene) draw(t *testing.T) *image.RGBA {
	t.Helper()
	got := image.NewRGBA(s.want.Bounds())
	draw.Draw(got, got.Rect, image.NewUniform(color.NRGBA{0x88, 0xa0, 0xc0, 255}), image.Point{}, draw.Src)
	view := textured.Camera{Eye: [3]float64{s.Eye.X, s.Eye.Y, s.Eye.Z}, Yaw: s.Yaw, Pitch: s.Pitch, Fov: s.Fov, Daylight: s.Ratio}
	middle := textured.Picture{Middle: [2]float64{480, 300}, Height: 600}
	if err := view.Draw(t.Context(), got, middle, s.game, s.volume, s.low, s.high); err != nil {
		t.Fatal(err)
	}
	return got
}

// each calls do with the scenes whose pictures are in the corpus.
func each(t *testing.T, do func(*scene)) {
	dir := corpus.Dir(t, "minetest/client")
	raw, err := os.ReadFile(filepath.Join(dir, "world/nodes_full.json"))
	if err != nil {
		t.Fatal(err)
	}
	raw = append([]byte(`{"format": "trowel-nodes", "version": 2, `), bytes.TrimSpace(raw)[1:]...)
	file, err := nodedef.Parse(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	var search texture.Search
	if err := search.AddMod("texlab", os.DirFS(filepath.Join(dir, "texlab/mods/texlab"))); err != nil {
		t.Fatal(err)
	}
	game := textured.NewGame(file.Nodes, &search, 6)
	db, err := mapdb.Open(t.Context(), filepath.Join(dir, "world"), mapdb.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var cameras []camera
	data, err := os.ReadFile(filepath.Join(dir, "cameras.json"))
	if err == nil {
		err = json.Unmarshal(data, &cameras)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cameras {
		f, err := os.Open(filepath.Join(dir, "pictures", c.File))
		if err != nil {
			continue
		}
		want, err := png.Decode(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		origin := [3]int{int(math.Round(c.Eye.X/256)) * 256, 0, 0}
		low, high := [3]int{origin[0] - 26, -17, -26}, [3]int{origin[0] + 26, 33, 26}
		v := game.NewVolume(low, [3]int{53, 51, 53})
		for b, err := range db.Blocks(t.Context(), mapdb.All()) {
			if err != nil {
				t.Fatal(err)
			}
			block, err := mapblock.Decode(b.Data)
			if err != nil {
				t.Fatal(err)
			}
			v.SetBlock(b.Pos, block.Nodes())
		}
		do(&scene{c, game, v, low, high, want})
	}
	if missing := game.Missing(); len(missing) > 0 {
		t.Errorf("missing: %v", missing)
	}
}

// compare returns the percentages of pixels that are within 10 levels of a pixel of the 3 x 3 around them, within 2 at
// their place, and equal.
func compare(got *image.RGBA, want image.Image) (near, same, equal float64) {
	b := got.Rect
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(want.At(x, y)).(color.RGBA) }
	diff := func(a, b color.RGBA) int {
		d := func(a, b uint8) int { return max(int(a)-int(b), int(b)-int(a)) }
		return max(d(a.R, b.R), d(a.G, b.G), d(a.B, b.B))
	}
	n := 0
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			g := got.RGBAAt(x, y)
			n++
			d := diff(g, at(x, y))
			if d == 0 {
				equal++
			}
			if d <= 2 {
				same++
			}
			best := d
			for dy := -1; dy <= 1 && best > 10; dy++ {
				for dx := -1; dx <= 1; dx++ {
					if p := image.Pt(x+dx, y+dy); p.In(b) {
						best = min(best, diff(g, at(p.X, p.Y)))
					}
				}
			}
			if best <= 10 {
				near++
			}
		}
	}
	f := 100 / float64(n)
	return near * f, same * f, equal * f
}
