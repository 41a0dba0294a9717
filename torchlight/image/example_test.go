package image_test

import (
	"bytes"
	"fmt"
	stdimage "image"
	"image/png"

	"trowel.example/torchlight/image"
)

func ExampleInfo() {
	var b bytes.Buffer
	if err := png.Encode(&b, stdimage.NewGray(stdimage.Rect(0, 0, 4, 2))); err != nil {
		fmt.Println(err)
		return
	}
	fields, ok := image.Info("MEDIA/A.PNG", b.Bytes())
	fmt.Println(len(fields) > 0, ok)
	// Output: true true
}
