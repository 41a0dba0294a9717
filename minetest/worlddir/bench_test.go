package worlddir

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

func BenchmarkBlockText(b *testing.B) {
	block := everything(b, 28)
	for b.Loop() {
		BlockText(block, mapdb.Pos{})
	}
}

func BenchmarkParseBlock(b *testing.B) {
	text := BlockText(everything(b, 28), mapdb.Pos{})
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := ParseBlock(text); err != nil {
			b.Fatal(err)
		}
	}
}

// manyBlocks is a world of 4096 blocks of a version in memory.
func manyBlocks(b *testing.B, version int) *World {
	w := makeWorld(b, "sqlite")
	data, err := everything(b, version).EncodeFresh()
	if err != nil {
		b.Fatal(err)
	}
	db := mapdb.NewMemory()
	err = db.Update(b.Context(), func(tx mapdb.Tx) error {
		for i := range 4096 {
			x, y, z := mapblock.Coordinates(i)
			if err := tx.Put(mapdb.Pos{X: int16(x), Y: int16(y), Z: int16(z)}, data); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	w.Map = db
	return w
}

// BenchmarkOpen makes the texts of all blocks, one after the other.
func BenchmarkOpen(b *testing.B) {
	for name, version := range map[string]int{"28": 28, "29": 29} {
		b.Run(name, func(b *testing.B) {
			w := manyBlocks(b, version)
			for b.Loop() {
				fsys := Open(w, Options{})
				err := fs.WalkDir(fsys, blocksDir, func(name string, d fs.DirEntry, err error) error {
					if err == nil && !d.IsDir() {
						_, err = fs.ReadFile(fsys, name)
					}
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(4096*float64(b.N)/b.Elapsed().Seconds(), "blocks/s")
		})
	}
}

// BenchmarkBuild makes an SQLite database of the texts of blocks.
func BenchmarkBuild(b *testing.B) {
	folder := extract(b, Open(manyBlocks(b, 29), Options{}))
	dir := b.TempDir()
	for n := 0; b.Loop(); n++ {
		dst := filepath.Join(dir, "world")
		if _, err := Build(b.Context(), dst, os.DirFS(folder), BuildOptions{}); err != nil {
			b.Fatal(err)
		}
		if err := os.RemoveAll(dst); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(4096*float64(b.N)/b.Elapsed().Seconds(), "blocks/s")
}
