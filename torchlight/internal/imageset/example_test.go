package imageset_test

import (
	"fmt"

	"trowel.example/torchlight/internal/imageset"
)

func ExampleParse() {
	set, err := imageset.Parse([]byte(`<Imageset Name="icons" Imagefile="media/ui/icons.dds">
	<Image Name="icon_leap" XPos="64" YPos="0" Width="64" Height="64"/>
</Imageset>`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(set.File, set.Sprites[0].Name, set.Sprites[0].Rect)
	// Output: media/ui/icons.dds icon_leap (64,0)-(128,64)
}
