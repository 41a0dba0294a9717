package worldcopy_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"trowel.example/internal/testing/tests"
	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
	"trowel.example/minetest/worldcopy"
)

// peakDuring returns the highest HeapInuse while f runs, in bytes.
func peakDuring(f func()) uint64 {
	stop, done := make(chan struct{}), make(chan uint64)
	runtime.GC()
	go func() {
		var peak uint64
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapInuse)
			select {
			case <-stop:
				done <- peak
				return
			case <-tick.C:
			}
		}
	}()
	f()
	close(stop)
	return <-done
}

// heapCap is the maximum heap size of a copy, whatever the size of the world.
const heapCap = 96 << 20

func copyOnce(tb testing.TB, src string, o worldcopy.Options, n int64) {
	dst := filepath.Join(tb.TempDir(), "dst")
	r, err := worldcopy.Copy(context.Background(), src, dst, o)
	if err != nil || r.Blocks != n {
		tb.Fatalf("%+v, %v", r, err)
	}
	if err := os.RemoveAll(dst); err != nil {
		tb.Fatal(err)
	}
}

// TestMemoryIsFlat tests that the memory of a copy does not depend on the size of the world.
func TestMemoryIsFlat(t *testing.T) {
	tests.LongOnly(t, "it takes a few seconds")
	for _, n := range []int{10_000, 40_000} {
		src := worldtest.World(t, t.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, n, 28)
		for _, kind := range []string{"sqlite", mapdb.LevelDB} {
			peak := peakDuring(func() { copyOnce(t, src, worldcopy.Options{Map: kind}, int64(n)) })
			t.Logf("%d blocks to %s: at most %d MiB", n, kind, peak>>20)
			if peak > heapCap {
				t.Errorf("%d blocks to %s: %d MiB, more than %d", n, kind, peak>>20, heapCap>>20)
			}
		}
	}
}

// BenchmarkCopy copies worlds of two sizes and reports the peak heap size.
func BenchmarkCopy(b *testing.B) {
	for _, n := range []int{10_000, 200_000} {
		src := worldtest.World(b, b.TempDir(), mapdb.Config{Backend: mapdb.SQLite}, n, 28)
		for name, o := range map[string]worldcopy.Options{
			"sqlite-pos":        {Map: "sqlite-pos"},
			"leveldb":           {Map: mapdb.LevelDB},
			"sqlite-pos-28to29": {Map: "sqlite-pos", Blocks: 29},
		} {
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				var peak uint64
				for b.Loop() {
					peak = max(peak, peakDuring(func() { copyOnce(b, src, o, int64(n)) }))
				}
				b.ReportMetric(float64(b.N)*float64(n)/b.Elapsed().Seconds(), "blocks/s")
				b.ReportMetric(float64(peak)/(1<<20), "peak-MiB")
			})
		}
	}
}
