package verbs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/item"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// liveServer is a server that runs a world with the mods of contrib/minetest, and with a mod that executes orders.
type liveServer struct {
	t     *testing.T
	world string
	cmd   *exec.Cmd
	ended chan error
}

const serverPatience = 3 * time.Minute

// startServer starts a server on the world in home.
func startServer(t *testing.T, home string) *liveServer {
	t.Helper()
	socket, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := socket.LocalAddr().(*net.UDPAddr).Port
	socket.Close()
	s := &liveServer{t: t, world: filepath.Join(home, "world"), ended: make(chan error, 1)}
	s.cmd = exec.Command(judge.Find(t, "minetestserver"), "--config", filepath.Join(home, "minetest.conf"), "--world", s.world,
		"--logfile", filepath.Join(home, "log"), "--port", fmt.Sprint(port), "--quiet")
	s.cmd.Dir, s.cmd.Env = home, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LC_ALL=C"}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { s.ended <- s.cmd.Wait() }()
	t.Cleanup(func() { s.cmd.Process.Kill() })
	return s
}

// order executes an order and returns its reply.
func (s *liveServer) order(text string) string {
	s.t.Helper()
	reply := filepath.Join(s.world, "reply")
	judge.Write(s.t, filepath.Join(s.world, "order.new"), []byte(text))
	if err := os.Rename(filepath.Join(s.world, "order.new"), filepath.Join(s.world, "order")); err != nil {
		s.t.Fatal(err)
	}
	var data []byte
	s.until("reply to "+text, func() bool {
		var err error
		data, err = os.ReadFile(reply)
		return err == nil
	})
	if err := os.Remove(reply); err != nil {
		s.t.Fatal(err)
	}
	return string(data)
}

// until waits until done reports true.
func (s *liveServer) until(what string, done func() bool) {
	s.t.Helper()
	for end := time.Now().Add(serverPatience); !done(); {
		select {
		case err := <-s.ended:
			s.t.Fatalf("%s: the server ended: %v\n%s", what, err, s.log())
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(end) {
			s.t.Fatalf("no %s after %v\n%s", what, serverPatience, s.log())
		}
	}
}

func (s *liveServer) log() string {
	data, _ := os.ReadFile(filepath.Join(filepath.Dir(s.world), "log"))
	return string(data)
}

// script executes a script of testdata/restore.
func (s *liveServer) script(name string) {
	s.t.Helper()
	s.order("lua\n" + string(judge.Read(s.t, filepath.Join("testdata", "restore", name))))
}

// stop stops the server; with kill it has no time to save.
func (s *liveServer) stop(kill bool) {
	s.t.Helper()
	signal := os.Interrupt
	if kill {
		signal = os.Kill
	}
	if err := s.cmd.Process.Signal(signal); err != nil {
		s.t.Fatal(err)
	}
	if err := <-s.ended; err != nil && !kill {
		s.t.Errorf("the server ended: %v\n%s", err, s.log())
	}
}

// blocksIn returns the blocks of a world.
func blocksIn(t *testing.T, world string) map[mapdb.Pos]string {
	t.Helper()
	ctx := context.Background()
	db, err := mapdb.Open(ctx, world, mapdb.Config{Backend: mapdb.SQLite})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	all := make(map[mapdb.Pos]string)
	for b, err := range db.Blocks(ctx, mapdb.All()) {
		if err != nil {
			t.Fatal(err)
		}
		all[b.Pos] = string(b.Data)
	}
	return all
}

// describe returns a line for each node of a block, with everything but light.
func describe(t *testing.T, data string) (lines [mapblock.NodeCount]string) {
	t.Helper()
	b, err := mapblock.Decode([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	lit := regexp.MustCompile(`^air$|torch|light|lamp|farming|glass|stairs:|water|lava|sign|ignore|grass_|flowers|leaves|bush|snow|chest`)
	nodes := b.Nodes()
	for i := range lines {
		name := nodes.At(i)
		lines[i] = fmt.Sprint(name, " ", b.Param2[i])
		if !lit.MatchString(name) {
			lines[i] += fmt.Sprint(" param1 ", b.Param1[i])
		}
	}
	for _, m := range b.Metadata.List {
		slices.SortFunc(m.Vars, func(a, b mapblock.Var) int { return strings.Compare(a.Key, b.Key) })
		inventory, _, err := item.ParseInventory(m.Inventory)
		if err != nil {
			t.Fatal(err)
		}
		lines[m.Pos] += fmt.Sprintf(" %q %q", m.Vars, inventory.Append(nil))
	}
	for _, timer := range b.Timers.List {
		if nodes.At(int(timer.Pos)) == "air" {
			continue // it has no effect: a server that was killed between a node and its timer leaves it
		}
		lines[timer.Pos] += fmt.Sprint(" timer ", timer.Timeout)
	}
	return lines
}

// house is the region that the test restores. It cuts through blocks.
var house = [6]int{-39, -10, -20, 31, 18, 31}

// compareWorlds compares two worlds, block by block of the second one. The name old:thing is unknown
// to the server, so these nodes stay. If kept is a world, what it has built where the second one has air stays, too; its lava may
// have become stone.
func compareWorlds(t *testing.T, got, want, kept string) {
	t.Helper()
	here, wrong := blocksIn(t, got), 0
	var other map[mapdb.Pos]string
	if kept != "" {
		other = blocksIn(t, kept)
	}
	built, cooled := regexp.MustCompile(`^default:(stone|cobble|meselamp|chest|obsidian) `), regexp.MustCompile(`^default:(stone|obsidian) `)
	stays := 0
	for p, b := range blocksIn(t, want) {
		if here[p] == b {
			continue
		} else if here[p] == "" {
			t.Errorf("block %v is missing", p)
			continue
		}
		a, b := describe(t, here[p]), describe(t, b)
		k := b
		if other[p] != "" {
			k = describe(t, other[p])
		}
		for i := range a {
			x, y, z := mapblock.Coordinates(i)
			at := [3]int{int(p.X)*16 + x, int(p.Y)*16 + y, int(p.Z)*16 + z}
			if strings.HasPrefix(b[i], "old:thing ") && !strings.HasPrefix(a[i], "old:") {
				continue
			} else if at[0] < -16 && (at[0] < house[0] || at[1] < house[1] || at[2] < house[2] || at[1] > house[4] ||
				at[2] > house[5]) {
				continue // near the block that the world lacked: the map generator ran there
			}
			if strings.HasPrefix(b[i], "air ") && built.MatchString(k[i]) {
				stays++
				b[i] = k[i]
			} else if strings.HasPrefix(k[i], "default:lava") && cooled.MatchString(a[i]) {
				continue
			} else if kept != "" && at[0] < -16 && strings.HasPrefix(a[i], "default:acacia") {
				continue // trees of the map generator, beside the block that the world lacked
			}
			if a[i] != b[i] {
				if wrong++; wrong < 8 {
					t.Errorf("%v: %.200s, want %.200s", at, a[i], b[i])
				}
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d nodes differ", wrong)
	}
	if kept != "" && stays < 100 {
		t.Errorf("%d nodes stay", stays)
	}
}

// grief makes a world with a house, a repository repo with a snapshot of it, and destroys the house.
func grief(t *testing.T, home string) {
	t.Helper()
	at := func(name string) string { return filepath.Join(home, filepath.FromSlash(name)) }
	judge.Write(t, at("world/world.mt"), []byte("gameid = minetest\nbackend = sqlite3\nplayer_backend = dummy\n"+
		"auth_backend = files\nmod_storage_backend = sqlite3\n"))
	judge.Write(t, at("minetest.conf"), []byte("name = admin\n"+
		"bind_address = 127.0.0.1\nserver_announce = false\nserver_map_save_interval = 0.3\n"+
		"mg_name = flat\nmg_flags = dungeons, light, decorations, biomes, ores, nocaves\nfixed_map_seed = 1\n"+
		"dedicated_server_step = 0.02\nsecure.enable_security = true\n"))
	for _, mod := range []string{"trowel_rewind", "trowel_nodes"} {
		if err := os.CopyFS(at("world/worldmods/"+mod), os.DirFS("../../../contrib/minetest/"+mod)); err != nil {
			t.Fatal(err)
		}
	}
	judge.Write(t, at("world/worldmods/driver/mod.conf"), []byte("name = driver\n"))
	judge.Write(t, at("world/worldmods/driver/init.lua"), judge.Read(t, "testdata/restore/driver.lua"))
	judge.Write(t, at("world/old"), nil)
	s := startServer(t, home)
	s.order("lua\nminetest.emerge_area({x = -48, y = -32, z = -32}, {x = 47, y = 47, z = 47}, function(_, _, left) " +
		"if left == 0 then minetest.safe_file_write(minetest.get_worldpath() .. '/made', '') end end)")
	s.until("land", func() bool { _, err := os.Stat(at("world/made")); return err == nil })
	s.script("build.lua")
	s.stop(false)
	must(t, "backup", "-q", at("world"), at("repo"))
	if err := os.Remove(at("world/old")); err != nil {
		t.Fatal(err)
	}
	s = startServer(t, home)
	s.script("grief.lua")
	s.stop(false)
	// A block that the world lacks: the engine generates it first.
	db, err := mapdb.OpenForWriting(context.Background(), at("world"), mapdb.Config{Backend: mapdb.SQLite})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(context.Background(), func(tx mapdb.Tx) error { return tx.Delete(mapdb.Pos{X: -3, Y: 0, Z: 1}) })
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

// must runs a verb that must succeed, and returns its output.
func must(t *testing.T, args ...string) string {
	t.Helper()
	var out, talk bytes.Buffer
	if code := run(games, args, strings.NewReader(""), &out, &talk); code > exitFound {
		t.Fatalf("%q: exit code %d\n%s%s", args, code, &out, &talk)
	}
	return out.String() + talk.String()
}

// TestRestoreLive destroys a house, and restores it while a server runs, from a plan, with damaged plans before and with
// a killed server in between. The world must become the one that restore makes in place.
func TestRestoreLive(t *testing.T) {
	tests.NotRaced(t, "waits for the engine")
	judge.Find(t, "minetestserver")
	home := judge.Dir(t)
	at := func(name string) string { return filepath.Join(home, filepath.FromSlash(name)) }
	grief(t, home)
	if err := os.CopyFS(at("inplace"), os.DirFS(at("world"))); err != nil {
		t.Fatal(err)
	}
	box := fmt.Sprintf("%d,%d,%d:%d,%d,%d", house[0], house[1], house[2], house[3], house[4], house[5])
	must(t, "restore", at("repo"), "--into", at("inplace"), "--box", box)

	judge.Write(t, at("world/clock"), nil)
	s := startServer(t, home)
	s.order("status")
	var out, talk bytes.Buffer
	code := run(games, []string{"restore", at("repo"), "--into", at("world"), "--box", box}, strings.NewReader(""), &out, &talk)
	if code != 2 || !strings.Contains(talk.String(), "in use") || !strings.Contains(talk.String(), "--plan") {
		t.Errorf("in place: exit code %d\n%s", code, &talk)
	}
	if said := must(t, "restore", at("repo"), "--into", at("world"), "--box", box, "--plan"); strings.Contains(said, "warning") {
		t.Error(said)
	}
	plan := judge.Read(t, at("world/trowel_rewind.plan"))
	damagedPlans(t, s, plan)
	if said := s.order("status"); !strings.Contains(said, "has 60 blocks") {
		t.Error(said)
	}

	s.order("start")
	s.order("cancel")
	s.until("end after cancel", func() bool { return strings.Contains(s.log(), "cancelled: blocks: ") })

	for kills := tests.Of(t, 1, 3); kills > 0; kills-- {
		if said := s.order("status"); strings.Contains(said, "start` puts them back") {
			if said = s.order("start"); !strings.Contains(said, "checking the plan") {
				t.Fatal(said)
			}
		}
		began := -1
		s.until("progress", func() bool {
			m := regexp.MustCompile(`block (\d+) of`).FindStringSubmatch(s.order("status"))
			if m == nil {
				return false
			}
			n, _ := strconv.Atoi(m[1])
			if began < 0 {
				began = n
			}
			return n > began+15
		})
		s.stop(true)
		s = startServer(t, home)
	}
	s.until("end", func() bool { // the plan is removed before the progress
		_, err := os.Stat(at("world/trowel_rewind.progress"))
		return errors.Is(err, fs.ErrNotExist)
	})
	if _, err := os.Stat(at("world/trowel_rewind.plan")); err == nil {
		t.Error("the plan is left")
	}
	// A plan that appears during the work stays.
	must(t, "restore", at("repo"), "--into", at("world"), "--sphere", "0,10,0:3", "--plan")
	s.order("start")
	judge.Write(t, at("new"), plan)
	if err := os.Rename(at("new"), at("world/trowel_rewind.plan")); err != nil {
		t.Fatal(err)
	}
	s.until("report of a new plan", func() bool { return strings.Contains(s.log(), "there is a new plan") })
	if !bytes.Equal(judge.Read(t, at("world/trowel_rewind.plan")), plan) {
		t.Error("the new plan is lost")
	}
	s.stop(false)
	checkReport(t, s.log(), 60)

	compareWorlds(t, at("world"), at("inplace"), "")
	// Farther west the light is that of the map generator, which is not exact.
	light := func(world string) string {
		return must(t, "edit", at(world), "--dry-run", "--json", "--nodes", at("world/trowel_nodes.json"), "--", "light", "--box",
			"0,-32,-32:47,47,47")
	}
	if said := light("world"); !strings.Contains(said, `"changes":[]`) {
		t.Error("the light is wrong: ", said)
	}
	if said := light("inplace"); strings.Contains(said, `"changes":[]`) {
		t.Error("the light was right without the mod")
	}
}

// checkReport checks what the mod writes to the log.
func checkReport(t *testing.T, log string, blocks int) {
	t.Helper()
	for _, want := range []string{"continuing with", fmt.Sprintf("done: blocks: %d,", blocks), ", removed: 1, timers: ",
		"not put back, unchanged: 2 nodes old:thing, whose name is unknown"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %q", want)
		}
	}
	m := regexp.MustCompile(`steps of the server: (\d+), longer than 10 ms: (\d+), longest: ([\d.]+) ms`).FindStringSubmatch(log)
	if m == nil {
		t.Fatalf("no report in\n%s", log)
	}
	t.Log(m[0])
	if longest, _ := strconv.ParseFloat(m[3], 64); m[2] != "0" || longest < 5 {
		t.Errorf("the longest step takes %v ms", longest)
	}
}

// damagedPlans tests that a running server rejects damaged plans and changes nothing.
func damagedPlans(t *testing.T, s *liveServer, plan []byte) {
	t.Helper()
	path := filepath.Join(s.world, "trowel_rewind.plan")
	damaged := map[string][]byte{
		"empty": nil, "cut at the start": plan[:20], "cut in the middle": plan[:len(plan)/2], "without the last byte": plan[:len(plan)-1],
		"cut in the middle, with its end": slices.Concat(plan[:len(plan)/2], plan[len(plan)-25:]),
		"longer":                          append(slices.Clone(plan), 0),
		"of another version":              slices.Concat(plan[:8], []byte{2}, plan[9:]),
		"another file":                    []byte(strings.Repeat("trowel", 100)),
	}
	for _, i := range []int{9, 30, 80, 90, len(plan) / 3, len(plan) / 2, len(plan) - 22, len(plan) - 10} {
		damaged[fmt.Sprint("with another byte ", i)] = slices.Concat(plan[:i], []byte{plan[i] ^ 0x10}, plan[i+1:])
	}
	before := blocksIn(t, s.world)
	for _, name := range slices.Sorted(maps.Keys(damaged)) {
		judge.Write(t, path, damaged[name])
		seen := strings.Count(s.log(), "nothing was changed")
		if said := s.order("start"); strings.Contains(said, "nothing was changed") {
			continue
		}
		s.until("rejection of a plan "+name, func() bool { return strings.Count(s.log(), "nothing was changed") > seen })
	}
	judge.Write(t, path, plan)
	if strings.Contains(s.log(), "done:") {
		t.Error("a damaged plan was applied")
	}
	if !maps.Equal(before, blocksIn(t, s.world)) {
		t.Error("a damaged plan has changed the world")
	}
}

// TestGuardLive puts a destroyed house back with /rewind, as a player does, while guard runs beside the server, but for what was
// built where nothing was, and undoes that.
func TestGuardLive(t *testing.T) {
	tests.NotRaced(t, "waits for the engine")
	judge.Find(t, "minetestserver")
	home := judge.Dir(t)
	at := func(name string) string { return filepath.Join(home, filepath.FromSlash(name)) }
	grief(t, home)
	for _, name := range []string{"griefed", "inplace"} {
		if err := os.CopyFS(at(name), os.DirFS(at("world"))); err != nil {
			t.Fatal(err)
		}
	}
	from, to := fmt.Sprintf("%d,%d,%d", house[0], house[1], house[2]), fmt.Sprintf("%d,%d,%d", house[3], house[4], house[5])
	must(t, "restore", at("repo"), "--into", at("inplace"), "--box", from+":"+to)
	judge.Write(t, at("world/clock"), nil)

	s := startServer(t, home)
	s.order("status")
	if said := s.order("2y"); !strings.Contains(said, "expected a moment") {
		t.Error(said)
	}
	if said := s.order("yes"); !strings.Contains(said, "nothing to confirm") {
		t.Error(said)
	}
	if said := s.order("undo"); !strings.Contains(said, "put nothing back") {
		t.Error(said)
	}
	time.Sleep(1100 * time.Millisecond) // moments have seconds, and the snapshot must be of an earlier one
	s.order("0min keep " + from + " " + to)
	s.until("word about guard", func() bool { return strings.Contains(s.log(), "waiting for `trowel guard`") })
	g := startGuard(t, at("world"), at("repo"))
	s.until("offer", func() bool { return strings.Contains(s.log(), "what stands where air was stays") })
	// Who may only put his own areas back has no other place.
	s.order(`lua
		minetest.get_auth_handler().create_auth("own", "")
		minetest.set_player_privs("own", {rewind_own = true})
		areas = {getAreasAtPos = function() return {[7] = {pos1 = {x = 0, y = 0, z = 0}, pos2 = {x = 3, y = 3, z = 3}}} end,
			isAreaOwner = function(_, id, name) return id == 7 and name == owner end}
		local was = minetest.get_player_by_name
		minetest.get_player_by_name = function(name)
			local mod = debug.getinfo(2, "S").source:find("trowel_rewind", 1, true)
			return mod and name == "own" and {get_pos = function() return vector.new(1, 1, 1) end} or was(name)
		end
		function rewind(text) return select(2, minetest.registered_chatcommands.rewind.func("own", text)) or "asked" end`)
	for _, c := range [][2]string{{`rewind("0min")`, "you are in no area that you own"}, {`rewind("0min 5")`, "go into an area that you own"},
		{`rewind("start")`, "needs the privilege server"}, {`rewind("undo")`, "put nothing back"}} {
		if said := s.order("lua\nreturn " + c[0]); !strings.Contains(said, c[1]) {
			t.Errorf("%s: %s", c[0], said)
		}
	}
	if said := s.order("lua\nowner = 'own'\nreturn rewind('0min')"); said != "asked" {
		t.Error(said)
	}
	s.until("answer", func() bool { return strings.Contains(s.log(), "[trowel_rewind] own: ") })
	s.order("list 0min " + from + " " + to)
	s.until("list", func() bool { return strings.Contains(s.log(), "gone: ") && strings.Contains(s.log(), " places, ") })
	s.order(`lua
		local pos, was = vector.new(0, 5, 0), minetest.get_connected_players
		local fake = {get_player_name = function() return "fake" end, get_pos = function() return pos end,
			set_pos = function(_, to) pos = to end}
		minetest.get_connected_players = function() -- for the mod alone
			return debug.getinfo(2, "S").source:find("trowel_rewind", 1, true) and {fake} or was()
		end
		function where() return minetest.pos_to_string(pos) end`)
	// Two players build in blocks that the box cuts, beside it, while the house comes back.
	s.order(`lua
		local built, n, playing = {}, 0, true
		minetest.register_globalstep(function()
			for player = 1, playing and 2 or 0 do
				n = n + 1
				local pos = {x = n % 30, y = 11 + player, z = -22 - math.floor(n / 30) % 10}
				local hash = minetest.hash_node_position(pos)
				if built[hash] or minetest.get_node(pos).name == "air" then
					minetest.set_node(pos, {name = n % 3 == 0 and "default:sign_wall_wood" or "default:glass", param2 = 4})
					minetest.get_meta(pos):set_int("built", n)
					built[hash] = n
				end
			end
		end)
		function built_and_lost()
			local count, lost = 0, 0
			playing = false
			for hash, n in pairs(built) do
				local pos = minetest.get_position_from_hash(hash)
				count = count + 1
				if minetest.get_node(pos).name == "air" or minetest.get_meta(pos):get_int("built") ~= n then
					lost = lost + 1
				end
				minetest.remove_node(pos)
			end
			return count .. " built, " .. lost .. " lost"
		end`)
	if said := s.order("yes"); !strings.Contains(said, "as soon as the server has saved") {
		t.Error(said)
	}
	if said := s.order("yes"); !strings.Contains(said, "nothing to confirm") {
		t.Error(said)
	}
	ended := func(n int) {
		t.Helper()
		s.until("end", func() bool { return strings.Count(s.log(), "[trowel_rewind] admin: done") == n })
	}
	ended(1)
	if said := s.order("lua\nreturn built_and_lost()"); len(said) < len("100 built, 0 lost") || !strings.HasSuffix(said, " built, 0 lost") {
		t.Errorf("the players beside the house: %s", said)
	} else {
		t.Log(said)
	}
	if where := s.order("lua\nreturn where()"); where != "(0,5,-22)" {
		t.Errorf("the player is at %s", where)
	}
	s.stop(false)
	compareWorlds(t, at("world"), at("inplace"), at("griefed"))
	if !regexp.MustCompile(`kept: \d+ nodes`).MatchString(s.log()) {
		t.Error("no word about what is kept")
	}
	g.end()

	s = startServer(t, home)
	s.order("status")
	g = startGuard(t, at("world"), at("repo"))
	s.order("undo")
	ended(2)
	s.stop(false)
	compareWorlds(t, at("world"), at("griefed"), "")
	if list := must(t, "ls", at("repo")); strings.Count(list, "\n") < 2 {
		t.Errorf("the repository has\n%s", list)
	}
	g.end()
	m := regexp.MustCompile(`longer than 10 ms: (\d+)`).FindAllStringSubmatch(s.log(), -1)
	if len(m) != 2 || m[0][1] != "0" || m[1][1] != "0" {
		t.Errorf("steps of the server are too long: %v", m)
	}
}
