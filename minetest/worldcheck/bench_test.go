package worldcheck_test

import (
	"bytes"
	"context"
	"io"
	"sync"
	"testing"

	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"trowel/check"
	"trowel/minetest/internal/worldtest"
	"trowel/minetest/mapdb"
	"trowel/minetest/worldcheck"
	"trowel/minetest/worldmap"
)

// inflaters are kept for the next block.
var (
	zstds = sync.Pool{New: func() any { d, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1)); return d }}
	zlibs = sync.Pool{New: func() any { return new(zlibReader) }}
)

type zlibReader struct{ r io.ReadCloser }

// inflate does no more than to inflate what is compressed in a block of version 25
// to 29, and returns how much that is.
func inflate(b mapdb.Block, err error) int {
	if err != nil {
		panic(err)
	}
	if b.Data[0] == 29 {
		d := zstds.Get().(*zstd.Decoder)
		defer zstds.Put(d)
		data, err := d.DecodeAll(b.Data[1:], nil)
		if err != nil {
			panic(err)
		}
		return len(data)
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

// BenchmarkCheck checks the blocks of a world, and for comparison does no more
// than read the very same blocks from the database, and inflate them on all cores.
func BenchmarkCheck(b *testing.B) {
	ctx := context.Background()
	const n = 200_000
	for name, versions := range map[string][]int{"v28": {28}, "v29": {29}} {
		dir := worldtest.World(b, b.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, n, versions...)
		db, _, err := worldmap.Open(ctx, dir, false)
		if err != nil {
			b.Fatal(err)
		}
		rate := func(b *testing.B) {
			b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds(), "blocks/s")
		}
		b.Run(name+"/inflate", func(b *testing.B) {
			for b.Loop() {
				blocks := 0
				for size := range worldmap.InOrder(db.Blocks(ctx, mapdb.All()), inflate) {
					if size > 0 {
						blocks++
					}
				}
				if blocks != n {
					b.Fatal(blocks)
				}
			}
			rate(b)
		})
		b.Run(name+"/check", func(b *testing.B) {
			for b.Loop() {
				worldcheck.Blocks(ctx, db, worldcheck.Options{}, func(f check.Finding) {
					if f.Severity == check.Error {
						b.Fatal(f)
					}
				})
			}
			rate(b)
		})
		db.Close()
	}
}
