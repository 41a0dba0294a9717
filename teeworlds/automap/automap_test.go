package automap

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/limits/effort"
	"trowel.example/teeworlds/twmap"
)

// hash returns the pseudo-random number below 65536 of DDNet's automapper for a seed, run, rule, x and y.
func hash(values ...uint32) uint32 { return mix(add(1, values...)*31) % 65536 }

// TestHash compares the hash with results of DDNet's own code.
func TestHash(t *testing.T) {
	for n, want := range map[uint32]uint32{0: 69681622, 1: 4057983209, 2: 3237000519, 4294967295: 0} {
		if got := mix(n); got != want {
			t.Errorf("mix(%d) = %d, want %d", n, got, want)
		}
	}
	for v, want := range map[[5]uint32]uint32{
		{1, 0, 0, 0, 0}: 32138, {1, 0, 0, 1, 0}: 2528, {1, 0, 0, 0, 1}: 63082, {1, 1, 0, 0, 0}: 56432, {1, 0, 1, 0, 0}: 2562,
		{42, 2, 7, 100, 50}: 20783, {12345, 1, 2, 30, 40}: 40722, {1000000000, 0, 3, 999, 999}: 7943,
	} {
		if got := hash(v[:]...); got != want {
			t.Errorf("hash(%v) = %d, want %d", v, got, want)
		}
	}
}

// layerOf reads tiles such as "7XR": a number, and letters for flags. A dot is air.
func layerOf(kind twmap.Kind, text string) *twmap.TileLayer {
	var cells []twmap.Tile
	rows := strings.Split(strings.TrimSpace(text), "\n")
	for _, row := range rows {
		for _, word := range strings.Fields(row) {
			var c twmap.Tile
			fmt.Sscanf(word, "%d", &c.ID)
			for i, letter := range "XYOR" {
				if strings.ContainsRune(word, letter) {
					c.Flags |= 1 << i
				}
			}
			cells = append(cells, c)
		}
	}
	return twmap.NewTileLayerOf(kind, twmap.NewGridOf(len(cells)/len(rows), len(rows), cells))
}

func textOf(l *twmap.TileLayer) string {
	var rows []string
	for _, row := range l.Tiles().Rows() {
		var words []string
		for _, c := range row {
			word := "."
			if c.ID != 0 || c.Flags != 0 {
				word = fmt.Sprint(c.ID)
			}
			for i, letter := range "XYOR" {
				if c.Flags&(1<<i) != 0 {
					word += string(letter)
				}
			}
			words = append(words, word)
		}
		rows = append(rows, strings.Join(words, " "))
	}
	return strings.Join(rows, "\n")
}

// TestByHand tests layers whose results were worked out manually.
func TestByHand(t *testing.T) {
	const ground = "1 1 1\n1 . 1\n1 1 ."
	for _, c := range []struct {
		name, rules, before, after string
		reference                  Reference
		game                       string
	}{
		{name: "the default rule leaves air alone", rules: "Index 7", before: ground, after: "7 7 7\n7 . 7\n7 7 ."},
		{name: "without it air becomes a tile", rules: "Index 7\nNoDefaultRule", before: ground, after: "7 7 7\n7 7 7\n7 7 7"},
		{name: "so it does where air is asked for", rules: "Index 7\nPos 0 0 EMPTY", before: ground, after: "1 1 1\n1 7 1\n1 1 7"},
		{name: "only the first Pos of the place itself counts for that",
			rules: "Index 7\nPos 0 0 INDEX 0 OR 1\nPos 0 0 INDEX 1", before: ground, after: "7 7 7\n7 . 7\n7 7 ."},
		{name: "air or a tile", rules: "Index 7\nPos 0 0 INDEX 0 OR 1", before: "1 2 .", after: "7 2 7"},
		{name: "FULL holds outside, EMPTY does not", rules: "Index 2\nPos -1 0 FULL\nIndex 3\nPos -1 0 EMPTY",
			before: "1 . 1 1", after: "2 . 3 2"},
		{name: "outside is -1",
			rules:  "Index 2\nPos -1 0 INDEX -1\nIndex 3\nPos 0 1 INDEX -1 OR 0\nIndex 4\nPos 1 0 NOTINDEX -1",
			before: "1 1\n1 .", after: "4 3\n4 ."},
		{name: "the last rule wins, and none sees another",
			rules: "Index 2\nIndex 3\nPos 0 0 INDEX 2\nIndex 4\nPos 1 0 INDEX 1", before: "1 1 2", after: "4 2 3"},
		{name: "the next run sees it", rules: "Index 2\nNewRun\nIndex 3\nPos 0 0 INDEX 2\nPos 1 0 FULL", before: "1 1 .", after: "3 2 ."},
		{name: "without a copy all see all",
			rules: "NoLayerCopy\nIndex 2\nPos -1 0 NOTINDEX 2\nIndex 3\nPos 0 0 INDEX 2\nPos -1 0 INDEX 1", before: "1 1 1 1",
			after: "2 1 3 2"},
		{name: "NoLayerCopy is of its run only",
			rules: "Index 2\nPos -1 0 NOTINDEX 2\nNoLayerCopy\nNewRun\nIndex 3\nPos 1 0 INDEX -1", before: "1 1 1",
			after: "2 1 3"},
		{name: "flags of what is written",
			rules: "Index 7 XFLIP YFLIP ROTATE\nPos 0 0 INDEX 1\nIndex 8 NONE ROTATE\nPos 0 0 INDEX 2\nIndex 9 OR XFLIP # " +
				"ROTATE\nPos 0 0 INDEX 3", before: "1O 2 3", after: "7XYR 8R 9X"},
		{name: "index and a comment that counts as a flag", rules: "Index 9 # XFLIP", before: "1", after: "9X"},
		{name: "flags that are asked for",
			rules: "Index 7\nPos 0 0 INDEX 1 XFLIP\nIndex 8\nPos 0 0 INDEX 1 NONE\nIndex 9\nPos 0 0 INDEX 1 XFLIP ROTATE OR 2 " +
				"ROTATE",
			before: "1 1X 1XR 1XYR 2 2R 2OR", after: "8 7 9 1XYR 2 9 9"},
		{name: "any flags", rules: "Index 7\nPos 0 0 INDEX 1 OR 2 YFLIP XFLIP OR 3", before: "1R 2 2XY 3Y", after: "7 2 7 7"},
		{name: "what follows NONE XFLIP is not read", rules: "Index 7\nPos 0 0 INDEX 1 NONE XFLIP OR 2", before: "1 1X 2", after: "7 1X 2"},
		{name: "what follows two words of nonsense is not read", rules: "Index 7\nPos 0 0 INDEX 1 so what OR 2",
			before: "1 1X 2", after: "7 7 2"},
		{name: "one word of nonsense, and on", rules: "Index 7\nPos 0 0 INDEX 1 so OR 2", before: "1 1X 2", after: "7 7 7"},
		{name: "nonsense after a flag", rules: "Index 7\nPos 0 0 INDEX 1 XFLIP so ROTATE OR 2", before: "1X 1XR 2", after: "1X 7 7"},
		{name: "a fourth word ends", rules: "Index 7\nPos 0 0 INDEX 1 XFLIP YFLIP ROTATE XFLIP OR 2", before: "1XYR 2", after: "7 2"},
		{name: "NOTINDEX of several", rules: "Index 7\nPos 1 0 NOTINDEX 1 OR 2 XFLIP", before: "3 1 3 2 3 2X 3", after: "3 7 7 7 3 7 7"},
		{name: "an unknown Pos is no condition", rules: "Index 7\nPos 0 0 5\nPos 1 0 FULL", before: "1 1 .", after: "7 1 ."},
		{name: "numbers are cut to a byte", rules: "Index 263", before: "1", after: "7"},
		{name: "modulo", rules: "Index 7\nModulo 2 2\nModulo 3 1 1 0", before: "1 1 1 1 1 1\n1 1 1 1 1 1", after: "7 1 7 1 7 7\n1 1 7 1 1 7"},
		{name: "modulo by 0 is by 1", rules: "Index 7\nModulo 0 2 0 1", before: "1 1\n1 1", after: "1 1\n7 7"},
		{name: "modulo by a negative number", rules: "Index 7\nModulo -2 1 -1 0", before: "1 1 1", after: "1 7 1"},
		{name: "random: never and always",
			rules: "Index 7\nRandom 0%\nPos 0 0 INDEX 1\nIndex 8\nRandom 0\nPos 0 0 INDEX 2\nIndex 9\nRandom 7\nRandom " +
				"100%\nPos 0 0 INDEX 3", before: "1 2 3", after: "1 8 9"},
		// 32138, 2528 and 63082 are the hashes of 0,0, of 1,0 and of 0,1; the limit for a probability of one half is
		// 32768.
		{name: "random: one of two", rules: "Index 7\nRandom 2", before: "1 1\n1 .", after: "7 7\n1 ."},
		{name: "random: a quarter", rules: "Index 7\nRandom 25%", before: "1 1\n1 .", after: "1 7\n1 ."},
		{name: "random: a blank before %", rules: "Index 7\nRandom 2 %", before: "1 1\n1 .", after: "7 7\n1 ."},
		{name: "random: 0.8 and 0.97", rules: "Index 7\nRandom .97e2%", before: "1\n1", after: "7\n7"},
		// The hash for the second rule is 2562, and that for the first rule in the second run is 56432.
		{name: "random: by rule and by run",
			rules: "Index 7\nPos 0 0 INDEX 9\nIndex 8\nRandom 3.91%\nNewRun\nIndex 6\nRandom 86.2%", before: "1", after: "6"},
		{name: "random: by run", rules: "NewRun\nIndex 6\nRandom 86%", before: "1", after: "1"},
		{name: "a rule continues in the next section", rules: "Index 7\n[next]\nPos 0 0 INDEX 2\nIndex 8", before: "1 2", after: "1 7"},
		{name: "a rule continues in the next run", rules: "Index 7\nNewRun\nRandom 0%\nIndex 8\nPos 0 0 INDEX 2", before: "1 2", after: "1 8"},
		{name: "no blank needed", rules: "Index7XFLIP\nPos+1-0EMPTY", before: "1 .", after: "7X ."},
		{name: "what is ignored",
			rules: "\tIndex 9\n Index 9\n#Index 9\nindex 9\n\nIndex 7\r\nInd\rex 9\nIndex 9\x01\n\xff\nPos 0 0 INDEX " +
				"1\nNoDefault\nPos 0 0 EMPTY\x7f", before: "1 .", after: "7 ."},

		{name: "a reference takes the place of the layer", reference: ReferenceGame, game: "1 . 3", rules: "Index 7",
			before: ". 1 .", after: "7 . 7"},
		{name: "only some of its tiles", reference: ReferenceUnhookable, game: "1 . 3", rules: "Index 7", before: "1 1 .", after: ". . 7"},
		{name: "what goes has the flags of the first rule", reference: ReferenceFreeze, game: "1 9",
			rules: "Index 7 XFLIP\nPos 1 0 INDEX 9\nIndex 8\nPos -1 0 EMPTY", before: "1 .", after: "0X 8"},
		{name: "what is written on air goes by the next rule", reference: ReferenceGame, game: ". 1",
			rules: "Index 7\nPos 0 0 EMPTY\nIndex 8 ROTATE", before: ". .", after: "0R 8R"},
		{name: "in the first run only", reference: ReferenceGame, game: "1 .",
			rules: "Index 7\nNewRun\nIndex 8\nPos 0 0 EMPTY", before: ". .", after: "7 8"},
		{name: "beyond the reference is air", reference: ReferenceGame, game: "1", rules: "Index 7\nIndex 8\nPos 1 0 EMPTY",
			before: ". 1\n1 1", after: "8 .\n. ."},
		{name: "a reference without a copy is as wide as the layer, and unfiltered", reference: ReferenceDeath,
			game: "1 . .\n. 1 .", rules: "NoLayerCopy\nIndex 7\nPos 0 0 FULL\nIndex 8\nPos -1 0 INDEX 7",
			before: ". .\n. .\n. .", after: "7 .\n. .\n7 ."},
	} {
		t.Run(c.name, func(t *testing.T) {
			rules := ParseRules([]byte("\ufeff[section]\n"+c.rules), nil)
			l := layerOf(twmap.KindTiles, c.before)
			o := Options{Seed: 1, Reference: c.reference}
			if c.game != "" {
				o.Game = layerOf(twmap.KindGame, c.game)
			}
			result, err := rules.Run(context.Background(), l, o)
			if err != nil {
				t.Fatal(err)
			}
			want := textOf(layerOf(twmap.KindTiles, c.after))
			if got := textOf(l); got != want || result.Seed != 1 || (result.Changed > 0) != (want != textOf(layerOf(twmap.KindTiles, c.before))) {
				t.Errorf("%+v\n%s\nwant\n%s", result, got, want)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	rules := ParseRules([]byte("[good]\nIndex 1\n[bad]\nIndex 1\nPos 1 0 INDEX 5 OR"), nil)
	tiles, game := twmap.NewTileLayer(twmap.KindTiles, 3, 3), twmap.NewTileLayer(twmap.KindGame, 3, 3)
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		ctx   context.Context
		layer *twmap.TileLayer
		o     Options
		want  string
	}{
		{context.Background(), game, Options{}, "a game layer is not drawn by rules"},
		{context.Background(), tiles, Options{Section: 2}, `no section 2: the rules have "good", "bad"`},
		{context.Background(), tiles, Options{Section: -1}, `no section -1: the rules have "good", "bad"`},
		{context.Background(), tiles, Options{Section: 1},
			`section "bad": line 5: Pos: expected the number of a tile: without it the game's behaviour is undefined`},
		{context.Background(), tiles, Options{Reference: 11}, "no reference 11"},
		{context.Background(), tiles, Options{Reference: ReferenceGame}, "a reference needs the game layer"},
		{gone, tiles, Options{}, "context canceled"},
	} {
		if _, err := rules.Run(c.ctx, c.layer, c.o); err == nil || err.Error() != c.want {
			t.Errorf("%+v: %v, want %s", c.o, err, c.want)
		}
	}
	for name, want := range map[string]int{"good": 0, "bad": 1, "0": 0, "1": 1, "2": -1, "-1": -1, "ugly": -1} {
		if i, err := rules.Section(name); (err != nil) != (want < 0) || err == nil && i != want {
			t.Errorf("Section(%q) = %d, %v", name, i, err)
		}
	}
	if got, want := fmt.Sprint(rules.Sections()), "[{good 1 1 1} {bad 3 1 1}]"; got != want {
		t.Errorf("Sections() = %s, want %s", got, want)
	}
}

// TestSeed tests random seeds.
func TestSeed(t *testing.T) {
	rules := ParseRules([]byte("[x]\nIndex 2\nRandom 2"), nil)
	seeds := make(map[int32]bool)
	for range 20 {
		l := layerOf(twmap.KindTiles, strings.Repeat("1 ", 200))
		result, err := rules.Run(context.Background(), l, Options{})
		if err != nil || result.Seed < 1 || result.Seed > MaxSeed {
			t.Fatal(result, err)
		}
		again := layerOf(twmap.KindTiles, strings.Repeat("1 ", 200))
		if _, err := rules.Run(context.Background(), again, Options{Seed: result.Seed}); err != nil || textOf(again) != textOf(l) {
			t.Fatalf("seed %d: other tiles, %v", result.Seed, err)
		}
		seeds[result.Seed] = true
	}
	if len(seeds) < 15 {
		t.Errorf("%d seeds in 20 runs", len(seeds))
	}
}

// TestFindings tests each kind of finding with a line of rules.
func TestFindings(t *testing.T) {
	for text, want := range map[string][]string{
		"[a]\nIndex":                           {"tw-rules-number: line 2: Index: expected the number of a tile"},
		"[a]\nIndex 1\nPos 0 0 INDEX":          {"tw-rules-number: line 3: Pos: expected the number of a tile"},
		"[a]\nIndex 1\nPos 0 0 INDEX 1 OR # x": {"tw-rules-number: line 3: Pos: expected the number of a tile"},
		"[a]\nIndex 1\nRandom often":           {"tw-rules-number: line 3: Random: expected a number"},
		"[a]\nIndex 1\nModulo 3":               {"tw-rules-number: line 3: Modulo: expected two numbers or four"},
		"[a]\n\xff":                            {"tw-rules-line: line 2: the line has invalid UTF-8: the game skips the line"},
		"[a]\r\nx\ry": {"tw-rules-line: line 2: the line has a control character, " +
			"0x0d: the game skips the line"},
		"[a]\nindex 1": {`tw-rules-keyword: line 2: "index" is not a keyword: the game ignores the line`},
		"[a]\nIndexes 1": {`tw-rules-keyword: line 2: "Indexes": the game reads it as Index`,
			"tw-rules-number: line 2: Index: expected the number of a tile"},
		"[a]\n Index 1\n# Index\n just a word": {"tw-rules-indented: line 2: Index follows a blank: the game ignores the line"},
		"Index 1\nNewRun\nPos 0 0 FULL\n[a]": {"tw-rules-misplaced: line 1: Index before a section: the game " +
			"ignores it", "tw-rules-misplaced: line 2: NewRun before a section: the game ignores it",
			"tw-rules-misplaced: line 3: Pos before an Index: the game ignores it"},
		"[a]\nIndex 1\nNewRun\nPos 1 0 FULL": {"tw-rules-misplaced: line 4: Pos before the first Index of a " +
			"run: it belongs to that in line 2"},
		"[a] ":     {`tw-rules-name: line 1: [a] : the last character should be ]: the game reads "a]" as the name`},
		"[a]\n[a]": {`tw-rules-section-twice: line 2: "a" is the name of the section in line 1, too`},
		"[a]\nIndex 256\nPos 0 0 INDEX 300 OR 1": {"tw-rules-index: line 2: Index 256: the game writes tile 0",
			"tw-rules-index: line 3: Pos with tile 300: expected 0 to 255, or -1 for outside of the layer"},
		"[a]\nIndex 1 XFLOP": {`tw-rules-flag: line 2: "XFLOP" is not a flag: the game ignores it`},
		"[a]\nIndex 1 XFLIP YFLIP NONE ROTATE": {"tw-rules-flag: line 2: ROTATE is the fourth word after the " +
			"number: the game reads three"},
		"[a]\nIndex 1\nPos 1 0 INDEX 1 NONE XFLIP OR 2":    {`tw-rules-flag: line 3: the game does not read "XFLIP" and the rest of the line`},
		"[a]\nIndex 1\nPos 1 0 INDEX 1 XFLIP OR 2 so # ok": {`tw-rules-flag: line 3: "so" is not a flag: the game ignores it`},
		"[a]\nIndex 1 # XFLIP\nPos 1 0 INDEX 1 # OR 2": {"tw-rules-comment: line 2: the game also reads XFLIP in a " +
			"comment", "tw-rules-comment: line 3: the game also reads OR in a comment"},
		"[a]\nIndex 1 # as it is\nPos 1 0 INDEX 1 # some OR 2\nPos 1 0 FULL # OR": nil,
		"[a]\nNewRun twice\nIndex 1\nPos 1 0 EMPTY 5": {
			`tw-rules-rest: line 2: "twice": the game ignores it`, `tw-rules-rest: line 4: "5": the game ignores it`},
		"[a]\nIndex 1\nPos 0 0 7\nPos 1 FULL": {"tw-rules-pos: line 3: Pos 0 0 7: " +
			"expected EMPTY, FULL, INDEX or NOTINDEX: the game ignores the line",
			"tw-rules-pos: line 4: Pos without two numbers: the game ignores the line"},
		"[a]\nIndex 1\nRandom 0\nIndex 2\nRandom 50 %\nIndex 3\nRandom 120%": {
			"tw-rules-random: line 3: Random 0 always applies",
			"tw-rules-random: line 5: a blank before %: the game reads it as one in 50",
			"tw-rules-random: line 7: Random 120 always applies"},
		"[a]\nIndex 1\nModulo 0 2 1 1\nModulo 2 2": {
			"tw-rules-modulo: line 3: Modulo 0 2: the game uses 1 instead of 0",
			"tw-rules-modulo: line 4: Modulo without its offset, which is undefined in the game: using 0"},
		"[a]\nIndex 1\nRandom 0%": {"tw-rules-never: line 2: the rule never " +
			"applies: its probability is 0"},
		"[a]\nIndex 1\nPos 1 0 INDEX 1 OR 2 XFLIP\nPos 1 0 INDEX 2 NONE": {"tw-rules-never: line 2: the rule never " +
			"holds: nothing can be at 1 0 that it asks for"},
		"[a]\nIndex 1\nPos 0 0 INDEX -1": {"tw-rules-never: line 2: the rule never " +
			"holds: nothing can be at 0 0 that it asks for"},
		"[a]\nIndex 1\nPos 0 0 INDEX 1\nPos 0 0 EMPTY": {"tw-rules-never: line 2: the rule never " +
			"holds: nothing can be at 0 0 that it asks for"},
		"[a]\nIndex 1\nPos 0 0 NOTINDEX 1\nPos 0 0 EMPTY":         nil,
		"[a]\nIndex 1\nPos 1 0 NOTINDEX 0\nPos 1 0 INDEX -1 OR 0": nil,
	} {
		var got []string
		for _, f := range check.Collect(func(sink check.Sink) { ParseRules([]byte(text), sink) }) {
			got = append(got, fmt.Sprintf("%s: %s: %s", f.ID, f.Path, f.Message))
			if line, ok := f.At[0].(check.Line); !ok || fmt.Sprintf("line %d", line.Line) != f.Path {
				t.Errorf("%q: at %v, path %s", text, f.At, f.Path)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q:\n%s\nwant\n%s", text, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	large := check.Collect(func(sink check.Sink) { ParseRules(make([]byte, effort.RulesFile.Least+1), sink) })
	if large[0].ID != foundLarge.ID {
		t.Errorf("%v", large[0])
	}
}

// slow draws a layer as the format describes it, cell by cell and without preparation.
func slow(s *section, seed uint32, w, h int, layer, game []twmap.Tile, gameWidth, gameHeight, reference int) {
	for number, run := range s.runs {
		filter := number == 0 && reference >= 0
		read := layer
		if filter {
			read = make([]twmap.Tile, w*h)
			copy(read, game)
		}
		if !run.noCopy {
			source, sw, sh := layer, w, h
			if filter {
				source, sw, sh = game, gameWidth, gameHeight
			}
			read = make([]twmap.Tile, w*h)
			for y := range min(h, sh) {
				for x := range min(w, sw) {
					c := source[y*sw+x]
					if filter && reference >= 1 && c.ID != uint8(references[reference+1].tile) {
						c.ID = 0
					}
					read[y*w+x] = c
				}
			}
		}
		for i := range w * h {
			x, y := i%w, i/w
			for n, r := range run.rules {
				if read[i].ID == 0 {
					if layer[i].ID != 0 && filter {
						layer[i].ID, layer[i].Flags = 0, r.tile.Flags
						continue
					} else if r.skipEmpty {
						continue
					}
				}
				if r.skipFull && read[i].ID != 0 {
					continue
				}
				good := true
				for _, c := range r.conditions {
					id, flags := int32(-1), twmap.TileFlags(0)
					if x, y := x+c.x, y+c.y; x >= 0 && y >= 0 && x < w && y < h {
						id, flags = int32(read[y*w+x].ID), read[y*w+x].Flags&turned
					}
					found := false
					for _, m := range c.tiles {
						found = found || m.id == id && (!m.exact || m.flags == flags)
					}
					good = good && found != c.not
				}
				some := len(r.modulos) == 0
				for _, m := range r.modulos {
					some = some || (x+m.offX)%m.x == 0 && (y+m.offY)%m.y == 0
				}
				if good && some && (r.probability >= 1 || float32(hash(seed, uint32(number), uint32(n), uint32(x), uint32(y))) < 65536*r.probability) {
					layer[i].ID, layer[i].Flags = r.tile.ID, r.tile.Flags
				}
			}
		}
	}
}

// randomRules returns rules with few different tiles, so that conditions often hold.
func randomRules(random *rand.Rand) string {
	var b strings.Builder
	flags := []string{"", "", " XFLIP", " YFLIP", " ROTATE", " NONE", " XFLIP ROTATE", " what"}
	b.WriteString("[x]\n")
	for range 1 + random.IntN(12) {
		switch random.IntN(6) {
		case 0:
			b.WriteString("NewRun\n")
		case 1:
			b.WriteString("NoLayerCopy\n")
		}
		fmt.Fprintf(&b, "Index %d%s\n", random.IntN(4), flags[random.IntN(len(flags))])
		for range random.IntN(4) {
			switch what := random.IntN(9); what {
			case 0:
				fmt.Fprintf(&b, "Random %d%%\n", random.IntN(110))
			case 1:
				fmt.Fprintf(&b, "Modulo %d %d %d %d\n", random.IntN(4)-1, random.IntN(4), random.IntN(5)-2, random.IntN(3))
			case 2:
				b.WriteString("NoDefaultRule\n")
			default:
				fmt.Fprintf(&b, "Pos %d %d %s\n", random.IntN(5)-2, random.IntN(5)-2, [...]string{"EMPTY", "FULL", "INDEX", "NOTINDEX"}[what%4])
			}
		}
	}
	text := b.String()
	for strings.Contains(text, "INDEX\n") {
		list := fmt.Sprintf("INDEX %d%s", random.IntN(5)-1, flags[random.IntN(len(flags))])
		for random.IntN(2) == 0 {
			list += fmt.Sprintf(" OR %d%s", random.IntN(5)-1, flags[random.IntN(len(flags))])
		}
		text = strings.Replace(text, "INDEX\n", list+"\n", 1)
	}
	return text
}

func randomCells(random *rand.Rand, n int) []twmap.Tile {
	cells := make([]twmap.Tile, n)
	for i := range cells {
		cells[i] = twmap.Tile{ID: uint8(random.IntN(4)), Flags: twmap.TileFlags(random.IntN(4)) << random.IntN(3)}
	}
	return cells
}

// TestSlow compares the automapper with the slow one, on random rules, layers and references.
func TestSlow(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	changed := 0
	for range 3000 {
		text := randomRules(random)
		rules := ParseRules([]byte(text), nil)
		w, h, gw, gh := 1+random.IntN(7), 1+random.IntN(7), 1+random.IntN(7), 1+random.IntN(7)
		cells, game := randomCells(random, w*h), randomCells(random, gw*gh)
		o := Options{Seed: int32(random.Uint32() | 1), Reference: Reference(max(0, random.IntN(8)-4)),
			Game: twmap.NewTileLayerOf(twmap.KindGame, twmap.NewGridOf(gw, gh, game))}
		l := twmap.NewTileLayerOf(twmap.KindTiles, twmap.NewGridOf(w, h, slices.Clone(cells)))
		result, err := rules.Run(context.Background(), l, o)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		changed += result.Changed
		slow(rules.sections[0], uint32(o.Seed), w, h, cells, game, gw, gh, int(o.Reference)-1)
		if got, _ := l.Tiles().Cells(); !slices.Equal(got, cells) {
			t.Fatalf("%s\n%v\ngot %v\nwant %v", text, o.Reference, got, cells)
		}
	}
	if changed < 10000 {
		t.Errorf("only %d tiles were changed: the test sees little", changed)
	}
}
