package picture_test

import (
	"bytes"
	"fmt"
	"image"

	"trowel.example/torchlight/dds"
	"trowel.example/torchlight/internal/picture"
)

func ExampleConvert() {
	icon, err := dds.Encode(image.NewNRGBA(image.Rect(0, 0, 64, 64)), dds.Plain)
	if err != nil {
		fmt.Println(err)
		return
	}
	png, err := picture.Convert("A.DDS", icon, picture.PNG, picture.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	back, err := picture.Convert("a.png", png.Data, picture.DDS, picture.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(picture.KindOf("a.png", png.Data), bytes.Equal(back.Data, icon))
	// Output: png true
}
