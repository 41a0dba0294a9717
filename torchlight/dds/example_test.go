package dds_test

import (
	"fmt"
	"image"
	"image/color"

	"trowel.example/torchlight/dds"
)

func ExampleDecode() {
	icon := image.NewNRGBA(image.Rect(0, 0, 64, 64))
	icon.Set(3, 4, color.NRGBA{R: 255, A: 128})
	file, err := dds.Encode(icon, dds.Plain)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := dds.Decode(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(file), m.Bounds(), m.At(3, 4))
	// Output: 16512 (0,0)-(64,64) {255 0 0 128}
}

func ExampleEncode() {
	icon := image.NewNRGBA(image.Rect(0, 0, 64, 64))
	file, err := dds.Encode(icon, dds.DXT5)
	fmt.Println(len(file), err)
	// Output: 4224 <nil>
}
