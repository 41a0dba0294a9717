package automap

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/check"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/twmap"
)

func shipped(t testing.TB) map[string][]byte {
	t.Helper()
	files := make(map[string][]byte)
	for _, path := range tests.CorpusFiles(t, "teeworlds/mapres", ".rules") {
		data := judge.Read(t, path)
		files[filepath.Base(path)] = data
	}
	return files
}

// blob returns a layer of hills and holes, with some of the tiles that the rules use.
func blob(random *rand.Rand, w, h int, ids []uint8) []twmap.Tile {
	solid := make([]bool, w*h)
	for i := range solid {
		solid[i] = random.IntN(100) < 55
	}
	for range 2 { // the majority of its neighbours
		next := make([]bool, w*h)
		for i := range next {
			n := 0
			for y := max(0, i/w-1); y <= min(h-1, i/w+1); y++ {
				for x := max(0, i%w-1); x <= min(w-1, i%w+1); x++ {
					if solid[y*w+x] {
						n++
					}
				}
			}
			next[i] = n > 4
		}
		solid = next
	}
	cells := make([]twmap.Tile, w*h)
	for i := range cells {
		if solid[i] {
			cells[i].ID = 1
			if random.IntN(4) == 0 && len(ids) > 0 {
				cells[i] = twmap.Tile{ID: ids[random.IntN(len(ids))], Flags: twmap.TileFlags([]uint8{0, 0, 1, 2, 3, 8}[random.IntN(6)])}
			}
		}
	}
	return cells
}

// asked returns the tiles that a section reads or writes.
func asked(s *section) (ids []uint8) {
	for _, run := range s.runs {
		for _, r := range run.rules {
			ids = append(ids, r.tile.ID)
			for _, c := range r.conditions {
				for _, m := range c.tiles {
					if m.id > 0 && m.id < 256 {
						ids = append(ids, uint8(m.id))
					}
				}
			}
		}
	}
	return ids
}

// TestShipped runs every section of every file that DDNet ships on a layer made for it, with and without a reference,
// and compares the result with the slow automapper.
func TestShipped(t *testing.T) {
	files := shipped(t)
	if len(files) != 16 {
		t.Errorf("%d files of rules, want 16", len(files))
	}
	sections := 0
	for name, data := range files {
		random := rand.New(rand.NewPCG(uint64(len(data)), 3))
		rules := ParseRules(data, nil)
		for i, s := range rules.sections {
			sections++
			const w, h = 61, 47
			cells, game := blob(random, w, h, asked(s)), blob(random, w, h, []uint8{2, 3, 9})
			written := make(map[uint8]bool)
			for _, reference := range []Reference{NoReference, ReferenceGame, ReferenceUnhookable} {
				l := twmap.NewTileLayerOf(twmap.KindTiles, twmap.NewGridOf(w, h, append([]twmap.Tile(nil), cells...)))
				o := Options{Section: i, Seed: int32(100 + i), Reference: reference,
					Game: twmap.NewTileLayerOf(twmap.KindGame, twmap.NewGridOf(w, h, game))}
				result, err := rules.Run(context.Background(), l, o)
				if err != nil || result.Changed == 0 {
					t.Errorf("%s [%s]: %+v, %v", name, s.name, result, err)
					continue
				}
				want := append([]twmap.Tile(nil), cells...)
				slow(s, uint32(o.Seed), w, h, want, game, w, h, int(reference)-1)
				got, _ := l.Tiles().Cells()
				for i := range got {
					written[got[i].ID] = true
					if got[i] != want[i] {
						t.Fatalf("%s [%s] %v: at %d,%d %v, want %v", name, s.name, reference, i%w, i/w, got[i], want[i])
					}
				}
			}
			if len(written) < 2 {
				t.Errorf("%s [%s]: only %d kinds of tiles", name, s.name, len(written))
			}
		}
	}
	if sections < 30 {
		t.Errorf("%d sections", sections)
	}
	t.Log(sections, "sections")
}

// TestShippedFindings compares the findings in shipped rules with the few real problems.
func TestShippedFindings(t *testing.T) {
	counts := make(map[string]int)
	for name, data := range shipped(t) {
		ParseRules(data, func(f check.Finding) {
			counts[f.ID]++
			t.Log(name, f)
			if f.Severity == check.Error {
				t.Errorf("%s: %v", name, f)
			}
		})
	}
	if counts["tw-rules-pos"] != 9 {
		t.Errorf("%d lines Pos without a meaning, want 9", counts["tw-rules-pos"])
	}
}

func BenchmarkRun(b *testing.B) {
	for name, data := range shipped(b) {
		rules := ParseRules(data, nil)
		for i, s := range rules.Sections() {
			if len(data) < 20000 && i > 0 || i > 2 {
				continue
			}
			b.Run(strings.TrimSuffix(name, ".rules")+"/"+s.Name, func(b *testing.B) {
				const w, h = 1000, 1000
				cells := blob(rand.New(rand.NewPCG(1, 1)), w, h, asked(rules.sections[i]))
				b.ReportAllocs()
				for b.Loop() {
					l := twmap.NewTileLayerOf(twmap.KindTiles, twmap.NewGridOf(w, h, cells))
					if _, err := rules.Run(context.Background(), l, Options{Section: i, Seed: 1}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func FuzzParseRules(f *testing.F) {
	f.Add([]byte("[a]\nNewRun\nNoLayerCopy\nIndex 1 XFLIP\nPos 1 -1 INDEX 1 OR 2 XFLIP ROTATE OR 3 NONE OR -1\nPos 0 0 " +
		"FULL\nRandom 50%\nRandom 3\nModulo 2 3 1 0\nNoDefaultRule\n"))
	f.Add([]byte("\ufeff[a] \r\nIndex 300 # XFLIP\r\nPos 99999999999 0 NOTINDEX 5\r\nRandom 1e99%\nModulo -1 -2147483648\n Index\n"))
	if dir := os.Getenv("TROWEL_CORPUS"); dir != "" {
		paths, _ := filepath.Glob(filepath.Join(dir, "teeworlds/mapres/*/data/editor/automap/*.rules"))
		for _, path := range paths {
			if data, err := os.ReadFile(path); err == nil {
				f.Add(data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		rules := ParseRules(data, func(f check.Finding) {
			if line, ok := f.At[0].(check.Line); !ok || line.Line < 1 {
				t.Errorf("%v", f)
			}
		})
		random := rand.New(rand.NewPCG(1, 1))
		for i, s := range rules.sections {
			if i > 3 || len(asked(s)) > 1000 {
				break
			}
			cells, game := blob(random, 5, 4, asked(s)), blob(random, 4, 6, nil)
			l := twmap.NewTileLayerOf(twmap.KindTiles, twmap.NewGridOf(5, 4, append([]twmap.Tile(nil), cells...)))
			o := Options{Section: i, Seed: 7, Reference: Reference(i % 3), Game: twmap.NewTileLayerOf(twmap.KindGame, twmap.NewGridOf(4, 6, game))}
			if _, err := rules.Run(context.Background(), l, o); err != nil {
				continue
			}
			slow(s, 7, 5, 4, cells, game, 4, 6, i%3-1)
			for j, c := range cells {
				if got := l.Tiles().At(j%5, j/5); got != c {
					t.Fatalf("[%s] at %d,%d: %v, want %v", s.name, j%5, j/5, got, c)
				}
			}
		}
	})
}
