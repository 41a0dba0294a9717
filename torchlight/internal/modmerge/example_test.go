package modmerge_test

import (
	"fmt"

	"trowel.example/torchlight/internal/modmerge"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/modedit"
)

func ExampleFile() {
	base := "[UNIT]\n\t<INTEGER>LEVEL:1\n\t<STRING>NAME:Wolf\n[/UNIT]\n"
	ours := "[UNIT]\n\t<INTEGER>LEVEL:2\n\t<STRING>NAME:Wolf\n[/UNIT]\n"
	theirs := "[UNIT]\n\t<INTEGER>LEVEL:3\n\t<STRING>NAME:Dire Wolf\n[/UNIT]\n"
	merged, conflicts, err := modmerge.File("MEDIA/UNITS/WOLF.DAT", []byte(base), []byte(ours), []byte(theirs), modmerge.Options{})
	if err != nil {
		panic(err)
	}
	for _, c := range conflicts {
		fmt.Println("conflict:", c.What)
	}
	fmt.Print(string(merged))
	// Output:
	// conflict: LEVEL: 1 became 2 and 3
	// [UNIT]
	// 	<INTEGER>LEVEL:2
	// 	<STRING>NAME:Dire Wolf
	// [/UNIT]
}

func ExampleMerge() {
	base, ours, theirs := modedit.NewMod(mod.NewHeader(), modedit.Options{}), modedit.NewMod(mod.NewHeader(), modedit.Options{}),
		modedit.NewMod(mod.NewHeader(), modedit.Options{})
	theirs.Header().Author = "Ann"
	merged, conflicts, err := modmerge.Merge(base, ours, theirs, modmerge.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(merged.Header().Author, conflicts)
	// Output: Ann []
}
