package pixel_test

import (
	"bytes"
	"image"
	"image/draw"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trowel.example/internal/picture/pixel"
	"trowel.example/internal/testing/tests"
)

// BenchmarkPNG writes pictures of the corpus with this writer, and with image/png at its default and fastest levels.
// Megabytes are those of the pixels in RGB; "size" is the size of the output relative to them.
func BenchmarkPNG(b *testing.B) {
	for _, name := range tests.CorpusFiles(b, "teeworlds/pictures", ".png") {
		if !strings.HasPrefix(filepath.Base(name), "ddnet_") {
			continue
		}
		f, err := os.Open(name)
		if err != nil {
			b.Fatal(err)
		}
		src, err := png.Decode(f)
		f.Close()
		if err != nil {
			b.Fatal(err)
		}
		m := image.NewRGBA(src.Bounds())
		draw.Draw(m, m.Rect, image.Black, image.Point{}, draw.Src)
		draw.Draw(m, m.Rect, src, src.Bounds().Min, draw.Over)
		run := func(writer string, write func(io.Writer) error) {
			b.Run(strings.TrimSuffix(filepath.Base(name), ".png")+"/"+writer, func(b *testing.B) {
				size := int64(3 * m.Rect.Dx() * m.Rect.Dy())
				b.SetBytes(size)
				var out bytes.Buffer
				for b.Loop() {
					out.Reset()
					if err := write(&out); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(out.Len())*100/float64(size), "size-%")
			})
		}
		run("this", func(w io.Writer) error {
			p, err := pixel.NewPNG(w, m.Rect.Size(), pixel.RGB)
			if err == nil {
				err = p.Add(m)
			}
			if err == nil {
				err = p.Close()
			}
			return err
		})
		run("image-png", func(w io.Writer) error { return png.Encode(w, m) })
		run("image-png-fast", func(w io.Writer) error {
			e := png.Encoder{CompressionLevel: png.BestSpeed}
			return e.Encode(w, m)
		})
	}
}

// BenchmarkHalf measures the time for a tile of a higher level, without reading and writing.
func BenchmarkHalf(b *testing.B) {
	m := picture(1, 512, 512, 5000, true)
	b.SetBytes(int64(len(m.Pix)))
	for b.Loop() {
		pixel.Half(m)
	}
}
