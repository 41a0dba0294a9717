package raster_test

import (
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"testing"

	"trowel.example/internal/picture/raster"
)

// paint returns a texture of one colour.
func paint(c color.NRGBA, mode raster.Mode) *raster.Texture {
	img := image.NewNRGBA(image.Rect(0, 0, 1, 1))
	img.SetNRGBA(0, 0, c)
	return &raster.Texture{Image: img, Mode: mode, RepeatU: true, RepeatV: true}
}

func at(x, y, z, w float32) raster.Vertex {
	return raster.Vertex{X: x * w, Y: y * w, Z: z * w, W: w, Color: [3]float32{255, 255, 255}}
}

// TestEveryPixelOnce tests that triangles around a point draw each pixel once, whatever the point is.
func TestEveryPixelOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		img := image.NewRGBA(image.Rect(0, 0, 20, 20))
		c := raster.NewCanvas(img)
		middle := at(2+r.Float32()*16, 2+r.Float32()*16, 0, 1+r.Float32())
		corners := []raster.Vertex{at(0, 0, 0, 1), at(20, 0, 0, 2), at(20, 20, 0, 1), at(0, 20, 0, 3)}
		for i := range corners {
			c.Triangle(paint(color.NRGBA{R: 200, A: 128}, raster.Blend), &[3]raster.Vertex{middle, corners[i], corners[(i+1)%4]}, false)
		}
		for i, want := 0, img.RGBAAt(0, 0); i < 400; i++ {
			if got := img.RGBAAt(i%20, i/20); got != want || got.A != 128 {
				t.Fatalf("middle %v: pixel %d,%d is %v, not %v", middle, i%20, i/20, got, want)
			}
		}
	}
}

func TestDepth(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 4, 4))
	c := raster.NewCanvas(img)
	draw := func(z float32, tex *raster.Texture) {
		c.Triangle(tex, &[3]raster.Vertex{at(0, 0, z, 1), at(8, 0, z, 1), at(0, 8, z, 1)}, false)
	}
	red, green := color.NRGBA{R: 255, A: 255}, color.NRGBA{G: 255, A: 255}
	draw(2, paint(red, raster.Opaque))
	draw(1, paint(green, raster.Opaque))
	if got := img.RGBAAt(1, 1); got.R != 255 || got.G != 0 {
		t.Errorf("a farther triangle is drawn over a nearer one: %v", got)
	}
	draw(2, paint(green, raster.Opaque))
	if got := img.RGBAAt(1, 1); got.G != 255 {
		t.Errorf("a triangle is not drawn over one equally far: %v", got)
	}
	draw(3, paint(color.NRGBA{B: 255, A: 127}, raster.Clip))
	if got := img.RGBAAt(1, 1); got.B != 0 {
		t.Errorf("a texel below one half is drawn: %v", got)
	}
	draw(3, paint(color.NRGBA{B: 255, A: 51}, raster.Blend))
	if got := img.RGBAAt(1, 1); got != (color.RGBA{G: 204, B: 51, A: 255}) {
		t.Errorf("a fifth of blue over green is %v", got)
	}
}

// TestNear tests that a triangle that reaches behind the eye is cut, and that the back of a triangle can be left out.
func TestNear(t *testing.T) {
	tex := paint(color.NRGBA{R: 255, A: 255}, raster.Opaque)
	floor := [3]raster.Vertex{
		{X: -100, Y: 30, W: 1, Color: [3]float32{255}}, {X: 100, Y: 30, W: 1, Color: [3]float32{255}},
		{X: 0, Y: 30, W: -1, Color: [3]float32{255}},
	}
	img := image.NewRGBA(image.Rect(0, 0, 20, 40))
	c := raster.NewCanvas(img)
	c.Near = .01
	c.Triangle(tex, &floor, false)
	if img.RGBAAt(10, 35).R != 255 || img.RGBAAt(10, 20).A != 0 {
		t.Errorf("below the edge %v, above it %v", img.RGBAAt(10, 35), img.RGBAAt(10, 20))
	}
	for i, corners := range [][3]raster.Vertex{{at(0, 0, 0, 1), at(9, 0, 0, 1), at(0, 9, 0, 1)},
		{at(0, 0, 0, 1), at(0, 9, 0, 1), at(9, 0, 0, 1)}} {
		img := image.NewRGBA(image.Rect(0, 0, 9, 9))
		raster.NewCanvas(img).Triangle(tex, &corners, true)
		if drawn := img.RGBAAt(1, 1).A != 0; drawn != (i == 0) {
			t.Errorf("clockwise %v: drawn %v", i == 0, drawn)
		}
	}
}

// TestEdges tests that textures repeat or are extended.
func TestEdges(t *testing.T) {
	tex := image.NewNRGBA(image.Rect(0, 0, 2, 1))
	tex.SetNRGBA(0, 0, color.NRGBA{R: 255, A: 255})
	tex.SetNRGBA(1, 0, color.NRGBA{G: 255, A: 255})
	for _, c := range []struct {
		repeat bool
		want   string
	}{{true, "grgrgr"}, {false, "rrrggg"}} {
		img := image.NewRGBA(image.Rect(0, 0, 6, 1))
		v := [3]raster.Vertex{at(0, 0, 0, 1), at(12, 0, 0, 1), at(0, 12, 0, 1)}
		v[0].U, v[1].U, v[2].U = -.5, 5.5, -.5
		if !c.repeat {
			v[0].U, v[1].U, v[2].U = -1, 5, -1
		}
		raster.NewCanvas(img).Triangle(&raster.Texture{Image: tex, RepeatU: c.repeat, RepeatV: true}, &v, false)
		got := ""
		for x := range 6 {
			got += map[bool]string{true: "r", false: "g"}[img.RGBAAt(x, 0).R == 255]
		}
		if got != c.want {
			t.Errorf("repeat %v: %s, not %s", c.repeat, got, c.want)
		}
	}
}

// FuzzTriangle tests that no vertices let the canvas panic or take long.
func FuzzTriangle(f *testing.F) {
	f.Add(float32(1), float32(2), float32(3), float32(1), float32(-5), float32(9e9), float32(0.5))
	f.Fuzz(func(t *testing.T, a, b, c, w, x, y, u float32) {
		v := [3]raster.Vertex{{X: a, Y: b, Z: c, W: w, U: u, V: a, Color: [3]float32{255, x, y}}, {X: x, Y: y, W: 1, U: a},
			{X: b, Y: c, W: u, V: y}}
		canvas := raster.NewCanvas(image.NewRGBA(image.Rect(3, 3, 11, 11)))
		canvas.Triangle(paint(color.NRGBA{R: 9, A: 200}, raster.Blend), &v, false)
		p := [4]raster.Vertex{{X: a, Y: b, Z: c, W: 1, U: u, V: a}, {X: x, Y: b, Z: c, W: 1, U: u, V: a},
			{X: x, Y: y, Z: c, W: 1, U: w}, {X: a, Y: y, Z: c, W: 1, U: w}}
		canvas.Rectangle(paint(color.NRGBA{R: 9, A: 200}, raster.Mode(math.Float32bits(w)%3)), &p, false)
	})
}

// BenchmarkTriangle measures pixels of a texture of 16 x 16 that is enlarged.
func BenchmarkTriangle(b *testing.B) {
	img := image.NewRGBA(image.Rect(0, 0, 256, 256))
	tex := &raster.Texture{Image: image.NewNRGBA(image.Rect(0, 0, 16, 16)), RepeatU: true, RepeatV: true}
	v := [3]raster.Vertex{at(0, 0, 0, 1), at(512, 0, 0, 1), at(0, 512, 0, 1)}
	v[1].U, v[2].V = 32, 32
	c := raster.NewCanvas(img)
	for b.Loop() {
		c.Triangle(tex, &v, false)
	}
	b.ReportMetric(float64(b.N)*256*256/b.Elapsed().Seconds()/1e6, "Mpixels/s")
}
