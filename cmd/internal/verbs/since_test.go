package verbs

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// floor returns a block with one of two kinds of floor.
func floor(t *testing.T, r *rand.Rand) []byte {
	t.Helper()
	b := mapblock.New(29)
	b.Names = []mapblock.NameID{{ID: 0, Name: "air"}, {ID: 1, Name: "a:stone"}, {ID: 2, Name: "a:grass"}}
	height, kind := r.IntN(18), uint16(1+r.IntN(2))
	for i := range b.Param0 {
		if _, y, _ := mapblock.Coordinates(i); y < height {
			b.Param0[i] = kind
		}
	}
	data, err := b.EncodeFresh()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// writeWorld writes a world with the given blocks.
func writeWorld(t *testing.T, dir string, blocks map[mapdb.Pos][]byte) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"world.mt": "gameid = test\nbackend = sqlite3\n",
		"colors.txt": "a:stone 90 90 90\na:grass 60 120 50\n"} {
		judge.Write(t, filepath.Join(dir, name), []byte(text))
	}
	w, err := mapdb.Create(t.Context(), dir, mapdb.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var list []mapdb.Block
	for p, data := range blocks {
		list = append(list, mapdb.Block{Pos: p, Data: data})
	}
	if err := w.Store(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestTilesSince tests that the tiles changed since a manifest, merged with the earlier tiles, are identical to
// the tiles of the current world: drawn in one process or in parts, with or without the earlier tiles in the
// folder.
func TestTilesSince(t *testing.T) {
	tests.NotRaced(t, "draws one pyramid after the other")
	for seed := range tests.Of(t, uint64(1), 4) {
		r := rand.New(rand.NewPCG(seed, 9))
		t.Chdir(t.TempDir())
		blocks := make(map[mapdb.Pos][]byte)
		for range 30 {
			blocks[mapdb.Pos{X: int16(r.IntN(16) - 8), Y: int16(r.IntN(2)), Z: int16(r.IntN(16) - 8)}] = floor(t, r)
		}
		writeWorld(t, filepath.Join("then", "world"), blocks)
		now := maps.Clone(blocks)
		for _, p := range slices.SortedFunc(maps.Keys(blocks), func(a, b mapdb.Pos) int { return int(a.Key() - b.Key()) }) {
			switch edge := seed == 3 && (p.X < -2 || p.Z > 2); { // the world becomes smaller
			case seed == 2: // the world only gains a level
			case edge || r.IntN(20) == 0:
				delete(now, p)
			case r.IntN(20) == 0:
				now[p] = floor(t, r)
			}
		}
		if seed != 3 {
			grown := int16(seed * 12)
			now[mapdb.Pos{X: int16(r.IntN(8)) + grown, Y: 1, Z: int16(r.IntN(8)) - grown}] = floor(t, r)
		}
		writeWorld(t, filepath.Join("now", "world"), now)
		look := []string{"--scale", []string{"9", "7.5", "4", "12"}[seed]}
		if seed == 1 {
			look = append(look, "--view", "iso", "--scale", "5")
		}
		run := func(do func() performed) performed {
			got := do()
			if got.code != 0 {
				t.Fatalf("seed %d: %+v", seed, got)
			}
			return got
		}
		tiles := func(world, dir string, more ...string) []string {
			return slices.Concat([]string{"render", filepath.Join(world, "world"), "--tiles", dir, "--json"}, look, more)
		}
		since := []string{"--since", "old.manifest"}
		run(func() performed { return here(games, "manifest", filepath.Join("then", "world"), "-o", "old.manifest") })
		run(func() performed { return here(games, tiles("now", "want")...) })
		for _, dir := range []string{"old", "full", "kept"} {
			run(func() performed { return here(games, tiles("then", dir)...) })
		}
		want := judge.Files(t, "want")
		pictures := func(dir string) map[string]string {
			all := judge.Files(t, dir)
			delete(all, ".trowel-made")
			return all
		}
		delete(want, ".trowel-made")

		run(func() performed { return here(games, tiles("now", "full", since...)...) })
		sameFiles(t, "over what was", pictures("full"), want)

		for way, made := range map[string]performed{
			"more":                            run(func() performed { return here(games, tiles("now", "more", since...)...) }),
			filepath.Join("output", "kept"):   run(func() performed { return inParts(t, games, nil, tiles("now", "kept", since...)...) }),
			filepath.Join("output", "output"): run(func() performed { return inParts(t, games, nil, tiles("now", "output", since...)...) }),
		} {
			var told []struct{ Tiles struct{ Gone []string } }
			if err := json.Unmarshal([]byte(made.out), &told); err != nil {
				t.Fatal(err, made.out)
			}
			all, few := pictures("old"), pictures(way)
			drawn := 0
			for name := range few {
				if strings.HasPrefix(name, "0/") {
					drawn++
				}
			}
			for name := range want {
				if strings.HasPrefix(name, "0/") {
					drawn--
				}
			}
			if drawn >= 0 {
				t.Errorf("seed %d, %s: all tiles were drawn", seed, way)
			}
			maps.Copy(all, few)
			for _, name := range told[0].Tiles.Gone {
				delete(all, name)
				if few[name] != "" {
					t.Errorf("seed %d, %s: %s is gone, and was made", seed, way, name)
				}
			}
			sameFiles(t, way, all, want)
		}
		sameFiles(t, "in parts", pictures(filepath.Join("output", "output")), pictures("more"))
		sameFiles(t, "in parts that look at what was", pictures(filepath.Join("output", "kept")), pictures("more"))
		sameFiles(t, "what was", pictures("kept"), pictures("old"))
	}
}
