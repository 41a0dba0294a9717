package mapblock

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"

	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/item"
)

// upgrade is a world written by an engine of its time, and the result of upgrading it with the engine of 2025 (5.17).
type upgrade struct {
	from, to world
	// differences are all kinds of differences between the engine's result and that of Convert, with their counts.
	differences map[string]int
}

// TestUpgrades converts worlds to version 29 and compares nodes, metadata, items, timers, objects and head with the
// engine's results.
func TestUpgrades(t *testing.T) {
	dir := tests.Corpus(t, "minetest")
	golden := func(name string) world {
		return sqliteWorld(t, dir, "generated/golden-v29-by-5.17/"+name+"/map.sqlite")
	}
	for _, u := range []upgrade{
		{sectorsWorld(t, dir, "generated/v20-sectors2/sectors2"), golden("v20"), map[string]int{
			// The engine ran with a game without these nodes: it had no item aliases and no mineral nodes, and did
			// not treat signs as wallmounted.
			"inventory of default:chest: the engine's game had no aliases":   6,
			"inventory of default:furnace: the engine's game had no aliases": 6,
			"node default:stone_with_coal, engine ignore":                    56,
			"node default:stone_with_iron, engine ignore":                    72,
			"param2 of default:sign_wall 0, engine 4":                        1,
			"param2 of default:sign_wall 0, engine 5":                        1,
			"param2 of default:sign_wall 2, engine 1":                        1,
			"param2 of default:sign_wall 2, engine 3":                        1,
			"param2 of default:sign_wall 3, engine 2":                        1,
		}},
		{sqliteWorld(t, dir, "generated/v22-sqlite/map.sqlite"), golden("v22"), map[string]int{}},
		{sqliteWorld(t, dir, "generated/v24-sqlite/map.sqlite"), golden("v24"), map[string]int{
			// Convert does not change a text that all later games can read.
			"inventory of default:chest: no Width":        6,
			"inventory of default:chest_locked: no Width": 6,
			"inventory of default:furnace: no Width":      6,
		}},
	} {
		t.Run(u.from.name, func(t *testing.T) {
			if len(u.from.blocks) != len(u.to.blocks) {
				t.Fatalf("%d blocks, the engine has %d", len(u.from.blocks), len(u.to.blocks))
			}
			found := make(map[string]int)
			nodes := 0
			for _, p := range u.from.sorted() {
				old, err := Decode(u.from.blocks[p])
				if err != nil {
					t.Fatal(err)
				}
				want, err := Decode(u.to.blocks[p])
				if err != nil {
					t.Fatal(err)
				}
				got, losses, err := old.Convert(29, ConvertOptions{})
				if err != nil || len(losses) > 0 {
					t.Fatalf("%v: %v %v", p, err, losses)
				}
				data, err := got.EncodeFresh()
				if err != nil {
					t.Fatal(err)
				}
				if got, err = Decode(data); err != nil {
					t.Fatal(err)
				}
				nodes += NodeCount
				compare(got, want, func(kind string) { found[kind]++ })
			}
			if !maps.Equal(found, u.differences) {
				for _, kind := range slices.Sorted(maps.Keys(found)) {
					t.Errorf("%d times: %s (expected %d)", found[kind], kind, u.differences[kind])
				}
				t.Errorf("expected differences: %v", u.differences)
			}
			t.Logf("%d blocks, %d nodes", len(u.from.blocks), nodes)
		})
	}
}

// compare reports the kinds of differences between two blocks.
func compare(got, want *Block, report func(kind string)) {
	differ := func(what string, a, b any) {
		if a != b {
			report(fmt.Sprintf("%s %v, engine %v", what, a, b))
		}
	}
	differ("flags", got.Flags, want.Flags)
	differ("lighting_complete", got.LightingComplete, want.LightingComplete)
	differ("timestamp", got.Timestamp, want.Timestamp)
	differ("metadata version", got.Metadata.Version, want.Metadata.Version)
	a, b := got.Nodes(), want.Nodes()
	for i := range NodeCount {
		name := b.At(i)
		differ("node", a.At(i), name)
		differ("param1 of "+name, a.Param1[i], b.Param1[i])
		differ("param2 of "+name, a.Param2[i], b.Param2[i])
	}
	for i := range NodeCount {
		x, y := got.Metadata.At(i), want.Metadata.At(i)
		if x == nil || y == nil {
			differ("metadata of "+a.At(i), x != nil, y != nil)
			continue
		}
		byKey := func(a, b Var) int { return cmp.Compare(a.Key, b.Key) }
		slices.SortFunc(x.Vars, byKey)
		slices.SortFunc(y.Vars, byKey)
		differ("variables of "+a.At(i), fmt.Sprintf("%q", x.Vars), fmt.Sprintf("%q", y.Vars))
		if string(x.Inventory) == string(y.Inventory) {
			continue
		}
		report(fmt.Sprintf("inventory of %s: %s", a.At(i), inventoryDifference(x.Inventory, y.Inventory)))
	}
	differ("timers", fmt.Sprint(sortedTimers(got)), fmt.Sprint(sortedTimers(want)))
	differ("objects", fmt.Sprintf("%q", got.Objects), fmt.Sprintf("%q", want.Objects))
}

// inventoryDifference describes the difference between two inventory texts.
func inventoryDifference(got, want []byte) string {
	p, _, errP := item.ParseInventory(got)
	q, _, errQ := item.ParseInventory(want)
	if errP != nil || errQ != nil {
		return fmt.Sprint(errP, errQ)
	}
	what := ""
	for i := range p.Lists {
		if p.Lists[i].NoWidth {
			p.Lists[i].NoWidth, what = false, "no Width"
		}
	}
	if p.Equal(q) {
		return cmp.Or(what, "another text")
	}
	for _, list := range q.Lists {
		for i, slot := range list.Items {
			if name, ok := item.Alias(slot.Name); ok {
				list.Items[i].Name, what = name, "the engine's game had no aliases"
			}
		}
	}
	if p.Equal(q) {
		return what
	}
	return fmt.Sprintf("%q, engine %q", got, want)
}

func sortedTimers(b *Block) []Timer {
	list := slices.Clone(b.Timers.List)
	slices.SortFunc(list, func(a, b Timer) int { return cmp.Compare(a.Pos, b.Pos) })
	return list
}
