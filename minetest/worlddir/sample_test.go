package worlddir

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/testing/judge"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

const samplePath = "../../samples/hollow"

// TestSample tests that the sample is a folder as Open presents it, and that its world has no findings.
func TestSample(t *testing.T) {
	fsys := os.DirFS(samplePath)
	if !Recognize(fsys) || RecognizeWorld(samplePath) {
		t.Error("the sample is not recognised")
	}
	w, report := build(t, fsys, BuildOptions{})
	if want := (Report{Files: 5, Blocks: 2, Players: 1, Accounts: 1, Mods: 1}); *report != want {
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
	again := Open(t.Context(), w, Options{})
	for _, name := range []string{"blocks/z0/y0/0,0,0.txt", "blocks/z0/y1/0,1,0.txt", "auth/singleplayer.json", "storage/hollow.json"} {
		want := judge.Read(t, filepath.Join(samplePath, name))
		f, err := again.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(want)+1)
		n, _ := f.Read(got)
		f.Close()
		if string(got[:n]) != string(want) {
			t.Errorf("%s differs:\n%s", name, got[:n])
		}
	}
}

// probe is a mod that prints what the engine has loaded and stops the engine.
const probe = `
local function tell(...)
	local file = io.open(minetest.get_worldpath() .. "/told.txt", "a")
	file:write(table.concat({...}, " "), "\n")
	file:close()
end
minetest.after(0, function()
	minetest.emerge_area({x=0, y=0, z=0}, {x=15, y=31, z=15}, function(_, _, left)
		if left > 0 then return end
		for _, p in ipairs({{x=4, y=2, z=12}, {x=5, y=4, z=12}, {x=6, y=2, z=12}, {x=7, y=19, z=3}, {x=11, y=22, z=10}}) do
			local node = minetest.get_node(p)
			tell(node.name, node.param2, minetest.get_meta(p):get_string("infotext"))
		end
		local chest = minetest.get_meta({x=4, y=2, z=12}):get_inventory()
		tell(chest:get_size("main"), chest:get_stack("main", 1):to_string(), chest:get_stack("main", 9):to_string())
		tell(minetest.get_node_timer({x=6, y=2, z=12}):get_timeout())
		minetest.request_shutdown()
	end)
end)
`

// TestSampleEngine tests that the engine loads the world built from the sample.
func TestSampleEngine(t *testing.T) {
	judge.Find(t, "minetestserver")
	for _, backend := range []string{mapdb.SQLite, mapdb.LevelDB} {
		t.Run(backend, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "folder")
			if err := os.CopyFS(folder, os.DirFS(samplePath)); err != nil {
				t.Fatal(err)
			}
			judge.Write(t, filepath.Join(folder, "world.mt"),
				fmt.Appendf(nil, "gameid = devtest\nbackend = %[1]s\nplayer_backend = %[1]s\nauth_backend = "+
					"%[1]s\nmod_storage_backend = sqlite3\n", backend))
			judge.Write(t, filepath.Join(folder, "worldmods", "probe", "init.lua"), []byte(probe))
			judge.Write(t, filepath.Join(folder, "worldmods", "probe", "mod.conf"), []byte("name = probe\n"))
			w, _ := build(t, os.DirFS(folder), BuildOptions{})
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			home := judge.Dir(t)
			judge.Write(t, filepath.Join(home, "minetest.conf"),
				[]byte("bind_address = 127.0.0.1\nserver_announce = false\nsecure.enable_security = true\n"))
			said, err := judge.Run(t, home, "minetestserver", "--config", filepath.Join(home, "minetest.conf"), "--world", w.Dir,
				"--logfile", filepath.Join(home, "log"), "--port", "30987")
			if err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			want := strings.Join([]string{
				"default:chest 0 Chest",
				`default:sign_wall_wood 4 "Mind the furnace: it is hot."`,
				"default:furnace_active 0 Furnace active",
				"default:ladder_wood 5 ",
				"default:tree 0 ",
				"32 default:pick_steel 1 12000 default:bread 7",
				"1",
			}, "\n") + "\n"
			if told := string(judge.Read(t, filepath.Join(w.Dir, "told.txt"))); told != want {
				t.Errorf("the engine tells\n%swant\n%s\n%s", told, want, said)
			}
		})
	}
}
