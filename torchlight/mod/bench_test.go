package mod_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"testing"

	"github.com/klauspost/compress/zlib"

	"trowel.example/internal/limits/parallel"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/pak"
)

// each runs a benchmark with a generated mod of 2000 files and with the largest mod of the corpus.
func each(b *testing.B, run func(b *testing.B, data []byte)) {
	b.Run("made", func(b *testing.B) {
		var files []pak.NewFile
		for i := range 2000 {
			var content []byte
			for j := range 20 + i%60 {
				content = fmt.Appendf(content, "line %d of %d: %08x\n", j, i, uint32(i*j)*2654435761)
			}
			files = append(files, pak.NewFile{Path: fmt.Sprintf("MEDIA/D%d/F%d.DAT", i%20, i),
				Content: func() ([]byte, error) { return content, nil }})
		}
		run(b, write(b, mod.NewHeader(), files, nil))
	})
	b.Run("corpus", func(b *testing.B) {
		var best []byte
		for _, data := range realMods(b) {
			if len(data) > len(best) {
				best = data
			}
		}
		run(b, best)
	})
}

func BenchmarkOpen(b *testing.B) { each(b, benchOpen) }

func benchOpen(b *testing.B, data []byte) {
	c := &counter{r: bytes.NewReader(data)}
	for b.Loop() {
		if _, err := mod.Open(c, int64(len(data))); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(c.n)/float64(b.N), "read-bytes/op")
	b.ReportMetric(float64(len(data)), "file-bytes")
}

// BenchmarkInflate inflates all files of a mod. The benchmark "bare" only inflates the same streams, distributed over
// the cores in the same way.
func BenchmarkInflate(b *testing.B) { each(b, benchInflate) }

func benchInflate(b *testing.B, data []byte) {
	m := open(b, data)
	var files []*pak.File
	var streams [][]byte
	total := int64(0)
	for _, f := range m.Archive.Files() {
		if f.Removed() {
			continue
		}
		block, err := f.Block()
		if err != nil {
			b.Fatal(err)
		}
		files = append(files, f)
		if binary.LittleEndian.Uint32(block[4:]) > 0 {
			streams = append(streams, block[8:])
		}
		total += int64(f.Record.Size)
	}
	b.Run("files", func(b *testing.B) {
		b.SetBytes(total)
		for b.Loop() {
			parallel.Each(len(files), func(i int) {
				if _, err := files[i].Content(); err != nil {
					b.Error(err)
				}
			})
		}
	})
	b.Run("bare", func(b *testing.B) {
		b.SetBytes(total)
		for b.Loop() {
			const share = 64
			parallel.Each((len(streams)+share-1)/share, func(i int) {
				mine := streams[i*share : min(len(streams), (i+1)*share)]
				r, err := zlib.NewReader(bytes.NewReader(mine[0]))
				if err != nil {
					b.Error(err)
					return
				}
				for _, s := range mine {
					if err := r.(zlib.Resetter).Reset(bytes.NewReader(s), nil); err != nil {
						b.Error(err)
					}
					if _, err := io.Copy(io.Discard, r); err != nil {
						b.Error(err)
					}
				}
			})
		}
	})
}

// BenchmarkResidue computes the residue of a mod: it inflates all files and compares them with the result of
// compressing them again.
func BenchmarkResidue(b *testing.B) { each(b, benchResidue) }

func benchResidue(b *testing.B, data []byte) {
	m := open(b, data)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := mod.NewResidue(m); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkWrite compresses all files of a mod and writes it.
func BenchmarkWrite(b *testing.B) { each(b, benchWrite) }

func benchWrite(b *testing.B, data []byte) {
	m := open(b, data)
	k, err := mod.NewResidue(m)
	if err != nil {
		b.Fatal(err)
	}
	files := contents(b, m)
	b.SetBytes(int64(len(data)))
	out := &tests.Memory{Data: make([]byte, 0, len(data))}
	for b.Loop() {
		out.Data = out.Data[:0]
		if _, err := mod.Write(context.Background(), out, m.Header, files, k); err != nil {
			b.Fatal(err)
		}
	}
	if !bytes.Equal(out.Data, data) {
		b.Error("wrote other bytes")
	}
}

// BenchmarkEdit replaces one file of a mod's archive and copies the rest.
func BenchmarkEdit(b *testing.B) { each(b, benchEdit) }

func benchEdit(b *testing.B, data []byte) {
	m := open(b, data)
	b.SetBytes(int64(len(data)))
	out := &tests.Memory{Data: make([]byte, 0, len(data))}
	for b.Loop() {
		out.Data = out.Data[:0]
		e := pak.NewEdit(m.Archive)
		e.Put(pak.NewFile{Path: "MEDIA/NEW.DAT", Content: func() ([]byte, error) { return []byte("new"), nil }})
		if _, _, err := e.Write(context.Background(), out); err != nil {
			b.Fatal(err)
		}
	}
}
