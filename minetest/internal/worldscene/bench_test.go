package worldscene_test

import (
	"context"
	"image"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"trowel.example/internal/format"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worlddir"
)

// glades returns a world in which the sample glade, of 3 x 3 columns of 2 blocks, is repeated.
func glades(b testing.TB, times int) string {
	dir, sample := b.TempDir(), "../../../samples/glade"
	for _, name := range []string{"world.mt", "trowel_nodes.json"} {
		data, err := os.ReadFile(filepath.Join(sample, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o644)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(dir, "game"), os.DirFS(filepath.Join(sample, "game"))); err != nil {
		b.Fatal(err)
	}
	var blocks []mapdb.Block
	w, err := mapdb.Create(b.Context(), dir, mapdb.Config{})
	if err != nil {
		b.Fatal(err)
	}
	err = fs.WalkDir(os.DirFS(sample), "blocks", func(name string, d fs.DirEntry, err error) error {
		pos, is := worlddir.BlockOf(name)
		if err != nil || !is {
			return err
		}
		text, err := os.ReadFile(filepath.Join(sample, name))
		if err != nil {
			return err
		}
		block, err := worlddir.ParseBlock(text)
		if err != nil {
			return err
		}
		data, err := block.Encode()
		for x := range times {
			for z := range times {
				blocks = append(blocks, mapdb.Block{Pos: mapdb.Pos{X: pos.X + int16(3*x), Y: pos.Y, Z: pos.Z + int16(3*z)}, Data: data})
			}
		}
		return err
	})
	if err == nil {
		err = w.Store(b.Context(), blocks)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		b.Fatal(err)
	}
	return dir
}

// BenchmarkViews measures drawing views with textures and without, of blocks that have been read.
func BenchmarkViews(b *testing.B) {
	dir := glades(b, 14)
	for _, view := range []struct {
		name  string
		scale float64
	}{{"top", 16}, {"iso", 4}, {"iso", 8}} {
		for _, flat := range []string{"", "true"} {
			b.Run(view.name+map[string]string{"": " textured", "true": " flat"}[flat], func(b *testing.B) {
				s := scene(b, dir, map[string]string{"flat": flat})
				v, _ := format.ViewOf(s.Views, view.name)
				l := format.Look{View: view.name, Scale: view.scale, Size: image.Pt(1024, 1024)}
				for i := range l.Origin {
					l.Origin[i] = (v.Bounds.Min[i]+v.Bounds.Max[i])/2 - 512/view.scale
				}
				img := image.NewRGBA(image.Rectangle{Max: l.Size})
				for b.Loop() {
					if err := viewOf(s, l.View).Render(context.Background(), img, l); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(len(img.Pix)/4)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mpx/s")
			})
		}
	}
}
