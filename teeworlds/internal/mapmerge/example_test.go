package mapmerge_test

import (
	"fmt"

	"trowel.example/internal/values/merge3"
	"trowel.example/teeworlds/internal/mapmerge"
	"trowel.example/teeworlds/twmap"
)

func ExampleMerge() {
	base := twmap.New(50, 30)
	ours, theirs := base.Clone(), base.Clone()
	ours.Physics(twmap.KindGame).Tiles().Set(1, 1, twmap.Tile{ID: 1})
	theirs.Physics(twmap.KindGame).Tiles().Set(1, 1, twmap.Tile{ID: 3})
	theirs.Physics(twmap.KindGame).Tiles().Set(2, 1, twmap.Tile{ID: 3})
	merged, conflicts, err := mapmerge.Merge(base, ours, theirs, merge3.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range conflicts {
		fmt.Println(c.At, c.What, "- took", c.Took)
	}
	fmt.Println(merged.Physics(twmap.KindGame).Tiles().At(2, 1).ID)
	// Output:
	// [1,1] a tile: air became 1 and 3 - took ours
	// 3
}
