package turn_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/turn"
)

// script makes the engine place nodes of each kind with each param2 in each rotation, and write the results.
const script = `
local core = minetest
local kinds = {%s}
for _, kind in ipairs(kinds) do
	core.register_node("trowel_script:" .. kind, {paramtype2 = kind, drawtype = "nodebox", palette = kind:find("color") and "p.png" or nil})
end
core.after(0, function()
	local data = {}
	for _ = 1, 2 do -- so that no side is as long as another
		for _, kind in ipairs(kinds) do
			for p = 0, 255 do
				data[#data + 1] = {name = "trowel_script:" .. kind, param2 = p}
			end
		end
	end
	local out = io.open(core.get_worldpath() .. "/out.txt", "w")
	for _, rot in ipairs({"90", "180", "270"}) do
		local size = {x = 256, y = #kinds, z = 2}
		local vm = core.get_voxel_manip({x = 0, y = 0, z = 0}, {x = 255, y = 15, z = 255})
		core.place_schematic_on_vmanip(vm, {x = 0, y = 0, z = 0}, {size = size, data = data}, rot, {}, true)
		local names, param2 = vm:get_data(), vm:get_param2_data()
		local from, to = vm:get_emerged_area()
		local area = VoxelArea:new({MinEdge = from, MaxEdge = to})
		for i in area:iter(0, 0, 0, 255, 15, 255) do
			local name = core.get_name_from_content_id(names[i]):match("^trowel_script:(.*)")
			if name then
				local p = area:position(i)
				out:write(("%%s %%d %%d %%d %%s %%d\n"):format(rot, p.x, p.y, p.z, name, param2[i]))
			end
		end
	end
	out:close()
	io.open(core.get_worldpath() .. "/done", "w"):close()
	core.request_shutdown()
end)
`

// TestEngine compares turns about y with those of the engine.
func TestEngine(t *testing.T) {
	// Engine 5.6 has no 4dir, and reads an invalid table entry for 6 and 7 of wallmounted.
	kinds := []string{"facedir", "colorfacedir", "wallmounted", "colorwallmounted", "degrotate", "colordegrotate", "none",
		"flowingliquid", "meshoptions", "leveled", "color"}
	dir := t.TempDir()
	worldtest.Script(t, dir, fmt.Sprintf(script, `"`+strings.Join(kinds, `", "`)+`"`))
	f, err := os.Open(filepath.Join(dir, "out.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	type node struct {
		rot, x, y, z int
		kind         string
		param2       byte
	}
	seen := make(map[node]bool)
	for in := bufio.NewScanner(f); in.Scan(); {
		var n node
		if _, err := fmt.Sscan(in.Text(), &n.rot, &n.x, &n.y, &n.z, &n.kind, &n.param2); err != nil {
			t.Fatal(err)
		}
		seen[n] = true
	}
	size := [3]int{256, len(kinds), 2}
	if want := 3 * size[0] * size[1] * size[2]; len(seen) != want {
		t.Fatalf("the engine placed %d nodes, not %d", len(seen), want)
	}
	for rot := 1; rot <= 3; rot++ {
		m := turn.Turn(turn.Y, rot)
		for y, kind := range kinds {
			for p := range 256 {
				if strings.HasSuffix(kind, "wallmounted") && p&7 >= 6 {
					continue
				}
				for z := range 2 {
					at := m.In(size, [3]int{p, y, z})
					param2, _ := m.Param2(kind, byte(p))
					if !seen[node{90 * rot, at[0], at[1], at[2], kind, param2}] {
						t.Errorf("%s %d turned by %d: the engine has no %d at %v", kind, p, 90*rot, param2, at)
					}
				}
			}
		}
	}
}
