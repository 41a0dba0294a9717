package mapdb

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

// corpusStores are the worlds of the corpus that can be opened directly.
var corpusStores = []struct {
	dir     string
	backend string
	blocks  int
}{
	{"generated/v17-sectors2", Sectors, 0},
	{"generated/v20-sectors2", Sectors, 0},
	{"generated/v22-sqlite", SQLite, 845},
	{"generated/v24-sqlite", SQLite, 2023},
	{"generated/v29-sqlite", SQLite, 3468},
	{"generated/v29-517-sqlite", SQLite, 12288},
	{"generated/v29-leveldb", LevelDB, 0},
	{"generated/golden-v29-by-5.17/v20", SQLite, 605},
	{"generated/golden-v29-by-5.17/v22", SQLite, 845},
	{"generated/golden-v29-by-5.17/v24", SQLite, 2023},
	{"cornernote-mesecons-circuits", SQLite, 12133},
}

// TestCorpus tests that each way of reading reads every world of the corpus completely and without changing it.
func TestCorpus(t *testing.T) {
	root := tests.Corpus(t, "minetest")
	for _, c := range corpusStores {
		dir := filepath.Join(root, c.dir)
		before := snapshot(t, dir)
		db := open(t, dir, Config{Backend: c.backend})
		all, bad := read(t, db)
		n, err := db.Count(t.Context())
		if len(bad) > 0 || err != nil || n != int64(len(all)) || c.blocks > 0 && len(all) != c.blocks || len(all) < 100 {
			t.Errorf("%s: %d blocks, %v, Count %d, %v", c.dir, len(all), bad, n, err)
		}
		positions := 0
		for p, err := range db.Positions(t.Context(), All()) {
			if positions++; err != nil || all[p] == nil {
				t.Fatalf("%s: position %v, %v", c.dir, p, err)
			}
		}
		if positions != len(all) {
			t.Errorf("%s: %d positions, %d blocks", c.dir, positions, len(all))
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		if c.backend == SQLite {
			comparePages(t, dir)
		}
		unchanged(t, dir, before)
		t.Logf("%s: %d blocks", c.dir, len(all))

		// A copy in another kind of store must be identical.
		to := Config{Backend: LevelDB}
		if c.backend == LevelDB {
			to = Config{Backend: SQLite, Schema: SchemaXYZ}
		}
		out := t.TempDir()
		w, err := Create(t.Context(), out, to)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Load(t.Context(), w, open(t, dir, Config{Backend: c.backend}).Blocks(t.Context(), All())); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if again, _ := read(t, open(t, out, to)); !maps.EqualFunc(all, again, bytes.Equal) {
			t.Errorf("%s: the copy has %d blocks", c.dir, len(again))
		}
	}
}

// TestCorpusSame tests that a world that the game migrated between backends has the same blocks in each, including
// its PostgreSQL dump.
func TestCorpusSame(t *testing.T) {
	root := filepath.Join(tests.Corpus(t, "minetest"), "generated")
	want, _ := read(t, open(t, filepath.Join(root, "v29-sqlite"), Config{}))
	level, _ := read(t, open(t, filepath.Join(root, "v29-leveldb"), Config{Backend: LevelDB}))
	equal := 0
	for p, data := range want {
		if bytes.Equal(level[p], data) {
			equal++
		}
	}
	// The game saved 40 blocks again when it ran on one of the backends.
	if len(level) != len(want) || equal != len(want)-40 {
		t.Errorf("%d blocks in SQLite, %d in LevelDB, %d are the same", len(want), len(level), equal)
	}

	f, err := os.Open(filepath.Join(root, "v29-postgres", "dump.sql"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c := Config{Backend: Postgres, Postgres: judge.Postgres(t)}
	w, err := Create(t.Context(), "", c)
	if err != nil {
		t.Fatal(err)
	}
	n, err := Load(t.Context(), w, dumped(t, f))
	if err != nil || n != int64(len(want)) {
		t.Errorf("%d blocks in the dump, %v", n, err)
	}
	w.Close()
	if got, _ := read(t, open(t, "", c)); !maps.EqualFunc(want, got, bytes.Equal) {
		t.Errorf("%d blocks in SQLite, %d in PostgreSQL", len(want), len(got))
	}
}

// dumped yields the blocks of a PostgreSQL dump.
func dumped(t *testing.T, f *os.File) func(yield func(Block, error) bool) {
	return func(yield func(Block, error) bool) {
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		inside := false
		for lines.Scan() {
			fields := strings.Split(lines.Text(), "\t")
			switch {
			case strings.HasPrefix(lines.Text(), "COPY public.blocks "):
				inside = true
			case lines.Text() == `\.`:
				inside = false
			case inside && len(fields) == 4:
				var key [3]int64
				for i := range key {
					key[i] = parse(t, fields[i])
				}
				data, err := hex.DecodeString(strings.TrimPrefix(fields[3], `\\x`))
				if err != nil {
					t.Fatal(err)
				}
				if !yield(Block{Pos{int16(key[0]), int16(key[1]), int16(key[2])}, data}, nil) {
					return
				}
			}
		}
	}
}
