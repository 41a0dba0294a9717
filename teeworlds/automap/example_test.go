package automap_test

import (
	"context"
	"fmt"

	"trowel.example/check"
	"trowel.example/teeworlds/automap"
	"trowel.example/teeworlds/twmap"
)

func Example() {
	rules := automap.ParseRules([]byte(`[Grass]
Index 1
Index 16
Pos 0 -1 EMPTY
 Index 17
`), func(f check.Finding) { fmt.Println(f) })

	layer := twmap.NewTileLayerOf(twmap.KindTiles, twmap.NewGridOf(3, 2, []twmap.Tile{
		{}, {ID: 1}, {},
		{ID: 1}, {ID: 1}, {ID: 1},
	}))
	grass, _ := rules.Section("Grass")
	result, err := rules.Run(context.Background(), layer, automap.Options{Section: grass, Seed: 1})
	fmt.Println(result.Changed, err)
	for _, row := range layer.Tiles().Rows() {
		fmt.Println(row[0].ID, row[1].ID, row[2].ID)
	}
	// Output:
	// warning: line 5: Index follows a blank: the game ignores the line [tw-rules-indented]
	// 2 <nil>
	// 0 1 0
	// 16 1 16
}
