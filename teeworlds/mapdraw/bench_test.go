package mapdraw_test

import (
	"image"
	"image/draw"
	"path/filepath"
	"testing"

	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/mapdraw"
)

// BenchmarkRender measures drawing pictures on one core. Compare it with BenchmarkDraw, which draws one picture of
// the same size over another; multiply that by the number of layers.
func BenchmarkRender(b *testing.B) {
	dir := tests.Corpus(b, "teeworlds")
	mapres := filepath.Join(dir, "mapres/ddnet_ddnet/data/mapres")
	size := image.Pt(1280, 720)
	for _, c := range []struct {
		name, path string
		entities   int
		picture    func(m mapdraw.Camera) mapdraw.Picture
	}{
		{"GoldMine/game", "ddnet_ddnet/data/maps7/Gold Mine.map", 0,
			func(mapdraw.Camera) mapdraw.Picture { return mapdraw.NewCamera(3200, 1920, 1, size).At(size.X) }},
		{"Kobra/game", maps + "Kobra@2014-03-29-21367b.map", 0,
			func(mapdraw.Camera) mapdraw.Picture { return mapdraw.NewCamera(14400, 14400, 1, size).At(size.X) }},
		{"dm8/game", maps + "dm8.map", 0, func(mapdraw.Camera) mapdraw.Picture { return mapdraw.NewCamera(992, 800, 1, size).At(size.X) }},
		{"Kobra/entities", maps + "Kobra@2014-03-29-21367b.map", 100,
			func(mapdraw.Camera) mapdraw.Picture { return mapdraw.NewCamera(14400, 14400, 1, size).At(size.X) }},
		{"Kobra/natural", maps + "Kobra@2014-03-29-21367b.map", 0, func(whole mapdraw.Camera) mapdraw.Picture {
			p := whole.At(int(whole.Width))
			p.Left, p.Top = 14000, 14000
			return p
		}},
		{"Kobra/small", maps + "Kobra@2014-03-29-21367b.map", 0, func(whole mapdraw.Camera) mapdraw.Picture { return whole.At(size.X) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			m := readMap(b, filepath.Join(dir, filepath.FromSlash(c.path)))
			r, err := mapdraw.New(m, mapdraw.Options{Mapres: []string{mapres}, Entities: c.entities})
			if err != nil {
				b.Fatal(err)
			}
			p := c.picture(mapdraw.Whole(m))
			dst := image.NewRGBA(image.Rectangle{Max: size})
			b.SetBytes(int64(size.X * size.Y))
			if err := r.Render(b.Context(), dst, p); err != nil { // fills the caches
				b.Fatal(err)
			}
			for b.Loop() {
				if err := r.Render(b.Context(), dst, p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkDraw measures drawing one picture over another once, with image/draw.
func BenchmarkDraw(b *testing.B) {
	rect := image.Rect(0, 0, 1280, 720)
	dst := image.NewRGBA(rect)
	src := image.NewNRGBA(rect)
	for i := range src.Pix {
		src.Pix[i] = byte(i * 7)
	}
	b.SetBytes(int64(rect.Dx() * rect.Dy()))
	for b.Loop() {
		draw.Draw(dst, rect, src, image.Point{}, draw.Over)
	}
}

// BenchmarkOpen measures preparing a map and drawing its first picture.
func BenchmarkOpen(b *testing.B) {
	dir := tests.Corpus(b, "teeworlds")
	path := filepath.Join(dir, filepath.FromSlash("ddnet_ddnet/data/maps7/Gold Mine.map"))
	for b.Loop() {
		m := readMap(b, path)
		r, err := mapdraw.New(m, mapdraw.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := r.Render(b.Context(), image.NewRGBA(image.Rect(0, 0, 16, 16)), mapdraw.Whole(m).At(16)); err != nil {
			b.Fatal(err)
		}
	}
}
