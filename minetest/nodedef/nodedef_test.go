package nodedef_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"trowel.example/fault"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/nodedef"
)

const sample = `{"format": "trowel-nodes", "version": 1, "nodes": [
	{"name": "default:stone", "tiles": ["default_stone.png"], "drawtype": "normal", "walkable": true},
	{"name": "wool:any", "tiles": ["wool_white.png^[noalpha"], "palette": "p.png", "paramtype2": "color", "light_source": 3, "extra": 1}]}`

func TestParse(t *testing.T) {
	file, err := nodedef.Parse(strings.NewReader(sample))
	if err != nil {
		t.Fatal(err)
	}
	list := file.Nodes
	if len(list) != 2 || list["wool:any"].Palette != "p.png" || list["wool:any"].LightSource != 3 || !list["default:stone"].Walkable ||
		list["wool:any"].Tile(5).Name != "wool_white.png^[noalpha" || file.Engine != "" {
		t.Errorf("%v", list)
	}
	var many strings.Builder
	for i := range 1 << 15 {
		fmt.Fprintf(&many, `,{"name":"%d"}`, i)
	}
	for text, want := range map[string]string{
		"": "the end of the text", "[]": "expected an object", "null": "expected an object", "{}": `"format": "trowel-nodes"`,
		sample[:len(sample)-5]:   "the end of the text",
		sample + "{}":            "expected the end of the text",
		`{"version": 3`:          "version: expected 1 to 2, found 3",
		`{"nodes": {"a": 1}}`:    "nodes at offset 11: expected an array, found object",
		`{"nodes": [1]}`:         "nodes[0] at offset 11: expected an object, found number",
		`{"nodes": [{}, {"`:      "nodes[0].name",
		`{"aliases": {"a": 1}}`:  "aliases.a at offset 16: expected a string, found number",
		`{"mods": [{"name": 1}]`: "mods[0] at offset 10: expected a string",
		`{"engine": {}`:          "engine at offset 9: expected a string",
		`{"nodes": [{"name": "` + strings.Repeat("a", 3<<20) + `"}]}`:                  "expected at most 2097152 bytes",
		`{"nodes": [{"name": "a"}` + many.String() + `]`:                               "expected at most 32768 nodes",
		`{"nodes": [{"name": "a", "groups": ` + strings.Repeat("[", 20_000) + `}]}`:    "JSON of node definitions",
		`{"format": "trowel-nodes", "version": 1, "nodes": [{"name": 5}]}`:             "nodes[0].name",
		`{"format": "trowel-nodes", "version": 2, "nodes": [{"name": "a"}], "nodes":`:  "the end of the text",
		`{"format": "trowel-nodes", "nodes": []}`:                                      "version: expected 1 to 2, found 0",
		`{"format": "trowel-nodes", "version": 2, "nodes": [{"name": "a", "tiles": x}`: "JSON of node definitions",
	} {
		var f *fault.Error
		if _, err := nodedef.Parse(strings.NewReader(text)); !errors.As(err, &f) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: %v", text, err)
		}
	}
}

// parse returns the only definition of a game.
func parse(t *testing.T, engine, fields string) *nodedef.Node {
	t.Helper()
	file, err := nodedef.Parse(strings.NewReader(`{"format": "trowel-nodes", "version": 2, "engine": "` + engine +
		`", "nodes": [{"name": "a:b", ` + fields + `}]}`))
	if err != nil {
		t.Fatalf("%s: %v", fields, err)
	}
	return file.Nodes["a:b"]
}

func TestDefaults(t *testing.T) {
	got := parse(t, "5.6.1", `"tiles": {}, "groups": null`)
	want := nodedef.Node{Name: "a:b", DrawType: "normal", Alpha: "opaque", VisualScale: 1, Box: nodedef.NodeBox{Type: "regular"},
		Groups: map[string]int{}, ParamType: "none", ParamType2: "none", LeveledMax: 127, LiquidType: "none", LiquidRange: 8,
		Walkable: true}
	if !reflect.DeepEqual(*got, want) {
		t.Errorf("%+v, not %+v", *got, want)
	}
	if tile := got.Tile(3); tile != (nodedef.Tile{}) {
		t.Errorf("a node without tiles has %+v", tile)
	}
}

// TestRules tests defaults that depend on other fields, old spellings, and values of other types than usual.
func TestRules(t *testing.T) {
	plain := nodedef.Tile{Name: "x", BackfaceCulling: true, RepeatU: true, RepeatV: true, Align: "node", Scale: 1}
	with := func(change func(*nodedef.Tile)) nodedef.Tile {
		tile := plain
		change(&tile)
		return tile
	}
	open := with(func(t *nodedef.Tile) { t.BackfaceCulling = false })
	plant := with(func(t *nodedef.Tile) { t.BackfaceCulling, t.RepeatU, t.RepeatV = false, false, false })
	cube := nodedef.Box{-.5, -.5, -.5, .5, .5, .5}
	const slab = `[-0.5, 0.5, -0.5, 0.5, -0.5, 0.5]`
	tile := func(n *nodedef.Node) any { return n.Tile(0) }
	special := func(n *nodedef.Node) any { return n.Specials[0] }
	alpha := func(n *nodedef.Node) any { return n.Alpha }
	box := func(n *nodedef.Node) any { return n.Box }
	for _, c := range []struct {
		engine, fields string
		get            func(n *nodedef.Node) any
		want           any
	}{
		{"", `"tiles": ["x"]`, tile, plain},
		{"", `"tiles": ["x"], "drawtype": "mesh"`, tile, open},
		{"", `"tiles": ["x"], "drawtype": "liquid"`, tile, open},
		{"", `"tiles": ["x"], "drawtype": "flowingliquid"`, tile, plain},
		{"", `"tiles": [{"name": "x"}], "drawtype": "plantlike"`, tile, plant},
		{"", `"tiles": [{"image": "x", "name": "y"}], "drawtype": "firelike"`, tile, plant},
		{"", `"tiles": ["x"], "drawtype": "plantlike_rooted"`, tile, plain},
		{"", `"special_tiles": ["x"], "drawtype": "plantlike_rooted"`, special, plant},
		{"", `"special_tiles": ["x"], "drawtype": "mesh"`, special, open},
		{"", `"tile_images": ["x"]`, tile, plain},
		{"5.5.0", `"special_materials": [{"image": "x", "backface_culling": false}]`, special, open},
		{"5.6.0", `"tile_images": ["x"]`, tile, nodedef.Tile{}},
		{"", `"tiles": {"1": "x", "tileable_vertical": false}`, tile, plain},
		{"", `"tiles": [false], "drawtype": "plantlike"`, tile, with(func(t *nodedef.Tile) { t.Name = "" })},
		{"", `"tiles": [{"name": "x", "align_style": "world", "scale": 4.0, "color": {"r": 255, "g": 16.0}}]`, tile,
			with(func(t *nodedef.Tile) { t.Align, t.Scale, t.Color = "world", 4, "#ff1000ff" })},
		{"", `"tiles": [{"name": "x", "align_style": "both", "scale": "0", "color": 2164195328}]`, tile,
			with(func(t *nodedef.Tile) { t.Color = "#ff000080" })},
		{"", `"tiles": [{"name": "x", "animation": {"type": "vertical_frames", "aspect_w": 32, "length": "0.5"}}]`, tile,
			with(func(t *nodedef.Tile) {
				t.Animation = nodedef.Animation{Type: "vertical_frames", AspectW: 32, AspectH: 16, Length: .5}
			})},
		{"", `"tiles": [{"name": "x", "animation": {"type": "sheet_2d", "frames_w": 2, "frames_h": 3, "frame_length": 4}}]`, tile,
			with(func(t *nodedef.Tile) {
				t.Animation = nodedef.Animation{Type: "sheet_2d", FramesW: 2, FramesH: 3, Length: 4}
			})},
		{"", `"tiles": [1,2,3,4,5,6,7]`, func(n *nodedef.Node) any { return len(n.Tiles) }, 6},
		{"", `"overlay_tiles": ["", "x"]`, func(n *nodedef.Node) any { return n.Overlay(4) }, plain},

		{"", `"drawtype": "glasslike"`, alpha, "clip"},
		{"", `"drawtype": "nodebox"`, alpha, ""},
		{"5.8.1", `"drawtype": "mesh"`, alpha, ""},
		{"5.9.0-dev", `"drawtype": "mesh"`, alpha, "opaque"},
		{"5.10.0", `"drawtype": "nodebox", "waving": 1`, alpha, "clip"},
		{"5.10.0", `"drawtype": "nodebox", "waving": 3`, alpha, "opaque"},
		{"", `"use_texture_alpha": true`, alpha, "clip"},
		{"", `"use_texture_alpha": true, "drawtype": "nodebox"`, alpha, "blend"},
		{"", `"use_texture_alpha": false, "alpha": 255`, alpha, "opaque"},
		{"", `"alpha": 160.0, "drawtype": "liquid"`, alpha, "blend"},
		{"", `"alpha": 160, "use_texture_alpha": "opaque"`, alpha, "opaque"},
		{"", `"use_texture_alpha": "other", "drawtype": "plantlike"`, alpha, "clip"},
		{"", `"use_texture_alpha": "blend", "drawtype": "plantlike", "waving": 1`, alpha, "clip"},
		{"", `"use_texture_alpha": "blend", "drawtype": "allfaces_optional", "waving": 2`, alpha, "clip"},
		{"", `"use_texture_alpha": "blend", "drawtype": "allfaces", "waving": 2`, alpha, "blend"},
		{"", `"use_texture_alpha": "clip", "drawtype": "liquid"`, alpha, "blend"},
		{"", `"use_texture_alpha": "clip", "drawtype": "flowingliquid", "waving": 3`, alpha, "clip"},

		{"", `"node_box": {"type": "fixed", "fixed": ` + slab + `}`, box, nodedef.NodeBox{Type: "fixed", Fixed: []nodedef.Box{cube}}},
		{"", `"node_box": {"type": "leveled", "fixed": [` + slab + `, 5, [0, "0.25"]]}`, box,
			nodedef.NodeBox{Type: "leveled", Fixed: []nodedef.Box{cube, {0, 0, 0, 0, .25, 0}}}},
		{"", `"node_box": {"type": "fixed", "1": [0]}`, box, nodedef.NodeBox{Type: "fixed"}},
		{"", `"node_box": {"type": "other"}`, box, nodedef.NodeBox{Type: "regular"}},
		{"", `"node_box": {"type": "wallmounted", "wall_side": ` + slab + `}`, box, nodedef.NodeBox{Type: "wallmounted",
			WallTop: []nodedef.Box{{-.5, .4375, -.5, .5, .5, .5}}, WallBottom: []nodedef.Box{{-.5, -.5, -.5, .5, -.4375, .5}},
			WallSide: []nodedef.Box{cube}}},
		{"", `"node_box": {"type": "connected", "connect_top": ` + slab + `, "connect_right": [` + slab + `],
			"disconnected_front": ` + slab + `, "disconnected": ` + slab + `, "disconnected_sides": ` + slab + `}`, box,
			nodedef.NodeBox{Type: "connected", Connect: [6][]nodedef.Box{0: {cube}, 5: {cube}}, Disconnected: [6][]nodedef.Box{2: {cube}},
				DisconnectedAll: []nodedef.Box{cube}, DisconnectedXZ: []nodedef.Box{cube}}},

		{"", `"visual_scale": 2`, func(n *nodedef.Node) any { return n.VisualScale }, 1.},
		{"", `"visual_scale": "2", "drawtype": "signlike"`, func(n *nodedef.Node) any { return n.VisualScale }, 2.},
		{"", `"visual_scale": 1e300, "drawtype": "mesh"`, func(n *nodedef.Node) any { return n.VisualScale }, 1.},
		{"", `"liquidtype": "flowing", "paramtype2": "facedir"`, func(n *nodedef.Node) any { return n.ParamType2 }, "flowingliquid"},
		{"", `"light_source": 99, "leveled": -1, "liquid_range": 1.9`,
			func(n *nodedef.Node) any { return []int{n.LightSource, n.Leveled, n.LiquidRange} }, []int{14, 0, 1}},
		{"", `"groups": {"a": 1.0, "b": 0, "c": "3", "d": true}`, func(n *nodedef.Node) any { return n.Groups }, map[string]int{"a": 1, "c": 3}},
		{"", `"connects_to": ["a", {}, "group:b"], "connect_sides": ["top", "up"]`,
			func(n *nodedef.Node) any { return slices.Concat(n.ConnectsTo, n.ConnectSides) }, []string{"a", "group:b", "top"}},
		{"", `"color": "red#80"`, func(n *nodedef.Node) any { return n.Color }, "red#80"},
		{"", `"color": {"a": 300, "r": -1, "g": "7", "b": 255}`, func(n *nodedef.Node) any { return n.Color }, "#0007ffff"},
	} {
		if got := c.get(parse(t, c.engine, c.fields)); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s %s: %+v, not %+v", c.engine, c.fields, got, c.want)
		}
	}
}

// TestFacts tests the facts about the whole game.
func TestFacts(t *testing.T) {
	for engine, ordered := range map[string]bool{"5.16.0-dev-0ab": true, "5.6.1": false, "6.0": true, "6": false, "": false} {
		file, err := nodedef.Parse(strings.NewReader(`{"format": "trowel-nodes", "version": 2, "engine": "` + engine + `",
			"game": "/games/g", "mods": [{"name": "m", "path": "/m"}], "aliases": {"b": "a", "c": "b", "a": "d", "e": "no"},
			"nodes": [{"name": "a"}, {"name": "d"}], "later": {"x": [1]}}`))
		if err != nil {
			t.Fatal(err)
		}
		if file.LoadOrder() != ordered || file.Engine != engine || file.Game != "/games/g" || len(file.Mods) != 1 ||
			file.Mods[0] != (nodedef.Mod{Name: "m", Path: "/m"}) {
			t.Errorf("%q: %+v", engine, file)
		}
		if n := file.Nodes; len(n) != 3 || n["b"] != n["a"] || n["a"].Name != "a" || len(file.Aliases) != 4 {
			t.Errorf("aliases: %v", n)
		}
	}
	file, err := nodedef.Parse(strings.NewReader(`{"format": "trowel-nodes", "version": 2, "mods": null, "aliases": [], "nodes": {}}`))
	if err != nil || len(file.Mods)+len(file.Aliases)+len(file.Nodes) > 0 {
		t.Errorf("empty tables: %+v, %v", file, err)
	}
}

// TestClient reads the definitions of a game in the corpus: fields without defaults, as the mod of that game wrote them.
func TestClient(t *testing.T) {
	data := judge.Read(t, filepath.Join(tests.Corpus(t, "minetest/client/world"), "nodes_full.json"))
	text, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "{")
	if !ok {
		t.Fatal("not an object")
	}
	file, err := nodedef.Parse(strings.NewReader(`{"format": "trowel-nodes", "version": 2, "engine": "5.6.1", ` + text))
	if err != nil || len(file.Nodes) != 42 {
		t.Fatal(len(file.Nodes), err)
	}
	if n := file.Nodes["texlab:pane"]; n.Box.Type != "connected" || len(n.Box.Fixed) != 1 || len(n.Box.Connect[4]) != 1 ||
		n.Box.Connect[4][0] != (nodedef.Box{-.0625, -.25, .125, .0625, .25, .5}) || len(n.Box.DisconnectedAll) != 1 ||
		!slices.Equal(n.ConnectsTo, []string{"texlab:pane", "texlab:block"}) || n.Alpha != "" || n.Groups["dig_immediate"] != 3 {
		t.Errorf("%+v", n)
	}
	if n := file.Nodes["texlab:lava_flowing"]; n.ParamType2 != "flowingliquid" || n.LightSource != 13 || n.LiquidRange != 8 ||
		len(n.Specials) != 2 || n.Specials[0].BackfaceCulling || !n.Specials[1].BackfaceCulling || n.Alpha != "opaque" || n.Walkable {
		t.Errorf("%+v", n)
	}
	if n := file.Nodes["texlab:rooted"]; n.Specials[0].RepeatU || n.Specials[0].BackfaceCulling || !n.Tiles[0].RepeatU ||
		n.ParamType2 != "meshoptions" || n.Alpha != "clip" {
		t.Errorf("%+v", n)
	}
	if n := file.Nodes["texlab:die_color"]; n.Overlay(2).Name != "lab_overlay.png" || n.Palette != "lab_palette8.png" ||
		n.DrawType != "normal" {
		t.Errorf("%+v", n)
	}
	if n := file.Nodes["texlab:level"]; n.Leveled != 16 || n.LeveledMax != 127 || n.Box.Type != "leveled" || n.ParamType2 != "leveled" {
		t.Errorf("%+v", n)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(sample)
	for _, fields := range []string{
		`"tiles": ["a.png", {"name": "b.png", "animation": {"type": "vertical_frames", "length": 3.0}}], "drawtype": "nodebox",
			"node_box": {"type": "connected", "fixed": [[-0.5, -0.5, -0.5, 0.5, 0, 0.5]]}, "groups": {"a": 1}, "color": 4278190080`,
		`"tile_images": [{"image": "a.png"}], "use_texture_alpha": true, "alpha": 7, "special_materials": null, "waving": 1`,
	} {
		f.Add(`{"format": "trowel-nodes", "version": 2, "engine": "5.6.1", "game": "/g", "mods": [{"name": "a", "path": "/a"}],
			"aliases": {"x": "a:b"}, "nodes": [{"name": "a:b", ` + fields + `}]}`)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := nodedef.Parse(strings.NewReader(text))
		if (file == nil) != (err != nil) {
			t.Fatalf("%v, %v", file, err)
		}
		if err != nil {
			return
		}
		for name, n := range file.Nodes {
			if n == nil || len(n.Tiles) > 6 || len(n.Specials) > 6 ||
				n.Tile(5).Scale > 255 || n.LightSource > 14 || n.VisualScale != n.VisualScale ||
				n.Name != name && file.Aliases[name] != n.Name {
				t.Errorf("%s: %+v", name, n)
			}
		}
	})
}

func ExampleParse() {
	file, err := nodedef.Parse(strings.NewReader(`{"format": "trowel-nodes", "version": 2, "nodes": [
		{"name": "default:lamp", "tiles": ["default_lamp.png"], "light_source": 14}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	lamp := file.Nodes["default:lamp"]
	fmt.Println(lamp.LightSource, lamp.Tile(0).Name, lamp.DrawType)
	// Output: 14 default_lamp.png normal
}

func ExampleFind() {
	fmt.Printf("%q", nodedef.Find("no world"))
	// Output: ""
}

func ExampleMinetestGame() {
	n := nodedef.MinetestGame()["default:torch_wall"]
	fmt.Println(n.ParamType2, n.LightSource)
	// Output: wallmounted 12
}
