package schematic_test

import (
	"bufio"
	encoding "encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/nodedef"
	"trowel.example/minetest/schematic"
)

// prelude contains functions used by all scripts.
const prelude = `
local core = minetest
local world = core.get_worldpath() .. "/"
local out = io.open(world .. "out.txt", "w")
local function fill(i) -- existing nodes
	return ({"air", "default:dirt", "air", "default:chest"})[i % 4 + 1]
end
local function ground(size)
	local vm = core.get_voxel_manip({x = 0, y = 0, z = 0}, {x = 15, y = 15, z = 15})
	local from, to = vm:get_emerged_area()
	local area = VoxelArea:new({MinEdge = from, MaxEdge = to})
	local data, param2 = vm:get_data(), vm:get_param2_data()
	for i in area:iter(0, 0, 0, 15, 15, 15) do
		local p = area:position(i)
		data[i], param2[i] = core.get_content_id(fill(p.x + 3 * p.y + 5 * p.z)), 0
	end
	vm:set_data(data)
	vm:set_param2_data(param2)
	return vm, area
end
local function tell(what, vm, area)
	local data, param2 = vm:get_data(), vm:get_param2_data()
	for i in area:iter(0, 0, 0, 15, 15, 15) do
		local p = area:position(i)
		out:write(("%s %d %d %d %s %d\n"):format(what, p.x, p.y, p.z, core.get_name_from_content_id(data[i]), param2[i]))
	end
end
local function done()
	out:close()
	io.open(world .. "done", "w"):close()
	core.request_shutdown()
end
`

type placedNode struct {
	name   string
	param2 uint8
}

type area map[[3]int]placedNode

// ground returns the area that prelude's ground creates.
func ground() area {
	a := make(area)
	for x := range 16 {
		for y := range 16 {
			for z := range 16 {
				a[[3]int{x, y, z}] = placedNode{name: []string{"air", "default:dirt", "air", "default:chest"}[(x+3*y+5*z)%4]}
			}
		}
	}
	return a
}

// areas reads the output of prelude's tell.
func areas(t *testing.T, path string) map[string]area {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := make(map[string]area)
	for in := bufio.NewScanner(f); in.Scan(); {
		var what string
		var p [3]int
		var n placedNode
		if _, err := fmt.Sscan(in.Text(), &what, &p[0], &p[1], &p[2], &n.name, &n.param2); err != nil {
			t.Fatalf("%v: %s", err, in.Text())
		}
		if all[what] == nil {
			all[what] = make(area)
		}
		all[what][p] = n
	}
	return all
}

// known replaces the nodes of s by nodes that the game has, and sets probabilities so that nothing depends on chance.
func known(r *rand.Rand, s *schematic.Schematic) {
	names := []string{"default:stone", "stairs:stair_wood", "default:torch_wall", "default:chest", "ignore", "air"}
	for i := range s.Names {
		if s.Names[i] != "ignore" && s.Names[i] != "air" {
			s.Names[i] = names[i%len(names)]
		}
	}
	if s.Form != schematic.WorldEdit && s.Version != 1 {
		s.Names = append(s.Names, "ignore", "default:chest")
		s.Name[0], s.Name[len(s.Name)-1] = uint16(len(s.Names)-2), uint16(len(s.Names)-1)
	}
	for i := range s.Prob {
		if s.Prob[i] != schematic.Never {
			s.Prob[i] = schematic.Always
		}
		if s.At(i) == "default:torch_wall" { // 6 and 7 are unknown to the engine
			s.Param2[i] = uint8(r.IntN(6))
		}
	}
	for y := range s.Slices {
		s.Slices[y] = []uint8{schematic.Never, schematic.Always, schematic.Always}[r.IntN(3)]
	}
}

// TestPlaceEngine compares Place with the engine for each form and version, in each rotation, with and without force.
func TestPlaceEngine(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	dir := t.TempDir()
	var script strings.Builder
	script.WriteString(prelude + "core.after(0, function()\nlocal vm, area\n")
	want := make(map[string]area)
	for _, f := range forms {
		if f.form == schematic.WorldEdit {
			continue
		}
		for rot := range 4 {
			for _, force := range []bool{false, true} {
				s := random(r, f.form, f.version)
				known(r, s)
				name := fmt.Sprintf("%s%d-%d-%v", f.form, f.version, 90*rot, force)
				data := must(s.Encode())
				judge.Write(t, filepath.Join(dir, name), data)
				s = must(schematic.Decode(data))
				what := fmt.Sprintf("world .. %q", name)
				if f.form == schematic.Lua {
					what = fmt.Sprintf("(function() dofile(world .. %q) return schematic end)()", name)
				}
				fmt.Fprintf(&script, "vm, area = ground()\ncore.place_schematic_on_vmanip(vm, {x = 1, y = 2, z = 3}, %s, "+
					"\"%d\", {}, %v)\ntell(%q, vm, area)\n", what, 90*rot, force, name)
				a := ground()
				for at, n := range s.Place(schematic.Placing{Quarters: rot, Force: force, ParamType2: kind}).All {
					at = [3]int{at[0] + 1, at[1] + 2, at[2] + 3}
					if n.Force || a[at].name == "air" {
						a[at] = placedNode{n.Name, n.Param2}
					}
				}
				want[name] = a
			}
		}
	}
	script.WriteString("done()\nend)\n")
	worldtest.Script(t, dir, script.String())
	got := areas(t, filepath.Join(dir, "out.txt"))
	for name, a := range want {
		compare(t, name, got[name], a)
	}
}

func kind(name string) string {
	if n := nodedef.MinetestGame()[name]; n != nil {
		return n.ParamType2
	}
	return ""
}

func compare(t *testing.T, name string, got, want area) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d nodes, not %d", name, len(got), len(want))
		return
	}
	bad := 0
	for p, n := range want {
		if got[p] != n {
			if bad++; bad < 5 {
				t.Errorf("%s: at %v the engine has %v, we %v", name, p, got[p], n)
			}
		}
	}
}

// TestCreateEngine tests that files written by the engine are read correctly.
func TestCreateEngine(t *testing.T) {
	dir := t.TempDir()
	worldtest.Script(t, dir, prelude+`core.after(0, function()
	local vm, area = ground()
	vm:write_to_map()
	local from, to = {x = 1, y = 2, z = 3}, {x = 7, y = 5, z = 12}
	core.create_schematic(from, to, {{pos = {x = 2, y = 3, z = 4}, prob = 100}, {pos = {x = 1, y = 2, z = 3}, prob = 0}},
		world .. "a.mts", {{ypos = 1, prob = 50}})
	local lua = io.open(world .. "a.lua", "w")
	lua:write(core.serialize_schematic(world .. "a.mts", "lua", {lua_use_comments = true}))
	lua:close()
	done()
end)`)
	made, err := schematic.New(schematic.MTS, [3]int{7, 4, 10})
	if err != nil {
		t.Fatal(err)
	}
	made.Names = nil
	name, world := made.Namer(), ground()
	for i := range made.Name {
		x, y, z := made.Coordinates(i)
		made.Name[i], _ = name(world[[3]int{x + 1, y + 2, z + 3}].name)
		made.Prob[i] = schematic.Always
	}
	made.Prob[made.Index(1, 1, 1)], made.Prob[0] = 100, 0
	made.Slices = []uint8{127, 50, 127, 127}
	data := judge.Read(t, filepath.Join(dir, "a.mts"))
	s, err := schematic.Decode(data)
	if err != nil || !s.Equal(made) {
		t.Errorf("%v\n%s\n%s", err, s.Text(), made.Text())
	}
	if ours := must(made.Encode()); string(ours) != string(data) {
		t.Errorf("the engine writes %d other bytes, we %d", len(data), len(ours))
	}
	lua := judge.Read(t, filepath.Join(dir, "a.lua"))
	s, err = schematic.Decode(lua)
	if c, _ := made.Convert(schematic.Lua); err != nil || !s.Equal(c) {
		t.Errorf("%v\n%s", err, lua)
	}
	folder(t, "a.mts", data)
	folder(t, "a.lua", lua)
}

// TestWorldEditMod tests that Debian's WorldEdit reads files written by this package, and the reverse.
func TestWorldEditMod(t *testing.T) {
	tests.Judges(t)
	if _, err := os.Stat("/usr/share/games/minetest/mods/worldedit"); err != nil {
		tests.Missing(t, "judges", "no WorldEdit here: on Debian, it is the package minetest-mod-worldedit")
	}
	r := rand.New(rand.NewPCG(13, 14))
	dir := t.TempDir()
	judge.Write(t, filepath.Join(dir, "world.mt"),
		[]byte("gameid = minetest\nbackend = sqlite3\nplayer_backend = dummy\nauth_backend = files\nload_mod_worldedit = true\n"))
	judge.Write(t, filepath.Join(dir, "map_meta.txt"), []byte("mg_name = singlenode\nseed = 1\n[end_of_params]\n"))
	var script strings.Builder
	script.WriteString(prelude + `
local function read(name)
	local f = io.open(world .. name, "rb")
	local text = f:read("*a")
	f:close()
	return text
end
local function nodes(what, list)
	for _, n in ipairs(list) do
		local meta = n.meta or {fields = {}, inventory = {}}
		out:write(("%s %d %d %d %s %d %d %s %s\n"):format(what, n.x, n.y, n.z, n.name, n.param1 or 0, n.param2 or 0,
			core.encode_base64(meta.fields.infotext or ""), core.encode_base64(table.concat(meta.inventory.main or {}, "|"))))
	end
end
core.after(0, function()
	core.emerge_area({x = 0, y = 0, z = 0}, {x = 15, y = 15, z = 15})
	core.after(0.5, function()
`)
	want := make(map[string]string)
	told := func(what string, s *schematic.Schematic) {
		for i := range s.Name {
			if x, y, z := s.Coordinates(i); s.Prob[i] != schematic.Never {
				infotext, items := "", ""
				if m := s.MetaOf(i); m != nil {
					infotext = m.Fields[0].Value
					for _, l := range m.Lists {
						if l.Name == "main" {
							items = strings.Join(l.Items, "|")
						}
					}
				}
				light := 0
				if s.Param1 != nil {
					light = int(s.Param1[i])
				}
				key := fmt.Sprintf("%s %d %d %d", what, s.Origin[0]+x, s.Origin[1]+y, s.Origin[2]+z)
				want[key] = fmt.Sprintf("%s %d %d %s %s", s.At(i), light, s.Param2[i], base64(infotext), base64(items))
			}
		}
	}
	for version := 3; version <= 5; version++ {
		s := random(r, schematic.WorldEdit, version)
		known(r, s)
		name := fmt.Sprintf("v%d", version)
		judge.Write(t, filepath.Join(dir, name), must(s.Encode()))
		switch version {
		case 3:
			fmt.Fprintf(&script, "worldedit.deserialize({x = 0, y = 0, z = 0}, read(%q))\n", name)
			fmt.Fprintf(&script, "for x = 0, %d do for y = 0, %d do for z = 0, %d do local p = {x = x, y = y, z = z}; local "+
				"n = core.get_node(p); n.x, n.y, n.z = x, y, z; n.param1 = 0; nodes(%q, {n}) end end end\n",
				s.Size[0]-1, s.Size[1]-1, s.Size[2]-1, name)
			s.Param1 = nil
			for i := range s.Prob { // nodes that are not written are air
				s.Prob[i] = schematic.Always
			}
		default:
			fmt.Fprintf(&script, "nodes(%q, core.deserialize((read(%q):gsub(\"^5[^:]*:\", \"\"))))\n", name, name)
		}
		told(name, s)
	}
	script.WriteString(`
		local p = {x = 10, y = 3, z = 4}
		core.set_node(p, {name = "default:chest", param2 = 3})
		core.get_meta(p):from_table({fields = {infotext = "a\n\"b\"\\ \r", owner = "me"}, inventory = {main =
		{"default:dirt 5", "", "default:pick_stone 1 1200"}}})
		core.set_node({x = 9, y = 5, z = 6}, {name = "default:torch_wall", param2 = 4})
		local text = worldedit.serialize({x = 8, y = 3, z = 4}, {x = 10, y = 5, z = 6})
		local f = io.open(world .. "theirs.we", "wb")
		f:write(text)
		f:close()
		done()
	end)
end)
`)
	worldtest.Script(t, dir, script.String())
	got := make(map[string]string)
	for line := range strings.Lines(string(judge.Read(t, filepath.Join(dir, "out.txt")))) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 5)
		got[strings.Join(f[:4], " ")] = f[4]
	}
	if len(got) != len(want) {
		t.Errorf("%d nodes, not %d", len(got), len(want))
	}
	for key, n := range want {
		if got[key] != n {
			t.Errorf("%s: %q, not %q", key, got[key], n)
		}
	}
	theirs := judge.Read(t, filepath.Join(dir, "theirs.we"))
	folder(t, "theirs.we", theirs)
	s, err := schematic.Decode(theirs)
	if err != nil {
		t.Fatalf("%v\n%s", err, theirs)
	}
	m := s.MetaOf(s.Index(2, 0, 0))
	if s.At(s.Index(2, 0, 0)) != "default:chest" || s.At(s.Index(1, 2, 2)) != "default:torch_wall" || m == nil ||
		len(m.Fields) != 2 || len(m.Lists) != 1 || len(m.Lists[0].Items) != 3 {
		t.Errorf("%s\n%s", theirs, s.Text())
	}
}

func base64(text string) string { return encoding.StdEncoding.EncodeToString([]byte(text)) }
