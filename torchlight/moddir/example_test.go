package moddir_test

import (
	"fmt"

	"trowel.example/torchlight/moddir"
)

func ExampleCompile() {
	data, err := moddir.Compile([]byte("[UNIT]\n\t<STRING>NAME:Ember\n[/UNIT]\n"), "MEDIA/UNITS/EMBER.DAT", moddir.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	form, err := moddir.Decompile(data, "MEDIA/UNITS/EMBER.DAT", moddir.Options{})
	fmt.Println(len(form) > 0, err)
	// Output: true <nil>
}
