package mapdraw_test

import (
	"context"
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
	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/twmap"
)

// reference is a picture of the corpus, and the largest allowed difference: the mean over its pixels of the largest
// difference of a channel.
type reference struct {
	file, path string
	x, y, zoom float64 // the camera, in tiles
	entities   int
	black      bool // the background is black
	most       float64
	mask       func(m *twmap.Map, camera mapdraw.Camera, hide func(x, y, around float64))
}

const maps = "ddnet_ddnet/data/maps/"

var references = []reference{
	{file: "ddnet_GoldMine_at100,60_z1", path: "ddnet_ddnet/data/maps7/Gold Mine.map", x: 100, y: 60, zoom: 1, most: 0.03},
	{file: "twgpu_GoldMine_at100,60_z1_t0", path: "ddnet_ddnet/data/maps7/Gold Mine.map", x: 100, y: 60, zoom: 1, most: 0.2, black: true},
	{file: "ddnet_GoldMine_at100,60_z3.1605", path: "ddnet_ddnet/data/maps7/Gold Mine.map", x: 100, y: 60, zoom: 3.1605,
		most: 0.3, mask: moving},
	{file: "ddnet_Kobra_at450,450_z1", path: maps + "Kobra@2014-03-29-21367b.map", x: 450, y: 450, zoom: 1, most: 0.1},
	{file: "ddnet_Kobra_at450,450_z1_entities100", path: maps + "Kobra@2014-03-29-21367b.map", x: 450, y: 450, zoom: 1,
		entities: 100, most: 1, mask: numbered},
	{file: "ddnet_ctf5_at135,60_z1", path: maps + "ctf5.map", x: 135, y: 60, zoom: 1, most: 0.1, mask: things},
	{file: "twgpu_ctf5_at135,60_z1_t0", path: maps + "ctf5.map", x: 135, y: 60, zoom: 1, most: 0.3, black: true},
	{file: "ddnet_dm8_at31,25_z1", path: maps + "dm8.map", x: 31, y: 25, zoom: 1, most: 0.6, mask: things},
	{file: "twgpu_dm8_at31,25_z1_t0", path: maps + "dm8.map", x: 31, y: 25, zoom: 1, most: 0.5, black: true},
	{file: "ddnet_coverage_at25,25_z1", path: maps + "coverage.map", x: 25, y: 25, zoom: 1, most: 1, mask: things},
	{file: "ddnet_coverage_at25,25_z1_entities50", path: maps + "coverage.map", x: 25, y: 25, zoom: 1, entities: 50, most: 1, mask: both},
	{file: "ddnet_coverage_at25,25_z1_entities100", path: maps + "coverage.map", x: 25, y: 25, zoom: 1, entities: 100, most: 1, mask: both},
}

// things hides the positions where the game creates entities.
func things(m *twmap.Map, _ mapdraw.Camera, hide func(x, y, around float64)) {
	for y, row := range m.Physics(twmap.KindGame).Tiles().Rows() {
		for x, t := range row {
			if t.ID >= 192 {
				hide(float64(x), float64(y), 70)
			}
		}
	}
}

// numbered hides the cells of tiles with numbers, which have another font.
func numbered(m *twmap.Map, _ mapdraw.Camera, hide func(x, y, around float64)) {
	each := func(kind twmap.Kind, at func(l *twmap.TileLayer, x, y int) uint8) {
		if l := m.Physics(kind); l != nil {
			for i := range l.Width() * l.Height() {
				if x, y := i%l.Width(), i/l.Width(); at(l, x, y) != 0 {
					hide(float64(x), float64(y), 0)
				}
			}
		}
	}
	each(twmap.KindTele, func(l *twmap.TileLayer, x, y int) uint8 { return l.Teles().At(x, y).ID })
	each(twmap.KindSwitch, func(l *twmap.TileLayer, x, y int) uint8 { return l.Switches().At(x, y).ID })
	each(twmap.KindSpeedup, func(l *twmap.TileLayer, x, y int) uint8 { return l.Speedups().At(x, y).ID })
}

// moving hides everything that quads with an envelope may cover, in groups that move with the game.
func moving(m *twmap.Map, _ mapdraw.Camera, hide func(x, y, around float64)) {
	for _, g := range m.Groups {
		for _, l := range g.Layers {
			l, ok := l.(*twmap.QuadLayer)
			if !ok || g.ParallaxX != 100 || g.ParallaxY != 100 {
				continue
			}
			quads, _ := l.Quads()
			for _, q := range quads {
				if q.PosEnv < 0 && q.ColorEnv < 0 {
					continue
				}
				radius := 0.0
				for _, p := range q.Points {
					radius = max(radius, math.Hypot(float64(p.X-q.Pivot.X), float64(p.Y-q.Pivot.Y)))
				}
				x, y, r := float64(q.Pivot.X)/32768, float64(q.Pivot.Y)/32768, radius/32768
				for dy := math.Floor(y - r); dy <= y+r; dy++ {
					for dx := math.Floor(x - r); dx <= x+r; dx++ {
						hide(dx, dy, 1)
					}
				}
			}
		}
	}
}

func both(m *twmap.Map, c mapdraw.Camera, hide func(x, y, around float64)) {
	things(m, c, hide)
	numbered(m, c, hide)
}

func readMap(t testing.TB, path string) *twmap.Map {
	t.Helper()
	data := judge.Read(t, path)
	m, err := twmap.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func readPNG(t testing.TB, path string) *image.NRGBA {
	t.Helper()
	data := judge.Read(t, path)
	p, err := mapdraw.DecodePNG(data)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return p
}

// TestReferences compares pictures with those of the game's client, and of TwGpu.
func TestReferences(t *testing.T) {
	dir := tests.Corpus(t, "teeworlds")
	const width, height = 1280, 720
	for _, ref := range references {
		t.Run(ref.file, func(t *testing.T) {
			m := readMap(t, filepath.Join(dir, filepath.FromSlash(ref.path)))
			want := readPNG(t, filepath.Join(dir, "pictures", ref.file+".png"))
			o := mapdraw.Options{Entities: ref.entities, Mapres: []string{filepath.Join(dir, "mapres/ddnet_ddnet/data/mapres")}}
			if ref.entities > 0 {
				o.EntitiesImage = readPNG(t, filepath.Join(dir, "mapres/ddnet_ddnet/data/editor/entities_clear/ddnet.png"))
			}
			r, err := mapdraw.New(m, o)
			if err != nil {
				t.Fatal(err)
			}
			camera := mapdraw.NewCamera(32*ref.x, 32*ref.y, ref.zoom, image.Pt(width, height))
			picture := camera.At(width)
			got := image.NewRGBA(image.Rect(0, 0, width, height))
			background := color.NRGBA{128, 128, 128, 255}
			if ref.black {
				background = color.NRGBA{A: 255}
			}
			draw.Draw(got, got.Rect, image.NewUniform(background), image.Point{}, draw.Src)
			if err := r.Render(context.Background(), got, picture); err != nil {
				t.Fatal(err)
			}
			var hidden [width * height]bool
			cover := func(x0, y0, x1, y1 float64) {
				box := image.Rect(int(x0), int(y0), int(x1)+1, int(y1)+1).Intersect(got.Rect)
				for y := box.Min.Y; y < box.Max.Y; y++ {
					for x := box.Min.X; x < box.Max.X; x++ {
						hidden[y*width+x] = true
					}
				}
			}
			if !ref.black {
				cover(1220, 0, width, 39)
			}
			hide := func(x, y, around float64) {
				px, py := (32*x-picture.Left)*picture.Scale, (32*y-picture.Top)*picture.Scale
				cover(px-around, py-around, px+32*picture.Scale+around, py+32*picture.Scale+around)
			}
			if ref.mask != nil {
				ref.mask(m, camera, hide)
			}
			sum, n, most := 0, 0, 0
			for i, masked := range hidden {
				if masked {
					continue
				}
				difference := 0
				for c := range 3 {
					difference = max(difference, int(got.Pix[4*i+c])-int(want.Pix[4*i+c]), int(want.Pix[4*i+c])-int(got.Pix[4*i+c]))
				}
				sum, n, most = sum+difference, n+1, max(most, difference)
			}
			mean := float64(sum) / float64(n)
			t.Logf("mean %.4f, largest %d, of %.1f %% of the pixels; missing %v", mean, most, float64(n)*100/width/height, r.Missing())
			if mean >= ref.most {
				t.Errorf("mean %.4f, should be below %v", mean, ref.most)
			}
			if out := os.Getenv("MAPDRAW_OUT"); out != "" {
				f, _ := os.Create(filepath.Join(out, ref.file+".png"))
				png.Encode(f, got)
				f.Close()
			}
		})
	}
}
