package worldscene_test

import (
	"context"
	"errors"
	"image"
	"io/fs"
	"testing"

	"trowel.example/internal/format"
	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/mapblock"
	"trowel.example/minetest/mapdb"
)

// TestSceneTiles tests that after a change of one block the tiles around it have other fingerprints, among them all whose pixels
// have changed, with textures and without, at scales at which a tile shows a part of a block or many blocks.
func TestSceneTiles(t *testing.T) {
	ctx := context.Background()
	dir := glades(t, 1)
	w, err := mapdb.OpenForWriting(ctx, dir, mapdb.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	empty, err := mapblock.New(29).EncodeFresh()
	if err != nil {
		t.Fatal(err)
	}
	pos := mapdb.Pos{X: 1, Y: 0, Z: 1}
	full, err := w.Get(ctx, pos)
	if err != nil {
		t.Fatal(err)
	}
	const side = 64 // of a tile, in pixels
	type tile struct {
		print [32]byte
		img   *image.RGBA
	}
	for _, view := range []string{"top", "iso", "south"} {
		for _, scale := range tests.Of(t, []float64{1, 4}, []float64{1, 4, 8, 16}) {
			var l format.Look
			tiles := func(data []byte) map[image.Rectangle]tile {
				t.Helper()
				if err := w.Store(ctx, []mapdb.Block{{Pos: pos, Data: data}}); err != nil {
					t.Fatal(err)
				}
				s := scene(t, dir, nil)
				v, _ := format.ViewOf(s.Views, view)
				l = look(v, scale)
				all := make(map[image.Rectangle]tile)
				for y := 0; y < l.Size.Y; y += side {
					for x := 0; x < l.Size.X; x += side {
						r := image.Rect(x, y, x+side, y+side).Intersect(image.Rectangle{Max: l.Size})
						print, err := viewOf(s, l.View).Fingerprint(ctx, l, r)
						if err != nil && !errors.Is(err, fs.ErrNotExist) {
							t.Fatal(err)
						}
						all[r] = tile{print, drawPart(t, s, l, r)}
					}
				}
				return all
			}
			before, after := tiles(full), tiles(empty)
			var named, drawn image.Rectangle
			for r, was := range before {
				now := after[r]
				if was.print != now.print {
					named = named.Union(r)
				}
				if string(was.img.Pix) != string(now.img.Pix) {
					drawn = drawn.Union(r)
					if was.print == now.print {
						t.Errorf("%s at scale %v: the pixels of %v have changed, its fingerprint has not", view, scale, r)
					}
				}
			}
			// A block is 16 nodes wide and, from a corner, twice as many units. Faces depend on nodes around them.
			units := 16 + 2*4
			if view == "iso" {
				units *= 2
			}
			most := int(scale)*units + 2*side
			if drawn.Empty() || named.Dx() > most || named.Dy() > most {
				t.Errorf("%s at scale %v: of %v, pixels have changed in %v, and fingerprints in %v", view, scale, l.Size, drawn, named)
			}
		}
	}
}
