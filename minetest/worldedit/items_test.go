package worldedit_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/item"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldedit"
)

// TestReplaceItems tests that items are replaced wherever a search finds them: in inventories of nodes and players, also by
// numbers of 2011, and dropped.
func TestReplaceItems(t *testing.T) {
	ctx := context.Background()
	b := mapblock.New(28)
	chest := "List main 3\nWidth 0\nItem default:cobble 2 0 \"\u0001k\u0002v\u0003\"\n" +
		"Item MaterialItem2 2058 7\nItem a:b\nEndInventoryList\nEndInventory\n"
	if err := b.SetNode(0, "default:chest", 0, 0); err != nil {
		t.Fatal(err)
	}
	b.Metadata = mapblock.Metadata{Version: 2, List: []mapblock.NodeMeta{{Inventory: []byte(chest)}}}
	for _, name := range []string{"default:cobble 3", "a:b"} {
		data, err := mapblock.LuaEntity{Version: 1, Name: mapblock.DroppedItem, StaticData: `return {["itemstring"] = "` + name + `"}`}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		b.Objects.List = append(b.Objects.List, mapblock.Object{Type: mapblock.ObjectLuaEntity, Pos: [3]int32{50000, 0, 0}, Data: data})
	}
	data, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	dir := worldtest.WorldOf(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, each([]mapdb.Block{{Data: data}}))
	judge.Write(t, filepath.Join(dir, "players", "ann"), []byte("hp = 20\nname = ann\nposition = (0,0,0)\nPlayerArgsEnd\n"+chest))

	here, where := worldedit.BoxOf(worldedit.Vec{}, worldedit.Vec{5, 0, 0}), worldedit.Where{Names: worldedit.Names{"default:chest"}}
	for name, c := range map[string]struct {
		region  worldedit.Region
		to      string
		players bool
		want    string // the items of the chest, of the player, and dropped ones
	}{
		"region":    {worldedit.Region{Box: here}, "x:y", false, "x:y 2 meta,x:y 7,a:b|default:cobble 2 meta,old,a:b|x:y 3,a:b"},
		"delete":    {worldedit.Region{Box: worldedit.Everywhere}, "", true, ",,a:b|,,a:b|a:b"},
		"condition": {worldedit.Region{Box: here, Where: where}, "", false, ",,a:b|default:cobble 2 meta,old,a:b|default:cobble 3,a:b"},
		"aside": {worldedit.Region{Box: worldedit.BoxOf(worldedit.Vec{6, 0, 0}, worldedit.Vec{9, 0, 0})}, "", true,
			"default:cobble 2 meta,old,a:b|,,a:b|default:cobble 3,a:b"},
	} {
		w, err := worldedit.Open(ctx, dir, worldedit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		cobble, counts := worldedit.Names{"default:cob*"}, new(worldedit.Counts)
		steps := []worldedit.Step{worldedit.ReplaceItems(c.region, cobble, c.to, worldedit.ItemOptions{}, counts)}
		if c.players {
			steps = append(steps, worldedit.ReplacePlayerItems(cobble, c.to, worldedit.ItemOptions{}, counts))
		}
		if err := w.Do(ctx, steps...); err != nil {
			t.Fatal(name, err)
		}
		changed, err := w.Get(ctx, mapdb.Pos{})
		if err != nil {
			t.Fatal(name, err)
		}
		now, err := mapblock.Decode(changed)
		if err != nil {
			t.Fatal(name, err)
		}
		got := stacksOf(t, now.Metadata.List[0].Inventory)
		players, err := w.Players(ctx)
		if err != nil {
			t.Fatal(err)
		}
		p, err := players.Get(ctx, "ann")
		if err != nil {
			t.Fatal(err)
		}
		var fell []string
		for i := range now.Objects.List {
			stack, _ := now.Objects.List[i].Dropped()
			fell = append(fell, stack)
		}
		if got += "|" + stacksOf(t, p.Inventory.Append(nil)) + "|" + strings.Join(fell, ","); got != c.want {
			t.Errorf("%s: %s, expected %s", name, got, c.want)
		}
		w.Close()
	}
}

// stacksOf returns the stacks of an inventory; those with a number of 2011 are "old".
func stacksOf(t *testing.T, text []byte) string {
	t.Helper()
	inv, _, err := item.ParseInventory(text)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, s := range inv.Lists[0].Items {
		switch {
		case s.Legacy != "":
			list = append(list, "old")
		case len(s.Meta) > 0:
			s.Meta = nil
			list = append(list, s.String()+" meta")
		default:
			list = append(list, s.String())
		}
	}
	return strings.Join(list, ",")
}
