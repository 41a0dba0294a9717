package raw_test

import (
	"fmt"

	"trowel.example/torchlight/raw"
)

func ExampleDecode() {
	data, err := raw.Encode(&raw.UI{Menus: []raw.Menu{{Name: "Pause"}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	t, err := raw.Decode(data, raw.KindUI)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t.Kind().File(), t.Len())
	// Output: MEDIA/UI.RAW 1
}
