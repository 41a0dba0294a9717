package format_test

import (
	"context"
	"image"
	"image/color"
	"image/draw"
	"io"
	"testing"

	"trowel.example/internal/format"
	"trowel.example/internal/picture/pixel"
)

// drawFlat draws a half-transparent colour over the background with draw.Draw.
func drawFlat(_ context.Context, dst *image.RGBA, _ format.Look) error {
	draw.Draw(dst, dst.Rect, image.NewUniform(color.NRGBA{200, 100, 50, 128}), image.Point{}, draw.Over)
	return nil
}

// BenchmarkDraw draws 4096 x 4096 pixels: band by band, band by band into a PNG, and with a single call of draw.Draw.
func BenchmarkDraw(b *testing.B) {
	look := format.Look{Scale: 1, Size: image.Pt(4096, 4096)}
	flat := gradient{}.view()
	flat.Render = drawFlat
	run := func(name string, do func() error) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(4 * 4096 * 4096)
			for b.Loop() {
				if err := do(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("bands", func() error {
		return format.Draw(context.Background(), flat, look, color.NRGBA{1, 2, 3, 255}, func(*image.RGBA) error { return nil })
	})
	run("bands-png", func() error {
		p, err := pixel.NewPNG(io.Discard, look.Size, pixel.RGB)
		if err == nil {
			err = format.Draw(context.Background(), gradient{}.view(), look, color.NRGBA{1, 2, 3, 255}, p.Add)
		}
		if err == nil {
			err = p.Close()
		}
		return err
	})
	run("plain", func() error {
		m := image.NewRGBA(image.Rectangle{Max: look.Size})
		draw.Draw(m, m.Rect, image.NewUniform(color.NRGBA{1, 2, 3, 255}), image.Point{}, draw.Src)
		return drawFlat(context.Background(), m, look)
	})
}
