package worldadmin_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/internal/worldadmin"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldedit"
)

// engine runs the engine on the world in dir with a mod whose code is lua. The mod stops the engine with done(text),
// and engine returns text.
func engine(t *testing.T, dir, mod, lua string) string {
	t.Helper()
	home := judge.Dir(t)
	out := filepath.Join(dir, "said.txt")
	os.Remove(out)
	judge.Write(t, filepath.Join(dir, "worldmods", mod, "init.lua"), []byte(`
local function done(text)
	minetest.safe_file_write(minetest.get_worldpath() .. "/said.txt", text)
	minetest.request_shutdown()
end
`+lua))
	text := string(judge.Read(t, filepath.Join(dir, "world.mt")))
	if line := "load_mod_" + mod + " = true\n"; !strings.Contains(text, line) {
		judge.Write(t, filepath.Join(dir, "world.mt"), []byte(text+line))
	}
	judge.Write(t, filepath.Join(home, "minetest.conf"),
		[]byte("bind_address = 127.0.0.1\nport = 30979\nserver_announce = false\nfixed_map_seed = 77\nmg_name = v7\n"))
	said, err := judge.Run(t, home, "minetestserver", "--config", filepath.Join(home, "minetest.conf"), "--gameid",
		"devtest", "--world", dir, "--logfile", filepath.Join(home, "log"), "--quiet")
	if err != nil {
		t.Fatalf("minetestserver: %v\n%s", err, said)
	}
	return string(judge.Read(t, out))
}

// TestEngineRegenerates tests that the engine regenerates deleted map chunks with all their blocks, and that the
// landscape is unchanged, without seams.
func TestEngineRegenerates(t *testing.T) {
	tests.NotRaced(t, "waits for the engine")
	judge.Find(t, "minetestserver")
	dir := t.TempDir()
	judge.Write(t, filepath.Join(dir, "world.mt"),
		[]byte("gameid = devtest\nbackend = sqlite3\nplayer_backend = dummy\nauth_backend = files\n"))
	const emerge = `
minetest.after(0, function()
	minetest.emerge_area({x = -112, y = -112, z = -112}, {x = 127, y = 47, z = 127}, function(_, _, left)
		if left == 0 then minetest.after(0.5, function() done("") end) end
	end)
end)`
	engine(t, dir, "emerge", emerge)
	names := func(data string) (*mapblock.Nodes, bool) {
		b, err := mapblock.Decode([]byte(data))
		if err != nil {
			t.Fatal(err)
		}
		return b.Nodes(), b.IsGenerated()
	}
	grid := worldadmin.Grid{5, 5, 5}
	was := blocks(t, dir)
	box := worldedit.BoxOf(worldedit.Vec{-32, -112, -32}, worldedit.Vec{100, 47, 47})
	must(t, dir, worldadmin.Chunks{Selection: worldadmin.Selection{Box: box}, Touching: true, Again: true}.Step())
	cut := blocks(t, dir)
	if len(cut) != len(was)-2*2*125 {
		t.Fatalf("of %d blocks %d are left, want four chunks less", len(was), len(cut))
	}
	engine(t, dir, "emerge", emerge)
	now := blocks(t, dir)
	same, all, lit, dark := 0, 0, 0, 0
	for p, data := range was {
		before, made := names(data)
		if !made {
			continue // a block in addition to those that were requested
		}
		again, ok := now[p]
		if !ok {
			t.Errorf("the block at %v was not made again", p)
			continue
		}
		after, made := names(again)
		if !made {
			t.Errorf("the block at %v is not generated", p)
		}
		_, stayed := cut[p]
		for i := range before.Name {
			name := after.At(i)
			if name == "ignore" {
				t.Fatalf("there is a hole in the block at %v of chunk %v", p, grid.Containing(p))
			}
			if name == before.At(i) && after.Param1[i] == before.Param1[i] {
				lit++
			} else if name == before.At(i) {
				dark++
			}
			if !stayed {
				if all++; name == before.At(i) {
					same++
				}
			}
		}
	}
	if all != 4*125*mapblock.NodeCount {
		t.Errorf("%d nodes were made again, want those of four chunks", all)
	}
	t.Logf("of %d nodes that were made again %d are what they were; of those in all blocks %d have the light that "+
		"they had, %d another", all, same, lit, dark)
	if dark > lit/1000 {
		t.Errorf("%d nodes have another light", dark)
	}
	if same < all*999/1000 {
		t.Errorf("of %d nodes only %d are what they were", all, same)
	}
}

// TestEngineReads tests, for every backend, that the engine finds a renamed player only by the new name, accepts the
// new password, and reads the written bans and mod storage.
func TestEngineReads(t *testing.T) {
	tests.NotRaced(t, "waits for the engine")
	judge.Find(t, "minetestserver")
	for _, backend := range backends {
		t.Run(backend, func(t *testing.T) {
			storage := "" // only the newest engines store it in PostgreSQL, and none in LevelDB
			if backend == mapdb.SQLite {
				storage = backend
			}
			dir := madeIn(t, backend, storage)
			must(t, dir,
				worldadmin.Rename{From: "ann", To: "zoe", Password: "secret"}.Step(),
				worldadmin.Purge{Rule: worldadmin.Rule{Names: []string{"carl"}}}.Step(),
				worldadmin.Ban(world.Ban{Address: "192.0.2.9", Name: "eve"}, nil), worldadmin.Unban("mallory", nil),
				worldadmin.SetStorage("pig", "count", []byte("8"), nil),
			)
			said := engine(t, dir, "pig", `
local storage = minetest.get_mod_storage()
minetest.after(0, function()
	local auth = minetest.get_auth_handler()
	local list = {}
	for _, name in ipairs({"ann", "zoe", "carl", "bob"}) do
		local a = auth.get_auth(name)
		list[#list + 1] = name .. " " .. tostring(minetest.player_exists(name)) .. " " .. tostring(a and a.last_login)
	end
	local zoe = auth.get_auth("zoe")
	list[#list + 1] = tostring(minetest.check_password_entry("zoe", zoe.password, "secret")) .. " " .. tostring(zoe.privileges.interact)
	local bans = minetest.get_ban_list():split(", ")
	table.sort(bans)
	list[#list + 1] = table.concat(bans, " ")
	list[#list + 1] = storage:get_string("zoe") .. storage:get_string("ann") .. storage:get_string("count")
	done(table.concat(list, "\n"))
end)`)
			want := "ann false nil\nzoe true 1700000000\ncarl false nil\nbob true 1500000000\ntrue true\n192.0.2.8|zoe 192.0.2.9|eve\n38"
			if said != want {
				t.Errorf("the engine says\n%s\nwant\n%s", said, want)
			}
			if backend == mapdb.Postgres {
				return // the engine can migrate from it only if it is the only backend
			}
			// The engine migrates the complete player into files.
			home := judge.Dir(t)
			judge.Write(t, filepath.Join(home, "minetest.conf"), nil)
			if backend != world.Files {
				if said, err := judge.Run(t, home, "minetestserver", "--config", filepath.Join(home, "minetest.conf"), "--world",
					dir, "--gameid", "devtest", "--logfile", filepath.Join(home, "log"), "--quiet", "--migrate-players", "files"); err != nil {
					t.Fatal(err, said)
				}
			}
			p, err := world.ParsePlayer(judge.Read(t, filepath.Join(dir, "players", "zoe")))
			if err != nil {
				t.Skip(err) // the file gets another name if names differ only in case
			}
			if got := fmt.Sprint(p.Name, p.Attributes, p.Pos, string(p.Inventory.Append(nil))); !strings.HasPrefix(got,
				"zoe[{k v}] [10 20.5 -30]List main 1\n") || !strings.Contains(got, "default:dirt 99") {
				t.Errorf("the player is %s", got)
			}
		})
	}
}
