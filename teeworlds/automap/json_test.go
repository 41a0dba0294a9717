package automap

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/testing/judge"
	"trowel.example/teeworlds/twmap"
)

// TestJSON tests rules of Teeworlds 0.7 whose result does not depend on chance.
func TestJSON(t *testing.T) {
	for _, c := range []struct{ name, rules, game, before, after string }{
		{"base tile, and rules in place",
			`{"tileset": [{"a": {"basetile": 9, "rules": [
				{"index": 2, "condition": [{"x": -1, "y": 0, "value": "empty"}]},
				{"index": 3, "condition": [{"x": -1, "y": 0, "value": 2}]},
				{"index": 4, "condition": [{"x": 1, "y": 0, "value": "full"}, {"x": -1, "y": 0, "value": -1}, {"x": 0, "y": 0, "value": 9}]},]}}]}`,
			"", ". 1 5X 7 1", ". 2 3 4 4"},
		{"the edge repeats the tiles at it",
			`{"tileset": [{"a": {"rules": [{"index": 2, "condition": [{"x": 0, "y": -1, "value": "empty"}]}]}}]}`,
			"", "7 . 7\n7 7 7", "1 . 1\n1 2 1"},
		{"flags",
			`{"tileset": [{"a": {"rules": [{"index": 2, "hflip": 1}]}}]}`, "", "1Y", "2X"},
		{"flags of a turned tile",
			`{"tileset": [{"a": {"rules": [{"index": 2, "rotate": 90, "hflip": 1}]}}]}`, "", "1", "2YR"},
		{"270 degrees and both flips",
			`{"tileset": [{"a": {"rules": [{"index": 2, "rotate": 270, "hflip": 1, "vflip": 1}]}}]}`, "", "1", "2R"},
		{"no rules, no change", `{"tileset": [{"a": {"rules": []}}]}`, "", "5", "5"},
		{"a rule that removes tiles", `{"tileset": [{"a": {"rules": [{"index": 0, "condition": []}, {"index": 3, "random": 0}]}}]}`,
			"", "5", "3"},
		{"floor", `{"doodads": [{"a": {"rules": [{"startid": 20, "endid": 37, "ry": -2}]}}]}`,
			". . . . . . .\n. . . . . . .\n. . . . . . .\n. 1 1 1 1 1 .\n. . . . . . .",
			"9 . . . . . .\n. . . . . . .\n. . . . . . .\n. . . . . . .\n. . . . . . .",
			". . . . . . .\n. 20 21 20 21 . .\n. 36 37 36 37 . .\n. . . . . . .\n. . . . . . ."},
		{"ceiling with both flips",
			`{"doodads": [{"a": {"rules": [{"startid": 20, "endid": 37, "hflip": 1, "vflip": 1, "location": "ceiling"}]}}]}`,
			". . . . .\n. 1 1 1 .\n. . . . .\n. . . . .\n. . . . .", ". . . . .\n. . . . .\n. . . . .\n. . . . .\n. . . . .",
			". . . . .\n. . . . .\n. 37XY 36XY . .\n. 21XY 20XY . .\n. . . . ."},
		{"both walls",
			`{"doodads": [{"a": {"rules": [{"startid": 20, "endid": 21, "location": "walls"}]}}]}`,
			". . . . . . .\n. . . 1 . . .\n. . . 1 . . .\n. . . 1 . . .\n. . . . . . .",
			". . . . . . .\n. . . . . . .\n. . . . . . .\n. . . . . . .\n. . . . . . .",
			". . . . . . .\n. 21X 20X . 20 21 .\n. . . . . . .\n. 21X 20X . 20 21 .\n. . . . . . ."},
		{"narrow doodads are below wide ones, short edges have none",
			`{"doodads": [{"a": {"rules": [{"startid": 30, "endid": 32, "ry": -1}, {"startid": 5, "endid": 5, "ry": -1}]}}]}`,
			". . . . . . . .\n. . . . . . . .\n. 1 1 1 . 1 1 .\n. . . . . . . .",
			". . . . . . . .\n. . . . . . . .\n. . . . . . . .\n. . . . . . . .",
			". . . . . . . .\n. 30 31 32 . . . .\n. . . . . . . .\n. . . . . . . ."},
	} {
		t.Run(c.name, func(t *testing.T) {
			rules := ParseJSON([]byte(c.rules), func(f check.Finding) { t.Error(f) })
			l := layerOf(twmap.KindTiles, c.before)
			o := Options{Seed: 3}
			if c.game != "" {
				o.Game = layerOf(twmap.KindGame, c.game)
			}
			if _, err := rules.Run(context.Background(), l, o); err != nil {
				t.Fatal(err)
			}
			if got, want := textOf(l), textOf(layerOf(twmap.KindTiles, c.after)); got != want {
				t.Errorf("%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestJSONChance tests that chance depends on the seed only, and has about the stated probability.
func TestJSONChance(t *testing.T) {
	rules := ParseJSON([]byte(`{"tileset": [{"a": {"rules": [{"index": 2, "random": 4}]}}]}`), nil)
	count := func(seed int32) (n int, text string) {
		l := layerOf(twmap.KindTiles, strings.Repeat(strings.Repeat("1 ", 100)+"\n", 100))
		if _, err := rules.Run(context.Background(), l, Options{Seed: seed}); err != nil {
			t.Fatal(err)
		}
		return strings.Count(textOf(l), "2"), textOf(l)
	}
	n, text := count(7)
	if _, again := count(7); again != text || n < 2200 || n > 2800 {
		t.Errorf("%d of 10000 tiles, the same again: %v", n, again == text)
	}
	if _, other := count(8); other == text {
		t.Error("two seeds give the same tiles")
	}
}

// TestRareDoodads tests that rare doodads do not overlap, and that a larger amount draws more of them.
func TestRareDoodads(t *testing.T) {
	rules := ParseJSON([]byte(`{"doodads": [{"a": {"rules": [
		{"startid": 20, "endid": 22, "ry": -1, "random": 10}, {"startid": 40, "endid": 41, "ry": -1, "random": 10}]}}]}`), nil)
	empty := strings.Repeat(strings.Repeat(". ", 300)+"\n", 4)
	game := layerOf(twmap.KindGame, strings.Replace(empty, strings.Repeat(". ", 300)+"\n"+strings.Repeat(". ", 300)+"\n"+
		strings.Repeat(". ", 300)+"\n", strings.Repeat(". ", 300)+"\n"+strings.Repeat(". ", 300)+"\n"+strings.Repeat("1 ", 300)+"\n", 1))
	drawn := make(map[int]int)
	for _, amount := range []int{1, 100} {
		l := layerOf(twmap.KindTiles, empty)
		if _, err := rules.Run(context.Background(), l, Options{Seed: 5, Game: game, Amount: amount}); err != nil {
			t.Fatal(err)
		}
		words := strings.Fields(strings.Split(textOf(l), "\n")[1])
		for i := 0; i < len(words); i++ {
			switch {
			case words[i] == ".":
			case words[i] == "20" && i+2 < len(words) && words[i+1] == "21" && words[i+2] == "22":
				i += 2
				drawn[amount]++
			case words[i] == "40" && i+1 < len(words) && words[i+1] == "41":
				i++
				drawn[amount]++
			default:
				t.Fatalf("%d: overlapping doodads: %q", amount, words[i:])
			}
		}
	}
	if drawn[1] == 0 || drawn[100] <= drawn[1] {
		t.Errorf("%v doodads", drawn)
	}
}

func TestJSONRefused(t *testing.T) {
	rules := ParseJSON([]byte(`{"doodads": [{"a": {"rules": [{"startid": 1}]}}]}`), nil)
	tiles := ParseJSON([]byte(`{"tileset": [{"a": {"rules": [{"index": 1}]}}]}`), nil)
	l, game := twmap.NewTileLayer(twmap.KindTiles, 4, 3), twmap.NewTileLayer(twmap.KindGame, 4, 3)
	for _, c := range []struct {
		rules *Rules
		layer *twmap.TileLayer
		o     Options
		want  string
	}{
		{rules, l, Options{}, "a game layer of the same size"},
		{rules, l, Options{Game: twmap.NewTileLayer(twmap.KindGame, 3, 4)}, "a game layer of the same size"},
		{rules, game, Options{Game: game, Physics: true}, "drawn in design layers"},
		{rules, l, Options{Game: game, Amount: 101}, "amount 101"},
		{tiles, l, Options{Game: game, Reference: ReferenceGame}, "use no reference"},
	} {
		if _, err := c.rules.Run(context.Background(), c.layer, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", c.o, err, c.want)
		}
	}
	if _, err := rules.Run(context.Background(), l, Options{Game: game}); err != nil {
		t.Error(err)
	}
}

// TestPhysics tests rules in physics layers: other fields are kept, and flags where a tile has them.
func TestPhysics(t *testing.T) {
	rules := ParseRules([]byte("[a]\nIndex 27 XFLIP\nPos 0 0 INDEX 26\nIndex 26 ROTATE\nNoDefaultRule\nPos 0 0 EMPTY\nPos -1 0 INDEX 26\n"+
		"Index 0 YFLIP\nPos 0 0 INDEX 9"), nil)
	run := func(l *twmap.TileLayer) Result {
		t.Helper()
		if _, err := rules.Run(context.Background(), l, Options{Seed: 1}); err == nil {
			t.Error("a physics layer is drawn without Physics")
		}
		result, err := rules.Run(context.Background(), l, Options{Seed: 1, Physics: true})
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	for _, kind := range []twmap.Kind{twmap.KindGame, twmap.KindFront} {
		l := layerOf(kind, "26 . 9 5Y")
		if r := run(l); l.Kind() != kind || r.Changed != 3 || textOf(l) != textOf(layerOf(kind, "27X 26R . 5Y")) {
			t.Errorf("%v: %s, %+v", kind, textOf(l), r)
		}
	}
	tele := twmap.NewTileLayer(twmap.KindTele, 4, 1)
	for x, id := range []uint8{26, 0, 9, 5} {
		tele.Teles().Set(x, 0, twmap.TeleTile{Number: 7, ID: id})
	}
	run(tele)
	if got, _ := tele.Teles().Cells(); !slices.Equal(got, []twmap.TeleTile{{Number: 7, ID: 27}, {Number: 7, ID: 26}, {}, {Number: 7, ID: 5}}) {
		t.Errorf("%v", got)
	}
	switches := twmap.NewTileLayer(twmap.KindSwitch, 4, 1)
	for x, id := range []uint8{26, 0, 9, 5} {
		switches.Switches().Set(x, 0, twmap.SwitchTile{Number: 7, Delay: 3, ID: id, Flags: twmap.FlipY})
	}
	run(switches)
	if got, _ := switches.Switches().Cells(); !slices.Equal(got, []twmap.SwitchTile{{Number: 7, Delay: 3, ID: 27, Flags: twmap.FlipX},
		{Number: 7, Delay: 3, ID: 26, Flags: twmap.Rotate}, {}, {Number: 7, Delay: 3, ID: 5, Flags: twmap.FlipY}}) {
		t.Errorf("%v", got)
	}
	for _, kind := range []twmap.Kind{twmap.KindSpeedup, twmap.KindTune} {
		run(twmap.NewTileLayer(kind, 3, 3))
	}
}

func TestJSONFindings(t *testing.T) {
	const (
		value = "tw-rules-json-value line 1: "
		rule  = `{"tileset": [{"a": {"rules": [`
	)
	const ok = rule + `{"index": 1, "condition": [{"x": 0, "y": 1, "value": "full"},],},]}}]}`
	many := strings.Repeat("{},", 257)
	for text, want := range map[string]string{
		ok:            "",
		"\ufeff" + ok: "",
		`{"tileset": [{"caf` + "\xe9" + `": {"rules": []}}]}`: "",
		"":                                           "tw-rules-json line 1: invalid JSON: the end of the file: expected a value",
		"{\n\"tileset\": [}":                         "tw-rules-json line 2: ",
		ok + "\n{":                                   "tw-rules-json line 2: invalid JSON: text after the end of the JSON value",
		"[]":                                         value + "expected an object, { ... }: the game reads nothing from it",
		`{"tileset": {}}`:                            "tw-rules-json line 1: expected tileset or doodads, a list",
		`{"tileset": [1]}`:                           value + "expected an object with one member",
		`{"tileset": [{"a": 1}]}`:                    value + "expected an object, { ... }",
		"{\"tileset\": [],\n\"doodads\": []}":        "tw-rules-json-value line 2: doodads: the game reads only tileset",
		rule + "]}},\n{\"a\":{\"rules\":[]}}]}":      `tw-rules-section-twice line 2: "a" is the name of the section in line 1, too`,
		rule + `{"Index": 1}]}}]}`:                   value + `"Index": the game ignores it; did you mean "index"?`,
		rule + `{"index": 256}]}}]}`:                 value + "index 256: expected 0 to 255: the game reads 255",
		rule + `{"index": 4294967296}]}}]}`:          value + "index 4294967296: expected 0 to 255: the game reads 0",
		rule + `{"index": 1.5}]}}]}`:                 value + "index: expected a whole number: the game reads 1",
		rule + `{"index": 1, "index": 2}]}}]}`:       value + `"index" is in the object twice`,
		rule + `{"rotate": 45}]}}]}`:                 value + "rotate 45: expected 90, 180 or 270",
		rule + `{"condition": 1}]}}]}`:               value + "condition: expected a list",
		rule + `{"condition": [{"x": 1}]}]}}]}`:      value + "value: expected empty, full",
		rule + `{"condition": [{"value":"x"}]}]}}]}`: value + `value "x": expected empty, full`,
		rule + `` + many + `]}}]}`:                   value + "rule 257: the game reads 256",
		`{"doodads": [{"a": {"rules": [{"startid": 5, "endid": 4}]}}]}`:      value + "startid 5 is above endid 4",
		`{"doodads": [{"a": {"rules": [{"location": "wall"}]}}]}`:            value + "location: expected floor, ceiling, walls",
		`{"tileset": [{"` + strings.Repeat("x", 128) + `": {"rules": []}}]}`: value + "a name of 128 bytes",
		strings.Repeat("[", 1000): "tw-rules-json line 1: invalid JSON: more than 200 levels",
	} {
		var got []string
		ParseJSON([]byte(text), func(f check.Finding) { got = append(got, fmt.Sprintf("%s %s: %s", f.ID, f.Path, f.Message)) })
		if want == "" && got != nil || want != "" && (got == nil || !strings.HasPrefix(got[0], want)) {
			t.Errorf("%.80s: %q, want %q", text, got, want)
		}
	}
}

// installed returns the rules that an installed Teeworlds 0.7 has.
func installed(t testing.TB) map[string][]byte {
	paths, _ := filepath.Glob("/usr/share/games/teeworlds/data/editor/automap/*.json")
	if len(paths) == 0 {
		t.Skip("no Teeworlds 0.7 is installed")
	}
	files := make(map[string][]byte)
	for _, path := range paths {
		data := judge.Read(t, path)
		files[filepath.Base(path)] = data
	}
	return files
}

// TestInstalled tests that the rules of the game are recognised and drawn, and that only their real problems are
// reported.
func TestInstalled(t *testing.T) {
	game := twmap.NewTileLayerOf(twmap.KindGame, twmap.NewGridOf(60, 40, blob(rand.New(rand.NewPCG(1, 2)), 60, 40, []uint8{1})))
	for name, data := range installed(t) {
		if !RecognizeJSON(data[:256]) {
			t.Errorf("%s: not recognised", name)
		}
		var found []string
		rules := ParseJSON(data, func(f check.Finding) { found = append(found, f.Message) })
		if len(rules.sections) == 0 {
			t.Errorf("%s: no section", name)
		}
		for _, f := range found {
			if f != `"Location": the game ignores it; did you mean "location"?` {
				t.Errorf("%s: %s", name, f)
			}
		}
		for i := range rules.sections {
			l := twmap.NewTileLayerOf(twmap.KindTiles, twmap.NewGridOf(60, 40, blob(rand.New(rand.NewPCG(1, 2)), 60, 40, []uint8{1})))
			if r, err := rules.Run(context.Background(), l, Options{Section: i, Seed: 2, Game: game}); err != nil || r.Changed == 0 {
				t.Errorf("%s: %+v, %v", name, r, err)
			}
		}
	}
}

func FuzzParseJSON(f *testing.F) {
	f.Add([]byte(`{"tileset": [{"a": {"basetile": 3, "rules": [{"index": 2, "random": 3, "rotate": 90, "hflip": 1, "vflip": 1,
		"condition": [{"x": -1, "y": 99999, "value": "empty"}, {"x": 0, "y": 0, "value": 7},]}]}}]}`))
	f.Add([]byte(`{"doodads": [{"a": {"rules": [{"startid": 5, "endid": 255, "rx": -9, "ry": 2147483647, "location": "walls"},
		{"startid": 1, "endid": 2, "random": 2, "hflip": 1, "location": "ceiling"}, {"random": 30}]}}]}`))
	for _, path := range []string{"grass_main.json", "grass_doodads.json"} {
		if data, err := os.ReadFile("/usr/share/games/teeworlds/data/editor/automap/" + path); err == nil {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		rules := ParseJSON(data, func(f check.Finding) {
			if line, ok := f.At[0].(check.Line); !ok || line.Line < 1 {
				t.Errorf("%v", f)
			}
		})
		random := rand.New(rand.NewPCG(1, 1))
		for i := range min(len(rules.sections), 4) {
			l := twmap.NewTileLayerOf(twmap.KindTiles, twmap.NewGridOf(12, 9, blob(random, 12, 9, []uint8{1, 2, 7})))
			game := twmap.NewTileLayerOf(twmap.KindGame, twmap.NewGridOf(12, 9, blob(random, 12, 9, []uint8{1})))
			if _, err := rules.Run(context.Background(), l, Options{Section: i, Seed: 7, Game: game, Amount: 100}); err != nil {
				t.Fatal(err)
			}
		}
	})
}
