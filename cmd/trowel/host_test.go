package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"trowel.example/cmd/internal/verbs"
	"trowel.example/internal/format"
	"trowel.example/internal/testing/tests"
)

// TestHostAsked lists what each verb requests from the machine, on a machine without other programs.
func TestHostAsked(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the folders are those of Linux")
	}
	const (
		data = "folder /usr/local/share; folder /usr/share; folder /usr/share/games; folder " +
			"/var/lib/flatpak/app/tw.ddnet.ddnet/current/active/files/share; " +
			"home folder; variable XDG_DATA_HOME"
		colors = "folder /usr/local/share/luanti; folder /usr/local/share/minetest; folder /usr/share/games/luanti; " +
			"folder /usr/share/games/minetest; " +
			"folder /usr/share/luanti; folder /usr/share/minetest; home folder"
		games = colors + "; variable APPDATA; variable LUANTI_GAME_PATH; variable LUANTI_USER_PATH; variable MINETEST_GAME_PATH; " +
			"variable MINETEST_USER_PATH"
		fleet = "program FOLDER/trowel-fleet; program trowel-fleet"
	)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	samples, err := filepath.Abs("../../samples")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Chdir(dir)
	run := func(line string) (code int, out string) {
		var b bytes.Buffer
		code = verbs.Main(format.Registered(), strings.Fields(strings.ReplaceAll(line, "$", filepath.ToSlash(samples))),
			strings.NewReader(""), &b, &b)
		return code, b.String()
	}
	asked := func(host *tests.Host) string {
		// Requested in each run.
		list := slices.DeleteFunc(host.Asked(), func(q string) bool { return q == "variable TROWEL_STARTED_BY" })
		return strings.ReplaceAll(strings.Join(list, "; "), filepath.Dir(self), "FOLDER")
	}
	for _, c := range []struct {
		line, asks string
		code       int
	}{
		{"pack $/burrow -o burrow.map", "", 0},
		{"pack $/ember --tables -o ember.mod", "", 0},
		{"pack $/hollow -o world", "", 0},
		{"extract burrow.map -o folder", "", 0},
		{"extract -f burrow.map -o folder", "", 0},
		{"pack -f $/hollow -o world", "home folder", 0}, // must not be replaced
		{"pack -f folder -o burrow.map", "", 0},
		{"info burrow.map ember.mod world", "", 0},
		{"check -q burrow.map ember.mod world", "", 0},
		{"ls burrow.map", "", 0},
		{"cat burrow.map map.json", "", 0},
		{"dump burrow.map", "", 0},
		{"search burrow world", "", 1},
		{"find burrow.map -- tile 1", "", 0},
		{"diff burrow.map folder", "", 0},
		{"edit burrow.map -o edited.map -- crop 0,0:9,9", "", 0},
		{"edit burrow.map -o drawn.map -- automap", data, 1},
		{"merge burrow.map burrow.map burrow.map -o merged.map", "", 0},
		{"convert burrow.map -o burrow3.map --to datafile-3", "", 0},
		{"render burrow.map -o map.png", data, 0},
		{"render world -o world.png", games, 0},
		{"minetestmapper -i world -o mapper.png", colors, 1},
		{"manifest world -o world.trowel-manifest", "", 0},
		{"backup world backups", "variable TROWEL_KEY_FILE; variable TROWEL_PASSPHRASE", 0},
		{"restore backups -o restored", "", 0},
		{"forget backups --keep-last 1", "", 0},
		{"repair world -o repaired", "", 0},
		{"apply folder burrow.map -o applied.map", "", 0},
		{"git install --print", "program trowel", 0},
		{"git install", "program git; program trowel", 2},
		{"census burrow.map", fleet, 2},
		{"jobs", fleet, 2},
		{"worker", fleet, 2},
		{"hash x", "", 0}, {"version", "", 0}, {"formats", "", 0}, {"help", "variable COLUMNS", 0}, {"man -o man", "", 0},
	} {
		host := tests.OnHost(t, nil)
		code, out := run(c.line)
		if got := asked(host); got != c.asks || code != c.code {
			t.Errorf("%s: exit code %d, want %d; asks %q, want %q\n%s", c.line, code, c.code, got, c.asks, out)
		}
	}

	host := tests.OnHost(t, nil)
	r, w := io.Pipe()
	code := make(chan int)
	go func() {
		code <- verbs.Main(format.Registered(), []string{"view", "burrow.map"}, strings.NewReader(""), w, w)
	}()
	said := bufio.NewScanner(r)
	for said.Scan() && !strings.Contains(said.Text(), "Ctrl-C ends it") {
	}
	go func() { _, _ = io.Copy(io.Discard, r) }()
	me, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = me.Signal(os.Interrupt)
	}
	if err != nil {
		t.Fatal(err)
	}
	if code := <-code; code != 0 {
		t.Errorf("view: exit code %d", code)
	}
	if got, want := asked(host), "variable DISPLAY; variable GOMEMLIMIT; variable SSH_CONNECTION; variable WAYLAND_DISPLAY"; got != want {
		t.Errorf("view asks %q, want %q", got, want)
	}
}
