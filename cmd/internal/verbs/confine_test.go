package verbs

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// TestLimits tests what command lines keep in the sandbox because of the files that they name.
func TestLimits(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights there, and there is no sandbox")
	}
	defer func(before bool) { confined.on = before }(confined.on)
	confined.on = true
	dir := t.TempDir()
	write := func(name, text string) {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		judge.Write(t, name, []byte(text))
	}
	write("worlds/redis/world.mt", "gameid = minetest\nbackend = sqlite3\nplayer_backend = redis\n")
	write("own/world/world.mt", "gameid = minetest\nbackend = sqlite3\n")
	write("disk/map.sqlite", "")
	write("a.map", "")
	write("own/repo/trowel-backup.json", "")
	write("keys/key", "")
	if err := os.Symlink(filepath.Join(dir, "disk/map.sqlite"), filepath.Join(dir, "own/world/map.sqlite")); err != nil {
		t.Fatal(err)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(real, "keys/key")
	tests.OnHost(t, map[string]string{"variable TROWEL_KEY_FILE": key})
	for _, c := range []struct {
		line              string
		network, programs bool
		writes, reads     string // relative to dir, besides the folder for temporary files
	}{
		{line: "check a.map", reads: "a.map"},
		{line: "check worlds/redis", network: true, reads: "/"},
		{line: "check worlds", network: true, reads: "/"},
		{line: "check own", reads: "own"},
		{line: "check own/world", reads: "disk/map.sqlite"},
		{line: "convert own/world --postgres host=x", network: true, reads: "/"},
		{line: "edit own/world --in-place -- replace a b", writes: "own", reads: "own/world"},
		{line: "edit own/world --in-place -- replace a b", writes: "disk"},
		{line: "edit a.map --in-place --script x", writes: ".", reads: "/"},
		{line: "backup own/world new/repo", writes: "."},
		{line: "review a.map a.map", programs: true},
		{line: "view --git a.map", programs: true},
		{line: "view --edit a.map", writes: ".", reads: "/"},
		{line: "info own/repo", reads: "keys/key"},
		{line: "check own/repo --trust RW --state=disk/roots", writes: "disk", reads: "own/repo"},
		{line: "view own/world --backups own/repo", reads: "keys/key"},
	} {
		a := newTool(games, strings.NewReader(""), io.Discard, io.Discard)
		l := a.Limits(strings.Fields(c.line), real, nil)
		path := func(name string) string {
			if filepath.IsAbs(name) {
				return name
			}
			return filepath.Join(real, name)
		}
		if l.Network != c.network || l.Programs != c.programs {
			t.Errorf("%s: network %v, programs %v", c.line, l.Network, l.Programs)
		}
		if c.writes != "" && !slices.Contains(l.Write, path(c.writes)) {
			t.Errorf("%s: writes only %q, not %s", c.line, l.Write, c.writes)
		}
		if c.writes == "" && strings.HasPrefix(c.line, "check") && len(l.Write) != 1 {
			t.Errorf("%s: writes %q", c.line, l.Write)
		}
		if strings.Contains(c.line, "own/repo") != slices.Contains(l.Read, key) && !strings.HasSuffix(c.line, "own") {
			t.Errorf("%s: reads %q, which is wrong about %s", c.line, l.Read, key)
		}
		if c.reads != "" && !slices.Contains(l.Read, path(c.reads)) || c.reads != "/" && slices.Contains(l.Read, "/") {
			t.Errorf("%s: reads %q, not %s", c.line, l.Read, c.reads)
		}
	}
}
