package mapblock

import (
	"sync"
	"sync/atomic"
	"testing"

	"runtime"

	"trowel.example/internal/bytes/deflate"
)

// benchBlocks returns blocks to decode, by benchmark name.
func benchBlocks(b *testing.B) map[string][][]byte {
	sets := make(map[string][][]byte)
	for _, version := range []int{20, 25, 28, 29} {
		blk := sample(version)
		data, err := blk.EncodeFresh()
		if err != nil {
			b.Fatal(err)
		}
		sets["self-made-"+versionName(version)] = [][]byte{data}
	}
	b.Run("corpus", func(b *testing.B) { // skipped if there is no corpus
		for _, w := range worlds(b) {
			for _, p := range w.sorted() {
				data := w.blocks[p]
				name := "corpus-" + versionName(int(data[0]))
				sets[name] = append(sets[name], data)
			}
		}
	})
	return sets
}

// onAllCores calls f for 0 to n-1 from one goroutine per core.
func onAllCores(n int, f func(i int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				f(int(i))
			}
		})
	}
	workers.Wait()
}

// BenchmarkDecode decodes whole blocks and, for comparison, only inflates them. Both use all cores.
func BenchmarkDecode(b *testing.B) {
	for name, blocks := range benchBlocks(b) {
		run := func(what string, f func(data []byte)) {
			b.Run(name+"/"+what, func(b *testing.B) {
				b.ReportAllocs()
				n := max(len(blocks), 1000)
				for b.Loop() {
					onAllCores(n, func(i int) { f(blocks[i%len(blocks)]) })
				}
				b.ReportMetric(float64(b.N)*float64(n)/b.Elapsed().Seconds(), "blocks/s")
			})
		}
		run("decode", func(data []byte) { _, _ = Decode(data) })
		run("inflate", inflateOnly)
	}
}

// inflateOnly inflates the compressed parts of a block.
func inflateOnly(data []byte) {
	if data[0] >= 29 {
		withFrame(data[1:], func([]byte, int, error) {})
		return
	}
	at, size := 2, 3*NodeCount
	if data[0] >= 22 {
		at += 2
	}
	if data[0] >= 24 {
		size = 4 * NodeCount
	}
	if data[0] >= 27 {
		at += 2
	}
	_, used, _ := deflate.Decompress(data[at:], size)
	_, _, _ = deflate.DecompressUpTo(data[at+used:], 64<<20)
}
