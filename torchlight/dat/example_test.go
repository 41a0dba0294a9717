package dat_test

import (
	"fmt"

	"trowel.example/torchlight/dat"
)

func ExampleDecode() {
	data, err := dat.Compile([]byte("[UNIT]\n\t<STRING>NAME:Ember\n\t<INTEGER>LEVEL:3\n[/UNIT]\n"), nil, dat.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := dat.Decode(data)
	if err != nil {
		fmt.Println(err)
		return
	}
	level, _ := f.Text(dat.Options{}).Get("LEVEL")
	fmt.Println(len(f.Root.Properties), level)
	// Output: 2 3
}
