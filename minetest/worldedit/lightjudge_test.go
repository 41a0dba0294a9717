package worldedit_test

import (
	"context"
	"path/filepath"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/nodedef"
	"trowel.example/minetest/worldcopy"
	"trowel.example/minetest/worldedit"
)

// TestLightEngine digs and builds in a world that the engine generated, and compares the light with that of the
// engine's fix_light.
func TestLightEngine(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	judge.Write(t, filepath.Join(dir, "world.mt"),
		[]byte("gameid = minetest\nbackend = sqlite3\nplayer_backend = dummy\nauth_backend = files\n"))
	judge.Write(t, filepath.Join(dir, "map_meta.txt"), []byte("mg_name = v7\nseed = 7\n[end_of_params]\n"))
	for _, name := range []string{"init.lua", "mod.conf"} {
		judge.Write(t, filepath.Join(dir, "worldmods", "trowel_nodes", name),
			judge.Read(t, filepath.Join("../../contrib/minetest/trowel_nodes", name)))
	}
	worldtest.Script(t, dir, `local core = minetest
core.after(0, function()
	core.emerge_area({x = -32, y = -32, z = -32}, {x = 47, y = 47, z = 47}, function(pos, action, left)
		if left == 0 then
			core.after(1, function()
				io.open(core.get_worldpath() .. "/done", "w"):close()
				core.request_shutdown()
			end)
		end
	end)
end)`)
	file, err := nodedef.ReadFile(filepath.Join(dir, "trowel_nodes.json"))
	if err != nil {
		t.Fatal(err)
	}
	w, err := worldedit.Open(ctx, dir, worldedit.Options{Nodes: file.Nodes})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	box := func(a, b worldedit.Vec) worldedit.Region { return worldedit.Region{Box: worldedit.BoxOf(a, b)} }
	s := worldedit.Setting{}
	if err := w.Do(ctx,
		worldedit.Set(box(worldedit.Vec{0, -20, 0}, worldedit.Vec{20, 40, 8}), "air", s),
		worldedit.Set(box(worldedit.Vec{0, 12, 0}, worldedit.Vec{14, 12, 8}), "default:stone", s),
		worldedit.Set(box(worldedit.Vec{3, 2, 3}, worldedit.Vec{3, 2, 3}), "default:mese_post_light", s),
		worldedit.Set(box(worldedit.Vec{6, 2, 0}, worldedit.Vec{6, 11, 8}), "default:water_source", s),
		worldedit.Set(box(worldedit.Vec{9, 2, 0}, worldedit.Vec{9, 11, 8}), "default:glass", s),
		worldedit.Relight(nil),
	); err != nil {
		t.Fatal(err)
	}
	edited := filepath.Join(t.TempDir(), "edited")
	if _, err := w.Copy(ctx, edited, "edit", worldcopy.Options{}); err != nil {
		t.Fatal(err)
	}
	worldtest.Script(t, edited, `local core = minetest
core.after(0, function()
	local a, b = {x = -32, y = -32, z = -32}, {x = 47, y = 47, z = 47}
	local vm = core.get_voxel_manip(a, b)
	for y = 2, -2, -1 do
		for x = 0, 1 do
			core.fix_light({x = 16 * x, y = 16 * y, z = 0}, {x = 16 * x, y = 16 * y, z = 0})
		end
	end
	vm = core.get_voxel_manip(a, b)
	local light, out = vm:get_light_data(), {}
	for i = 1, #light do
		out[i] = string.char(light[i])
	end
	local f = io.open(core.get_worldpath() .. "/light", "wb")
	f:write(table.concat(out))
	f:close()
	io.open(core.get_worldpath() .. "/done", "w"):close()
	core.request_shutdown()
end)`)
	theirs := judge.Read(t, filepath.Join(edited, "light"))
	const length = 80
	if len(theirs) != length*length*length {
		t.Fatalf("the engine has %d nodes", len(theirs))
	}
	bad, lit := 0, 0
	for p, data := range worldtest.All(t, w) {
		b, err := mapblock.Decode([]byte(data))
		if err != nil {
			t.Fatal(err)
		}
		if p.X < -2 || p.X > 2 || p.Y < -2 || p.Y > 2 || p.Z < -2 || p.Z > 2 {
			continue
		}
		for i, ours := range b.Param1 {
			x, y, z := mapblock.Coordinates(i)
			at := ((int(p.Z)+2)*16+z)*length*length + ((int(p.Y)+2)*16+y)*length + (int(p.X)+2)*16 + x
			if ours != 0 && ours != 15 {
				lit++
			}
			if theirs[at] != ours {
				if bad++; bad < 10 {
					t.Errorf("%v %d,%d,%d %s: the engine has %#02x, we %#02x", p, x, y, z, b.Nodes().At(i), theirs[at], ours)
				}
			}
		}
	}
	if bad > 0 || lit < 1000 {
		t.Errorf("%d nodes differ; %d are neither dark nor in the sun", bad, lit)
	}
}
