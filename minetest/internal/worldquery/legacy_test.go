package worldquery_test

import (
	"testing"

	"trowel.example/minetest/internal/worldquery"
	"trowel.example/minetest/item"
	"trowel.example/minetest/world"
)

// TestItemIDs tests that items of 2011 have the names of their nodes.
func TestItemIDs(t *testing.T) {
	inv, _, err := item.ParseInventory([]byte("List main 4\nItem MaterialItem 8 12\nItem MaterialItem2 2050 7\nItem MaterialItem3 torch 3\n" +
		"Item MaterialItem2 4000 1\nEndInventoryList\nEndInventory\n"))
	if err != nil {
		t.Fatal(err)
	}
	found, err := worldquery.ItemsOf(&world.Player{Name: "ann", Inventory: inv}, worldquery.Names{})
	if err != nil || len(found) != 4 {
		t.Fatal(found, err)
	}
	for i, want := range []string{"default:dirt", "default:leaves", "default:torch", "unknown_block"} {
		if got := found[i].Stack.Name; got != want {
			t.Errorf("item %d is %s, want %s", i, got, want)
		}
	}
}
