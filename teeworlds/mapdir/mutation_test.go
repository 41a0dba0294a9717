package mapdir_test

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"trowel.example/check"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/mutate"
	"trowel.example/internal/testing/tests"
	"trowel.example/teeworlds/datafile"
	"trowel.example/teeworlds/mapdir"
	"trowel.example/teeworlds/twmap"
	"trowel.example/trace"
)

// TestMutations passes maps with random damage through all readers: they must not panic, hang, or use
// disproportionate memory. TROWEL_MUTATIONS is the number of maps.
func TestMutations(t *testing.T) {
	tests.NotRaced(t, "reads many damaged files, one after the other")
	seeds := mutationSeeds(t)
	mutate.Run(t, tests.Of(t, 500, 2000), func(i int, rng *rand.Rand) []string {
		decoded, folder := exercise(t, damage(rng, seeds[rng.IntN(len(seeds))]), i%32 == 0, rng)
		switch {
		case folder:
			return []string{"decoded", "through their folder and back"}
		case decoded:
			return []string{"decoded"}
		}
		return []string{"refused"}
	})
}

// TestMutationMemory compares the memory that damaged maps allocate with what is justified: the bytes of the file,
// and the stated sizes of their compressed blocks, as far as blocks of that length can reach these sizes.
func TestMutationMemory(t *testing.T) {
	seeds := mutationSeeds(t)
	mutate.Memory(t, 600, func(_ int, rng *rand.Rand) (func(), uint64) {
		data := damage(rng, seeds[rng.IntN(len(seeds))])
		stands := uint64(len(data))
		if f, err := datafile.Salvage(data); err == nil {
			for _, b := range f.Blocks() {
				if b.Size() > 0 {
					stands += min(uint64(b.Size()), 1032*uint64(b.StoredSize()))
				}
			}
		}
		return func() {
			m, err := twmap.Salvage(data)
			if err != nil {
				return
			}
			check.Collect(func(sink check.Sink) { twmap.CheckFile(m.Source(), sink) })
			if _, err := m.Encode(); err != nil {
				t.Errorf("does not encode: %v: %x", err, data)
			}
		}, 16<<20 + 64*stands
	})
}

// mutationSeeds returns maps to damage: those made here, and the smaller ones of the corpus.
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
	t.Run("corpus", func(t *testing.T) { // skips itself
		for _, path := range tests.CorpusFiles(t, "teeworlds", ".map") {
			if st, err := os.Stat(path); err != nil || st.Size() > 8<<10 {
				continue
			}
			data := judge.Read(t, filepath.Clean(path))
			seeds = append(seeds, data)
		}
	})
	return seeds
}

// damage returns a changed copy of a map.
func damage(rng *rand.Rand, data []byte) []byte {
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
		case 6: // the contents of a data block
			f, err := datafile.Salvage(data)
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

// exercise passes a damaged map through all readers.
func exercise(t *testing.T, data []byte, withFolder bool, rng *rand.Rand) (decoded, folder bool) {
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("panic: %v on %x", p, data)
		}
	}()
	if i := len(data); i%4 == 0 {
		_ = twmap.Trace(data, func(trace.Field) {}, func(string) {}) // must only not panic: its errors are those of Decode
	}
	f, err := datafile.Salvage(data)
	if err != nil {
		return false, false
	}
	check.Collect(func(sink check.Sink) { twmap.CheckFile(f, sink) })
	if out, err := f.Encode(); err != nil || string(out) != string(data) {
		t.Errorf("datafile encodes to other bytes, %v: %x", err, data)
	}
	m, err := twmap.Salvage(data)
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
