package worlddir

import (
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"trowel.example/minetest/internal/worldtest"
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

// manyBlocks returns a world of 4096 blocks of a version, in memory.
func manyBlocks(b *testing.B, version int) *World {
	data, err := everything(b, version).EncodeFresh()
	if err != nil {
		b.Fatal(err)
	}
	return memoryWorld(b, func(yield func(mapdb.Block, error) bool) {
		for i := range 4096 {
			x, y, z := mapblock.Coordinates(i)
			if !yield(mapdb.Block{Pos: mapdb.Pos{X: int16(x), Y: int16(y), Z: int16(z)}, Data: data}, nil) {
				return
			}
		}
	})
}

// memoryWorld returns a world with blocks in memory.
func memoryWorld(b *testing.B, blocks iter.Seq2[mapdb.Block, error]) *World {
	w := makeWorld(b, "sqlite")
	db := mapdb.NewMemory()
	if _, err := mapdb.Load(b.Context(), db, blocks); err != nil {
		b.Fatal(err)
	}
	w.Map = db
	return w
}

// BenchmarkOpen formats the texts of all blocks, one after the other.
func BenchmarkOpen(b *testing.B) {
	for name, version := range map[string]int{"28": 28, "29": 29} {
		b.Run(name, func(b *testing.B) {
			w := manyBlocks(b, version)
			for b.Loop() {
				fsys := Open(b.Context(), w, Options{})
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

// BenchmarkBuild builds an SQLite database from the texts of blocks: blocks with content in all sections, and blocks
// that games generated.
func BenchmarkBuild(b *testing.B) {
	b.Run("everything", func(b *testing.B) { benchmarkBuild(b, 4096, manyBlocks(b, 29)) })
	for _, version := range []int{28, 29} {
		b.Run(fmt.Sprintf("real/v%d", version), func(b *testing.B) {
			const n = 20_000
			benchmarkBuild(b, n, memoryWorld(b, worldtest.RealBlocks(b, n, version)))
		})
	}
}

func benchmarkBuild(b *testing.B, n int, w *World) {
	folder := extract(b, Open(b.Context(), w, Options{}))
	dir := b.TempDir()
	for b.Loop() {
		dst := filepath.Join(dir, "world")
		if _, err := Build(b.Context(), dst, os.DirFS(folder), BuildOptions{}); err != nil {
			b.Fatal(err)
		}
		if err := os.RemoveAll(dst); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "blocks/s")
}
