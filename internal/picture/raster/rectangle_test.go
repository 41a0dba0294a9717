package raster_test

import (
	"bytes"
	"image"
	"image/color"
	"math/rand/v2"
	"testing"

	"trowel.example/internal/picture/raster"
)

// TestRectangle compares rectangles with their two triangles, one over the other, in every turn, and in parts of a picture.
func TestRectangle(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	noise := image.NewNRGBA(image.Rect(0, 0, 4, 4))
	for i := range noise.Pix {
		noise.Pix[i] = uint8(r.Uint32())
	}
	drawn := 0
	for range 500 {
		tex := &raster.Texture{Image: noise, Mode: raster.Mode(r.IntN(3)), RepeatU: true, RepeatV: r.IntN(2) == 0}
		x, y, w, h := float32(r.IntN(400))/16-2, float32(r.IntN(400))/16-2, float32(1+r.IntN(400))/16, float32(1+r.IntN(400))/16
		corners := [4]raster.Vertex{{X: x, Y: y}, {X: x + w, Y: y}, {X: x + w, Y: y + h}, {X: x, Y: y + h}}
		tint := [3]float32{float32(r.IntN(256)), 255, float32(r.IntN(256))}
		shade, deeper := float32(r.IntN(2)*40), float32(r.IntN(2))
		turn, back := r.IntN(4), r.IntN(2) == 0
		for i := range corners {
			v := &corners[i]
			j := (i + turn) % 4
			v.W, v.Color = 1, tint
			v.U, v.V = float32(j&1^j>>1)*1.37+.011, float32(j>>1)*1.37+.011
			v.Z = 1 + deeper*float32(i>>1)
			v.Color[1] -= shade * float32(j>>1)
		}
		if back {
			corners[1], corners[3] = corners[3], corners[1]
		}
		culling := r.IntN(2) == 0
		all := image.Rect(0, 0, 24, 24)
		whole, parts, want := image.NewRGBA(all), image.NewRGBA(all), image.NewRGBA(all)
		triangles := raster.NewCanvas(want)
		triangles.Triangle(tex, &[3]raster.Vertex{corners[0], corners[1], corners[2]}, culling)
		triangles.Triangle(tex, &[3]raster.Vertex{corners[0], corners[2], corners[3]}, culling)
		for _, part := range []image.Rectangle{all, image.Rect(0, 0, 7, 24), image.Rect(7, 0, 24, 11), image.Rect(7, 11, 24, 24)} {
			img := parts
			if part == all {
				img = whole
			}
			if !raster.NewCanvas(img.SubImage(part).(*image.RGBA)).Rectangle(tex, &corners, culling) {
				t.Fatalf("%v is no rectangle", corners)
			}
		}
		if !bytes.Equal(whole.Pix, want.Pix) || !bytes.Equal(parts.Pix, want.Pix) {
			t.Fatalf("%v, turn %d, back %v, mode %d: another picture than that of its triangles", corners, turn, back, tex.Mode)
		}
		if bytes.ContainsFunc(want.Pix, func(r rune) bool { return r != 0 }) {
			drawn++
		}
	}
	if drawn < 250 {
		t.Errorf("only %d of 500 pictures have pixels", drawn)
	}
	for name, change := range map[string]func(v *raster.Vertex){
		"X": func(v *raster.Vertex) { v.X++ }, "Y": func(v *raster.Vertex) { v.Y++ }, "Z": func(v *raster.Vertex) { v.Z++ },
		"W": func(v *raster.Vertex) { v.W++ }, "U": func(v *raster.Vertex) { v.U++ }, "V": func(v *raster.Vertex) { v.V++ },
		"Color": func(v *raster.Vertex) { v.Color[2]++ },
	} {
		v := [4]raster.Vertex{at(0, 0, 0, 1), at(4, 0, 0, 1), at(4, 4, 0, 1), at(0, 4, 0, 1)}
		change(&v[2])
		img := image.NewRGBA(image.Rect(0, 0, 8, 8))
		if raster.NewCanvas(img).Rectangle(paint(color.NRGBA{R: 255, A: 255}, raster.Opaque), &v, false) || img.Pix[0] != 0 {
			t.Errorf("with another %s, it is a rectangle", name)
		}
	}
}

// TestHides compares the canvas with its own pixels while rectangles come nearer.
func TestHides(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	img := image.NewRGBA(image.Rect(-3, 5, 50, 47))
	c := raster.NewCanvas(img)
	depths := make(map[image.Point]float32)
	answers := make(map[bool]int)
	for i := range 3000 {
		box := func() image.Rectangle {
			x, y := r.IntN(60)-8, r.IntN(50)
			return image.Rect(x, y, x+r.IntN(20), y+r.IntN(20)).Intersect(img.Rect)
		}
		b, z := box(), float32(1+i)
		v := [4]raster.Vertex{at(float32(b.Min.X), float32(b.Min.Y), z, 1), at(float32(b.Max.X), float32(b.Min.Y), z, 1),
			at(float32(b.Max.X), float32(b.Max.Y), z, 1), at(float32(b.Min.X), float32(b.Max.Y), z, 1)}
		c.Rectangle(paint(color.NRGBA{R: 255, A: 255}, raster.Opaque), &v, false)
		for y := b.Min.Y; y < b.Max.Y; y++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				depths[image.Pt(x, y)] = max(depths[image.Pt(x, y)], z)
			}
		}
		asked, depth, want := box(), float32(1+r.IntN(1+i)), true
		for y := asked.Min.Y; y < asked.Max.Y; y++ {
			for x := asked.Min.X; x < asked.Max.X; x++ {
				want = want && depths[image.Pt(x, y)] > depth
			}
		}
		if got := c.Hides(asked, depth); got != want {
			t.Fatalf("%v at %v: %v", asked, depth, got)
		}
		answers[want]++
	}
	if answers[true] < 300 || answers[false] < 300 {
		t.Errorf("%v", answers)
	}
}
