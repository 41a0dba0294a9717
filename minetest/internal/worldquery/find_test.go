package worldquery_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/internal/place"
	"trowel.example/minetest/internal/worldquery"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/item"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldedit"
)

// findStore returns an in-memory database with blocks.
func findStore(t testing.TB, n int, versions ...int) mapdb.DB {
	t.Helper()
	m := mapdb.NewMemory()
	if _, err := mapdb.Load(t.Context(), m, worldtest.Blocks(n, versions...)); err != nil {
		t.Fatal(err)
	}
	return m
}

func names(t testing.TB, patterns ...string) worldquery.Names {
	t.Helper()
	n, err := worldquery.ParseNames(patterns...)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// collect returns all results of a search.
func collect[T any](t testing.TB, search func(yield func(T) error) error) (all []T) {
	t.Helper()
	if err := search(func(one T) error { all = append(all, one); return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestNodes tests, for blocks of all versions, that Nodes finds exactly the nodes that a search node by node finds.
func TestNodes(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	db := findStore(t, 150)
	for _, patterns := range [][]string{{"default:chest"}, {"default:s*"}, {"*:chest", "default:?ree"}, {"air"}, {"default:none"}} {
		wanted := names(t, patterns...)
		var want []worldquery.Node
		for block, err := range db.Blocks(t.Context(), mapdb.All()) {
			if err != nil {
				t.Fatal(err)
			}
			b, err := mapblock.Decode(block.Data)
			if err != nil {
				t.Fatal(err)
			}
			nodes := b.Nodes()
			for i := range mapblock.NodeCount {
				if wanted.Match(nodes.At(i)) {
					want = append(want, worldquery.Node{At: place.InBlock(i).In(block.Pos.X, block.Pos.Y, block.Pos.Z),
						Name: nodes.At(i), Param1: nodes.Param1[i], Param2: nodes.Param2[i]})
				}
			}
		}
		got := collect(t, func(yield func(worldquery.Node) error) error {
			return worldquery.FindNodes(t.Context(), db, worldquery.Where{}, wanted, yield)
		})
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%v: %d nodes, want %d", patterns, len(got), len(want))
		}
		if patterns[0] == "default:chest" && len(want) == 0 {
			t.Error("no chests to be found")
		}
		// A search in a box finds exactly the nodes in the box.
		box := worldedit.Box{Min: worldedit.Vec{-200, -100, -1601}, Max: worldedit.Vec{-30, 3, -1590}}
		want = slices.DeleteFunc(want, func(n worldquery.Node) bool {
			p, _ := n.At.Pos()
			return !box.Contains(worldedit.Vec(p))
		})
		got = collect(t, func(yield func(worldquery.Node) error) error {
			return worldquery.FindNodes(t.Context(), db, worldquery.Where{Box: &box}, wanted, yield)
		})
		if !slices.Equal(got, want) {
			t.Errorf("%v in a box: %d nodes, want %d", patterns, len(got), len(want))
		}
	}
}

// TestFindVersions tests that metadata, items, timers and objects do not depend on the version of the blocks, as far as
// the version can store them.
func TestFindVersions(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	type all struct {
		meta    []worldquery.Meta
		items   []worldquery.Item
		timers  []worldquery.Timer
		objects []worldquery.Object
	}
	find := func(version int) (a all) {
		db, where, ctx := findStore(t, 60, version), worldquery.Where{OnMiss: func(err error) { t.Error(err) }}, t.Context()
		a.meta = collect(t, func(yield func(worldquery.Meta) error) error {
			return worldquery.FindMetadata(ctx, db, where, func(k, v string) bool { return k == "text" }, yield)
		})
		a.items = collect(t, func(yield func(worldquery.Item) error) error {
			return worldquery.FindItems(ctx, db, where, names(t, "default:*"), yield)
		})
		a.timers = collect(t, func(yield func(worldquery.Timer) error) error {
			return worldquery.FindTimers(ctx, db, where, names(t), yield)
		})
		a.objects = collect(t, func(yield func(worldquery.Object) error) error {
			return worldquery.FindObjects(ctx, db, where, names(t, "mod:p*"), yield)
		})
		return a
	}
	newest := find(mapblock.Newest)
	if len(newest.meta) == 0 || len(newest.items) == 0 || len(newest.timers) == 0 || len(newest.objects) == 0 {
		t.Fatalf("nothing to be found: %+v", newest)
	}
	dirt := 0
	for _, it := range newest.items {
		if it.Stack.Name == "default:dirt" {
			dirt += it.Stack.Count
		}
	}
	if len(newest.items)%2 != 0 || dirt != 5*len(newest.items)/2 {
		t.Errorf("%d stacks, %d dirt", len(newest.items), dirt)
	}
	for _, version := range worldtest.Versions {
		a := find(version)
		if version < 23 { // older metadata has another format, and timers do not exist
			if len(a.items) == 0 && mapblock.Writable(version) {
				t.Errorf("version %d: no items", version)
			}
			continue
		}
		if version < 24 {
			a.timers = newest.timers
		}
		if !reflect.DeepEqual(a, newest) {
			t.Errorf("version %d: not what the newest has", version)
		}
	}
}

// TestFindDamage tests that errors are reported, that the rest is found, and that an error of the callback ends the
// search.
func TestFindDamage(t *testing.T) {
	m := mapdb.NewMemory()
	if _, err := mapdb.Load(t.Context(), m, worldtest.Blocks(20, 28)); err != nil {
		t.Fatal(err)
	}
	chests := func(miss func(error), yield func(worldquery.Node) error) error {
		return worldquery.FindNodes(t.Context(), m, worldquery.Where{OnMiss: miss}, names(t, "default:chest"), yield)
	}
	whole := collect(t, func(yield func(worldquery.Node) error) error { return chests(nil, yield) })
	data := slices.Clone(worldtest.Block(3, 28))
	data[8] ^= 0xff
	if err := m.Store(t.Context(), []mapdb.Block{{Pos: worldtest.Pos(3), Data: data}}); err != nil {
		t.Fatal(err)
	}
	missed := 0
	left := collect(t, func(yield func(worldquery.Node) error) error { return chests(func(error) { missed++ }, yield) })
	if missed != 1 || len(left) == 0 || len(left) >= len(whole) {
		t.Errorf("%d missed, %d of %d left", missed, len(left), len(whole))
	}
	enough := errors.New("enough")
	if err := chests(nil, func(worldquery.Node) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("%v", err)
	}
}

// TestUnknown tests that a node is unknown if its id has no name, or if its name is not defined.
func TestUnknown(t *testing.T) {
	b := mapblock.New(28)
	b.Names = []mapblock.NameID{{ID: 0, Name: "air"}, {ID: 1, Name: "default:stone"}, {ID: 2, Name: "gone:thing"},
		{ID: 3, Name: "unknown:id_9"}}
	for i := range b.Param0 {
		b.Param0[i] = 0
	}
	copy(b.Param0[:], []uint16{1, 2, 3, 77})
	data, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	m := mapdb.NewMemory()
	if err := m.Store(t.Context(), []mapdb.Block{{Data: data}}); err != nil {
		t.Fatal(err)
	}
	for want, known := range map[string]func(string) bool{
		"unknown:id_9,,":            nil,
		"gone:thing,unknown:id_9,,": func(name string) bool { return name == "default:stone" },
	} {
		got := ""
		for _, n := range collect(t, func(yield func(worldquery.Node) error) error {
			return worldquery.FindUnknown(t.Context(), m, worldquery.Where{}, known, yield)
		}) {
			got += n.Name + ","
		}
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestLying tests that dropped items are found by the Lua table in their static data and, in old worlds, by the
// static data itself.
func TestLying(t *testing.T) {
	b := mapblock.New(28)
	for _, data := range []string{
		`return {["age"] = 3, ["itemstring"] = "default:dirt 7"}`, `return {itemstring="default:dirt 3 0 \"\\001a\\002b\\003\"",age=1}`,
		"default:dirt 2", `return {age=1}`, `return {itemstring="default:sand"}`,
	} {
		e, err := mapblock.LuaEntity{Version: 1, Name: "__builtin:item", StaticData: data}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		b.Objects.List = append(b.Objects.List, mapblock.Object{Type: mapblock.ObjectLuaEntity, Pos: [3]int32{-4000, 25000, 170000}, Data: e})
	}
	data, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	m := mapdb.NewMemory()
	if err := m.Store(t.Context(), []mapdb.Block{{Data: data}}); err != nil {
		t.Fatal(err)
	}
	var counts []int
	for _, it := range collect(t, func(yield func(worldquery.Item) error) error {
		return worldquery.FindItems(t.Context(), m, worldquery.Where{}, names(t, "default:dirt"), yield)
	}) {
		counts = append(counts, it.Stack.Count)
		if it.At.String() != "0,3,17" || it.Holder != "__builtin:item" {
			t.Errorf("%v of %s", it.At, it.Holder)
		}
	}
	if !slices.Equal(counts, []int{7, 3, 2}) {
		t.Errorf("%v", counts)
	}
}

func TestNames(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"default:chest", "default:chest", true}, {"default:chest", "default:chest_locked", false},
		{"default:chest*", "default:chest_locked", true},
		{"*", "", true}, {"?", "", false}, {"a.c", "abc", false}, {"a?c", "abc", true}, {"a*", "b\na", false},
		{"*a", "b\na", true}, {"x(", "x(", true},
	} {
		if got := names(t, c.pattern).Match(c.name); got != c.want {
			t.Errorf("%s and %q: %v", c.pattern, c.name, got)
		}
	}
	if _, err := worldquery.ParseNames("default:chest", ""); err == nil {
		t.Error("an empty pattern is taken")
	}
}

func FuzzItems(f *testing.F) {
	for _, seed := range []string{"return {itemstring=\"a\\065 3\"}", "return {[\"itemstring\"] = \"\\\\\\n\"}",
		"default:dirt 5", "List main 1\nItem default:dirt 5\nEndInventoryList\nEndInventory\n", "Item ToolItem \"x\" 3\n"} {
		f.Add(seed)
	}
	all := names(f)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 60000 {
			return
		}
		b := mapblock.New(28)
		e, err := mapblock.LuaEntity{Version: 1, Name: "__builtin:item", StaticData: text}.Encode()
		if err != nil {
			t.Fatal(err)
		}
		b.Objects.List = []mapblock.Object{{Type: mapblock.ObjectLuaEntity, Data: e}}
		b.Metadata.Version, b.Metadata.List = 2, []mapblock.NodeMeta{{Inventory: []byte(text + "\nEndInventory\n")}}
		data, err := b.Encode()
		if err != nil {
			return // no inventory
		}
		m := mapdb.NewMemory()
		if err := m.Store(t.Context(), []mapdb.Block{{Data: data}}); err != nil {
			t.Fatal(err)
		}
		if err := worldquery.FindItems(t.Context(), m, worldquery.Where{}, all, func(it worldquery.Item) error {
			if it.Stack.Empty() {
				t.Errorf("%q: an empty stack", text)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	})
}

func ExampleItems() {
	db := mapdb.NewMemory()
	b := mapblock.New(28)
	b.Metadata.Version = 2
	b.Metadata.List = []mapblock.NodeMeta{{
		Pos: uint16(mapblock.Index(1, 2, 3)), Vars: []mapblock.Var{{Key: "owner", Value: "ann"}},
		Inventory: []byte("List main 1\nWidth 0\nItem default:diamond 5\nEndInventoryList\nEndInventory\n"),
	}}
	data, err := b.Encode()
	if err == nil {
		err = db.Store(context.Background(), []mapdb.Block{{Data: data}})
	}
	if err != nil {
		fmt.Println(err)
	}
	diamonds, _ := worldquery.ParseNames("default:diamond*")
	err = worldquery.FindItems(context.Background(), db, worldquery.Where{}, diamonds, func(it worldquery.Item) error {
		fmt.Println(it.At, it.Owner, item.Stack.String(it.Stack))
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: 1,2,3 main 0 ann default:diamond 5
}
