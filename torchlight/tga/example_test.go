package tga_test

import (
	"fmt"
	"image"
	"image/color"

	"trowel.example/torchlight/tga"
)

func ExampleDecode() {
	icon := image.NewNRGBA(image.Rect(0, 0, 64, 64))
	icon.Set(3, 4, color.NRGBA{R: 255, A: 128})
	file, err := tga.Encode(icon, tga.RunLengths)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := tga.Decode(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(file), m.Bounds(), m.At(3, 4))
	h, err := tga.ReadHeader(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(h.Width, h.Height, h.Kind, h.Format, h.Bits)
	// Output:
	// 348 (0,0)-(64,64) {255 0 0 128}
	// 64 64 colour run lengths 32
}

func ExampleEncode() {
	icon := image.NewNRGBA(image.Rect(0, 0, 64, 64))
	file, err := tga.Encode(icon, tga.Plain)
	fmt.Println(len(file), err)
	// Output: 16402 <nil>
}
