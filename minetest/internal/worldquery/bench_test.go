package worldquery_test

import (
	"testing"
	"time"

	"trowel.example/check"
	"trowel.example/internal/format"
	"trowel.example/minetest/internal/worldquery"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// BenchmarkRows measures producing all rows, alternately with a check of the same blocks, which games generated.
func BenchmarkRows(b *testing.B) {
	const blocks = 10_000
	for name, version := range map[string]int{"zlib": 28, "zstd": 29} {
		db := mapdb.NewMemory()
		if _, err := mapdb.Load(b.Context(), db, worldtest.RealBlocks(b, blocks, version)); err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			ctx, rows := b.Context(), 0
			var checking, telling time.Duration
			took := func(total *time.Duration, do func() error) {
				start := time.Now()
				if err := do(); err != nil {
					b.Fatal(err)
				}
				*total += time.Since(start)
			}
			for b.Loop() {
				took(&checking, func() error { return world.CheckBlocks(ctx, db, world.CheckOptions{}, func(check.Finding) {}) })
				took(&telling, func() error {
					return worldquery.Blocks(ctx, db, worldquery.RowOptions{}, func(*format.Table, []format.Cell) error { rows++; return nil })
				})
			}
			b.ReportMetric(blocks*float64(b.N)/telling.Seconds(), "blocks/s")
			b.ReportMetric(float64(rows)/float64(b.N)/blocks, "rows/block")
			b.ReportMetric(telling.Seconds()/checking.Seconds(), "to-check")
		})
	}
}
