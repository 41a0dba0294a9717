package verbs

import (
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/cmd/internal/review"
	"trowel.example/internal/testing/tests"
)

// edited is an operation, and what the review of its result must report. The words of its lines are separated by "|". $X and $Y are a
// cell, $N a number that differs each time.
type edited struct {
	line    string
	decides string // "cell": the cell $X,$Y; "setting"; "game": something; "": nothing; "any": depends on the map
}

// cellEdits change one cell, or settings.
var cellEdits = []edited{
	{"fill-tiles|3|--layer|game|--area|$X,$Y:$X,$Y", "cell"},
	{"draw-tiles|$X|$Y|9|--layer|game", "cell"},
	{"add-setting|tune gravity 0.$N", "setting"},
	{"draw-tiles|$X|$Y|26:9|--layer|tele", "cell"},
	{"draw-tiles|$X|$Y|24:7/5|--layer|switch", "cell"},
	{"draw-tiles|$X|$Y|28:70/0/90|--layer|speedup", "cell"},
	{"draw-tiles|$X|$Y|68:9|--layer|tune", "cell"},
	{"draw-tiles|$X|$Y|11|--layer|front", "cell"},
	{"draw-tiles|$X|$Y|.|--layer|tele", "cell"},
	{"draw-tiles|$X|$Y|28:10/5/0|--layer|speedup", "cell"},
	{"draw-tiles|$X|$Y|22:1/9|--layer|switch", "cell"},
	{"replace-tiles|1|12|--layer|game|--area|$X,$Y:$X,$Y", "cell"},
	{"set-setting|tune ground_friction 0.$N", "setting"},
	{"remove-settings|sv_deepfly", "setting"},
	{"replace-settings|0|1|tune jetpack_strength $N", "setting"},
	{"sort-settings", "setting"},
	{"dedupe-settings", "setting"},
}

// gameEdits are the other operations that may change the game.
var gameEdits = []edited{
	{"renumber|tele|1|77", "game"},
	{"pack-numbers|tele", "game"},
	{"mirror", "game"}, {"rotate|90", "game"},
	{"remove-images|*|then|scale|2", "game"}, {"extend|--left|3", "game"}, {"crop|0,0:9,9", "game"},
	{"shrink|--physics", "any"},
	{"mirror-tiles|left-right|--layer|tele|--area|1,1:12,8", "game"},
	{"rotate-tiles|180|--layer|tele|--area|1,1:12,8", "game"},
	{"shift-tiles|5|0|--layer|game", "game"},
	{"border|game", "any"},
	{"construct-game-tiles|RvA/RvTiles|unhookable", "game"},
	{"clean-game-tiles", "any"}, {"normalize-rotation", "any"}, {"fix-rotation", "any"}, {"migrate-speedups", "any"},
	{"remove-layers|tele", "game"},
	{"to-0.7|--drop", "any"}, {"to-0.7|--drop|then|to-0.6|--drop", "any"},
	{"append|other.map", "any"}, {"paste-area|$BASE|1,1:3,3|$X,$Y", "any"},
	{"apply|piece", "any"},
}

// designEdits change the design only.
var designEdits = []edited{
	{"info|--author|Ann$N|--credits|x", ""},
	{"rename-envelope|rvpos|swing$N", ""},
	{"move-layer|RvA/RvTiles|RvB|--at|0", ""},
	{"replace-image|rvimg|other.png", ""},
	{"fill-tiles|$N|--layer|RvA/RvTiles|--area|1,2:4,5", ""},
	{"set-layer|RvA/RvTiles|--name|R$N|--color|#ff8000", ""},
	{"move-group|RvA|0", ""},
	{"set-point|rvpos|1|--time|1800|--curve|smooth", ""},
	{"rename-image|rvimg|image$N", ""},
	{"shrink", ""},
	{"optimize", ""},
	{"paste-group|other.map|RvA|--at|0", ""},
	{"remove-unused", ""},
	{"draw-tiles|3|4|7 8x 9r|--layer|RvA/RvTiles", ""},
	{"replace-tiles|5|6|--layer|RvA/RvTiles", ""},
	{"mirror-tiles|up-down|--layer|RvA/RvTiles", ""}, {"rotate-tiles|90|--layer|RvA/RvTiles", ""},
	{"shift-tiles|2|1|--layer|RvA/RvTiles", ""}, {"border|RvA/RvTiles", ""}, {"zero-unused", ""},
	{"add-layer|tiles|--group|RvB|--name|More|--image|rvimg", ""}, {"add-layer|quads|--group|RvB", ""},
	{"remove-layers|RvA/RvTiles", ""}, {"duplicate-layers|RvA/RvTiles", ""},
	{"add-group|RvC|--at|0", ""}, {"remove-groups|RvB", ""}, {"duplicate-group|RvB", ""},
	{"set-group|RvA|--parallax|$N,20", ""}, {"rename-layer|RvA/RvTiles|R$N", ""}, {"rename-group|RvA|G$N", ""},
	{"isolate-physics", ""},
	{"add-image|img$N|other.png", ""}, {"rename-image|rvimg|grass_main|then|externalize-images|grass_main|--mapres|mapres", ""},
	{"rename-image|rvimg|grass_main|then|externalize-images|grass_main|--mapres|mapres|then|" +
		"embed-images|grass_main|--mapres|mapres", ""}, {"remove-images|rvimg", ""},
	{"add-external-images|sun|moon", ""},
	{"remove-unused|--images", ""}, {"move-image|rvimg|0", ""}, {"sort-images", ""}, {"merge-images", ""}, {"dilate-images", ""},
	{"optimize-images", ""},
	{"add-sound|snd$N|rv.opus", ""}, {"replace-sound|rvsnd|rv.opus", ""}, {"rename-sound|rvsnd|s$N", ""}, {"remove-sounds|rvsnd", ""},
	{"remove-unused|--sounds", ""}, {"move-sound|rvsnd|0", ""}, {"add-source|RvA/RvSnd|--at|640,3$N|--radius|500", ""},
	{"set-source|RvA/RvSnd|--loop=false|--delay|3", ""},
	{"add-envelope|color|c$N|--point|0:1,1,1,1|--point|2000:1,0,0,1", ""}, {"remove-envelopes|rvpos", ""},
	{"remove-unused|--envelopes", ""}, {"paste-envelopes|other.map", ""},
	{"move-envelope|rvpos|0", ""}, {"duplicate-envelope|rvpos|e$N", ""}, {"synchronize-envelopes|rvpos", ""},
	{"add-point|rvpos|1500|--values|3$N,0,90", ""}, {"remove-points|rvpos|1", ""},
	{"set-automapper|RvA/RvTiles|0|--seed|$N|--rules|rvimg.rules", ""},
	{"automap|--layer|RvA/RvTiles|--config|0|--rules|rvimg.rules|--seed|$N", ""}, {"clear-automapper|--layer|RvA/RvTiles", ""},
	{"tile-art|other.png", ""}, {"quad-art|other.png", ""},
	{"svg-quads|rv.svg", ""}, {"text-quads|Text $N", ""}, {"text-tiles|TEXT $N", ""},
	{"align-quads|RvA/RvQuads", ""}, {"square-quads|RvA/RvQuads", ""}, {"aspect-quads|RvA/RvQuads", ""}, {"center-pivots|RvA/RvQuads", ""},
	{"move-quads|RvA/RvQuads|-32,$N|0", ""}, {"color-quads|RvA/RvQuads|#ffd000|0", ""},
	{"slice-quad|RvA/RvQuads|0|0,0|1,0|1,1|0,1", ""},
}

// prepared are the operations that give a map everything that the edits need.
const prepared = `add-image|rvimg|rv.png|then|add-sound|rvsnd|rv.opus
add-envelope|position|rvpos|--point|0:0,0,0|--point|2000:64,0,0|--point|4000:0,0,0
add-group|RvA|then|add-group|RvB
add-layer|tiles|--group|RvA|--name|RvTiles|--width|20|--height|20|--image|rvimg
set-automapper|RvA/RvTiles|0|--rules|rvimg.rules
fill-tiles|5|--layer|RvA/RvTiles|--area|1,1:4,4
add-layer|quads|--group|RvA|--name|RvQuads|--image|rvimg|then|quad-art|rv.png|--layer|RvA/RvQuads
add-layer|sounds|--group|RvA|--name|RvSnd|--sound|rvsnd|then|add-source|RvA/RvSnd|--radius|90
add-setting|tune gravity 0.55|tune ground_friction 0.9|sv_deepfly 1|tune gravity 0.5
fill-tiles|1|--layer|game|--area|1,1:12,8
fill-tiles|9|--layer|front|--area|1,1:12,8
fill-tiles|26|--number|1|--layer|tele|--area|1,1:6,8|then|fill-tiles|26|--number|90|--layer|tele|--area|7,1:12,8
fill-tiles|22|--number|1|--layer|switch|--area|1,1:12,8
fill-tiles|28|--force|10|--layer|speedup|--area|1,1:12,8
fill-tiles|68|--number|1|--layer|tune|--area|1,1:12,8`

// prepareMap writes a map with everything that the edits need.
func prepareMap(t *testing.T, from, to string) bool {
	try := func(steps ...string) performed {
		p := here(games, append([]string{"edit", "-q", "-f", from, "-o", "next-" + to, "--"}, steps...)...)
		if p.code == exitFine {
			if err := os.Rename("next-"+to, to); err != nil {
				t.Fatal(err)
			}
			from = to
		}
		return p
	}
	try("to-0.6", "--drop")
	for _, kind := range []string{"front", "tele", "speedup", "switch", "tune"} {
		try("add-layer", kind) // it may have the layer
	}
	var words []string
	for line := range strings.Lines(prepared) {
		words = append(append(words, strings.Split(strings.TrimSpace(line), "|")...), "then")
	}
	if p := try(words[:len(words)-1]...); p.code != exitFine {
		t.Logf("%s: %s", from, p.err)
		return false
	}
	return true
}

// TestReviewEdits tests reviews of random edits by every operation on maps: what affects gameplay is never missed, and design is never
// reported as such.
func TestReviewEdits(t *testing.T) {
	dir := t.TempDir()
	burrow := filepath.Join(dir, "burrow.map")
	runOK(t, "pack", "-q", filepath.Join(samplesDir(t), "burrow"), "-o", burrow)
	files := []string{burrow}
	if tests.Long(t) {
		all := tests.CorpusFiles(t, "teeworlds", ".map")
		for i := 0; i < len(all); i += 1 + len(all)/20 {
			if info, err := os.Stat(all[i]); err == nil && info.Size() < 1<<20 {
				path, _ := filepath.Abs(all[i])
				files = append(files, path)
			}
		}
	}
	opus, err := filepath.Abs(filepath.Join(samplesDir(t), "burrow", "sounds", "drips.opus"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	content, err := os.ReadFile(opus)
	if err == nil {
		err = os.WriteFile("rv.opus", content, 0o666)
	}
	if err == nil {
		err = os.WriteFile("rvimg.rules", []byte("[Default]\nIndex 1\n"), 0o666)
	}
	if err == nil {
		err = os.WriteFile("rv.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg"><rect width="8" height="8"/></svg>`), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("mapres", 0o777); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"rv.png", "other.png", "mapres/grass_main.png"} {
		writeSquares(t, name, uint8(i%2*100))
	}
	var maps []string
	for i, from := range files {
		if name := fmt.Sprintf("base%d.map", i); prepareMap(t, from, name) {
			maps = append(maps, name)
		}
	}
	if len(maps) < tests.Of(t, 1, 8) {
		t.Fatalf("%d of %d maps could be prepared", len(maps), len(files))
	}
	runOK(t, "edit", "-q", maps[0], "-o", "other.map", "--", "info", "--author", "x")
	runOK(t, "extract", "-q", maps[0], "-o", "piece", "groups/RvA/*")
	r := rand.New(rand.NewPCG(5, 6))
	for _, kind := range []struct {
		list  []edited
		count int
	}{{cellEdits, tests.Of(t, 12, 100)}, {gameEdits, tests.Of(t, 3, len(gameEdits))}, {designEdits, tests.Of(t, 12, 100)}} {
		for n := range kind.count {
			testReviewOf(t, r, maps[n%len(maps)], kind.list[n%len(kind.list)])
		}
	}
}

// testReviewOf tests the review of one edit.
func testReviewOf(t *testing.T, r *rand.Rand, base string, e edited) {
	x, y := 1+r.IntN(12), 1+r.IntN(8)
	line := strings.NewReplacer("$X", fmt.Sprint(x), "$Y", fmt.Sprint(y), "$N", fmt.Sprint(10+r.IntN(80)), "$BASE", base).Replace(e.line)
	words := append([]string{"edit", "-q", "-f", base, "-o", "new.map", "--"}, strings.Split(line, "|")...)
	if p := here(games, words...); p.code != exitFine {
		t.Errorf("%s: %s: %s", base, line, p.err)
		return
	}
	p := here(games, "review", base, "new.map", "--json", "--allow", "design,errors")
	var got struct {
		Passed bool
		Files  []struct {
			Kinds   []review.Kind
			Decides []struct {
				Path  string
				Count int
				At    []struct{ X, Y int }
			}
		}
	}
	if err := json.Unmarshal([]byte(p.out), &got); err != nil {
		t.Fatalf("%s: %s: %v\n%s%s", base, line, err, p.out, p.err)
	}
	physics := len(got.Files) == 1 && slices.Contains(got.Files[0].Kinds, review.Physics)
	if got.Passed == physics || p.code != map[bool]int{true: exitFine, false: exitFound}[got.Passed] {
		t.Errorf("%s: %s: exit code %d: %s", base, line, p.code, p.out)
	}
	if e.decides == "any" {
		return
	}
	if physics != (e.decides != "") {
		t.Errorf("%s: %s: the game changes: %v\n%s", base, line, physics, p.out)
		return
	}
	switch e.decides {
	case "cell":
		if d := got.Files[0].Decides; len(d) != 1 || d[0].Count != 1 || len(d[0].At) != 1 || d[0].At[0].X != x || d[0].At[0].Y != y {
			t.Errorf("%s: %s: %+v", base, line, d)
		}
	case "setting":
		for _, d := range got.Files[0].Decides {
			if d.Path != "settings" {
				t.Errorf("%s: %s: %+v", base, line, d)
			}
		}
	}
}

// TestReviewOperations tests that the edits of TestReviewEdits have every operation on maps.
func TestReviewOperations(t *testing.T) {
	for _, f := range games.Formats() {
		if f.Decides == nil {
			continue
		}
		for _, c := range editCommands(f) {
			if !slices.ContainsFunc(slices.Concat(cellEdits, gameEdits, designEdits), func(e edited) bool {
				return strings.Contains("|then|"+e.line+"|", "|then|"+c.Name+"|")
			}) {
				t.Errorf("no edit above has the operation %s: add one, to designEdits if it never changes the game", c.Name)
			}
		}
	}
}

// writeSquares writes a picture of 16 x 16 tiles.
func writeSquares(t *testing.T, name string, shade uint8) {
	m := image.NewNRGBA(image.Rect(0, 0, 64, 64))
	for y := range 64 {
		for x := range 64 {
			m.SetNRGBA(x, y, color.NRGBA{uint8(x / 4 * 16), uint8(y / 4 * 16), shade, 0xff})
		}
	}
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, m); err != nil {
		t.Fatal(err)
	}
}
