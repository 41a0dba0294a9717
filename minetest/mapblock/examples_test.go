package mapblock_test

import (
	"fmt"

	"trowel.example/check"
	"trowel.example/minetest/item"
	"trowel.example/minetest/mapblock"
)

func ExampleBlock_Check() {
	b := mapblock.New(29)
	b.Timers.List = []mapblock.Timer{{Pos: 5}}
	for _, f := range check.Collect(b.Check) {
		fmt.Println(f.Path, f.ID)
	}
	// Output: timers.entries[0] mt-block-timer-timeout
}

// Example_chests prints the contents of all chests of a block.
func Example_chests() {
	b := mapblock.New(29)
	b.Names = append(b.Names, mapblock.NameID{ID: 1, Name: "default:chest"})
	b.Param0[7] = 1
	b.Metadata.List = []mapblock.NodeMeta{{Pos: 7, Inventory: []byte("List main 2\nItem default:gold_lump " +
		"5\nEmpty\nEndInventoryList\nEndInventory\n")}}
	for _, m := range b.Metadata.List {
		if b.Nodes().At(int(m.Pos)) != "default:chest" {
			continue
		}
		inv, _, err := item.ParseInventory(m.Inventory)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, slot := range inv.Lists[0].Items {
			if !slot.Empty() {
				fmt.Println(m.Pos, slot.Name, slot.Count)
			}
		}
	}
	// Output: 7 default:gold_lump 5
}
