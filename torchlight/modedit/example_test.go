package modedit_test

import (
	"fmt"

	"trowel.example/check"
	"trowel.example/torchlight/modedit"
)

func Example() {
	wolf := "[UNIT]\n\t<STRING>NAME:Wolf\n\t<INTEGER>LEVEL:10\n\t<FLOAT>SPEED:1.5\n[/UNIT]\n"
	e := modedit.OfFile("MEDIA/UNITS/MONSTERS/WOLF.DAT", []byte(wolf), modedit.Options{
		Report: func(c check.Change) { fmt.Println(c.What) },
	})
	n, err := e.Set("UNITS/**", "LEVEL", "*1.1", modedit.Choice{Where: []string{"SPEED>1"}})
	fmt.Println(n, err)
	data, _ := e.File()
	fmt.Printf("%s", data)
	// Output:
	// LEVEL: 10 became 11
	// 1 <nil>
	// [UNIT]
	// 	<STRING>NAME:Wolf
	// 	<INTEGER>LEVEL:11
	// 	<FLOAT>SPEED:1.5
	// [/UNIT]
}
