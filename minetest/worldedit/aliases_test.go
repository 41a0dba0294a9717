package worldedit_test

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/item"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodedef"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldedit"
)

// oldNames are names of nodes and items, with the current names in minetest_game.
var oldNames = map[string]string{
	"default:pinewood": "default:pine_wood", "default:ladder": "default:ladder_wood", "cobble": "default:cobble",
	"default:stone": "default:stone", "default:cobble": "default:cobble", "test:unknown": "test:unknown", "air": "air",
}

// oldWorld returns a world with one block with all old names, and a chest with each as an item.
func oldWorld(t *testing.T, version int) (dir string, names []string) {
	t.Helper()
	b := mapblock.New(version)
	b.Flags |= mapblock.NotAllAir
	chest := "List main 8\nWidth 0\n"
	for i, name := range slices.Sorted(maps.Keys(oldNames)) {
		names = append(names, name)
		if err := b.SetNode(i, name, 0, uint8(i)); err != nil {
			t.Fatal(err)
		}
		if name != "air" {
			chest += fmt.Sprintf("Item %s %d\n", name, i+1)
		}
	}
	chest += "EndInventoryList\nEndInventory\n"
	if err := b.SetNode(4095, "default:chest", 0, 0); err != nil {
		t.Fatal(err)
	}
	b.Metadata = mapblock.Metadata{Version: 2, List: []mapblock.NodeMeta{{Pos: 4095, Inventory: []byte(chest)}}}
	data, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return worldtest.WorldOf(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, each([]mapdb.Block{{Data: data}})), names
}

func TestResolveAliases(t *testing.T) {
	ctx := context.Background()
	for _, version := range []int{25, 28, 29} {
		dir, names := oldWorld(t, version)
		inv, _, err := item.ParseInventory([]byte("List main 2\nWidth 0\nItem default:pinewood 7\nEmpty\nEndInventoryList\nEndInventory\n"))
		if err != nil {
			t.Fatal(err)
		}
		judge.Write(t, filepath.Join(dir, "world.mt"), []byte("gameid = minetest\nbackend = sqlite3\nplayer_backend = sqlite3\n"))
		settings, err := world.ReadWorldMT(dir)
		if err != nil {
			t.Fatal(err)
		}
		players, err := world.OpenPlayers(ctx, dir, settings, world.Options{Write: true})
		if err == nil {
			err = players.Put(ctx, &world.Player{Name: "ann", HP: 20, Breath: 10, Inventory: inv})
		}
		if err == nil {
			err = players.Commit(ctx)
		}
		if err != nil {
			t.Fatal(err)
		}
		players.Close()

		w := open(t, dir)
		counts := new(worldedit.Counts)
		aside := worldedit.Region{Box: worldedit.BoxOf(worldedit.Vec{100, 0, 0}, worldedit.Vec{200, 0, 0})}
		everywhere := worldedit.Region{Box: worldedit.Everywhere}
		if err := w.Do(ctx, worldedit.ResolveAliases(aside, worldedit.AliasOptions{}, counts)); err != nil || counts.Changed() {
			t.Errorf("version %d: outside of the region: %v", version, err)
		}
		if err := w.Do(ctx, worldedit.ResolveAliases(everywhere, worldedit.AliasOptions{Players: true}, counts)); err != nil {
			t.Fatal(err)
		}
		m := modelOf(t, w)
		for i, name := range names {
			if n := m[mapdb.Pos{}][i]; n.name != oldNames[name] || n.param2 != uint8(i) {
				t.Errorf("version %d: %s became %s with param2 %d", version, name, n.name, n.param2)
			}
		}
		chest := m[mapdb.Pos{}][4095].meta
		for i, name := range names {
			if line := fmt.Sprintf("Item %s %d\n", oldNames[name], i+1); name != "air" && !strings.Contains(chest, line) {
				t.Errorf("version %d: the chest has no %q:\n%s", version, line, chest)
			}
		}
		if n, slots := counts.Nodes.Load(), counts.Items.Load(); n != 3 || slots != 4 {
			t.Errorf("version %d: %d nodes and %d slots", version, n, slots)
		}
		if _, err := w.InPlace(ctx, ""); err != nil {
			t.Fatal(err)
		}
		if players, err = world.OpenPlayers(ctx, dir, settings, world.Options{}); err != nil {
			t.Fatal(err)
		}
		if p, err := players.Get(ctx, "ann"); err != nil || p.Inventory.Lists[0].Items[0].Name != "default:pine_wood" {
			t.Errorf("version %d: the player has %+v, %v", version, p, err)
		}
		players.Close()
		w = open(t, dir)
		if err := w.Do(ctx, worldedit.ResolveAliases(everywhere, worldedit.AliasOptions{Players: true}, nil)); err != nil {
			t.Fatal(err)
		}
		if list, err := w.Changed(); err != nil || len(list) > 0 {
			t.Errorf("version %d: the second run changes %v, %v", version, list, err)
		}
	}
}

// TestHiddenAlias tests that a node hides an alias of its name, and that a node becomes no node that is not defined.
func TestHiddenAlias(t *testing.T) {
	ctx := context.Background()
	dir, names := oldWorld(t, 28)
	w, err := worldedit.Open(ctx, dir, worldedit.Options{
		Nodes:   nodedef.List{"default:stone": {Name: "default:stone"}},
		Aliases: map[string]string{"default:stone": "default:cobble", "cobble": "default:nothing", "default:pinewood": "default:stone"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Do(ctx, worldedit.ResolveAliases(worldedit.Region{Box: worldedit.Everywhere}, worldedit.AliasOptions{}, nil)); err != nil {
		t.Fatal(err)
	}
	m := modelOf(t, w)
	for i, name := range names {
		want := name
		if name == "default:pinewood" {
			want = "default:stone"
		}
		if got := m[mapdb.Pos{}][i].name; got != want {
			t.Errorf("%s became %s", name, got)
		}
	}
}

// TestAliasesEngine tests that the engine reads the same nodes and items as before the step.
func TestAliasesEngine(t *testing.T) {
	tests.NotRaced(t, "waits for the engine")
	judge.Find(t, "minetestserver")
	ctx := context.Background()
	var told [2]string
	for i := range told {
		dir, names := oldWorld(t, 28)
		if i == 1 {
			w := open(t, dir)
			if err := w.Do(ctx, worldedit.ResolveAliases(worldedit.Region{Box: worldedit.Everywhere}, worldedit.AliasOptions{}, nil)); err != nil {
				t.Fatal(err)
			}
			if _, err := w.InPlace(ctx, ""); err != nil {
				t.Fatal(err)
			}
		}
		worldtest.Script(t, dir, `
local world = minetest.get_worldpath()
minetest.after(0, function()
	minetest.emerge_area({x = 0, y = 0, z = 0}, {x = 15, y = 15, z = 15}, function(_, _, left)
		if left > 0 then return end
		local out = assert(io.open(world .. "/dump.txt", "w"))
		for x = 0, 6 do
			local n = minetest.get_node({x = x, y = 0, z = 0})
			out:write(n.param2 .. " " .. n.name .. "\n")
		end
		for _, stack in ipairs(minetest.get_meta({x = 15, y = 15, z = 15}):get_inventory():get_list("main")) do
			out:write("item " .. stack:to_string() .. "\n")
		end
		out:close()
		io.open(world .. "/done", "w"):close()
		minetest.request_shutdown()
	end)
end)
`)
		f, err := os.Open(filepath.Join(dir, "dump.txt"))
		if err != nil {
			t.Fatal(err)
		}
		for in := bufio.NewScanner(f); in.Scan(); {
			var at int
			if n, _ := fmt.Sscan(in.Text(), &at); n == 1 {
				told[i] += names[at] + " is "
			}
			told[i] += in.Text() + "\n"
		}
		f.Close()
	}
	if told[0] != told[1] || !strings.Contains(told[0], " default:pine_wood\n") || !strings.Contains(told[0], "item default:cobble") {
		t.Errorf("before:\n%s\nafter:\n%s", told[0], told[1])
	}
}
