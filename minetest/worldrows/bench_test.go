package worldrows_test

import (
	"testing"

	"trowel.example/check"
	"trowel.example/format"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
	"trowel.example/minetest/worldrows"
)

// What all rows take beside a check of the same blocks, which games made.
func BenchmarkRows(b *testing.B) {
	const blocks = 10_000
	for _, version := range []int{28, 29} {
		db := mapdb.NewMemory()
		if _, err := db.Load(b.Context(), worldtest.RealBlocks(b, blocks, version)); err != nil {
			b.Fatal(err)
		}
		ctx, rows := b.Context(), 0
		for name, do := range map[string]func() error{
			"check": func() error { return world.CheckBlocks(ctx, db, world.CheckOptions{}, func(check.Finding) {}) },
			"rows": func() error {
				return worldrows.Blocks(ctx, db, worldrows.Options{}, func(*format.Table, []format.Cell) error { rows++; return nil })
			},
		} {
			b.Run(name+"/"+map[int]string{28: "zlib", 29: "zstd"}[version], func(b *testing.B) {
				b.ReportAllocs()
				rows = 0
				for b.Loop() {
					if err := do(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(blocks)*float64(b.N)/b.Elapsed().Seconds(), "blocks/s")
				b.ReportMetric(float64(rows)/float64(b.N)/blocks, "rows/block")
			})
		}
	}
}
