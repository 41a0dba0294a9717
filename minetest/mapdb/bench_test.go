package mapdb

import (
	"bytes"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"testing"

	"trowel.example/internal/testing/judge"
)

// BenchmarkBlocks measures reading all blocks. Its memory use must not depend on the number of blocks.
func BenchmarkBlocks(b *testing.B) {
	for _, n := range []int{10_000, 200_000} {
		for _, schema := range []Schema{SchemaPos, SchemaXYZ} {
			b.Run(fmt.Sprintf("%d %v", n, schema), func(b *testing.B) {
				dir := b.TempDir()
				w, err := Create(b.Context(), dir, Config{Schema: schema})
				if err != nil {
					b.Fatal(err)
				}
				_, err = Load(b.Context(), w, func(yield func(Block, error) bool) {
					data := bytes.Repeat([]byte("block"), 100)
					for i := range n {
						if !yield(Block{Pos{int16(i % 100), int16(i / 100 % 100), int16(i / 10000)}, data}, nil) {
							return
						}
					}
				})
				if err != nil {
					b.Fatal(err)
				}
				if err := w.Close(); err != nil {
					b.Fatal(err)
				}
				most := uint64(0)
				for b.Loop() {
					db := open(b, dir, Config{})
					count := 0
					for _, err := range db.Blocks(b.Context(), All()) {
						if err != nil {
							b.Fatal(err)
						}
						if count++; count == n/2 || count == n-1 {
							runtime.GC()
							var m runtime.MemStats
							runtime.ReadMemStats(&m)
							most = max(most, m.HeapAlloc)
						}
					}
					if count != n {
						b.Fatalf("%d blocks", count)
					}
					db.Close()
				}
				b.ReportMetric(float64(most)/1e6, "MB-in-use")
				b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "blocks/s")
			})
		}
	}
}

// BenchmarkSlabs compares reading slab by slab with reading all blocks at once: both should be equally fast.
func BenchmarkSlabs(b *testing.B) {
	const n = 100_000
	for name, config := range map[string]func(testing.TB) Config{
		"pos":        func(testing.TB) Config { return Config{Backend: SQLite} },
		"xyz":        func(testing.TB) Config { return Config{Backend: SQLite, Schema: SchemaXYZ} },
		"leveldb":    func(testing.TB) Config { return Config{Backend: LevelDB} },
		"postgresql": func(t testing.TB) Config { return Config{Backend: Postgres, Postgres: judge.Postgres(t)} },
		"memory":     func(testing.TB) Config { return Config{Backend: Dummy} },
	} {
		b.Run(name, func(b *testing.B) {
			c, dir := config(b), b.TempDir()
			w, err := Create(b.Context(), dir, c)
			if err != nil {
				b.Fatal(err)
			}
			_, err = Load(b.Context(), w, func(yield func(Block, error) bool) {
				r := rand.New(rand.NewPCG(1, 2))
				for i := range n {
					data := make([]byte, 100+r.IntN(400))
					for at := range data {
						data[at] = byte(r.IntN(16))
					}
					if !yield(Block{Pos{int16(i%100 - 50), int16(i / 10000), int16(i/100%100 - 50)}, data}, nil) {
						return
					}
				}
			})
			if err != nil {
				b.Fatal(err)
			}
			db := DB(w)
			if c.Backend != Dummy {
				if err := w.Close(); err != nil {
					b.Fatal(err)
				}
				db = open(b, dir, c)
			}
			for way, read := range map[string]func() iter.Seq2[Block, error]{
				"all":   func() iter.Seq2[Block, error] { return db.Blocks(b.Context(), All()) },
				"slabs": func() iter.Seq2[Block, error] { return InSlabs(b.Context(), db, All()) },
				"any":   func() iter.Seq2[Block, error] { return InAnyOrder(b.Context(), db) },
			} {
				b.Run(way, func(b *testing.B) {
					for b.Loop() {
						count := 0
						for _, err := range read() {
							if err != nil {
								b.Fatal(err)
							}
							count++
						}
						if count != n {
							b.Fatalf("%d blocks", count)
						}
					}
					b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "blocks/s")
				})
			}
		})
	}
}
