package world_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"trowel.example/minetest/item"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worlddir"
)

// hollow builds the sample world in a temporary folder.
func hollow(ctx context.Context) (dir string, s *world.Settings, done func()) {
	temp, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	dir = filepath.Join(temp, "world")
	if _, err := worlddir.Build(ctx, dir, os.DirFS("../../samples/hollow"), worlddir.BuildOptions{}); err != nil {
		panic(err)
	}
	if s, err = world.ReadWorldMT(dir); err != nil {
		panic(err)
	}
	return dir, s, func() { os.RemoveAll(temp) }
}

// Example_chests prints the contents of all chests of a world.
func Example_chests() {
	ctx := context.Background()
	dir, settings, done := hollow(ctx)
	defer done()
	db, _, err := world.OpenMap(ctx, dir, settings, world.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()
	for data, err := range db.Blocks(ctx, mapdb.All()) {
		if err != nil {
			fmt.Println(err)
			continue
		}
		b, err := mapblock.Decode(data.Data)
		if err != nil {
			fmt.Println(data.Pos, err)
			continue
		}
		for _, m := range b.Metadata.List {
			inv, _, err := item.ParseInventory(m.Inventory)
			if err != nil || b.Nodes().At(int(m.Pos)) != "default:chest" {
				continue
			}
			for _, slot := range inv.List("main").Items {
				if !slot.Empty() {
					fmt.Println(data.Pos, slot.Name, slot.Count)
				}
			}
		}
	}
	// Output:
	// (0,0,0) default:pick_steel 1
	// (0,0,0) default:torch 24
	// (0,0,0) default:sapling 3
	// (0,0,0) default:bread 7
}

// Example_players heals all players of a world and moves them to the spawn point.
func Example_players() {
	ctx := context.Background()
	dir, settings, done := hollow(ctx)
	defer done()
	players, err := world.OpenPlayers(ctx, dir, settings, world.Options{Write: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer players.Close()
	for name, err := range players.Names(ctx) {
		if err != nil {
			fmt.Println(err)
			return
		}
		p, err := players.Get(ctx, name)
		if err != nil {
			fmt.Println(err)
			return
		}
		p.HP, p.Pos = 20, [3]float64{0, 100, 0}
		if err := players.Put(ctx, p); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(name, p.Pos)
	}
	fmt.Println(players.Commit(ctx))
	// Output:
	// singleplayer [0 100 0]
	// <nil>
}
