package worlddraw_test

import (
	"context"
	"image"
	"iter"
	"testing"

	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worlddraw"
)

// grid is the positions of a world of 1,000,000 blocks, in columns of 10.
type grid struct{ mapdb.DB }

func (grid) Positions(_ context.Context, a mapdb.Area) iter.Seq2[mapdb.Pos, error] {
	return func(yield func(mapdb.Pos, error) bool) {
		for z := int16(-158); z < 158; z++ {
			for y := int16(-7); y < 3; y++ {
				for x := int16(-158); x < 159; x++ {
					if p := (mapdb.Pos{X: x, Y: y, Z: z}); a.Contains(p) && !yield(p, nil) {
						return
					}
				}
			}
		}
	}
}

// BenchmarkPlaces measures reading the positions of the blocks of a large world, and drawing the cover of tiles.
func BenchmarkPlaces(b *testing.B) {
	ctx := context.Background()
	places := func() *worlddraw.Places {
		p, err := worlddraw.ReadPlaces(ctx, grid{}, worlddraw.Everything(), nil)
		if err != nil {
			b.Fatal(err)
		}
		return p
	}
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			places()
		}
	})
	all := places()
	for _, view := range []worlddraw.View{worlddraw.Top, worlddraw.South} {
		m, err := all.Map(worlddraw.Options{View: view, Box: worlddraw.Everything(), Colors: testColors})
		if err != nil {
			b.Fatal(err)
		}
		for name, scale := range map[string]float64{"near": 1, "far": 256.0 / 5072} {
			b.Run("cover "+string(view)+" "+name, func(b *testing.B) {
				dst := image.NewRGBA(image.Rect(0, 0, 256, 256))
				for b.Loop() {
					if err := m.Cover(ctx, dst, worlddraw.Scaled{Origin: [2]float64{-128 / scale, -128 / scale}, Scale: scale}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkTile measures drawing a tile without cached cells.
func BenchmarkTile(b *testing.B) {
	ctx := context.Background()
	p, err := worlddraw.ReadPlaces(ctx, hills(b), worlddraw.Everything(), nil)
	if err != nil {
		b.Fatal(err)
	}
	dst := image.NewRGBA(image.Rect(-80, -96, 176, 160))
	for _, view := range []worlddraw.View{worlddraw.Top, worlddraw.South} {
		b.Run(string(view), func(b *testing.B) {
			for b.Loop() {
				m, err := p.Map(worlddraw.Options{View: view, Box: worlddraw.Everything(), Colors: testColors})
				if err == nil {
					err = m.Render(ctx, dst)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
