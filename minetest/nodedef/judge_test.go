package nodedef_test

import (
	"os"
	"path/filepath"
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
minetest.after(1, function() minetest.request_shutdown() end)
`))
	judge.Write(t, filepath.Join(home, "minetest.conf"), []byte("bind_address = 127.0.0.1\nport = 30998\nserver_announce = false\n"))
	said, err := judge.Run(t, home, "minetestserver", "--config", filepath.Join(home, "minetest.conf"), "--world", dir,
		"--logfile", filepath.Join(home, "log"), "--quiet")
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	file, err := nodedef.ReadFile(filepath.Join(dir, "trowel_nodes.json"))
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	list := file.Nodes
	if len(list) < 100 {
		t.Errorf("%d nodes", len(list))
	}
	for name, n := range nodedef.MinetestGame() {
		if got := list[name]; got == nil || got.ParamType != n.ParamType || got.ParamType2 != n.ParamType2 || got.LightSource != n.LightSource ||
			got.SunlightPropagates != n.SunlightPropagates || got.LiquidType != n.LiquidType {
			t.Errorf("%+v is %+v", *n, got)
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
}
