package nodemesh_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"testing"

	"trowel.example/internal/picture/raster"
	"trowel.example/internal/testing/corpus"
	"trowel.example/minetest/internal/model"
	"trowel.example/minetest/internal/nodemesh"
	"trowel.example/minetest/internal/texture"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodedef"
)

// lab is the game of the pictures.
type lab struct {
	dir   string
	maker *texture.Maker
}

func (l *lab) path(name string) string {
	for _, dir := range []string{"textures", "models"} {
		path := filepath.Join(l.dir, "texlab/mods/texlab", dir, name)
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return ""
}

// Image implements texture.Source.
func (l *lab) file(name string) (*image.NRGBA, error) {
	path := l.path(name)
	if path == "" {
		return nil, fs.ErrNotExist
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	to := image.NewNRGBA(image.Rectangle{Max: img.Bounds().Size()})
	draw.Draw(to, to.Rect, img, img.Bounds().Min, draw.Src)
	return to, nil
}

type source struct{ *lab }

func (s source) Image(_ context.Context, name string) (*image.NRGBA, error) { return s.file(name) }

func (l *lab) Image(name string) *image.NRGBA {
	img, err := l.maker.Make(context.Background(), name)
	if err != nil {
		panic(err)
	}
	return img
}

func (l *lab) Model(name string) *model.Model {
	data, err := os.ReadFile(l.path(name))
	if err != nil {
		return nil
	}
	m, err := model.Parse(name, data)
	if err != nil {
		panic(err)
	}
	return m
}

type camera struct {
	File  string  `json:"file"`
	Ratio float64 `json:"day_night_ratio"`
	Fov   float64 `json:"fov_y_degrees"`
	Pitch float64 `json:"pitch_degrees"`
	Yaw   float64 `json:"yaw_degrees"`
	Eye   struct{ X, Y, Z float64 }
}

func TestClient(t *testing.T) {
	dir := corpus.Dir(t, "minetest/client")
	l := &lab{dir: dir}
	l.maker = texture.NewMaker(source{l}, 6)
	raw, err := os.ReadFile(filepath.Join(dir, "world/nodes_full.json"))
	if err != nil {
		t.Fatal(err)
	}
	raw = append([]byte(`{"format": "trowel-nodes", "version": 2, `), bytes.TrimSpace(raw)[1:]...)
	file, err := nodedef.Parse(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	looks := nodemesh.NewLooks(file.Nodes, nil, l, 6)
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
		v := looks.NewVolume(low, [3]int{53, 51, 53})
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
		got := render(v, looks, l, &c, low, high)
		near, same, equal := compare(got, want)
		t.Logf("%s: %.2f %% near, %.2f %% within 2, %.2f %% equal", c.File, near, same, equal)
		if near < 97 || same < 95 {
			t.Errorf("%s: %.2f %% near, %.2f %% within 2", c.File, near, same)
		}
		if out := os.Getenv("LAB_OUT"); out != "" {
			var buf bytes.Buffer
			png.Encode(&buf, got)
			os.WriteFile(filepath.Join(out, c.File), buf.Bytes(), 0o644)
		}
	}
	fmt.Println(looks.Materials()[:3])
}

func render(v *nodemesh.Volume, looks *nodemesh.Looks, l *lab, c *camera, low, high [3]int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, 960, 600))
	draw.Draw(img, img.Rect, image.NewUniform(color.NRGBA{0x88, 0xa0, 0xc0, 255}), image.Point{}, draw.Src)
	canvas := raster.NewCanvas(img)
	canvas.Near = .1
	sinY, cosY := math.Sincos(c.Yaw * math.Pi / 180)
	sinP, cosP := math.Sincos(c.Pitch * math.Pi / 180)
	forward := [3]float64{-sinY * cosP, -sinP, cosY * cosP}
	right := [3]float64{cosY, 0, sinY}
	upward := [3]float64{-sinY * sinP, cosP, cosY * sinP}
	eye := [3]float64{c.Eye.X - float64(v.Origin[0]), c.Eye.Y - float64(v.Origin[1]), c.Eye.Z - float64(v.Origin[2])}
	scale := 300 / math.Tan(c.Fov*math.Pi/360)
	daylight := nodemesh.NewDaylight(c.Ratio)
	project := func(vx *nodemesh.Vertex) raster.Vertex {
		var d [3]float64
		for i := range d {
			d[i] = float64(vx.Pos[i]) - eye[i]
		}
		dot := func(a [3]float64) float64 { return a[0]*d[0] + a[1]*d[1] + a[2]*d[2] }
		w := dot(forward)
		rgb := daylight.Color(vx.Color)
		return raster.Vertex{X: float32(dot(right)*scale + 480*w), Y: float32(300*w - dot(upward)*scale), Z: 1, W: float32(w),
			U: vx.UV[0], V: vx.UV[1], Color: [3]float32{float32(rgb[0]), float32(rgb[1]), float32(rgb[2])}}
	}
	textures := map[int]*raster.Texture{}
	type late struct {
		f    nodemesh.Face
		dist float64
	}
	var blend []late
	one := func(f *nodemesh.Face) {
		m := looks.Materials()[f.Material]
		tex := textures[f.Material]
		if tex == nil {
			tex = &raster.Texture{Image: l.Image(m.Texture), Mode: raster.Mode(m.Alpha), RepeatU: m.RepeatU, RepeatV: m.RepeatV}
			textures[f.Material] = tex
		}
		var p [4]raster.Vertex
		for i := range f.N {
			p[i] = project(&f.V[i])
		}
		tri := func(a, b, d int) { canvas.Triangle(tex, &[3]raster.Vertex{p[a], p[b], p[d]}, m.Culling) }
		switch {
		case f.N == 3:
			tri(0, 1, 2)
		case f.Split13:
			tri(0, 1, 3)
			tri(1, 2, 3)
		default:
			tri(0, 1, 2)
			tri(0, 2, 3)
		}
	}
	v.Faces(low, high, func(f *nodemesh.Face) {
		if looks.Materials()[f.Material].Alpha == nodemesh.Blend {
			d := 0.0
			for i := range 3 {
				s := float64(0)
				for j := range f.N {
					s += float64(f.V[j].Pos[i])
				}
				s = s/float64(f.N) - eye[i]
				d += s * s
			}
			blend = append(blend, late{*f, d})
			return
		}
		one(f)
	})
	sortLate(blend, func(a late) float64 { return a.dist })
	for i := range blend {
		one(&blend[i].f)
	}
	return img
}

func sortLate[T any](s []T, by func(T) float64) {
	for i := 1; i < len(s); i++ {
		for j := i; j > 0 && by(s[j]) > by(s[j-1]); j-- {
			s[j], s[j-1] = s[j-1], s[j]
		}
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
