package nodedef_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/nodedef"
)

// TestEngine runs the mod in the engine and reads its output.
func TestEngine(t *testing.T) {
	tests.NotRaced(t, "waits for the engine")
	const game = "/usr/share/games/minetest/games/minetest_game"
	judge.Find(t, "minetestserver")
	if _, err := os.Stat(game); err != nil {
		t.Skip("no minetest_game here")
	}
	home, dir := judge.Dir(t), t.TempDir()
	judge.Write(t, filepath.Join(dir, "world.mt"),
		[]byte("gameid = minetest\nbackend = dummy\nplayer_backend = dummy\nauth_backend = files\n"))
	if err := os.CopyFS(filepath.Join(dir, "worldmods", "trowel_nodes"), os.DirFS("../../contrib/minetest/trowel_nodes")); err != nil {
		t.Fatal(err)
	}
	judge.Write(t, filepath.Join(dir, "worldmods", "stop", "mod.conf"), []byte("name = stop\n"))
	judge.Write(t, filepath.Join(dir, "worldmods", "stop", "init.lua"), []byte(`
minetest.register_node("stop:dyed", {tiles = {{name = "a.png^b.png"}}, palette = "p.png", paramtype2 = "color",
color = "#ff0000", light_source = 5})
minetest.register_node("stop:bare", {drawtype = "airlike", walkable = false})
local loop = {name = "c.png"}
loop.self, loop[1] = loop, loop
minetest.register_node("stop:odd", {drawtype = "nodebox", paramtype = "light", light_source = 3.7, color = 0x80ff0000,
tiles = {{image = "a.png", color = {r = 255, g = 16, b = 0}, animation = {type = "vertical_frames", length = 0/0}},
[3] = {name = "b.png", scale = 2, align_style = "world", extra = print}, backface_culling = false}, special_tiles = {loop},
overlay_tiles = {"", "o.png"}, visual_scale = math.huge, groups = {odd = 2}, use_texture_alpha = true,
node_box = {type = "connected", fixed = {-0.5, -0.5, -0.5, 0.5, 0.065, 0.5}, connect_left = {{-0.5, -0.5, 0, 0, 0, 0.5}}},
connects_to = {"stop:odd", "group:odd"}, connect_sides = {"left"}, on_punch = print})
minetest.register_alias("stop:strange", "stop:odd")
minetest.after(1, function() minetest.request_shutdown() end)
`))
	judge.Write(t, filepath.Join(home, "minetest.conf"), []byte("bind_address = 127.0.0.1\nport = 30998\nserver_announce = false\n"))
	said, err := judge.Run(t, home, "minetestserver", "--config", filepath.Join(home, "minetest.conf"), "--world", dir,
		"--logfile", filepath.Join(home, "log"), "--quiet")
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	path := filepath.Join(dir, "trowel_nodes.json")
	if *update {
		writeMinetestGame(t, judge.Read(t, path))
		return
	}
	file, err := nodedef.ReadFile(path)
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	list := file.Nodes
	own := nodedef.MinetestGame()
	if file.Engine != "5.6.1" {
		t.Logf("engine %s: the built-in list, of 5.6.1, is not compared", file.Engine)
		own = nil
	}
	for name, n := range list {
		if own != nil && own[name] == nil && !strings.HasPrefix(name, "stop:") {
			t.Errorf("the built-in list lacks %+v", *n)
		}
	}
	for name, n := range own {
		if got := list[name]; !reflect.DeepEqual(got, n) {
			t.Errorf("%s is %+v, not %+v", name, got, *n)
		}
	}
	of := func(name string) nodedef.Node {
		if n := list[name]; n != nil {
			return *n
		}
		t.Errorf("%s is missing", name)
		return nodedef.Node{}
	}
	if n := of("default:stone"); len(n.Tiles) != 1 || n.Tiles[0].Name != "default_stone.png" || n.DrawType != "normal" || !n.Walkable {
		t.Errorf("stone: %+v", n)
	}
	if n := of("default:water_source"); n.DrawType != "liquid" || n.LiquidType != "source" || n.ParamType != "light" || n.Walkable {
		t.Errorf("water: %+v", n)
	}
	if n := of("default:torch_wall"); n.LightSource < 10 || n.ParamType2 != "wallmounted" || !n.SunlightPropagates {
		t.Errorf("torch: %+v", n)
	}
	if n := of("stop:dyed"); n.Tiles[0].Name != "a.png^b.png" || n.Palette != "p.png" || n.ParamType2 != "color" ||
		n.Color != "#ff0000" || n.LightSource != 5 {
		t.Errorf("dyed: %+v", n)
	}
	if n := of("stop:bare"); n.Tiles != nil || n.DrawType != "airlike" || n.Walkable {
		t.Errorf("bare: %+v", n)
	}
	tile := nodedef.Tile{BackfaceCulling: true, RepeatU: true, RepeatV: true, Align: "node", Scale: 1}
	first, second, none, over, special := tile, tile, tile, tile, tile
	first.Name, first.Color = "a.png", "#ff1000ff"
	first.Animation = nodedef.Animation{Type: "vertical_frames", AspectW: 16, AspectH: 16, Length: 1}
	second.Name, second.Scale, second.Align = "b.png", 2, "world"
	over.Name, special.Name = "o.png", "c.png"
	want := nodedef.Node{
		Name: "stop:odd", DrawType: "nodebox", Tiles: []nodedef.Tile{first, second}, Overlays: []nodedef.Tile{none, over},
		Specials: []nodedef.Tile{special}, Alpha: "blend", Color: "#ff000080", VisualScale: 1,
		Box: nodedef.NodeBox{Type: "connected", Fixed: []nodedef.Box{{-.5, -.5, -.5, .5, .065, .5}},
			Connect: [6][]nodedef.Box{3: {{-.5, -.5, 0, 0, 0, .5}}}},
		ConnectsTo: []string{"stop:odd", "group:odd"}, ConnectSides: []string{"left"}, Groups: map[string]int{"odd": 2},
		ParamType: "light", ParamType2: "none", LightSource: 3, LeveledMax: 127, LiquidType: "none", LiquidRange: 8, Walkable: true,
	}
	if n := of("stop:odd"); !reflect.DeepEqual(n, want) || list["stop:strange"] != list["stop:odd"] || list.Defines("stop:strange") {
		t.Errorf("odd: %+v, not %+v", n, want)
	}
	if i := slices.IndexFunc(file.Mods, func(m nodedef.Mod) bool { return m.Name == "default" }); i < 0 ||
		file.Mods[i].Path != game+"/mods/default" || file.Aliases["stone"] != "default:stone" {
		t.Errorf("mods %v", file.Mods)
	}
}
