package mod_test

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"runtime/metrics"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"trowel/internal/parallel"
)

// TestMutations damages mods in every way and takes them through everything
// that reads and writes: nothing may panic, hang, or take memory out of
// proportion, and what can be read must come back. TROWEL_MUTATIONS tells how
// many to try.
func TestMutations(t *testing.T) {
	tries := 300
	if s := os.Getenv("TROWEL_MUTATIONS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		tries = n
	}
	all := mutationSeeds(t)
	var opened, rebuilt, slowest atomic.Int64
	var first sync.Once
	parallel.Each(tries, func(i int) {
		start := time.Now()
		rng := rand.New(rand.NewPCG(uint64(i), 7))
		data := mutate(rng, all[rng.IntN(len(all))])
		defer func() {
			if p := recover(); p != nil {
				t.Errorf("mutation %d: panic: %v", i, p)
			}
		}()
		o, r := exercise(t, data)
		if o {
			opened.Add(1)
		}
		if r {
			rebuilt.Add(1)
		}
		if t.Failed() {
			first.Do(func() { t.Logf("the first to fail is near mutation %d", i) })
		}
		for took := int64(time.Since(start)); ; {
			old := slowest.Load()
			if took <= old || slowest.CompareAndSwap(old, took) {
				break
			}
		}
	})
	t.Logf("%d mutations of %d mods: %d could be opened, %d of these rebuilt, slowest %v",
		tries, len(all), opened.Load(), rebuilt.Load(), time.Duration(slowest.Load()))
	if opened.Load() == 0 || rebuilt.Load() == 0 {
		t.Error("the mutations are too harsh to tell anything")
	}
}

// TestMutationMemory holds what damaged mods allocate against what they can
// stand for: the bytes of the file, and what blocks of these bytes can inflate to.
func TestMutationMemory(t *testing.T) {
	all := mutationSeeds(t)
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	allocated := func() uint64 {
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	worst := 0.0
	for i := range 200 {
		rng := rand.New(rand.NewPCG(uint64(i), 11))
		data := mutate(rng, all[rng.IntN(len(all))])
		stands := uint64(len(data))
		if m, err := openBytes(data); err == nil {
			for _, f := range m.Archive.Files() {
				if size, compressed, err := f.Sizes(); err == nil {
					stands += uint64(compressed) + min(uint64(size), 1032*uint64(compressed))
				}
			}
		}
		before := allocated()
		exercise(t, data)
		got := allocated() - before
		limit := 8*stands + 16<<20
		if got > limit {
			t.Errorf("mutation %d of %d bytes, which stand for %d: allocated %d", i, len(data), stands, got)
		}
		worst = max(worst, float64(got)/float64(limit))
	}
	t.Logf("the hungriest allocated %.0f%% of 16 MiB + 8 times what its file stands for, in all of opening, checking, rebuilding and editing", 100*worst)
}

// mutationSeeds returns mods to damage: our own, and the smaller ones of the corpus.
func mutationSeeds(t *testing.T) [][]byte {
	all := seeds(t)
	t.Run("corpus", func(t *testing.T) { // skips by itself
		for _, data := range realMods(t) {
			if len(data) < 35<<10 {
				all = append(all, data)
			}
		}
	})
	return all
}

// mutate damages a copy of a mod: header, manifest and archive alike.
func mutate(rng *rand.Rand, data []byte) []byte {
	data = slices.Clone(data)
	start, end := 0, len(data)
	if m, err := openBytes(data); err == nil {
		start, end = int(m.Header.DataOffset), int(m.Header.ManifestOffset)
	}
	at := func() int { // a place in one of the three parts, or near a border
		switch lo, hi := 0, len(data); rng.IntN(4) {
		case 0:
			return rng.IntN(max(1, min(start, hi)))
		case 1:
			return min(hi-1, start+rng.IntN(max(1, end-start)))
		case 2:
			return min(hi-1, end+rng.IntN(max(1, hi-end)))
		default:
			return lo + rng.IntN(hi)
		}
	}
	interesting := []uint32{0, 1, 4, 7, 8, 255, 65535, 1 << 24, 1<<31 - 1, 1 << 31, 1<<32 - 1}
	for range 1 + rng.IntN(3) {
		if len(data) < 40 {
			return data
		}
		switch rng.IntN(7) {
		case 0:
			data[at()] ^= 1 << rng.IntN(8)
		case 1:
			data[at()] = byte(rng.Uint32())
		case 2:
			if rng.IntN(4) == 0 {
				data = data[:rng.IntN(len(data))]
			}
		case 3: // lengths, counts, offsets
			binary.LittleEndian.PutUint32(data[min(at(), len(data)-4):], interesting[rng.IntN(len(interesting))])
		case 4:
			i := min(at(), len(data)-4)
			binary.LittleEndian.PutUint32(data[i:], binary.LittleEndian.Uint32(data[i:])+uint32(rng.IntN(9)-4))
		case 5:
			i := at()
			data = slices.Insert(data, i, data[:min(rng.IntN(64), i)]...)
		case 6: // one part of the manifest over another: records twice, offsets of others
			if end < len(data)-64 {
				n := 4 + rng.IntN(60)
				from, to := end+rng.IntN(len(data)-end-n+1), end+rng.IntN(len(data)-end-n+1)
				copy(data[to:to+n], slices.Clone(data[from:from+n]))
			}
		}
	}
	return data
}
