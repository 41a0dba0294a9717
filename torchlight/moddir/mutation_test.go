package moddir_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/fstest"

	"trowel.example/check"
	"trowel.example/internal/testing/mutate"
	"trowel.example/internal/testing/tests"
	"trowel.example/torchlight/mod"
	"trowel.example/torchlight/moddir"
	"trowel.example/torchlight/pak"
)

// TestMutations damages mods and the files in them, and converts them to folders and back: nothing may panic or hang,
// and readable mods must round-trip. TROWEL_MUTATIONS sets the number of attempts.
func TestMutations(t *testing.T) {
	tests.NotRaced(t, "reads many damaged files, one after the other")
	seeds := mutationSeeds(t)
	counts := mutate.Run(t, tests.Of(t, 100, 300), func(_ int, rng *rand.Rand) []string {
		data := damaged(t, rng, seeds[rng.IntN(len(seeds))])
		opened, same := exercise(t, data)
		switch {
		case !opened:
			return []string{"refused"}
		case !same:
			return []string{"opened"}
		case mutateFolder(t, rng, data):
			return []string{"opened", "the same bytes again", "built of a damaged folder"}
		}
		return []string{"opened", "the same bytes again"}
	})
	if counts["the same bytes again"] == 0 || counts["built of a damaged folder"] == 0 {
		t.Error("the mutations are too harsh to show anything")
	}
}

// TestMutationMemory compares the memory that damaged mods allocate in opening, reading, checking and building with the
// size that they can represent: the bytes of the file, plus what blocks of these bytes can inflate to.
func TestMutationMemory(t *testing.T) {
	seeds := mutationSeeds(t)
	mutate.Memory(t, 100, func(_ int, rng *rand.Rand) (func(), uint64) {
		data := damaged(t, rng, seeds[rng.IntN(len(seeds))])
		stands := uint64(len(data))
		if m, err := mod.Open(bytes.NewReader(data), int64(len(data))); err == nil {
			for _, f := range m.Archive.Files() {
				if size, compressed, err := f.Sizes(); err == nil {
					stands += min(uint64(size), 1032*uint64(compressed)+uint64(size))
				}
			}
		}
		return func() { exercise(t, data) }, 32<<20 + 64*stands
	})
}

// mutationSeeds returns mods to damage: generated ones and the smaller ones of the corpus.
func mutationSeeds(t *testing.T) [][]byte {
	var seeds [][]byte
	made := madeMods(t)
	for _, name := range names(made) {
		seeds = append(seeds, made[name])
	}
	return append(seeds, smallMods(t)...)
}

// damaged changes a copy of a mod: its bytes anywhere, or the content of one of its files.
func damaged(t testing.TB, rng *rand.Rand, data []byte) []byte {
	if rng.IntN(2) == 0 {
		data = slices.Clone(data)
		for range 1 + rng.IntN(3) {
			data = damage(rng, data)
		}
		return data
	}
	m, err := mod.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var files []entry
	for _, f := range m.Archive.Files() {
		if content, err := f.Content(); err == nil && !f.Removed() && !f.Duplicate {
			files = append(files, entry{f.Path, slices.Clone(content)})
		}
	}
	if len(files) == 0 {
		return data
	}
	for range 1 + rng.IntN(3) {
		f := &files[rng.IntN(len(files))]
		for range 1 + rng.IntN(3) {
			f.content = damage(rng, f.content)
		}
	}
	if rng.IntN(4) == 0 { // one file replaces another
		files[rng.IntN(len(files))].path = files[rng.IntN(len(files))].path + []string{"", "/X.DAT", "~2", ".json", ".BINDAT"}[rng.IntN(5)]
	}
	return makeMod(t, m.Header, files, func(man *pak.Manifest) { man.Hint += uint32(rng.IntN(2)) })
}

// damage changes bytes; it may modify data.
func damage(rng *rand.Rand, data []byte) []byte {
	if len(data) < 8 {
		return append(data, byte(rng.Uint32()))
	}
	at := rng.IntN(len(data) - 4)
	interesting := []uint32{0, 1, 4, 7, 255, 65535, 1 << 24, 1<<31 - 1, 1 << 31, 1<<32 - 1}
	switch rng.IntN(7) {
	case 0, 1:
		data[at] ^= 1 << rng.IntN(8)
	case 2:
		if rng.IntN(4) == 0 {
			data = data[:at]
		}
	case 3:
		binary.LittleEndian.PutUint32(data[at:], interesting[rng.IntN(len(interesting))])
	case 4:
		binary.LittleEndian.PutUint32(data[at:], binary.LittleEndian.Uint32(data[at:])+uint32(rng.IntN(9)-4))
	case 5:
		data = slices.Insert(data, at, data[:min(rng.IntN(64), at)]...)
	case 6:
		n := min(4+rng.IntN(60), len(data))
		from, to := rng.IntN(len(data)-n+1), rng.IntN(len(data)-n+1)
		copy(data[to:to+n], slices.Clone(data[from:from+n]))
	}
	return data
}

// mutateFolder damages the files of the folder of a mod, including the sidecar. It reports whether the folder can be
// built; if so, the result must round-trip.
func mutateFolder(t testing.TB, rng *rand.Rand, data []byte) bool {
	m, err := mod.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	files := make(fstest.MapFS)
	shown := moddir.Open(m, moddir.Options{})
	for _, name := range listing(t, shown) {
		if content, err := fs.ReadFile(shown, name); err == nil {
			files[name] = &fstest.MapFile{Data: content}
		}
	}
	all := names(files)
	for range 1 + rng.IntN(3) {
		f := files[all[rng.IntN(len(all))]]
		switch at := rng.IntN(len(f.Data) + 1); rng.IntN(4) {
		case 0:
			f.Data = slices.Insert(f.Data, at, []byte(fmt.Sprint(rng.Int32()))...)
		case 1:
			f.Data = f.Data[:at]
		default:
			f.Data = damage(rng, f.Data)
		}
	}
	_ = moddir.CheckFolder(files, moddir.Options{}, func(check.Finding) {}) // it must only terminate
	var out tests.Memory
	if _, _, err := moddir.Build(context.Background(), &out, files, moddir.BuildOptions{Tables: rng.IntN(2) == 0}); err != nil {
		return false
	}
	if opened, same := exercise(t, out.Data); !opened || !same {
		t.Errorf("what was built of a damaged folder was opened: %v, came back: %v", opened, same)
	}
	return true
}
