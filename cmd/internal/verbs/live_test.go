package verbs

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// busy is a mod that writes continuously: new land, nodes with metadata in existing land, and mod storage.
const busy = `
local storage = minetest.get_mod_storage()
local step = 0
minetest.register_globalstep(function()
	step = step + 1
	local x = step * 16
	minetest.emerge_area({x = x, y = 0, z = 0}, {x = x + 15, y = 15, z = 15})
	if step < 20 then return end
	for i = 0, 15 do
		local pos = {x = x - 320 + i, y = i, z = i}
		if minetest.get_node_or_nil(pos) then
			minetest.set_node(pos, {name = "basenodes:stone"})
			minetest.get_meta(pos):set_string("infotext", ("step " .. step .. " "):rep(50))
		end
	end
	storage:set_int("step", step)
	storage:set_string("s" .. step, ("x"):rep(200))
end)
`

// TestLiveServer tests, while a real server writes to its world, that every verb that only reads sees a
// consistent state, that none disturbs the server, and that every verb that would write to the world is
// refused; and that copies can be updated until the server stops, which then uses one.
func TestLiveServer(t *testing.T) {
	tests.LongOnly(t, "runs a server")
	server := judge.Find(t, "minetestserver")
	home := judge.Dir(t)
	at := func(name string) string { return filepath.Join(home, filepath.FromSlash(name)) }
	judge.Write(t, at("world/world.mt"), []byte("gameid = devtest\nbackend = sqlite3\nplayer_backend = "+
		"sqlite3\nauth_backend = sqlite3\nmod_storage_backend = sqlite3\n"))
	judge.Write(t, at("world/worldmods/busy/mod.conf"), []byte("name = busy\n"))
	judge.Write(t, at("world/worldmods/busy/init.lua"), []byte(busy))
	judge.Write(t, at("minetest.conf"), []byte("bind_address = 127.0.0.1\nserver_announce = "+
		"false\nserver_map_save_interval = 0.2\nmg_name = singlenode\ndedicated_server_step = 0.02\n"))
	ended := make(chan error, 1)
	serve := func(world string) *os.Process {
		socket, err := net.ListenPacket("udp4", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		port := socket.LocalAddr().(*net.UDPAddr).Port
		socket.Close()
		c := exec.Command(server, "--config", at("minetest.conf"), "--world", at(world), "--logfile", at("log"), "--port",
			fmt.Sprint(port), "--quiet")
		c.Dir, c.Env = home, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LC_ALL=C"}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Process.Kill() })
		go func() { ended <- c.Wait() }()
		return c.Process
	}
	process := serve("world")

	size := func() int64 {
		st, err := os.Stat(at("world/map.sqlite"))
		if err != nil {
			return 0
		}
		return st.Size()
	}
	for size() < 100<<10 { // until the server writes
		select {
		case err := <-ended:
			t.Fatalf("the server ended: %v\n%s", err, judge.Read(t, at("log")))
		case <-time.After(20 * time.Millisecond):
		}
	}
	began := size()
	verb := func(args ...string) (int, string) {
		var out, talk bytes.Buffer
		code := run(games, args, strings.NewReader(""), &out, &talk)
		return code, out.String() + talk.String()
	}
	// Changed mod storage is reported, but is not an error of a copy.
	fine := func(code int, said string) bool {
		return code == 0 || code == 1 && strings.Contains(said, "[mt-copy-differs]")
	}
	for i := range 2 {
		for _, args := range [][]string{
			{"check"}, {"info"}, {"ls"}, {"extract", "-o", at(fmt.Sprint("tree", i))},
			{"render", "-o", at(fmt.Sprint("picture", i, ".png"))}, {"render", "--tiles", at("tiles")},
			{"convert", "--to", "leveldb", "-o", at(fmt.Sprint("level", i))},
			{"convert", "--to", "sqlite-pos", "-o", at(fmt.Sprint("sqlite", i))},
			{"repair", "-o", at(fmt.Sprint("mended", i))},
		} {
			if code, said := verb(append(args, at("world"))...); !fine(code, said) {
				t.Errorf("%q: exit code %d\n%.1000s", args, code, said)
			}
		}
		for _, made := range []string{"level", "sqlite", "mended"} {
			if code, said := verb("check", at(fmt.Sprint(made, i))); code != 0 {
				t.Errorf("check of %s%d: exit code %d\n%.1000s", made, i, code, said)
			}
			if left, _ := filepath.Glob(at(fmt.Sprint(made, i, "/*-journal"))); len(left) > 0 {
				t.Errorf("the copy has %q", left)
			}
		}
		if code, said := verb("pack", at(fmt.Sprint("tree", i)), "-o", at(fmt.Sprint("packed", i))); code != 0 {
			t.Errorf("pack: exit code %d\n%.1000s", code, said)
		}
	}
	if code, said := verb("repair", "--in-place", at("world")); runtime.GOOS == "linux" &&
		(code != 2 || !strings.Contains(said, "in use: by minetestserver")) {
		t.Errorf("in place: exit code %d\n%s", code, said)
	}
	if now := size(); now <= began {
		t.Errorf("the server wrote nothing: %d bytes were %d", now, began)
	}
	update := func(made string, more ...string) (int, string) {
		return verb(append([]string{"convert", at("world"), "-o", at(made), "--update"}, more...)...)
	}
	for _, made := range []string{"level0", "sqlite0"} {
		code, said := update(made)
		if !fine(code, said) || runtime.GOOS == "linux" && !strings.Contains(said, "this was not the last pass") {
			t.Errorf("update of %s beside the server: exit code %d\n%s", made, code, said)
		}
	}
	followed := make(chan string, 1)
	go func() {
		code, said := update("sqlite1", "--follow")
		followed <- fmt.Sprint(code, " ", said)
	}()
	time.Sleep(time.Second)
	if err := process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("the server ended with %v", err)
	}
	if said := <-followed; !strings.HasPrefix(said, "0 ") || !strings.Contains(said, "no program had the world open") {
		t.Errorf("--follow ended with %s", said)
	}
	for _, made := range []string{"level0", "sqlite0", "sqlite1"} {
		if code, said := update(made); code != 0 {
			t.Errorf("last update of %s: exit code %d\n%s", made, code, said)
		}
		if _, said := verb("diff", at("world"), at(made)); said != "" && said != "world.mt: backend sqlite3 -> leveldb\n1 change\n" {
			t.Errorf("%s differs from the world:\n%.1000s", made, said)
		}
	}
	process = serve("level0") // the server uses the copy from now on
	time.Sleep(2 * time.Second)
	if err := process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("the server ended with %v", err)
	}
	if code, said := update("level0"); code != 2 || !strings.Contains(said, "a server or an edit changed this") {
		t.Errorf("update of a copy that a server has changed: exit code %d\n%s", code, said)
	}
	if log := string(judge.Read(t, at("log"))); strings.Contains(log, "ERROR") || strings.Contains(log, "locked") {
		t.Errorf("the server met errors:\n%.2000s", log)
	}
}
