package textured_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
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

// rests are the nodes whose mean colours are not within 4 levels, with the reasons.
var rests = map[string]string{
	"drawtypes_1.png texlab:glass_two": "a row of texels of its frame is exactly between two rows of pixels",
	"facedirs_1.png texlab:wallbox":    "directions 6 and 7 are invalid before 5.9: the engine reads beyond the end of a table",
	"facedirs_1.png texlab:die_wall":   "the same",
	"facedirs_2.png texlab:wallbox":    "the same",
	"facedirs_2.png texlab:die_wall":   "the same",
	"facedirs_3.png texlab:wallbox":    "the same",
	"facedirs_3.png texlab:die_wall":   "the same",
}

// TestClient draws pictures of the real client again. At least 97 % of the pixels are within 10 levels of a pixel around
// their place, and 95 % within 2 levels at their place. The mean colours of nodes are within 4 levels.
func TestClient(t *testing.T) {
	each(t, func(s *scene) {
		got := s.draw(t)
		near, same, equal := compare(got, s.want)
		for name, m := range means(got, s.want, s.owners(got.Rect), s.names) {
			if m.off() > 4 && rests[s.File+" "+name] == "" {
				t.Errorf("%s: the mean colour of %s, in %d pixels, is %.1f levels off", s.File, name, m.pixels, m.off())
			}
		}
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
	names     map[[3]int]string
}

func (s *scene) view() (textured.Camera, textured.Picture) {
	return textured.Camera{Eye: [3]float64{s.Eye.X, s.Eye.Y, s.Eye.Z}, Yaw: s.Yaw, Pitch: s.Pitch, Fov: s.Fov, Daylight: s.Ratio},
		textured.Picture{Middle: [2]float64{480, 300}, Height: 600}
}

// owners returns the node to which each pixel belongs, row by row.
func (s *scene) owners(r image.Rectangle) [][3]int {
	view, picture := s.view()
	return view.Owners(r, picture, s.game, s.volume, s.low, s.high)
}

// draw draws the scene.
func (s *scene) draw(t *testing.T) *image.RGBA {
	t.Helper()
	got := image.NewRGBA(s.want.Bounds())
	draw.Draw(got, got.Rect, image.NewUniform(color.NRGBA{0x88, 0xa0, 0xc0, 255}), image.Point{}, draw.Src)
	view, middle := s.view()
	if err := view.Draw(t.Context(), got, middle, s.game, s.volume, s.low, s.high); err != nil {
		t.Fatal(err)
	}
	return got
}

// each calls do with the scenes whose pictures are in the corpus, or in the folder that TROWEL_CLIENT names.
func each(t *testing.T, do func(*scene)) {
	dir := tests.Corpus(t, "minetest/client")
	raw := judge.Read(t, filepath.Join(dir, "world/nodes_full.json"))
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
		f, err := os.Open(filepath.Join(cmp.Or(os.Getenv("TROWEL_CLIENT"), filepath.Join(dir, "pictures")), c.File))
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
		v, names := game.NewVolume(low, [3]int{53, 51, 53}), make(map[[3]int]string)
		for b, err := range db.Blocks(t.Context(), mapdb.All()) {
			if err != nil {
				t.Fatal(err)
			}
			block, err := mapblock.Decode(b.Data)
			if err != nil {
				t.Fatal(err)
			}
			nodes := block.Nodes()
			v.SetBlock(b.Pos, nodes)
			for i := range nodes.Name {
				x, y, z := mapblock.Coordinates(i)
				names[[3]int{x + int(b.Pos.X)*16, y + int(b.Pos.Y)*16, z + int(b.Pos.Z)*16}] = nodes.At(i)
			}
		}
		do(&scene{c, game, v, low, high, want, names})
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

// mean is the difference of mean colours.
type mean struct {
	sum    [3]int
	pixels int
}

// off returns the greatest difference of a channel.
func (m *mean) off() (worst float64) {
	for _, sum := range m.sum {
		worst = max(worst, math.Abs(float64(sum))/float64(m.pixels))
	}
	return worst
}

// means returns the differences by the names of the nodes to which pixels belong.
func means(got *image.RGBA, want image.Image, owners [][3]int, names map[[3]int]string) map[string]*mean {
	all := make(map[string]*mean)
	for i, p := range owners {
		name := names[p]
		if name == "" {
			continue // the background
		}
		m := all[name]
		if m == nil {
			m = new(mean)
			all[name] = m
		}
		x, y := i%got.Rect.Dx(), i/got.Rect.Dx()
		g, w := got.RGBAAt(x, y), color.RGBAModel.Convert(want.At(x, y)).(color.RGBA)
		m.pixels++
		for j, d := range [3]int{int(g.R) - int(w.R), int(g.G) - int(w.G), int(g.B) - int(w.B)} {
			m.sum[j] += d
		}
	}
	return all
}
