package mapdir_test

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"trowel/check"
	"trowel/internal/bin"
	"trowel/internal/corpus"
	"trowel/teeworlds/datafile"
	"trowel/teeworlds/mapdir"
	"trowel/teeworlds/twmap"
)

// TestMutations damages maps in every way and takes them through everything
// that reads: nothing may panic, hang, or take memory out of proportion.
// TROWEL_MUTATIONS tells how many to try.
func TestMutations(t *testing.T) {
	tries := 2000
	if s := os.Getenv("TROWEL_MUTATIONS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		tries = n
	}
	seeds := mutationSeeds(t)
	var next, decoded, folders atomic.Int64
	var slowest atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(tries); i = next.Add(1) - 1 {
				start := time.Now()
				rng := rand.New(rand.NewPCG(uint64(i), 7))
				ok, folder := exercise(t, mutate(rng, seeds[rng.IntN(len(seeds))]), i%8 == 0, rng)
				if ok {
					decoded.Add(1)
				}
				if folder {
					folders.Add(1)
				}
				for took := time.Since(start); ; {
					old := slowest.Load()
					if int64(took) <= old || slowest.CompareAndSwap(old, int64(took)) {
						break
					}
				}
			}
		})
	}
	workers.Wait()
	t.Logf("%d mutations of %d maps: %d could be decoded, %d of these went through their folder, slowest %v",
		tries, len(seeds), decoded.Load(), folders.Load(), time.Duration(slowest.Load()))
	if time.Duration(slowest.Load()) > 20*time.Second {
		t.Error("a mutation hung")
	}
}

// TestMutationMemory holds what damaged maps allocate against what they can
// stand for: the bytes of the file, and the sizes that their compressed blocks
// state, as far as blocks of their length can reach them.
func TestMutationMemory(t *testing.T) {
	seeds := mutationSeeds(t)
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	allocated := func() uint64 {
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	worst := 0.0
	for i := range 600 {
		rng := rand.New(rand.NewPCG(uint64(i), 11))
		data := mutate(rng, seeds[rng.IntN(len(seeds))])
		stands := uint64(len(data))
		if f, err := datafile.Decode(data); err == nil {
			for _, b := range f.Blocks() {
				if b.Size() > 0 {
					stands += min(uint64(b.Size()), 1032*uint64(b.StoredSize()))
				}
			}
		}
		before := allocated()
		if m, err := twmap.Decode(data); err == nil {
			check.Collect(func(sink check.Sink) { twmap.CheckFile(m.Source(), sink) })
			if _, err := m.Encode(); err != nil {
				t.Errorf("mutation %d does not encode: %v", i, err)
			}
		}
		got := allocated() - before
		limit := 64*stands + 16<<20
		if got > limit {
			t.Errorf("mutation %d of %d bytes, which stand for %d: allocated %d", i, len(data), stands, got)
		}
		worst = max(worst, float64(got)/float64(limit))
	}
	t.Logf("the hungriest allocated %.0f%% of 16 MiB + 64 times what its file stands for", 100*worst)
}

// mutationSeeds returns maps to damage: our own, and the smaller ones of the corpus.
func mutationSeeds(t *testing.T) [][]byte {
	seeds := [][]byte{encode(t, sample()), encode(t, twmap.New(4, 3))}
	modern := sample()
	modern.To07()
	seeds = append(seeds, encode(t, modern))
	old, err := sample().EncodeVersion(3)
	if err != nil {
		t.Fatal(err)
	}
	seeds = append(seeds, old)
	t.Run("corpus", func(t *testing.T) { // skips by itself
		for _, path := range corpus.Files(t, "teeworlds", ".map") {
			if st, err := os.Stat(path); err != nil || st.Size() > 8<<10 {
				continue
			}
			data, err := os.ReadFile(filepath.Clean(path))
			if err != nil {
				t.Fatal(err)
			}
			seeds = append(seeds, data)
		}
	})
	return seeds
}

// mutate damages a copy of a map.
func mutate(rng *rand.Rand, data []byte) []byte {
	data = slices.Clone(data)
	head := min(len(data), 2048)
	interesting := []int32{0, 1, -1, 4, 255, 65535, 1 << 24, 1<<31 - 1, -1 << 31}
	for range 1 + rng.IntN(3) {
		if len(data) < 40 {
			return data
		}
		switch rng.IntN(7) {
		case 0:
			data[rng.IntN(len(data))] ^= 1 << rng.IntN(8)
		case 1:
			data[rng.IntN(head)%len(data)] ^= 1 << rng.IntN(8)
		case 2:
			data = data[:rng.IntN(len(data))]
		case 3: // lengths, counts and numbers of all kinds
			at := rng.IntN(min(head, len(data))-4) &^ 3
			binary.LittleEndian.PutUint32(data[at:], uint32(interesting[rng.IntN(len(interesting))]))
		case 4:
			at := rng.IntN(min(head, len(data))-4) &^ 3
			v := binary.LittleEndian.Uint32(data[at:])
			binary.LittleEndian.PutUint32(data[at:], v+uint32(rng.IntN(9)-4))
		case 5:
			at := rng.IntN(len(data))
			data = slices.Insert(data, at, data[:min(rng.IntN(64), at)]...)
		case 6: // what a data block holds
			f, err := datafile.Decode(data)
			if err != nil || len(f.Data) == 0 {
				continue
			}
			n := rng.IntN(len(f.Data))
			content, err := f.Data[n].Bytes()
			if err != nil || len(content) == 0 {
				continue
			}
			content = slices.Clone(content)
			for range 1 + rng.IntN(4) {
				content[rng.IntN(len(content))] = byte(rng.Uint32())
			}
			f.Data[n] = datafile.NewBlockLevel(content[:len(content)-rng.IntN(min(8, len(content)))], 1)
			if out, err := f.Encode(); err == nil {
				data = out
			}
		}
	}
	return data
}

// exercise takes a damaged map through everything that reads.
func exercise(t *testing.T, data []byte, withFolder bool, rng *rand.Rand) (decoded, folder bool) {
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("panic: %v on %x", p, data)
		}
	}()
	if i := len(data); i%4 == 0 {
		_ = twmap.Trace(data, func(bin.Field) {}) // must only not panic: its errors are those of Decode
	}
	f, err := datafile.Decode(data)
	if err != nil {
		return false, false
	}
	check.Collect(func(sink check.Sink) { twmap.CheckFile(f, sink) })
	if out, err := f.Encode(); err != nil || string(out) != string(data) {
		t.Errorf("datafile encodes to other bytes, %v: %x", err, data)
	}
	m, err := twmap.Decode(data)
	if err != nil {
		return true, false
	}
	if out, err := m.Encode(); err != nil || string(out) != string(data) {
		t.Errorf("map encodes to other bytes, %v: %x", err, data)
	}
	if !withFolder {
		return true, false
	}
	files := make(fstest.MapFS)
	err = fs.WalkDir(mapdir.Open(m), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(mapdir.Open(m), path)
		files[path] = &fstest.MapFile{Data: content}
		return err
	})
	if err != nil {
		t.Errorf("cannot be taken apart: %v: %x", err, data)
		return true, false
	}
	back, err := mapdir.Read(files, nil)
	if err != nil {
		t.Errorf("its folder cannot be read: %v: %x", err, data)
		return true, false
	}
	if out, err := back.Encode(); err != nil || string(out) != string(data) {
		t.Errorf("packs to other bytes, %v: %x", err, data)
	}
	damageFolder(rng, files)
	if again, err := mapdir.Read(files, nil); err == nil {
		if _, err := again.Encode(); err != nil {
			t.Errorf("a folder that can be read does not encode: %v", err)
		}
	}
	return true, true
}

// damageFolder changes bytes in some files of a folder.
func damageFolder(rng *rand.Rand, files fstest.MapFS) {
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for range 3 {
		f := files[names[rng.IntN(len(names))]]
		if len(f.Data) == 0 {
			continue
		}
		f.Data = slices.Clone(f.Data)
		for range 1 + rng.IntN(3) {
			at := rng.IntN(len(f.Data))
			switch rng.IntN(3) {
			case 0:
				f.Data[at] = byte(rng.Uint32())
			case 1:
				f.Data = slices.Insert(f.Data, at, []byte(fmt.Sprint(rng.Int32()))...)
			case 2:
				f.Data = f.Data[:at+1]
			}
		}
	}
}
