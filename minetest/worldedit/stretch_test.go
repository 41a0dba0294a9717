package worldedit_test

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldedit"
)

func TestStretchLimits(t *testing.T) {
	box := worldedit.BoxOf(worldedit.Vec{0, 0, 0}, worldedit.Vec{99, 0, 0})
	edge := worldedit.BoxOf(worldedit.Vec{worldedit.MaxNode - 9, 0, 0}, worldedit.Vec{worldedit.MaxNode - 5, 0, 0})
	for name, c := range map[string]struct {
		region worldedit.Region
		by     worldedit.Vec
		ok     bool
	}{
		"fits":            {worldedit.Region{Box: edge}, worldedit.Vec{2, 1, 1}, true},
		"beyond the edge": {worldedit.Region{Box: edge}, worldedit.Vec{3, 1, 1}, false},
		"zero":            {worldedit.Region{Box: box}, worldedit.Vec{1, 0, 1}, false},
		"negative":        {worldedit.Region{Box: box}, worldedit.Vec{1, 1, -2}, false},
		"huge":            {worldedit.Region{Box: box}, worldedit.Vec{1, math.MaxInt, 1}, false},
		"outside":         {worldedit.Region{Box: box, Invert: true}, worldedit.Vec{2, 2, 2}, false},
	} {
		if _, err := worldedit.Stretch(c.region, c.by, worldedit.Setting{}); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestStretchEngine compares Stretch with a script that sets the same nodes one by one in the engine.
func TestStretchEngine(t *testing.T) {
	tests.NotRaced(t, "waits for the engine")
	judge.Find(t, "minetestserver")
	ctx := context.Background()
	var list []mapdb.Block
	r := rand.New(rand.NewPCG(3, 4))
	for p := range worldedit.Positions(mapdb.Area{Max: mapdb.Pos{X: 1, Y: 1, Z: 1}}) {
		b := mapblock.New(28)
		b.Flags |= mapblock.NotAllAir
		for i := range mapblock.NodeCount {
			name := []string{"default:dirt", "default:chest", "air"}[r.IntN(3)]
			if err := b.SetNode(i, name, 0, uint8(r.IntN(4))); err != nil {
				t.Fatal(err)
			}
			if name == "default:chest" {
				b.Metadata.List = append(b.Metadata.List, mapblock.NodeMeta{Pos: uint16(i), Inventory: []byte("EndInventory\n"),
					Vars: []mapblock.Var{{Key: "infotext", Value: fmt.Sprint(r.IntN(100))}}})
			}
		}
		b.Metadata.Version = 2
		data, err := b.Encode()
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, mapdb.Block{Pos: p, Data: data})
	}
	dir := worldtest.WorldOf(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, each(list))
	w := open(t, dir)
	region := worldedit.Region{Box: worldedit.BoxOf(worldedit.Vec{1, 2, 3}, worldedit.Vec{7, 5, 9})}
	step, err := worldedit.Stretch(region, worldedit.Vec{2, 3, 1}, worldedit.Setting{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Do(ctx, step); err != nil {
		t.Fatal(err)
	}
	want := modelOf(t, w)
	worldtest.Script(t, dir, `
local world = minetest.get_worldpath()
minetest.after(0, function()
	minetest.emerge_area({x = 0, y = 0, z = 0}, {x = 31, y = 31, z = 31}, function(_, _, left)
		if left > 0 then return end
		local nodes = {}
		for x = 1, 7 do for y = 2, 5 do for z = 3, 9 do
			local p = {x = x, y = y, z = z}
			nodes[#nodes + 1] = {p = p, node = minetest.get_node(p), meta = minetest.get_meta(p):to_table()}
		end end end
		for _, n in ipairs(nodes) do
			for i = 0, 1 do for j = 0, 2 do
				local p = {x = 1 + 2 * (n.p.x - 1) + i, y = 2 + 3 * (n.p.y - 2) + j, z = n.p.z}
				minetest.swap_node(p, n.node)
				minetest.get_meta(p):from_table(n.meta)
			end end
		end
		minetest.after(0, function()
			local out = assert(io.open(world .. "/dump.txt", "w"))
			for x = 0, 31 do for y = 0, 31 do for z = 0, 31 do
				local p = {x = x, y = y, z = z}
				local n = minetest.get_node(p)
				out:write(("%d %d %d %s %d %s\n"):format(x, y, z, n.name, n.param2, minetest.get_meta(p):get_string("infotext")))
			end end end
			out:close()
			io.open(world .. "/done", "w"):close()
			minetest.request_shutdown()
		end)
	end)
end)
`)
	f, err := os.Open(filepath.Join(dir, "dump.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	seen, bad := 0, 0
	for in := bufio.NewScanner(f); in.Scan(); seen++ {
		var v worldedit.Vec
		var name string
		var param2 uint8
		if _, err := fmt.Sscan(in.Text(), &v[0], &v[1], &v[2], &name, &param2); err != nil {
			t.Fatal(err)
		}
		infotext := in.Text()[strings.LastIndex(in.Text(), " ")+1:]
		n := want.at(v)
		_, meta, _ := strings.Cut(n.meta, "infotext=")
		meta, _, _ = strings.Cut(meta, "\n")
		if n.name != name || n.param2 != param2 || meta != infotext {
			if bad++; bad < 5 {
				t.Errorf("%v: the engine has %q, we %s %d %q", v, in.Text(), n.name, n.param2, meta)
			}
		}
	}
	if seen != 32*32*32 || bad > 0 {
		t.Errorf("%d nodes, %d differ", seen, bad)
	}
}
