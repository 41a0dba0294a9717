package mapdb

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"
)

// The memory that is in use stays the same, however many blocks there are.
func BenchmarkBlocks(b *testing.B) {
	for _, n := range []int{10_000, 200_000} {
		for _, schema := range []Schema{SchemaPos, SchemaXYZ} {
			b.Run(fmt.Sprintf("%d %v", n, schema), func(b *testing.B) {
				dir := b.TempDir()
				w, err := Create(b.Context(), dir, Config{Schema: schema})
				if err != nil {
					b.Fatal(err)
				}
				_, err = w.Load(b.Context(), func(yield func(Block, error) bool) {
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
