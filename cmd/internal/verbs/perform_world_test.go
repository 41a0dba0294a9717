package verbs

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/testing/seedworld"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/mapdb"
)

// TestWorldInParts tests that the messages about a world processed slab by slab in independent runs are the
// same as in one run, for intact and damaged worlds.
func TestWorldInParts(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	pos, xyz, level := mapdb.Config{Backend: mapdb.SQLite}, mapdb.Config{Backend: mapdb.SQLite, Schema: mapdb.SchemaXYZ},
		mapdb.Config{Backend: mapdb.LevelDB}
	for _, c := range []struct {
		name   string
		config mapdb.Config
		damage func(*testing.T, string, mapdb.Config, int)
	}{
		{"pos, blocks", pos, damageBlocks}, {"pos, file", pos, damageFile}, {"xyz, blocks", xyz, damageBlocks},
		{"leveldb, blocks", level, damageBlocks},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			blocks := tests.Of(t, 24, 300)
			if _, err := seedworld.Make(t.Context(), "w", seedworld.Options{Map: c.config, Blocks: blocks, Seed: 5}); err != nil {
				t.Fatal(err)
			}
			c.damage(t, "w", c.config, blocks)
			for _, line := range []string{
				"check w --json", "check w --area -16,-200,-200:15,200,200 -v", "find w -- node default:s* --by node --json",
				"find w -- item * --by owner --csv",
				"find w -- object *", "find w -- metadata owner --csv", "find w w -- timer * --count", "manifest -k w -o -",
			} {
				words := strings.Fields(line)
				want, got := here(games, words...), inParts(t, games, nil, words...)
				if want != got {
					t.Errorf("%s: in parts it gives\n%.3000s\n%s\n%d, want\n%.3000s\n%s\n%d", line, got.out, got.err, got.code,
						want.out, want.err, want.code)
				}
				if want.out == "" || want.out == "[]\n" {
					t.Errorf("%s: nothing is reported: %s", line, want.err)
				}
			}
		})
	}
}

// damageBlocks writes blocks with unreadable parts to a world.
func damageBlocks(t *testing.T, dir string, config mapdb.Config, blocks int) {
	t.Helper()
	w, err := mapdb.OpenForWriting(t.Context(), dir, config)
	if err != nil {
		t.Fatal(err)
	}
	var put []mapdb.Block
	random := rand.New(rand.NewPCG(3, 4))
	for i := range min(40, blocks/4) {
		pos := seedworld.Pos(random.IntN(blocks), blocks)
		data, err := w.Get(t.Context(), pos)
		if err != nil {
			t.Fatal(err)
		}
		switch i % 4 {
		case 0:
			data = data[:len(data)/2]
		case 1:
			data = append([]byte(nil), data...)
			data[len(data)/2] ^= 0x55
		case 2:
			data = []byte(fmt.Sprint("no block ", i))
		case 3:
			pos = mapdb.Pos{X: int16(random.IntN(4096) - 2048), Y: -2048, Z: int16(random.IntN(4096) - 2048)}
		}
		put = append(put, mapdb.Block{Pos: pos, Data: data})
	}
	if err := w.Store(t.Context(), put); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// damageFile overwrites some pages of an SQLite database.
func damageFile(t *testing.T, dir string, _ mapdb.Config, _ int) {
	t.Helper()
	name := filepath.Join(dir, "map.sqlite")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for at := 5 * 4096; at < len(data); at += 17 * 4096 {
		for i := at; i < min(at+512, len(data)); i++ {
			data[i] ^= 0xa5
		}
	}
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
}
