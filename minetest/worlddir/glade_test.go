package worlddir

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/nodedef"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldedit"
)

const gladePath = "../../samples/glade"

// blocks returns the blocks of the land, with the light that the engine computes.
func (l *land) blocks(t *testing.T, nodes nodedef.List) map[mapdb.Pos]*mapblock.Block {
	const side = mapblock.Side
	all := make(map[mapdb.Pos]*mapblock.Block)
	var list []mapdb.Pos
	for bz := range gladeSide / side {
		for by := range gladeHeight / side {
			for bx := range gladeSide / side {
				pos := mapdb.Pos{X: int16(bx), Y: int16(by + gladeLow/side), Z: int16(bz)}
				b := mapblock.New(28)
				b.Flags = mapblock.NotAllAir
				if pos.Y < 0 {
					b.Flags |= mapblock.Underground
				}
				ids := make(map[string]uint16)
				b.Names = nil
				for i := range b.Param0 {
					x, y, z := mapblock.Coordinates(i)
					x, y, z = x+int(pos.X)*side, y+int(pos.Y)*side, z+int(pos.Z)*side
					name := fullName(l.at(x, y, z))
					id, known := ids[name]
					if !known {
						id = uint16(len(ids))
						ids[name] = id
						b.Names = append(b.Names, mapblock.NameID{ID: id, Name: name})
					}
					b.Param0[i], b.Param2[i] = id, l.param2[landIndex(x, y, z)]
					if text := l.signs[[3]int{x, y, z}]; text != "" {
						b.Metadata.Version = 2
						b.Metadata.List = append(b.Metadata.List, mapblock.NodeMeta{Pos: uint16(i), Inventory: []byte("EndInventory\n"),
							Vars: []mapblock.Var{{Key: "infotext", Value: text}}})
					}
				}
				all[pos] = b
				list = append(list, pos)
			}
		}
	}
	fixed, err := worldedit.SpreadLight(func(p mapdb.Pos) (*mapblock.Block, error) { return all[p], nil }, nodes, list)
	if err != nil {
		t.Fatal(err)
	}
	for pos, b := range all {
		b.Param1 = fixed[pos].Param1
	}
	return all
}

// gladeFiles returns the files of the sample that are made here, by path.
func gladeFiles(t *testing.T) map[string][]byte {
	file, err := nodedef.ReadFile(filepath.Join(gladePath, nodedef.FileName))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"game/mods/glade/models/glade_cart.obj": []byte(cartModel())}
	for pos, b := range newGlade().blocks(t, file.Nodes) {
		files[BlockPath(pos)] = BlockText(b, pos)
	}
	for name, m := range gladeTextures() {
		files["game/mods/glade/textures/glade_"+name+".png"] = encodeTexture(t, m)
	}
	return files
}

// TestGlade tests that the sample is what is made here, that its world has no findings, and that its text is small.
func TestGlade(t *testing.T) {
	files := gladeFiles(t)
	if *update {
		for _, dir := range []string{"blocks", "game/mods/glade/textures", "game/mods/glade/models"} {
			if err := os.RemoveAll(filepath.Join(gladePath, dir)); err != nil {
				t.Fatal(err)
			}
		}
		for name, data := range files {
			judge.Write(t, filepath.Join(gladePath, name), data)
		}
	}
	size := 0
	err := fs.WalkDir(os.DirFS(gladePath), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data := judge.Read(t, filepath.Join(gladePath, name))
		if path.Ext(name) != ".png" {
			size += len(data)
		}
		if want, made := files[name]; made && !bytes.Equal(data, want) {
			t.Errorf("%s is another file; go test -run Glade -update writes it", name)
		}
		delete(files, name)
		return nil
	})
	if err != nil || len(files) > 0 || size > 200_000 {
		t.Errorf("%v; %d files are missing; %d bytes", err, len(files), size)
	}
	w, report := build(t, os.DirFS(gladePath), BuildOptions{})
	if report.Blocks != 18 {
		t.Errorf("%+v", *report)
	}
	bad := func(f check.Finding) {
		if f.Severity > check.Info {
			t.Errorf("%+v", f)
		}
	}
	if err := world.Check(t.Context(), w.Dir, world.CheckOptions{}, bad); err != nil {
		t.Error(err)
	}
}

// gladeProbe is a mod that keeps the world loaded until its liquids would have moved, and stops the engine.
const gladeProbe = `
minetest.after(0, function()
	minetest.emerge_area({x=0, y=-16, z=0}, {x=47, y=15, z=47}, function(_, _, left)
		if left > 0 then return end
		for x = 0, 47, 16 do for y = -16, 0, 16 do for z = 0, 47, 16 do
			minetest.forceload_block({x=x, y=y, z=z}, true)
		end end end
		for x = 0, 47 do for y = -16, 15 do for z = 0, 47 do
			local p = {x=x, y=y, z=z}
			if minetest.get_node(p).name:find("water") or minetest.get_node(p).name:find("lava") then
				minetest.transforming_liquid_add(p)
			end
		end end end
		minetest.fix_light({x=0, y=-16, z=0}, {x=47, y=15, z=47})
		minetest.after(8, minetest.request_shutdown)
	end)
end)
`

// TestGladeEngine tests that nothing changes in the engine: not the nodes, with liquids that flow, and not their light. It compares
// or, with -update, writes the definitions.
func TestGladeEngine(t *testing.T) {
	judge.Find(t, "minetestserver")
	folder := filepath.Join(t.TempDir(), "folder")
	if err := os.CopyFS(folder, os.DirFS(gladePath)); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(folder, "worldmods", "trowel_nodes"), os.DirFS("../../contrib/minetest/trowel_nodes")); err != nil {
		t.Fatal(err)
	}
	judge.Write(t, filepath.Join(folder, "worldmods", "probe", "init.lua"), []byte(gladeProbe))
	judge.Write(t, filepath.Join(folder, "worldmods", "probe", "mod.conf"), []byte("name = probe\n"))
	w, _ := build(t, os.DirFS(folder), BuildOptions{})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	home := judge.Dir(t)
	judge.Write(t, filepath.Join(home, "minetest.conf"), []byte("bind_address = 127.0.0.1\nserver_announce = false\n"))
	said, err := judge.Run(t, home, "minetestserver", "--config", filepath.Join(home, "minetest.conf"), "--world", w.Dir,
		"--logfile", filepath.Join(home, "log"), "--port", "30988")
	if err != nil || strings.Contains(said, "ERROR") {
		t.Fatalf("%v\n%s", err, said)
	}
	dump := ownDefinitions(judge.Read(t, filepath.Join(w.Dir, nodedef.FileName)))
	own := filepath.Join(gladePath, nodedef.FileName)
	if *update {
		judge.Write(t, own, dump)
	} else if file, err := nodedef.ReadFile(own); err != nil || file.Engine == "5.6.1" && !bytes.Equal(dump, judge.Read(t, own)) {
		t.Errorf("%s is not what the engine defines (%v); go test -run Glade -update writes it", own, err)
	}
	after := openWorld(t, w.Dir)
	for name, want := range gladeFiles(t) {
		pos, is := BlockOf(name)
		if !is {
			continue
		}
		data, err := after.Map.Get(t.Context(), pos)
		if err != nil {
			t.Error(err)
			continue
		}
		before, err := ParseBlock(want)
		if err != nil {
			t.Fatal(err)
		}
		b, err := mapblock.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		was, is2 := before.Nodes(), b.Nodes()
		differ := 0
		for i := range was.Name {
			x, y, z := mapblock.Coordinates(i)
			if was.At(i) == is2.At(i) && was.Param1[i] == is2.Param1[i] && was.Param2[i] == is2.Param2[i] {
				continue
			}
			if differ++; differ < 5 {
				t.Errorf("%d,%d,%d: %s %d %d became %s %d %d", x+16*int(pos.X), y+16*int(pos.Y), z+16*int(pos.Z), was.At(i), was.Param1[i],
					was.Param2[i], is2.At(i), is2.Param1[i], is2.Param2[i])
			}
		}
		if differ > 4 {
			t.Errorf("%v: %d nodes differ", pos, differ)
		}
	}
}

var folders = regexp.MustCompile(`(?s)"game": "[^"]*", "mods": \[.*?\], `)

// ownDefinitions returns the dump of definitions without the folders of this machine.
func ownDefinitions(dump []byte) []byte {
	return folders.ReplaceAll(dump, []byte(`"game": "", "mods": [], `))
}
