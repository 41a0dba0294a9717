package mapdraw_test

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/twmap"
)

// noise returns a picture of random pixels.
func noise(side int) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, side, side))
	for i := range p.Pix {
		p.Pix[i] = byte(i*7 + i/977)
	}
	return p
}

// bigMap returns a map of the largest usual size: 2000 x 1000 tiles, in 30 layers.
func bigMap(b *testing.B) *twmap.Map {
	r := rand.New(rand.NewPCG(1, 2))
	m := twmap.New(2000, 1000)
	for i := range 4 {
		m.Images = append(m.Images, twmap.NewImage(fmt.Sprint(i), noise(1024)))
	}
	for i := range 30 {
		l := twmap.NewTileLayer(twmap.KindTiles, 2000, 1000)
		l.Image = i % 4
		cells := make([]twmap.Tile, 2000*1000)
		for j := range cells {
			if (j/37+i)%5 == 0 {
				cells[j] = twmap.Tile{ID: uint8(r.IntN(256)), Flags: twmap.TileFlags(r.IntN(16)) &^ twmap.Opaque}
			}
		}
		l.SetCells(twmap.KindTiles, twmap.NewGridOf(2000, 1000, cells))
		m.Groups = append(m.Groups, twmap.NewGroup("", l))
	}
	return reread(b, m)
}

// quadMap returns a map with 2,000 quads, each over nearly all of it.
func quadMap(b *testing.B) *twmap.Map {
	r := rand.New(rand.NewPCG(1, 2))
	m := twmap.New(1000, 500)
	m.Images = append(m.Images, twmap.NewImage("q", noise(512)))
	quads := make([]twmap.Quad, 2000)
	for i := range quads {
		quads[i] = twmap.NewQuad(r.Int32N(1000), r.Int32N(1000), 31000, 15000)
		quads[i].Colors[i%4].A = 100
	}
	l := twmap.NewQuadLayer(quads...)
	l.Image = 0
	m.Groups = append(m.Groups, twmap.NewGroup("", l))
	return reread(b, m)
}

func reread(b *testing.B, m *twmap.Map) *twmap.Map {
	data, err := m.Encode()
	if err != nil {
		b.Fatal(err)
	}
	if m, err = twmap.Decode(data); err != nil {
		b.Fatal(err)
	}
	return m
}

// BenchmarkTile measures drawing tiles of 256 pixels from all over a map, in one zoom level after the other, as a
// viewer requests them. It reports the 95th percentile and the time of the first picture.
func BenchmarkTile(b *testing.B) {
	file := func(path string) func(b *testing.B) *twmap.Map {
		return func(b *testing.B) *twmap.Map {
			return readMap(b, filepath.Join(tests.Corpus(b, "teeworlds"), filepath.FromSlash(path)))
		}
	}
	for _, c := range []struct {
		name string
		read func(b *testing.B) *twmap.Map
	}{
		{"big", bigMap}, {"quads", quadMap},
		{"Kobra", file(maps + "Kobra@2014-03-29-21367b.map")}, {"GoldMine", file("ddnet_ddnet/data/maps7/Gold Mine.map")},
		{"dm8", file(maps + "dm8.map")},
	} {
		m := (*twmap.Map)(nil)
		for _, scale := range []float64{0.25, 1, 4, 16, 64} { // pixels per tile
			b.Run(fmt.Sprintf("%s/%g", c.name, scale), func(b *testing.B) {
				if m == nil {
					m = c.read(b)
				}
				start := time.Now()
				r, err := mapdraw.New(m, mapdraw.Options{})
				if err != nil {
					b.Fatal(err)
				}
				whole := mapdraw.Whole(m)
				p := whole.At(1)
				p.Scale, p.Mean = scale/mapdraw.TileSize, true
				columns, rows := int(math.Ceil(whole.Width*p.Scale/256)), int(math.Ceil(whole.Height*p.Scale/256))
				dst := image.NewRGBA(image.Rect(0, 0, 256, 256))
				tile := func(i int) {
					i = i * 7919 % (columns * rows)
					dst.Rect = image.Rect(0, 0, 256, 256).Add(image.Pt(i%columns, i/columns).Mul(256))
					clear(dst.Pix)
					if err := r.Render(b.Context(), dst, p); err != nil {
						b.Fatal(err)
					}
				}
				tile(0)
				first := time.Since(start)
				var all []time.Duration
				for i := 1; b.Loop(); i++ {
					start := time.Now()
					tile(i)
					all = append(all, time.Since(start))
				}
				slices.Sort(all)
				b.ReportMetric(float64(first.Milliseconds()), "ms-first")
				b.ReportMetric(float64(all[len(all)*95/100].Microseconds())/1000, "ms-95%")
			})
		}
	}
}
