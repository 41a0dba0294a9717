package tables_test

import (
	"fmt"

	"trowel.example/torchlight/tables"
)

func ExampleUses() {
	fmt.Println(tables.Uses("MEDIA/SKILLS/EMBER/LEAP.DAT"), tables.Uses("MEDIA/MUSIC/A.OGG"))
	// Output: true false
}
