package mapdraw_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"

	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/mapdraw"
	"trowel.example/teeworlds/twmap"
)

// Example draws the whole of a small map, with 4 pixels per tile.
func Example() {
	m := twmap.New(3, 2)
	sky := twmap.NewQuadLayer(twmap.NewQuad(0, 0, 96, 64))
	m.Groups = append([]*twmap.Group{twmap.NewGroup("Sky", sky)}, m.Groups...)
	ground := twmap.NewTileLayer(twmap.KindTiles, 3, 2)
	ground.Color = twmap.Color{R: 40, G: 160, B: 60, A: 255}
	ground.Tiles().Set(1, 1, twmap.Tile{ID: 1})
	m.Groups[1].Layers = append(m.Groups[1].Layers, ground)

	r, err := mapdraw.New(m, mapdraw.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	dst := image.NewRGBA(image.Rect(0, 0, 12, 8))
	draw.Draw(dst, dst.Rect, image.NewUniform(mapdraw.Background), image.Point{}, draw.Src)
	if err := r.Render(context.Background(), dst, mapdraw.Whole(m).At(12)); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(dst.RGBAAt(1, 1), dst.RGBAAt(6, 6))
	fmt.Println(dst.RGBAAt(6, 6) == color.RGBA{40, 160, 60, 255}, r.Missing())
	// Output:
	// {255 255 255 255} {40 160 60 255}
	// true []
}

// Example_thumbnail draws a small picture of a map and encodes it as PNG.
func Example_thumbnail() {
	m, err := mapdir.Read(os.DirFS("../../samples/burrow"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := mapdraw.New(m, mapdraw.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	camera := mapdraw.Whole(m)
	thumbnail := image.NewRGBA(image.Rect(0, 0, 160, int(160*camera.Height/camera.Width)))
	if err := r.Render(context.Background(), thumbnail, camera.At(160)); err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	err = png.Encode(&file, thumbnail)
	fmt.Println(thumbnail.Bounds().Size(), file.Len() > 1000, err)
	// Output: (160,106) true <nil>
}
