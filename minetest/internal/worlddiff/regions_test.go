package worlddiff_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"trowel.example/minetest/internal/rollback"
	"trowel.example/minetest/internal/worlddiff"
)

// changed returns the change of a block at least corner of which there are nodes of one name instead of another.
func changed(block [3]int, old, new string, min, max [3]int) *worlddiff.Change {
	n := (max[0] - min[0] + 1) * (max[1] - min[1] + 1) * (max[2] - min[2] + 1)
	return &worlddiff.Change{Part: worlddiff.Block, Change: worlddiff.Changed, Block: &block, Nodes: n,
		Kinds: []worlddiff.Kind{{Old: old, New: new, Count: n}}, Boxes: []worlddiff.Box{{Min: min, Max: max}}}
}

// TestRegions tests which changes are gathered, and how a region is described.
func TestRegions(t *testing.T) {
	chest := &worlddiff.Change{Part: worlddiff.Block, Change: worlddiff.Changed, Block: &[3]int{9, 9, 9}, Metadata: [][3]int{{150, 150, 150}}}
	saved := &worlddiff.Change{Part: worlddiff.Block, Change: worlddiff.Changed, Block: &[3]int{8, 9, 9}, Light: 20}
	player := &worlddiff.Change{Part: worlddiff.Player, Change: worlddiff.Changed}
	for _, c := range []struct {
		name         string
		changes      []*worlddiff.Change
		want         string
		added, saved int
	}{
		{"nothing", nil, "", 0, 0},
		{"a house in four blocks", []*worlddiff.Change{
			changed([3]int{0, 0, 0}, "default:wood", "air", [3]int{8, 0, 8}, [3]int{15, 3, 15}),
			changed([3]int{1, 0, 0}, "default:wood", "fire:basic_flame", [3]int{16, 0, 8}, [3]int{19, 3, 15}),
			changed([3]int{0, 0, 1}, "default:wood 3", "default:wood 1", [3]int{8, 0, 16}, [3]int{15, 0, 16}),
			changed([3]int{1, 0, 1}, "default:glass", "air", [3]int{16, 0, 16}, [3]int{16, 0, 16}),
		}, "8,0,8:19,3,16 (12 x 4 x 9): removed 392 default:wood, 1 default:glass; placed 128 fire:basic_flame, 8 default:wood", 0, 0},
		{"8 nodes apart", []*worlddiff.Change{
			changed([3]int{0, 0, 0}, "a:b", "air", [3]int{9, 0, 0}, [3]int{9, 0, 0}),
			changed([3]int{1, 0, 0}, "a:b", "air", [3]int{17, 0, 0}, [3]int{17, 0, 0}),
		}, "9,0,0:17,0,0 (9 x 1 x 1): removed 2 a:b", 0, 0},
		{"9 nodes apart, the larger one first", []*worlddiff.Change{
			changed([3]int{0, 0, 0}, "a:b", "air", [3]int{8, 0, 0}, [3]int{8, 0, 0}),
			changed([3]int{1, 0, 0}, "a:b", "air", [3]int{17, 0, 0}, [3]int{18, 0, 0}),
		}, "17,0,0:18,0,0 (2 x 1 x 1): removed 2 a:b\n8,0,0:8,0,0 (1 x 1 x 1): removed 1 a:b", 0, 0},
		{"a chest, light, a new block, a player", []*worlddiff.Change{
			chest, saved, {Part: worlddiff.Block, Change: worlddiff.Added, Block: &[3]int{9, 9, 8}}, player,
		}, "150,150,150:150,150,150 (1 x 1 x 1): 1 node with different metadata or inventory", 1, 1},
		{"a block that is gone beside one that cannot be read", []*worlddiff.Change{
			{Part: worlddiff.Block, Change: worlddiff.Removed, Block: &[3]int{-1, 0, 0}},
			{Part: worlddiff.Block, Change: worlddiff.Changed, Block: &[3]int{0, 0, 0}, Unread: "damaged"},
		}, "-16,0,0:15,15,15 (32 x 16 x 16): 1 block is gone; 1 block cannot be read", 0, 0},
	} {
		whole, _, _, _ := worlddiff.Regions(c.changes)
		for _, change := range c.changes {
			change.Compact()
		}
		regions, of, added, saved := worlddiff.Regions(c.changes)
		if !reflect.DeepEqual(regions, whole) {
			t.Errorf("%s: compact changes are gathered into %v, not %v", c.name, regions, whole)
		}
		var lines []string
		for _, r := range regions {
			lines = append(lines, r.String())
		}
		if got := strings.Join(lines, "\n"); got != c.want || added != c.added || saved != c.saved {
			t.Errorf("%s: got\n%s\n%d added, %d saved; want\n%s", c.name, got, added, saved, c.want)
		}
		blocks := make(map[*worlddiff.Region]int)
		for _, r := range of {
			blocks[r]++
		}
		for _, r := range regions {
			if len(of) != len(c.changes) || blocks[r] != r.Blocks {
				t.Errorf("%s: %d of %d changes are in a region of %d blocks", c.name, blocks[r], len(of), r.Blocks)
			}
		}
	}
}

// TestRegionActors tests who is named, the one with the most changes first.
func TestRegionActors(t *testing.T) {
	regions, _, _, _ := worlddiff.Regions([]*worlddiff.Change{changed([3]int{}, "a:b", "air", [3]int{}, [3]int{1, 0, 0})})
	start := time.Date(2026, 11, 20, 18, 30, 0, 0, time.Local)
	for i, name := range []string{"player:ann", "player:bob", "", "player:bob"} {
		regions[0].Did(rollback.Deed{Actor: name, Time: start.Add(time.Duration(i) * 10 * time.Minute)})
	}
	want := "0,0,0:1,0,0 (2 x 1 x 1): removed 2 a:b; by bob (2, 2026-11-20 18:40 to 2026-11-20 19:00), ann (1, 2026-11-20 18:30)"
	if got := regions[0].String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
