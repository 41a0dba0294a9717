package textured_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"
	"testing/fstest"

	"trowel.example/fault"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/internal/nodemesh"
	"trowel.example/minetest/internal/texture"
	"trowel.example/minetest/internal/textured"
	"trowel.example/minetest/nodedef"
)

func dot(t testing.TB, c color.NRGBA) *fstest.MapFile {
	img := image.NewNRGBA(image.Rect(0, 0, 1, 1))
	img.SetNRGBA(0, 0, c)
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		t.Fatal(err)
	}
	return &fstest.MapFile{Data: buf.Bytes()}
}

// small is a game with a cube that is red on top and white below, glass, and a node whose files are missing.
func small(t testing.TB, more map[string]*fstest.MapFile) *textured.Game {
	files := fstest.MapFS{"textures/red.png": dot(t, color.NRGBA{255, 0, 0, 255}),
		"textures/white.png": dot(t, color.NRGBA{255, 255, 255, 255}),
		"textures/green.png": dot(t, color.NRGBA{0, 255, 0, 255}), "textures/pane.png": dot(t, color.NRGBA{0, 0, 255, 128})}
	for name, f := range more {
		files[name] = f
	}
	defs, err := nodedef.Parse(strings.NewReader(`{"format": "trowel-nodes", "version": 2, "nodes": [
		{"name": "a:cube", "tiles": ["red.png", "white.png"]},
		{"name": "a:pane", "tiles": ["pane.png"], "drawtype": "glasslike", "paramtype": "light", "use_texture_alpha": "blend"},
		{"name": "a:lost", "tiles": ["lost.png"], "drawtype": "mesh", "mesh": "lost.obj"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	var search texture.Search
	if err := search.AddGame("game", files); err != nil {
		t.Fatal(err)
	}
	return textured.NewGame(defs.Nodes, &search, texture.Newest)
}

// look draws a volume of 5 x 5 x 5 around the origin from a camera, and returns the pixel in the middle.
func look(t *testing.T, g *textured.Game, c textured.Camera, set func(*nodemesh.Volume)) color.RGBA {
	low, high := [3]int{-2, -2, -2}, [3]int{2, 2, 2}
	v := g.NewVolume(low, [3]int{5, 5, 5})
	for i := range 125 {
		v.Set([3]int{i%5 - 2, i/5%5 - 2, i/25 - 2}, "air", 15, 0)
	}
	set(v)
	c.Fov, c.Daylight = 60, 1
	img := image.NewRGBA(image.Rect(0, 0, 9, 9))
	if err := c.Draw(t.Context(), img, textured.Picture{Middle: [2]float64{4.5, 4.5}, Height: 9}, g, v, low, high); err != nil {
		t.Fatal(err)
	}
	return img.RGBAAt(4, 4)
}

var (
	fromAbove = textured.Camera{Eye: [3]float64{0, 4, 0}, Pitch: 90}
	fromBelow = textured.Camera{Eye: [3]float64{0, -4, 0}, Pitch: -90}
)

func TestCamera(t *testing.T) {
	g := small(t, nil)
	cube := func(v *nodemesh.Volume) { v.Set([3]int{}, "a:cube", 0, 0) }
	if got := look(t, g, fromAbove, cube); got != (color.RGBA{243, 0, 0, 255}) {
		t.Errorf("the top is %v", got)
	}
	if got := look(t, g, fromBelow, cube); got.R != got.G || got.R < 90 || got.R > 120 {
		t.Errorf("the bottom is %v: white, in 0.45 of the light", got)
	}
	for yaw, name := range map[float64]string{0: "south", 90: "east", 180: "north", 270: "west"} {
		eye := map[float64][3]float64{0: {0, 0, -4}, 90: {4, 0, 0}, 180: {0, 0, 4}, 270: {-4, 0, 0}}[yaw]
		if got := look(t, g, textured.Camera{Eye: eye, Yaw: yaw}, cube); got.A != 255 {
			t.Errorf("from the %s: %v", name, got)
		}
		if got := look(t, g, textured.Camera{Eye: eye, Yaw: yaw + 180}, cube); got.A != 0 {
			t.Errorf("from the %s, looking away: %v", name, got)
		}
	}
	through := look(t, g, fromAbove, func(v *nodemesh.Volume) {
		cube(v)
		v.Set([3]int{0, 1, 0}, "a:pane", 15, 0)
	})
	if through != (color.RGBA{121, 0, 128, 255}) {
		t.Errorf("red under half of blue is %v", through)
	}
}

// TestOverride tests that an override.txt replaces the texture of one face.
func TestOverride(t *testing.T) {
	g := small(t, map[string]*fstest.MapFile{"textures/override.txt": {Data: []byte("a:cube top green.png\n")}})
	cube := func(v *nodemesh.Volume) { v.Set([3]int{}, "a:cube", 0, 0) }
	if got := look(t, g, fromAbove, cube); got != (color.RGBA{0, 243, 0, 255}) {
		t.Errorf("the top is %v", got)
	}
	if got := look(t, g, fromBelow, cube); got.R != got.G {
		t.Errorf("the bottom is %v", got)
	}
}

// TestLimits tests that definitions that would take hours are an error, and that a cancelled picture ends.
func TestLimits(t *testing.T) {
	box := "[-9e9,-9e9,-9e9,9e9,9e9,9e9]"
	for name, def := range map[string]string{
		"large boxes": `"drawtype": "nodebox", "node_box": {"type": "fixed", "fixed": [` + strings.Repeat(box+",", 999) + box + `]}`,
		"large plant": `"drawtype": "plantlike", "visual_scale": 1e30, "use_texture_alpha": "blend"`,
		"large mesh":  `"drawtype": "mesh", "mesh": "a.obj", "visual_scale": 1e9`,
	} {
		defs, err := nodedef.Parse(strings.NewReader(`{"format": "trowel-nodes", "version": 2, "nodes": [{"name": "a:a", ` +
			`"tiles": ["a.png"], ` + def + `}]}`))
		if err != nil {
			t.Fatal(err)
		}
		var search texture.Search
		if err := search.AddMod("mod", fstest.MapFS{"textures/a.png": dot(t, color.NRGBA{9, 9, 9, 99}),
			"models/a.obj": {Data: []byte("v 0 0 0\nv 1 0 0\nv 0 1 1\n" + strings.Repeat("f 1 2 3\nf 3 2 1\n", 500))}}); err != nil {
			t.Fatal(err)
		}
		g := textured.NewGame(defs.Nodes, &search, texture.Newest)
		n := tests.Of(t, 1, 20)
		low, high, size := [3]int{-n, -n, -n}, [3]int{n, n, n}, 2*n+1
		v := g.NewVolume(low, [3]int{size, size, size})
		for i := range size * size * size {
			v.Set([3]int{i%size - n, i/size%size - n, i/size/size - n}, "a:a", 15, 0)
		}
		c := textured.Camera{Eye: [3]float64{0, 0, -30}, Fov: 60, Daylight: 1}
		img := image.NewRGBA(image.Rect(0, 0, 64, 64))
		p := textured.Picture{Middle: [2]float64{32, 32}, Height: 64}
		if err := c.Draw(t.Context(), img, p, g, v, low, high); errors.Is(err, fault.ErrLimit) != (n == 20 && name != "large plant") {
			t.Errorf("%s: %v", name, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := c.Draw(ctx, img, p, g, v, low, high); !errors.Is(err, context.Canceled) && !errors.Is(err, fault.ErrLimit) {
			t.Errorf("%s: cancelled, %v", name, err)
		}
	}
}

// TestTexels tests that textures of a picture are limited together.
func TestTexels(t *testing.T) {
	if !tests.Long(t) {
		t.Skip("takes 600 MB")
	}
	var list []string
	for i := range 9 {
		list = append(list, fmt.Sprintf(`{"name": "a:%d", "tiles": ["[fill:4096x4096:#%06d"]}`, i, i))
	}
	defs, err := nodedef.Parse(strings.NewReader(`{"format": "trowel-nodes", "version": 2, "nodes": [` + strings.Join(list, ",") + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	g := textured.NewGame(defs.Nodes, new(texture.Search), texture.Newest)
	v := g.NewVolume([3]int{}, [3]int{9, 1, 1})
	for i := range 9 {
		v.Set([3]int{i, 0, 0}, fmt.Sprintf("a:%d", i), 15, 0)
	}
	v.Open()
	c := textured.Camera{Eye: [3]float64{4, 0, -30}, Fov: 60, Daylight: 1}
	p := textured.Picture{Middle: [2]float64{32, 32}, Height: 64}
	err = c.Draw(t.Context(), image.NewRGBA(image.Rect(0, 0, 64, 64)), p, g, v, [3]int{}, [3]int{8, 0, 0})
	if !errors.Is(err, fault.ErrLimit) || !strings.Contains(err.Error(), "node 8,0,0: expected at most 134,217,728 pixels of textures") {
		t.Error(err)
	}
}

// TestMissing tests that files that do not exist are reported, on each call.
func TestMissing(t *testing.T) {
	g := small(t, nil)
	look(t, g, fromAbove, func(v *nodemesh.Volume) { v.Set([3]int{}, "a:lost", 0, 0) })
	for range 2 {
		if got := g.Missing(); len(got) != 2 || got["lost.png"] == nil || got["lost.obj"] == nil {
			t.Errorf("missing: %v", got)
		}
	}
}

// BenchmarkCamera measures a picture of 4,096 cubes on a plane.
func BenchmarkCamera(b *testing.B) {
	t := new(testing.T)
	g := small(t, nil)
	low, high := [3]int{-32, -2, -32}, [3]int{31, 1, 31}
	v := g.NewVolume(low, [3]int{64, 4, 64})
	for i := range 64 * 64 * 4 {
		p := [3]int{i%64 - 32, i/64%4 - 2, i/256 - 32}
		v.Set(p, map[bool]string{true: "a:cube", false: "air"}[p[1] < 0], 15, 0)
	}
	c := textured.Camera{Eye: [3]float64{0, 8, -20}, Pitch: 20, Fov: 60, Daylight: 1}
	img := image.NewRGBA(image.Rect(0, 0, 960, 600))
	for b.Loop() {
		if err := c.Draw(b.Context(), img, textured.Picture{Middle: [2]float64{480, 300}, Height: 600}, g, v, low, high); err != nil {
			b.Fatal(err)
		}
	}
}
