package modinfo_test

import (
	"bytes"
	"fmt"
	stdimage "image"
	"image/png"

	"trowel.example/torchlight/internal/modinfo"
)

func ExampleInfo() {
	var b bytes.Buffer
	if err := png.Encode(&b, stdimage.NewGray(stdimage.Rect(0, 0, 4, 2))); err != nil {
		fmt.Println(err)
		return
	}
	fields, _ := modinfo.PictureInfo("MEDIA/A.PNG", b.Bytes())
	for _, f := range fields {
		fmt.Println(f.Name+":", f.Value)
	}
	// Output:
	// format: PNG
	// size: 4 × 2
}
