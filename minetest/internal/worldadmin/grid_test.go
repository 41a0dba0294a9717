package worldadmin_test

import (
	"fmt"
	"testing"

	"trowel.example/minetest/internal/worldadmin"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

func ExampleGrid() {
	meta := world.ParseSettings([]byte("seed = 1\nchunksize = 5\n[end_of_params]\n"), world.MapMetaEnd)
	grid, err := worldadmin.GridOf(meta)
	if err != nil {
		fmt.Println(err)
		return
	}
	chunk := grid.Containing(mapdb.Pos{X: 3, Y: -2, Z: 0})
	fmt.Println(chunk, grid.Blocks(chunk))
	// Output: 1,0,0 {(3,-2,-2) (7,2,2)}
}

func gridIn(t *testing.T, text string) worldadmin.Grid {
	t.Helper()
	g, err := worldadmin.GridOf(world.ParseSettings([]byte(text), world.MapMetaEnd))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestGridOf(t *testing.T) {
	for text, want := range map[string]worldadmin.Grid{
		"":                        {5, 5, 5},
		"chunksize = 8\n":         {8, 8, 8},
		"chunksize = (5,10,5)\n":  {5, 10, 5},
		"chunksize = 1, 2, 3\n":   {1, 2, 3},
		"seed = 1\nchunksize=4\n": {4, 4, 4},
	} {
		if got := gridIn(t, text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	for _, text := range []string{"chunksize = 0\n", "chunksize = 5,5\n", "chunksize = five\n", "chunksize = 1,1,1,1\n",
		"chunksize = 4000\n"} {
		if g, err := worldadmin.GridOf(world.ParseSettings([]byte(text), "")); err == nil {
			t.Errorf("%q is taken for %v", text, g)
		}
	}
}

// TestGrid tests that every block is in exactly one chunk, for each chunk size.
func TestGrid(t *testing.T) {
	for size := int16(1); size <= 9; size++ {
		g := worldadmin.Grid{size, size, size}
		for x := int16(mapdb.MinCoord); x <= mapdb.MaxCoord; x++ {
			p := mapdb.Pos{X: x, Y: -x / 2, Z: 7}
			c := g.Containing(p)
			area := g.Blocks(c)
			if !area.Contains(p) {
				t.Fatalf("size %d: block %v is in chunk %v, which has %v", size, p, c, area)
			}
			if wide := area.Max.X - area.Min.X + 1; wide != size && area.Min.X > mapdb.MinCoord && area.Max.X < mapdb.MaxCoord {
				t.Fatalf("size %d: chunk %v is %d blocks wide", size, c, wide)
			}
			if g.Node([3]int{int(x)*16 + 15, int(p.Y) * 16, 7*16 + 3}) != c {
				t.Fatalf("the nodes of block %v are in another chunk", p)
			}
		}
	}
}

// TestGridOfEngine compares with the formula of the engine: floor((block - offset) / size) * size + offset, with an offset
// of -size/2, rounded towards zero.
func TestGridOfEngine(t *testing.T) {
	for _, c := range []struct {
		size, block, first int16
	}{{5, 0, -2}, {5, 2, -2}, {5, 3, 3}, {5, -3, -7}, {4, 1, -2}, {4, 2, 2}, {4, -3, -6}, {1, -1, -1}, {3, -2, -4}, {8, -5, -12}} {
		g := worldadmin.Grid{c.size, c.size, c.size}
		if got := g.Blocks(g.Containing(mapdb.Pos{X: c.block})).Min.X; got != c.first {
			t.Errorf("size %d: the chunk of block %d begins at %d, want %d", c.size, c.block, got, c.first)
		}
	}
	low, high := worldadmin.Grid{5, 5, 5}.Nodes(worldadmin.Chunk{0, 1, -1})
	if low != [3]int{-32, 48, -112} || high != [3]int{47, 127, -33} {
		t.Error(low, high)
	}
	if near := (worldadmin.Chunk{1, 2, 3}).Near(1); len(near) != 27 || near[13] != (worldadmin.Chunk{1, 2, 3}) {
		t.Error(near)
	}
}
