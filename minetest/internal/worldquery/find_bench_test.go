package worldquery_test

import (
	"testing"

	"trowel.example/check"
	"trowel.example/minetest/internal/worldquery"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// BenchmarkFind measures a search, in comparison with a check of the same blocks, which games generated.
func BenchmarkFind(b *testing.B) {
	const blocks = 10_000
	for _, version := range []int{28, 29} {
		db := mapdb.NewMemory()
		if _, err := mapdb.Load(b.Context(), db, worldtest.RealBlocks(b, blocks, version)); err != nil {
			b.Fatal(err)
		}
		ctx, where := b.Context(), worldquery.Where{}
		for name, do := range map[string]func() error{
			"check": func() error { return world.CheckBlocks(ctx, db, world.CheckOptions{}, func(check.Finding) {}) },
			"node": func() error {
				return worldquery.FindNodes(ctx, db, where, names(b, "default:chest"), func(worldquery.Node) error { return nil })
			},
			"item": func() error {
				return worldquery.FindItems(ctx, db, where, names(b, "default:diamond"), func(worldquery.Item) error { return nil })
			},
		} {
			b.Run(name+"/"+map[int]string{28: "zlib", 29: "zstd"}[version], func(b *testing.B) {
				for b.Loop() {
					if err := do(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(blocks)*float64(b.N)/b.Elapsed().Seconds(), "blocks/s")
			})
		}
	}
}
