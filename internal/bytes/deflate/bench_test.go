package deflate_test

import (
	"bytes"
	stdzlib "compress/zlib"
	"fmt"
	"io"
	"testing"

	"github.com/klauspost/compress/zlib"

	"trowel.example/internal/bytes/deflate"
)

// benchInputs returns inputs that resemble the contents of game files.
func benchInputs() []input {
	return []input{
		{"text", text(1, 1<<20)},
		{"picture", picture(1, 512, 512)},
		{"tiles", tiles(1, 500, 500)},
		{"small", tiles(1, 12, 10)},
	}
}

type resetWriter interface {
	io.WriteCloser
	Reset(io.Writer)
}

func BenchmarkCompress(b *testing.B) {
	for _, in := range benchInputs() {
		for _, level := range []int{1, 6, 9} {
			b.Run(fmt.Sprintf("%s/%d/this", in.name, level), func(b *testing.B) {
				b.SetBytes(int64(len(in.data)))
				var dst []byte
				for b.Loop() {
					var err error
					if dst, err = deflate.Compress(dst[:0], in.data, level); err != nil {
						b.Fatal(err)
					}
				}
			})
			std, _ := stdzlib.NewWriterLevel(nil, level)
			benchWriter(b, fmt.Sprintf("%s/%d/go", in.name, level), std, in.data)
			klauspost, _ := zlib.NewWriterLevel(nil, level)
			benchWriter(b, fmt.Sprintf("%s/%d/klauspost", in.name, level), klauspost, in.data)
		}
	}
}

func BenchmarkSmallest(b *testing.B) {
	for _, in := range benchInputs() {
		b.Run(in.name, func(b *testing.B) {
			nine, _ := deflate.Compress(nil, in.data, 9)
			b.SetBytes(int64(len(in.data)))
			var dst []byte
			for b.Loop() {
				dst, _ = deflate.Smallest(dst[:0], in.data)
			}
			b.ReportMetric(100*float64(len(dst))/float64(len(nine)), "%-of-level-9")
		})
	}
}

func benchWriter(b *testing.B, name string, w resetWriter, src []byte) {
	b.Run(name, func(b *testing.B) {
		b.SetBytes(int64(len(src)))
		var dst bytes.Buffer
		for b.Loop() {
			dst.Reset()
			w.Reset(&dst)
			if _, err := w.Write(src); err != nil {
				b.Fatal(err)
			}
			if err := w.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkLevelOf(b *testing.B) {
	for _, in := range benchInputs() {
		b.Run(in.name, func(b *testing.B) {
			stream, _ := deflate.Compress(nil, in.data, 6)
			b.SetBytes(int64(len(in.data)))
			for b.Loop() {
				if level, ok := deflate.LevelOf(stream, in.data); level != 6 || !ok {
					b.Fatal(level, ok)
				}
			}
		})
	}
}

func BenchmarkDecompress(b *testing.B) {
	for _, in := range benchInputs() {
		stream, _ := deflate.Compress(nil, in.data, 6)
		b.Run(in.name+"/this", func(b *testing.B) {
			b.SetBytes(int64(len(in.data)))
			for b.Loop() {
				if _, _, err := deflate.Decompress(stream, len(in.data)); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(in.name+"/klauspost", func(b *testing.B) {
			b.SetBytes(int64(len(in.data)))
			src := bytes.NewReader(stream)
			r, _ := zlib.NewReader(src)
			for b.Loop() {
				src.Reset(stream)
				if err := r.(zlib.Resetter).Reset(src, nil); err != nil {
					b.Fatal(err)
				}
				data := make([]byte, len(in.data))
				if _, err := io.ReadFull(r, data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
