package item_test

import (
	"fmt"

	"trowel.example/check"
	"trowel.example/minetest/item"
)

func ExampleStack_Check() {
	s := item.Stack{Name: "default:dirt", Count: 70000}
	fmt.Println(check.Collect(s.Check))
	// Output: [warning: 70000 is not in 0 to 65535 [mt-item-number]]
}

func ExampleInventory_Check() {
	inv, _, err := item.ParseInventory([]byte("List main 1\nItem default:dirt 70000\nEndInventoryList\nEndInventory\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range check.Collect(inv.Check) {
		fmt.Println(f.Path, f.ID)
	}
	// Output: lists[0].items[0] mt-item-number
}
