package worlddir

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// realStores returns the databases of blocks in the corpus.
func realStores(t testing.TB) map[string]mapdb.DB {
	t.Helper()
	dir := tests.Corpus(t, "minetest")
	stores := make(map[string]mapdb.DB)
	open := func(name string, c mapdb.Config) {
		db, err := mapdb.Open(t.Context(), filepath.Join(dir, name), c)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		t.Cleanup(func() { db.Close() })
		stores[name] = db
	}
	files, err := filepath.Glob(filepath.Join(dir, "generated", "*", "map.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob(filepath.Join(dir, "generated", "golden*", "*", "map.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, more...) {
		name, _ := filepath.Rel(dir, filepath.Dir(file))
		open(name, mapdb.Config{})
	}
	open("cornernote-mesecons-circuits", mapdb.Config{})
	open("generated/v29-leveldb", mapdb.Config{Backend: mapdb.LevelDB})
	open("generated/v17-sectors2", mapdb.Config{Backend: mapdb.Sectors})
	open("generated/v20-sectors2", mapdb.Config{Backend: mapdb.Sectors})
	single := mapdb.NewMemory()
	blocks, _ := filepath.Glob(filepath.Join(dir, "testdata", "*.bin"))
	more, _ = filepath.Glob(filepath.Join(dir, "testdata", "minetest-go-mapparser", "*"))
	err = single.Update(t.Context(), func(tx mapdb.Tx) error {
		for i, file := range append(blocks, more...) {
			data, err := os.ReadFile(file)
			if err == nil {
				err = tx.Put(mapdb.Pos{X: int16(i)}, data)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	stores["testdata"] = single
	return stores
}

// TestCorpusText tests that every real block round-trips through its text: byte-identical up to version 28, with the
// same content in version 29.
func TestCorpusText(t *testing.T) {
	for name, db := range realStores(t) {
		t.Run(name, func(t *testing.T) {
			var all []mapdb.Block
			for block, err := range db.Blocks(t.Context(), mapdb.All()) {
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, block)
			}
			same := make([]bool, len(all))
			sizes := make([]int, len(all))
			parallel.Each(len(all), func(i int) {
				data, pos := all[i].Data, all[i].Pos
				b, err := mapblock.Decode(data)
				if err != nil {
					t.Logf("%v: %v", pos, err)
					return
				}
				text := BlockText(b, pos)
				sizes[i] = len(text)
				again, err := ParseBlock(text)
				if err != nil {
					t.Errorf("%v: %v\n%s", pos, err, text)
					return
				}
				out, err := again.EncodeFresh()
				if err != nil {
					t.Errorf("%v: %v\n%s", pos, err, text)
					return
				}
				if same[i] = bytes.Equal(out, data); same[i] {
					return
				}
				if want, err := b.EncodeFresh(); err != nil || !bytes.Equal(out, want) {
					t.Errorf("%v: the text gives another block (%v)\n%s", pos, err, text)
				}
			})
			count, size := 0, 0
			for i := range all {
				size += sizes[i]
				if same[i] {
					count++
				}
			}
			t.Logf("%d blocks, %d with identical bytes; %d bytes of text each", len(all), count, size/max(1, len(all)))
		})
	}
}
