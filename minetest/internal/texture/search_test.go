package texture_test

import (
	"bytes"
	"fmt"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"trowel.example/internal/picture/tga"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/internal/texture"
	"trowel.example/minetest/world"
)

// tree makes a file system from paths; a path ends with = and the contents, if there are any.
func tree(list ...string) fstest.MapFS {
	files := fstest.MapFS{}
	for _, entry := range list {
		name, text, _ := strings.Cut(entry, "=")
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}

func settings(text string) *world.Settings { return world.ParseSettings([]byte(text), "") }

func TestSearchOrder(t *testing.T) {
	sources := texture.Sources{
		Packs: []texture.Folder{{Path: "pack", FS: tree("x/p.jpg", "_x/hidden.png", ".x/hidden.png", "override.txt=m:a top p.png\n",
			"x/override.txt=m:b * p.png\n")}, {Path: "pack2", FS: tree("p.png", "q.tga")}},
		User: []texture.Folder{{Path: "user", FS: tree("textures/server/p.png", "textures/server/u.png", "mods/on/textures/u.png",
			"mods/on/textures/o.png", "mods/off/textures/off.png", "mods/pack/modpack.conf", "mods/pack/in/textures/in.png",
			"mods/pack/out/textures/out.png")}},
		Game: texture.Folder{Path: "game", FS: tree("game.conf", "textures/u.png", "textures/g.png", "textures/override.txt=m:c left g.png\n",
			"mods/a/textures/g.png",
			"mods/a/textures/a.png", "mods/a/textures/z/deep.png", "mods/a/textures/deep.png",
			"mods/a/sounds/a.png", "mods/a/sounds/s.png", "mods/a/textures/bad name.png", "mods/a/textures/a.bmp",
			"mods/a/other/other.png", "mods/b/mod.conf=depends = a", "mods/b/textures/a.png", "mods/b/textures/UP.PNG")},
		World: texture.Folder{Path: "world", FS: tree("worldmods/w/textures/w.png", "worldmods/w/mod.conf=depends = b",
			"worldmods/w/textures/a.png")},
		Settings: settings("load_mod_on = true\nload_mod_off = false\nload_mod_in = mods/pack/in\nload_mod_out = mods/out\n"),
	}
	search, err := sources.Search()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"p.png": "pack/x/p.jpg", "p.tga": "pack/x/p.jpg", "p": "pack/x/p.jpg", "q.png": "pack2/q.tga", "u.png": "user/textures/server/u.png",
		"g.png": "game/textures/g.png", "a.png": "world/worldmods/w/textures/a.png", "deep.png": "game/mods/a/textures/deep.png",
		"s.png": "game/mods/a/sounds/s.png", "o.png": "user/mods/on/textures/o.png", "in.png": "user/mods/pack/in/textures/in.png",
		"g.jpg": "", "hidden.png": "", "off.png": "", "out.png": "", "bad name.png": "", "a.bmp": "", "other.png": "", "UP.PNG": "", "G.png": "",
	} {
		if file, found := search.Find(name); file != want || found != (want != "") {
			t.Errorf("%s: %q, expected %q", name, file, want)
		}
	}
	var overrides []string
	for _, o := range search.Overrides() {
		overrides = append(overrides, o.Node)
	}
	if fmt.Sprint(overrides) != "[m:c m:a m:b]" || len(search.Problems()) != 0 {
		t.Errorf("%v, %v", overrides, search.Problems())
	}
}

func TestOrderMods(t *testing.T) {
	game := texture.ModFolder{Name: "game", FS: tree("default/init.lua", "beds/mod.conf=depends = default\noptional_depends = dye, nothing",
		"dye/depends.txt=default?\n\nnosuch?\n", "wool/mod.conf=name = cloth\ndepends = dye ,default", "zoo/init.lua", ".git/init.lua",
		"pack/modpack.txt", "pack/inner/modpack.conf", "pack/inner/x/init.lua", "pack/y/init.lua", "readme.txt")}
	own := texture.ModFolder{Name: "own", FS: tree("zoo/init.lua", "needs/mod.conf=depends = gone", "loop1/mod.conf=depends = loop2",
		"loop2/depends.txt=loop1")}
	rest := texture.ModFolder{Name: "rest", FS: tree("m/init.lua", "n/init.lua"), Enabled: texture.EnabledMods(settings("load_mod_m = 1"))}
	mods, problems := texture.OrderMods([]texture.ModFolder{game}, []texture.ModFolder{own}, []texture.ModFolder{rest})
	var list []string
	for _, m := range mods {
		list = append(list, m.Path)
	}
	want := []string{"rest/m", "own/zoo", "game/default", "game/dye", "game/wool", "game/beds", "game/pack/y", "game/pack/inner/x",
		"own/loop1", "own/loop2", "own/needs"}
	if !slices.Equal(list, want) {
		t.Errorf("got  %v\nwant %v", list, want)
	}
	if mods[4].Name != "cloth" || len(problems) != 3 || !strings.Contains(fmt.Sprint(problems), "gone") {
		t.Errorf("%v, %v", mods[4].Name, problems)
	}
	_, problems = texture.OrderMods([]texture.ModFolder{{Name: "a", FS: tree("m/init.lua")}, {Name: "b", FS: tree("m/init.lua")}})
	if len(problems) != 1 || problems[0].File != "b/m" {
		t.Error(problems)
	}
}

func TestOverrides(t *testing.T) {
	list, problems := texture.ParseOverrides("o", []byte("# comment\r\n\n  m:a top,bottom a.png^[brighten rest\r\n"+
		"m:b sides,overlay_*,align_world=32 b.png\n"+
		"m:c special6,front c.png\nm:d inventory,wield d.png\nm:e top\nm:f  top f.png\n"+
		"m:g top,nowhere g.png\nm:h align_world=2 h.png\nm:i * i.png"))
	want := []texture.Override{{"m:a", texture.Top | texture.Bottom, "a.png^[brighten", 0},
		{"m:b", texture.Sides | texture.OverlayTiles, "b.png", 32}, {"m:c", texture.Special6 | texture.Front, "c.png", 0},
		{"m:g", texture.Top, "g.png", 0}, {"m:i", texture.Tiles, "i.png", 0}}
	if !slices.Equal(list, want) {
		t.Errorf("%v", list)
	}
	var lines []int
	for _, p := range problems {
		lines = append(lines, p.Line)
	}
	if fmt.Sprint(lines) != "[7 8 9]" {
		t.Errorf("%v", problems)
	}
	if texture.Tiles != 63 || texture.Right != 1<<2 || texture.Front != 1<<5 {
		t.Error("the targets are not in the order of tiles")
	}
}

// TestImages tests the formats of files, damaged files, and the digest.
func TestImages(t *testing.T) {
	m := pixels(t, "ff0000 00ff0080 / 0000ff ffff00")
	var coded bytes.Buffer
	if err := png.Encode(&coded, m); err != nil {
		t.Fatal(err)
	}
	targa, err := tga.Encode(m, tga.RunLengths)
	if err != nil {
		t.Fatal(err)
	}
	huge := bytes.Clone(targa[:18])
	huge[12], huge[13], huge[14], huge[15] = 255, 255, 255, 255
	files := fstest.MapFS{}
	for name, data := range map[string][]byte{"a.png": coded.Bytes(), "b.tga": targa, "c.png": targa, "d.jpg": coded.Bytes(),
		"short.png": coded.Bytes()[:40], "huge.tga": huge, "e.tga": coded.Bytes(), "empty.png": nil} {
		files["textures/"+name] = &fstest.MapFile{Data: data}
	}
	open := func() *texture.Search {
		var s texture.Search
		if err := s.AddMod("mod", files); err != nil {
			t.Fatal(err)
		}
		return &s
	}
	search := open()
	for _, name := range []string{"a.png", "b.tga", "d.jpg", "e.tga"} {
		if got, err := search.Image(t.Context(), name); err != nil || show(got) != show(m) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"c.png", "short.png", "huge.tga", "empty.png"} {
		if got, err := search.Image(t.Context(), name); err == nil || got != nil || !strings.Contains(err.Error(), "mod/textures/"+name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{texture.Blank, texture.NoTexture, "no_texture_airlike.png", texture.UnknownNode} {
		if got, err := search.Image(t.Context(), name); err != nil || name != texture.Blank && got.Rect.Dx() != 16 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, err := search.Image(t.Context(), texture.Crack); err != nil || got.Rect.Dx() != 16 || got.Rect.Dy() != 80 {
		t.Errorf("%v", err)
	}
	same, other := open(), new(texture.Search)
	if err := other.AddMod("mod", fstest.MapFS{"textures/a.png": files["textures/b.tga"]}); err != nil {
		t.Fatal(err)
	}
	if search.Digest() != same.Digest() || search.Digest() == other.Digest() {
		t.Error("digests")
	}
}

func TestSources(t *testing.T) {
	for want, fsys := range map[string]fs.FS{"game": tree("game.conf"), "mod": tree("init.lua"), "modpack": tree("modpack.conf", "a/init.lua"),
		"folder of mods": tree("a/init.lua"), "texture pack": tree("a/b.png")} {
		var s texture.Sources
		if kind := s.Add(texture.Folder{Path: "f", FS: fsys}); kind != want {
			t.Errorf("%s: %s", want, kind)
		}
		if _, err := s.Search(); err != nil {
			t.Error(err)
		}
	}
	var s texture.Sources
	s.Add(texture.Folder{Path: "mods/my_mod", FS: tree("init.lua", "textures/a.png")})
	search, err := s.Search()
	if err != nil {
		t.Fatal(err)
	}
	if file, _ := search.Find("a.png"); file != "mods/my_mod/textures/a.png" {
		t.Error(file)
	}
	s.User = []texture.Folder{{Path: "user", FS: tree("games/a_game/game.conf", "games/b/readme")}}
	if f, found := s.FindGame("a"); !found || f.Path != "user/games/a_game" {
		t.Error(f.Path)
	}
	for _, id := range []string{"b", "", "..", "a/../a_game"} {
		if _, found := s.FindGame(id); found {
			t.Error(id)
		}
	}
}

// TestForWorld tests that the game of a world is found through the host.
func TestForWorld(t *testing.T) {
	home, games := t.TempDir(), t.TempDir()
	for _, dir := range []string{home + "/.minetest/games/mine/mods/a/textures", games + "/other/mods"} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if s := texture.ForWorld(t.TempDir(), settings("gameid = mine")); s.Game.FS != nil || s.User != nil || s.Share != nil {
		t.Errorf("a host with nothing has %v", s)
	}
	tests.OnHost(t, map[string]string{"home folder": home, "variable LUANTI_GAME_PATH": games})
	if s := texture.ForWorld(t.TempDir(), settings("gameid = mine")); !strings.HasSuffix(s.Game.Path, "/.minetest/games/mine") {
		t.Error(s.Game.Path)
	}
	if s := texture.ForWorld(t.TempDir(), settings("gameid = other")); !strings.HasSuffix(s.Game.Path, "/other") {
		t.Error(s.Game.Path)
	}
	world := t.TempDir()
	if err := os.MkdirAll(world+"/game/mods", 0o777); err != nil {
		t.Fatal(err)
	}
	if s := texture.ForWorld(world, settings("gameid = mine")); s.Game.Path != filepath.ToSlash(world)+"/game" {
		t.Errorf("a world with its own game has %s", s.Game.Path)
	}
}

// TestMinetestGame finds and makes textures of the game in Debian.
func TestMinetestGame(t *testing.T) {
	const game = "/usr/share/games/minetest/games/minetest_game"
	tests.LongOnly(t, "reads the game in Debian")
	if _, err := os.Stat(game); err != nil {
		tests.Missing(t, "judges", "no minetest_game here: on Debian, it is in the package minetest-data")
	}
	var s texture.Sources
	if kind := s.Add(texture.FolderAt(game)); kind != "game" {
		t.Fatal(kind)
	}
	search, err := s.Search()
	if err != nil || len(search.Problems()) != 0 {
		t.Fatalf("%v, %v", err, search.Problems())
	}
	maker := texture.NewMaker(search, texture.Newest)
	for _, text := range []string{"default_dirt.png^default_grass_side.png", "default_water_source_animated.png^[verticalframe:16:0",
		"default_furnace_front_active.png^[verticalframe:8:0",
		"[inventorycube{default_grass.png{default_dirt.png&default_grass_side.png{default_dirt.png",
		"wool_white.png^[colorize:red:100", "default_chest_front.png", "stairs_obsidian_glass_outer_stairside.png^[transformFX"} {
		if m, err := maker.Make(t.Context(), text); err != nil || m == nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	if list := maker.Missing(); len(list) > 0 {
		t.Errorf("missing: %v", list)
	}
}
