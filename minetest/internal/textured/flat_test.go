package textured_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/draw"
	"io/fs"
	"os"
	"path"
	"testing"

	"trowel.example/minetest/internal/texture"
	"trowel.example/minetest/internal/textured"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodedef"
	"trowel.example/minetest/worlddir"
)

// meadow is the sample world glade again and again, in a square of blocks.
type meadow struct {
	blocks map[mapdb.Pos]*mapblock.Nodes
	side   int
	view   *textured.Flat
}

// glade is 3 blocks wide, and 2 high from y = -1.
const gladeWidth = 3

func openMeadow(tb testing.TB, side int) (*textured.Game, *meadow) {
	tb.Helper()
	sample := os.DirFS("../../../samples/glade")
	m := &meadow{blocks: make(map[mapdb.Pos]*mapblock.Nodes), side: side}
	err := fs.WalkDir(sample, "blocks", func(name string, d fs.DirEntry, err error) error {
		pos, is := worlddir.BlockOf(name)
		if err != nil || !is {
			return err
		}
		text, err := fs.ReadFile(sample, name)
		if err != nil {
			return err
		}
		b, err := worlddir.ParseBlock(text)
		if err == nil {
			m.blocks[pos] = b.Nodes()
		}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	file, err := nodedef.ReadFile("../../../samples/glade/" + nodedef.FileName)
	if err != nil {
		tb.Fatal(err)
	}
	var search texture.Search
	mod, err := fs.Sub(sample, path.Join("game", "mods", "glade"))
	if err == nil {
		err = search.AddMod("glade", mod)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return textured.NewGame(file.Nodes, &search, texture.Newest), m
}

func (m *meadow) Nodes(_ context.Context, p mapdb.Pos, _ bool) (*mapblock.Nodes, error) {
	if p.X < 0 || p.Z < 0 || int(p.X) >= m.side || int(p.Z) >= m.side {
		return nil, nil
	}
	return m.blocks[mapdb.Pos{X: p.X % gladeWidth, Y: p.Y, Z: p.Z % gladeWidth}], nil
}

// In returns the blocks whose outlines touch the rectangle.
func (m *meadow) In(_ context.Context, r image.Rectangle, scale int) (all []mapdb.Pos, err error) {
	const n = mapblock.Side
	for x := range m.side {
		for z := range m.side {
			for y := -1; y <= 0; y++ {
				var low, high [2]float64
				for i, axis := range [2][3]float64{m.view.Right, m.view.Down} {
					low[i] = m.view.Shift[i]
					high[i] = low[i]
					for a, at := range [3]int{x, y, z} {
						p, q := axis[a]*float64(at*n), axis[a]*float64(at*n+n)
						low[i], high[i] = low[i]+min(p, q), high[i]+max(p, q)
					}
				}
				s := float64(scale)
				if image.Rect(int(low[0]*s), int(low[1]*s), int(high[0]*s), int(high[1]*s)).Overlaps(r) {
					all = append(all, mapdb.Pos{X: int16(x), Y: int16(y), Z: int16(z)})
				}
			}
		}
	}
	return all, nil
}

func top(side int) *textured.Flat {
	return &textured.Flat{Right: [3]float64{1}, Down: [3]float64{0, 0, -1}, Near: [3]int{0, 1, 0}, Low: [3]int{0, -16, 0},
		High: [3]int{16*side - 1, 15, 16*side - 1}, Daylight: 1}
}

func iso(side int) *textured.Flat {
	return &textured.Flat{Right: [3]float64{1, 0, -1}, Down: [3]float64{-.5, -1, -.5}, Shift: [2]float64{1, 2}, Near: [3]int{-1, 1, -1},
		Low: [3]int{0, -16, 0}, High: [3]int{16*side - 1, 15, 16*side - 1}, Daylight: 1}
}

func picture(tb testing.TB, g *textured.Game, m *meadow, r image.Rectangle, scale int) *image.RGBA {
	tb.Helper()
	img := image.NewRGBA(r)
	draw.Draw(img, r, image.NewUniform(color.White), image.Point{}, draw.Src)
	if err := m.view.Draw(tb.Context(), img, scale, g, m); err != nil {
		tb.Fatal(err)
	}
	return img
}

// TestFlatParts tests that no pixel depends on the part of the picture that is drawn.
func TestFlatParts(t *testing.T) {
	for name, view := range map[string]*textured.Flat{"top": top(3), "iso": iso(3)} {
		g, m := openMeadow(t, 3)
		m.view = view
		r := image.Rect(60, -400, 380, -80)
		whole := picture(t, g, m, r, 16)
		for y := r.Min.Y; y < r.Max.Y; y += 90 {
			for x := r.Min.X; x < r.Max.X; x += 170 {
				part := image.Rect(x, y, x+170, y+90).Intersect(r)
				got := picture(t, g, m, part, 16)
				want := image.NewRGBA(part)
				draw.Draw(want, part, whole, part.Min, draw.Src)
				if !bytes.Equal(got.Pix, want.Pix) {
					t.Errorf("%s: %v differs", name, part)
				}
			}
		}
		if white := image.NewUniform(color.White); bytes.Count(whole.Pix, []byte{255, 255, 255, 255}) > len(whole.Pix)/8 {
			t.Errorf("%s: most of the picture is %v", name, white)
		}
	}
}

func benchmarkFlat(b *testing.B, view func(int) *textured.Flat, r image.Rectangle, scale int) {
	g, m := openMeadow(b, 12)
	m.view = view(12)
	img := image.NewRGBA(r)
	for b.Loop() {
		if err := m.view.Draw(b.Context(), img, scale, g, m); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(r.Dx()*r.Dy())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mpx/s")
}

func BenchmarkTop(b *testing.B) { benchmarkFlat(b, top, image.Rect(512, -2048, 2048, -512), 16) }

func BenchmarkIso(b *testing.B) { benchmarkFlat(b, iso, image.Rect(-512, -1536, 1024, 0), 8) }
