package verbs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/limits/effort"
	"trowel.example/internal/testing/tests"
)

// TestEffortCorpus tests that no verb comes near a budget of work with any file of the corpus, and logs how near the
// closest comes. With TROWEL_EFFORT=all it tests all files and pictures, otherwise a tenth of them.
func TestEffortCorpus(t *testing.T) {
	tests.NotRaced(t, "draws many pictures")
	files := map[string]string{"world.mt": ""}
	for _, ext := range []string{".map", ".MOD", ".BINDAT", ".BINLAYOUT", ".RAW", ".mesh", ".mts", ".ADM", ".layout", ".LAYOUT"} {
		files[ext] = ext
	}
	var found []string
	for _, game := range []string{"teeworlds", "torchlight", "minetest"} {
		dir := tests.Corpus(t, game)
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Name() == "world.mt" {
				found = append(found, filepath.Dir(path))
			} else if _, ok := files[filepath.Ext(path)]; ok && err == nil && !d.IsDir() {
				found = append(found, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, k := range effort.Kinds() {
		k.Nearest() // of earlier tests
	}
	closest, largest := make(map[*effort.Kind]float64), make(map[*effort.Kind]int64)
	run := func(args, path string) {
		var stdout, stderr bytes.Buffer
		Main(games, append(strings.Fields(args), path), strings.NewReader(""), &stdout, &stderr)
		if text := stdout.String() + stderr.String(); strings.Contains(text, "--effort") {
			t.Errorf("%s %s: %.300s", args, path, text)
		}
		for _, k := range effort.Kinds() {
			if near, units := k.Nearest(); near > closest[k] || units > largest[k] {
				closest[k], largest[k] = max(closest[k], near), max(largest[k], units)
				t.Logf("%s (%s): %d, %.2f %%, in %s %s", k.Work, k.Unit, units, 100*near, args, path)
			}
		}
	}
	out := filepath.Join(t.TempDir(), "out")
	all := os.Getenv("TROWEL_EFFORT") == "all"
	for i, path := range found {
		if i%10 != 0 && !all {
			continue
		}
		for _, args := range []string{"info", "check", "search -F xyzzy", "extract -f -o " + out, "diff " + found[max(0, i-1)],
			"render -f --size 640x480 -o " + out + ".png"} {
			run(args, path)
		}
	}
	drawn := 0
	texturedRuns(t, func(args, path string) {
		if drawn++; all || drawn%3 == 0 {
			run(args, path)
		}
	})
	for _, k := range effort.Kinds() {
		if closest[k] >= 0.1 && k.Most == 0 { // limits of depth are lower: they keep recursion and indented texts small
			t.Errorf("%s: %.1f %% of the budget", k.Unit, 100*closest[k])
		}
	}
	t.Logf("%d files", len(found))
}

// texturedRuns draws the world of the pictures of the client with its textures, from each of their cameras and in all views, and
// the worlds of the corpus with the textures of minetest_game, if it is installed.
func texturedRuns(t *testing.T, run func(args, path string)) {
	client, out := tests.Corpus(t, "minetest/client"), filepath.Join(t.TempDir(), "out.png")
	nodes := filepath.Join(t.TempDir(), "nodes.json")
	var cameras []struct {
		Ratio float64 `json:"day_night_ratio"`
		Pitch float64 `json:"pitch_degrees"`
		Yaw   float64 `json:"yaw_degrees"`
		Eye   struct{ X, Y, Z float64 }
	}
	raw, err := os.ReadFile(filepath.Join(client, "world/nodes_full.json"))
	if err == nil {
		raw = append([]byte(`{"format": "trowel-nodes", "version": 2, `), bytes.TrimSpace(raw)[1:]...)
		err = os.WriteFile(nodes, raw, 0o666)
	}
	if err == nil {
		raw, err = os.ReadFile(filepath.Join(client, "cameras.json"))
	}
	if err == nil {
		err = json.Unmarshal(raw, &cameras)
	}
	if err != nil {
		t.Fatal(err)
	}
	look := "render -f -o " + out + " --nodes " + nodes + " --textures " + filepath.Join(client, "texlab/mods/texlab") + " "
	for _, c := range cameras {
		run(fmt.Sprintf("%s--size 960x600 --at %v,%v,%v --look %v,%v --daylight %v", look, c.Eye.X, c.Eye.Y, c.Eye.Z, c.Yaw, c.Pitch, c.Ratio),
			filepath.Join(client, "world"))
	}
	views := []string{"top", "night", "iso", "south", "slice --slice 2"}
	for _, view := range views {
		run(look+"--scale 32 --view "+view, filepath.Join(client, "world"))
	}
	const game = "/usr/share/games/minetest/games/minetest_game"
	if _, err := os.Stat(game); err != nil {
		t.Log("no minetest_game here")
		return
	}
	worlds, err := filepath.Glob(filepath.Join(tests.Corpus(t, "minetest/generated"), "v*-sqlite", "world.mt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, world := range worlds {
		for _, view := range views {
			run("render -f --scale 4 --view "+view+" --textures "+game+" -o "+out, filepath.Dir(world))
		}
	}
}
