package world_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"sync"
	"testing"

	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"trowel.example/check"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/world"
)

// Decompressors and their buffers are reused for the next block.
var (
	buffers = sync.Pool{New: func() any { return new([]byte) }}
	zstds   = sync.Pool{New: func() any { d, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1)); return d }}
	zlibs   = sync.Pool{New: func() any { return new(zlibReader) }}
)

type zlibReader struct{ r io.ReadCloser }

// inflate only decompresses the compressed parts of a block of version 25 to 29, and returns their size.
func inflate(b mapdb.Block, err error) int {
	if err != nil {
		panic(err)
	}
	if b.Data[0] == 29 {
		d := zstds.Get().(*zstd.Decoder)
		defer zstds.Put(d)
		buf := buffers.Get().(*[]byte)
		defer buffers.Put(buf)
		if *buf, err = d.DecodeAll(b.Data[1:], (*buf)[:0]); err != nil {
			panic(err)
		}
		return len(*buf)
	}
	z := zlibs.Get().(*zlibReader)
	defer zlibs.Put(z)
	head := 4
	if b.Data[0] >= 27 {
		head = 6
	}
	in := bytes.NewReader(b.Data[head:])
	n := 0
	for range 2 { // nodes, metadata
		if z.r == nil {
			z.r, err = zlib.NewReader(in)
		} else {
			err = z.r.(zlib.Resetter).Reset(in, nil)
		}
		if err != nil {
			panic(err)
		}
		m, err := io.Copy(io.Discard, z.r)
		if err != nil {
			panic(err)
		}
		n += int(m)
	}
	return n
}

// openMap opens the blocks of a world.
func openMap(tb testing.TB, dir string) mapdb.DB {
	s, err := world.ReadWorldMT(dir)
	if err != nil {
		tb.Fatal(err)
	}
	db, _, err := world.OpenMap(context.Background(), dir, s, world.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return db
}

// count is the number of blocks of a world.
const count = 200_000

// BenchmarkCheck measures the check of the blocks of a world and, for comparison, reading the same blocks from the
// database and decompressing them on all cores. One world has blocks that games generated, the other blocks with many
// different nodes and a few chests each.
func BenchmarkCheck(b *testing.B) {
	for _, version := range []int{28, 29} {
		b.Run(fmt.Sprintf("real/v%d", version), func(b *testing.B) {
			benchmarkCheck(b, worldtest.RealBlocks(b, count, version))
		})
		b.Run(fmt.Sprintf("made/v%d", version), func(b *testing.B) { benchmarkCheck(b, worldtest.Blocks(count, version)) })
	}
}

func benchmarkCheck(b *testing.B, blocks iter.Seq2[mapdb.Block, error]) {
	ctx := context.Background()
	dir := worldtest.WorldOf(b, b.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, blocks)
	db := openMap(b, dir)
	defer db.Close()
	rate := func(b *testing.B) {
		b.ReportMetric(float64(b.N)*count/b.Elapsed().Seconds(), "blocks/s")
	}
	b.Run("inflate", func(b *testing.B) {
		for b.Loop() {
			n := 0
			for size := range mapdb.Parallel(db.Blocks(ctx, mapdb.All()), inflate) {
				if size > 0 {
					n++
				}
			}
			if n != count {
				b.Fatal(n)
			}
		}
		rate(b)
	})
	b.Run("check", func(b *testing.B) {
		for b.Loop() {
			world.CheckBlocks(ctx, db, world.CheckOptions{}, func(f check.Finding) {
				if f.Severity == check.Error {
					b.Fatal(f)
				}
			})
		}
		rate(b)
	})
}

// BenchmarkQuick measures a quick check of a world and, for comparison, the whole check.
func BenchmarkQuick(b *testing.B) {
	ctx := context.Background()
	for _, backend := range []string{mapdb.SQLite, mapdb.LevelDB} {
		dir := worldtest.WorldOf(b, b.TempDir(), mapdb.Config{Backend: backend}, worldtest.RealBlocks(b, count, 28))
		for _, quick := range []bool{true, false} {
			b.Run(fmt.Sprintf("%s/quick=%v", backend, quick), func(b *testing.B) {
				for b.Loop() {
					err := world.Check(ctx, dir, world.CheckOptions{Quick: quick}, func(f check.Finding) {
						if f.Severity == check.Error {
							b.Fatal(f)
						}
					})
					if err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.N)*count/b.Elapsed().Seconds(), "blocks/s")
			})
		}
	}
}
