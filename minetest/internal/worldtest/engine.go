package worldtest

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// game is the folder of the game in Debian.
const game = "/usr/share/games/minetest/games/minetest_game"

// Script runs a Lua script in the engine, with minetest_game, in the world in dir, which may be empty. The script is
// a mod: it runs when the server starts, must stop the server with core.request_shutdown, and must write the file
// done, in the folder of the world, when it succeeds.
func Script(t testing.TB, dir, script string) {
	t.Helper()
	judge.Find(t, "minetestserver")
	if _, err := os.Stat(game); err != nil {
		tests.Missing(t, "judges", "no minetest_game here: on Debian, it is in the package minetest-data")
	}
	if _, err := os.Stat(filepath.Join(dir, "world.mt")); err != nil {
		judge.Write(t, filepath.Join(dir, "world.mt"),
			[]byte("gameid = minetest\nbackend = sqlite3\nplayer_backend = dummy\nauth_backend = files\n"))
		judge.Write(t, filepath.Join(dir, "map_meta.txt"), []byte("mg_name = singlenode\nseed = 1\n[end_of_params]\n"))
	}
	mod := filepath.Join(dir, "worldmods", "trowel_script")
	judge.Write(t, filepath.Join(mod, "mod.conf"), []byte("name = trowel_script\noptional_depends = default, worldedit\n"))
	judge.Write(t, filepath.Join(mod, "init.lua"), []byte(script))
	listener, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.LocalAddr().(*net.UDPAddr).Port
	listener.Close()
	home := judge.Dir(t)
	config := filepath.Join(home, "minetest.conf")
	judge.Write(t, config, fmt.Appendf(nil, "bind_address = 127.0.0.1\nport = %d\nserver_announce = false\n", port))
	log := filepath.Join(home, "log")
	output, err := judge.Run(t, home, "minetestserver", "--config", config, "--world", dir, "--logfile", log, "--quiet")
	if _, failed := os.Stat(filepath.Join(dir, "done")); err != nil || failed != nil {
		text, _ := os.ReadFile(log)
		t.Fatalf("minetestserver: %v, %v\n%s\n%s", err, failed, output, text)
	}
}
