package worldedit_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldedit"
)

// dumpScript is a mod with which the engine prints the contents of the blocks in blocks.txt.
const dumpScript = `
local world = minetest.get_worldpath()
minetest.after(0, function()
	local out = assert(io.open(world .. "/dump.txt", "w"))
	for line in io.lines(world .. "/blocks.txt") do
		local x, y, z = line:match("^(%S+),(%S+),(%S+)$")
		local low = {x = 16 * x, y = 16 * y, z = 16 * z}
		local high = {x = low.x + 15, y = low.y + 15, z = low.z + 15}
		local voxels = VoxelManip()
		local from, to = voxels:read_from_map(low, high)
		local area = VoxelArea:new{MinEdge = from, MaxEdge = to}
		local id, param2 = voxels:get_data(), voxels:get_param2_data()
		for i in area:iterp(low, high) do
			local at = area:position(i)
			local fields = {}
			for key, value in pairs(minetest.get_meta(at):to_table().fields) do
				if key ~= "formspec" and key ~= "text" then -- of signs of 2011 it forgets the text
					fields[#fields + 1] = key .. "=" .. value
				end
			end
			table.sort(fields)
			out:write(string.format("%d,%d,%d %s %d %s\n", at.x, at.y, at.z, minetest.get_name_from_content_id(id[i]), param2[i],
				table.concat(fields, ",")))
		end
	end
	out:close()
	io.open(world .. "/done", "w"):close()
	minetest.request_shutdown()
end)
`

// TestEngine tests that the engine reads worlds that were edited in place, with the contents of the model. Blocks of
// versions up to 19 are excluded, because the engine always misreads them.
func TestEngine(t *testing.T) {
	tests.NotRaced(t, "waits for the engine")
	judge.Find(t, "minetestserver")
	ctx := context.Background()
	for _, name := range []string{"pos", "leveldb", "postgresql"} {
		t.Run(name, func(t *testing.T) {
			c := worldtest.Backends[name](t)
			r := dice{Rand: rand.New(rand.NewPCG(77, uint64(len(name)))), t: t}
			dir := storedWorld(t, c, blocks(r.Rand, 20))
			r.other = open(t, storedWorld(t, mapdb.Config{Backend: mapdb.SQLite}, blocks(r.Rand, 20)))
			r.there = modelOf(t, r.other)
			w := open(t, dir)
			m := modelOf(t, w)
			for range 12 {
				trial := r.trial()
				trial.model(m)
				if err := w.Do(ctx, trial.step); err != nil {
					t.Fatal(trial.name, err)
				}
			}
			if _, err := w.InPlace(ctx, ""); err != nil {
				t.Fatal(err)
			}
			var list []string
			for p := range m {
				list = append(list, fmt.Sprintf("%d,%d,%d", p.X, p.Y, p.Z))
			}
			slices.Sort(list)
			judge.Write(t, filepath.Join(dir, "blocks.txt"), []byte(strings.Join(list, "\n")+"\n"))
			worldtest.Script(t, dir, dumpScript)
			f, err := os.Open(filepath.Join(dir, "dump.txt"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			seen, wrong := 0, 0
			for in := bufio.NewScanner(f); in.Scan(); seen++ {
				var v worldedit.Vec
				place, got, _ := strings.Cut(in.Text(), " ")
				if _, err := fmt.Sscanf(place, "%d,%d,%d", &v[0], &v[1], &v[2]); err != nil {
					t.Fatal(err)
				}
				n := m.at(v)
				fields, _, _ := strings.Cut("\n"+n.meta, "\n\n")
				fields = strings.ReplaceAll(strings.Replace(fields, "\ntext=hello", "", 1), "\n", ",")
				want := fmt.Sprintf("%s %d %s", n.name, n.param2, strings.TrimPrefix(fields, ","))
				want = strings.Replace(want, "default:sign_wall ", "default:sign_wall_wood ", 1) // current name
				if got != want {
					if wrong++; wrong < 5 {
						t.Errorf("%v: the engine sees %q, want %q", v, got, want)
					}
				}
			}
			if seen != len(m)*mapblock.NodeCount || wrong > 0 {
				t.Errorf("%d nodes, %d wrong", seen, wrong)
			}
		})
	}
}

// TestLightList creates a room in stone, places a lamp in it, and tests that the mod corrects the light.
func TestLightList(t *testing.T) {
	judge.Find(t, "minetestserver")
	ctx := context.Background()
	dir := t.TempDir()
	var list []mapdb.Block
	for p := range worldedit.Positions(mapdb.Area{Min: mapdb.Pos{X: -1, Y: -1, Z: -1}, Max: mapdb.Pos{X: 1, Y: 1, Z: 1}}) {
		b := mapblock.New(28)
		if b.Flags = mapblock.NotAllAir; p.Y < 1 {
			b.Names = []mapblock.NameID{{ID: 0, Name: "default:stone"}}
		} else {
			for i := range b.Param1 {
				b.Param1[i] = 15
			}
		}
		data, err := b.Encode()
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, mapdb.Block{Pos: p, Data: data})
	}
	worldtest.WorldOf(t, dir, mapdb.Config{Backend: mapdb.SQLite}, each(list))
	w := open(t, dir)
	room := worldedit.Region{Box: worldedit.BoxOf(worldedit.Vec{10, -5, 10}, worldedit.Vec{20, -2, 20})}
	shaft := worldedit.Region{Box: worldedit.BoxOf(worldedit.Vec{12, -2, 12}, worldedit.Vec{12, 15, 12})}
	lamp := worldedit.Region{Box: worldedit.BoxOf(worldedit.Vec{19, -5, 19}, worldedit.Vec{19, -5, 19})}
	s := worldedit.Setting{}
	if err := w.Do(ctx, worldedit.Set(room, "air", s), worldedit.Set(shaft, "air", s),
		worldedit.Set(lamp, "default:mese_post_light", s)); err != nil {
		t.Fatal(err)
	}
	if n, err := w.ListLight(); err != nil || n != 5 {
		t.Fatalf("%d blocks, %v", n, err)
	}
	if _, err := w.InPlace(ctx, ""); err != nil {
		t.Fatal(err)
	}
	if got := string(judge.Read(t, filepath.Join(dir, worldedit.LightList))); got != "0,-1,0\n1,-1,0\n0,0,0\n0,-1,1\n1,-1,1\n" {
		t.Errorf("the list is %q", got)
	}
	for _, name := range []string{"init.lua", "mod.conf"} {
		judge.Write(t, filepath.Join(dir, "worldmods", "trowel_light", name),
			judge.Read(t, filepath.Join("../../contrib/minetest/trowel_light", name)))
	}
	worldtest.Script(t, dir, `
		local world = minetest.get_worldpath()
		local function look()
			if io.open(world .. "/trowel_light.txt") then
				minetest.after(0.1, look)
				return
			end
			local out = assert(io.open(world .. "/done", "w"))
			for _, at in ipairs({{x = 12, y = 15, z = 12}, {x = 12, y = -5, z = 12}, {x = 14, y = -5, z = 12}, {x = 18, y = -5, z = 19}}) do
				out:write(minetest.get_node(at).param1 .. " ")
			end
			out:close()
			minetest.request_shutdown()
		end
		minetest.after(0.1, look)`)
	// Sunlight reaches the bottom of the shaft and is weaker next to it; the lamp shines by day and by night.
	var sun, bottom, aside, lit int
	if _, err := fmt.Sscan(string(judge.Read(t, filepath.Join(dir, "done"))), &sun, &bottom, &aside, &lit); err != nil {
		t.Fatal(err)
	}
	if sun&15 != 15 || bottom&15 != 15 || aside&15 != 13 || lit>>4 < 12 {
		t.Errorf("light %#x, %#x, %#x, %#x", sun, bottom, aside, lit)
	}
}
