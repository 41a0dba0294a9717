package mod_test

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"trowel.example/internal/testing/mutate"
)

// TestMutations damages mods in random ways and passes them to all functions that read and write. Nothing may panic,
// hang, or use memory out of proportion, and readable mods must round-trip. TROWEL_MUTATIONS sets the number of
// attempts.
func TestMutations(t *testing.T) {
	all := mutationSeeds(t)
	counts := mutate.Run(t, 300, func(_ int, rng *rand.Rand) []string {
		opened, rebuilt := exercise(t, damage(rng, all[rng.IntN(len(all))]))
		switch {
		case rebuilt:
			return []string{"opened", "rebuilt"}
		case opened:
			return []string{"opened"}
		}
		return []string{"refused"}
	})
	if counts["rebuilt"] == 0 {
		t.Error("the mutations are too harsh to show anything")
	}
}

// TestMutationMemory compares the memory that damaged mods allocate in opening, checking, rebuilding and editing with
// the size that they can represent: the bytes of the file, plus what blocks of these bytes can inflate to.
func TestMutationMemory(t *testing.T) {
	all := mutationSeeds(t)
	mutate.Memory(t, 200, func(_ int, rng *rand.Rand) (func(), uint64) {
		data := damage(rng, all[rng.IntN(len(all))])
		stands := uint64(len(data))
		if m, err := openBytes(data); err == nil {
			for _, f := range m.Archive.Files() {
				if size, compressed, err := f.Sizes(); err == nil {
					stands += uint64(compressed) + min(uint64(size), 1032*uint64(compressed))
				}
			}
		}
		return func() { exercise(t, data) }, 16<<20 + 8*stands
	})
}

// mutationSeeds returns mods to damage: generated ones and the smaller ones of the corpus.
func mutationSeeds(t *testing.T) [][]byte {
	all := seeds(t)
	t.Run("corpus", func(t *testing.T) { // the subtest skips itself if there is no corpus
		for _, data := range realMods(t) {
			if len(data) < 35<<10 {
				all = append(all, data)
			}
		}
	})
	return all
}

// damage changes a copy of a mod in its header, manifest or archive.
func damage(rng *rand.Rand, data []byte) []byte {
	data = slices.Clone(data)
	start, end := 0, len(data)
	if m, err := openBytes(data); err == nil {
		start, end = int(m.Header.DataOffset), int(m.Header.ManifestOffset)
	}
	at := func() int { // a position in one of the three parts, or near a border
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
		case 6: // copies one part of the manifest over another: duplicate records, offsets of other files
			if end < len(data)-64 {
				n := 4 + rng.IntN(60)
				from, to := end+rng.IntN(len(data)-end-n+1), end+rng.IntN(len(data)-end-n+1)
				copy(data[to:to+n], slices.Clone(data[from:from+n]))
			}
		}
	}
	return data
}
