package mapblock

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"trowel.example/check"
	"trowel.example/fault"
	"trowel.example/internal/bytes/deflate"
	"trowel.example/internal/testing/mutate"
	"trowel.example/internal/testing/tests"
	"trowel.example/trace"
)

// TestMutations damages blocks in many ways and passes them to every function that reads blocks. None may panic,
// hang, or change bytes in a round trip. TROWEL_MUTATIONS sets the number of mutations.
func TestMutations(t *testing.T) {
	seeds := mutationSeeds(t)
	mutate.Run(t, tests.Of(t, 200, 600), func(_ int, rng *rand.Rand) []string {
		return []string{exercise(t, damaged(rng, seeds[rng.IntN(len(seeds))]))}
	})
}

// TestMutationMemory compares the memory that decoding damaged blocks allocates with the size of their content.
func TestMutationMemory(t *testing.T) {
	seeds := mutationSeeds(t)
	mutate.Memory(t, 600, func(_ int, rng *rand.Rand) (func(), uint64) {
		data := damaged(rng, seeds[rng.IntN(len(seeds))])
		// The block itself, twice its content, and the largest structure that one byte of it can create.
		return func() {
			if b, err := Decode(data); err == nil {
				check.Collect(b.Check)
				b.Nodes()
			}
		}, uint64(4<<20 + 32*inflated(data))
	})
}

// inflated returns the number of bytes that the streams of a block inflate to.
func inflated(data []byte) (n int) {
	switch {
	case len(data) == 0:
	case data[0] >= 29:
		withFrame(data[1:], func(content []byte, _ int, _ error) { n = len(content) })
	case data[0] >= 11:
		for at := min(streamAt(data[0]), len(data)); at < len(data); {
			content, used, err := deflate.DecompressUpTo(data[at:], MaxContent)
			if n += len(content); err != nil {
				break
			}
			at += used
		}
	}
	return n
}

// streamAt returns the offset of the first zlib stream of a block.
func streamAt(version byte) int {
	switch {
	case version >= 27:
		return 6
	case version >= 22:
		return 4
	}
	return 2
}

// TestBombs tests streams that inflate to much more than they should.
func TestBombs(t *testing.T) {
	zeros, err := deflate.Compress(nil, make([]byte, 8<<20), 9)
	if err != nil {
		t.Fatal(err)
	}
	head := []byte{29}
	for name, data := range map[string][]byte{
		"zstd":     append(head, packZstd(make([]byte, 8<<20))...),
		"size":     append(head, 0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0),
		"nodes":    append([]byte{25, 0, 2, 2}, zeros...),
		"metadata": append(hand{25, 0, 2, 2}.zlib(hand{}.nodes(2, 0, 0, 0)), zeros...),
		"runs":     hand{4, 0}.u32(1<<31).u8(255, 0),
		"num_vars": append(head, packZstd(hand{0, 255, 255}.u32(0).u8(0).u16(0).u8(2, 2).nodes(2, 0, 0,
			0).u8(2).u16(65535).u16(0).u32(1<<32-1))...),
		"metadata ": append(head, packZstd(hand{0, 255, 255}.u32(0).u8(0).u16(0).u8(2, 2).nodes(2, 0, 0,
			0).u8(2).u16(65535).text("0123456789"))...),
	} {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		before := m.TotalAlloc
		_, err := Decode(data)
		runtime.ReadMemStats(&m)
		if got := m.TotalAlloc - before; int(got) > 4<<20+4*inflated(data) {
			t.Errorf("%s: %d bytes took %d", name, len(data), got)
		}
		if name != "metadata" && err == nil { // metadata is not needed to continue
			t.Errorf("%s: no error", name)
		}
	}
}

// TestSalvageBombs tests that the search for sections after damaged data does not inflate many large streams.
func TestSalvageBombs(t *testing.T) {
	bomb := hand{}.zlib(make([]byte, 1<<20))
	data := append(append([]byte{25, 0, 2, 2}, "no zlib stream"...), bytes.Repeat(bomb[:len(bomb)-1], 200)...)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before := m.TotalAlloc
	b, found := Salvage(data)
	runtime.ReadMemStats(&m)
	if got := m.TotalAlloc - before; b != nil || len(found) == 0 || got > 64<<20 {
		t.Errorf("%d bytes took %d: %v", len(data), got, found)
	}
}

func mutationSeeds(t testing.TB) [][]byte {
	var seeds [][]byte
	for version := range Newest + 1 {
		data, err := sample(version).EncodeFresh()
		if err != nil {
			t.Fatal(err)
		}
		seeds = append(seeds, data)
	}
	if t, ok := t.(*testing.T); ok {
		t.Run("corpus", func(t *testing.T) { // skipped if there is no corpus
			for _, w := range worlds(t) {
				for i, p := range w.sorted() {
					if data := w.blocks[p]; i%211 == 0 || len(data) > 3000 && i%5 == 0 {
						seeds = append(seeds, data)
					}
				}
			}
		})
	}
	return seeds
}

// damaged damages a copy of a block, either in the file or in its inflated content.
func damaged(rng *rand.Rand, data []byte) []byte {
	if data[0] < 16 || rng.IntN(3) == 0 {
		return damageBytes(rng, slices.Clone(data))
	}
	if data[0] >= 29 {
		out := []byte{29}
		withFrame(data[1:], func(content []byte, _ int, _ error) {
			out = append(out, packZstd(damageBytes(rng, bytes.Clone(content)))...)
		})
		return out
	}
	at := streamAt(data[0])
	nodes, n, err := deflate.DecompressUpTo(data[at:], 4*NodeCount)
	if err != nil {
		return damageBytes(rng, slices.Clone(data))
	}
	meta, m, err := deflate.DecompressUpTo(data[at+n:], 1<<20)
	if err != nil {
		return damageBytes(rng, slices.Clone(data))
	}
	tail := slices.Clone(data[at+n+m:])
	switch rng.IntN(3) {
	case 0:
		nodes = damageBytes(rng, nodes)
	case 1:
		meta = damageBytes(rng, meta)
	case 2:
		tail = damageBytes(rng, tail)
	}
	return append(hand(slices.Clone(data[:at])).zlib(nodes).zlib(meta), tail...)
}

func damageBytes(rng *rand.Rand, data []byte) []byte {
	for range 1 + rng.IntN(3) {
		if len(data) < 4 {
			return data
		}
		at := rng.IntN(len(data))
		switch rng.IntN(6) {
		case 0:
			data[at] ^= 1 << rng.IntN(8)
		case 1:
			data[at] = []byte{0, 1, 2, 0x7f, 0x80, 0xff}[rng.IntN(6)]
		case 2:
			data = data[:at]
		case 3:
			data = slices.Insert(data, at, data[:min(rng.IntN(64), at)]...)
		case 4:
			data = slices.Delete(data, at, min(at+1+rng.IntN(8), len(data)))
		case 5:
			copy(data[at:], []byte{0xff, 0xff, 0xff, 0xff})
		}
	}
	return data
}

// Outcomes of decoding.
const (
	refused  = "refused"
	salvaged = "salvaged in part"
	taken    = "decoded"
)

// exercise passes data to every function that reads blocks.
func exercise(t testing.TB, data []byte) string {
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("panic: %v on %x", p, data)
		}
	}()
	b, err := Decode(data)
	if len(data)%4 == 0 { // only a quarter of them: all would take most of the time
		if dumpErr := Dump(data, func(f trace.Field) {}); (dumpErr == nil) != (err == nil) {
			t.Errorf("Decode says %v, Dump %v: %x", err, dumpErr, data)
		}
	}
	if err != nil {
		var e *fault.Error
		if !errors.As(err, &e) {
			t.Errorf("no fault.Error: %v: %x", err, data)
		}
		if len(data)%3 != 0 { // only a third, for the same reason
			return refused
		}
		b, found := Salvage(data)
		if len(found) == 0 {
			t.Errorf("nothing found in %x", data)
		}
		if b == nil {
			return refused
		}
		out, err := b.Encode()
		if err != nil {
			t.Errorf("what was saved does not encode: %v: %x", err, data)
			return salvaged
		}
		if _, err := Decode(out); err != nil {
			t.Errorf("what was saved does not decode: %v: %x", err, data)
		}
		return salvaged
	}
	if len(data)%4 == 1 {
		var nodes Block
		if err := nodes.DecodeNodes(data); err != nil || nodes.Param0 != b.Param0 || !slices.Equal(nodes.Names, b.Names) {
			t.Errorf("DecodeNodes reads something else, %v: %x", err, data)
		}
	}
	check.Collect(b.Check)
	if out, err := b.Encode(); err != nil || !bytes.Equal(out, data) {
		t.Errorf("other bytes, %v: %x", err, data)
	}
	fresh, err := b.EncodeFresh()
	if err != nil {
		t.Errorf("EncodeFresh: %v: %x", err, data)
		return taken
	}
	if again, err := Decode(fresh); err != nil || !bytes.Equal(content(again), content(b)) {
		t.Errorf("EncodeFresh gives another block, %v: %x", err, data)
	}
	versions := []int{17, 21, 23, 25, 29} // only one of them: all would take most of the time
	version := versions[len(data)%len(versions)]
	to, _, err := b.Convert(version, ConvertOptions{Drop: true})
	if err != nil {
		t.Errorf("to version %d: %v: %x", version, err, data)
		return taken
	}
	out, err := to.Encode()
	if err != nil {
		t.Errorf("version %d does not encode: %v: %x", version, err, data)
		return taken
	}
	if _, err := Decode(out); err != nil {
		t.Errorf("version %d does not decode: %v: %x", version, err, data)
	}
	return taken
}

// FuzzDecode passes arbitrary bytes to every function that reads blocks.
func FuzzDecode(f *testing.F) {
	for _, h := range handmade {
		f.Add(h.data)
	}
	for _, data := range mutationSeeds(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { exercise(t, data) })
}

// FuzzContent is FuzzDecode for the content of a block of version 29.
func FuzzContent(f *testing.F) {
	f.Add(content(sample(29)))
	f.Add(content(New(29)))
	f.Fuzz(func(t *testing.T, data []byte) { exercise(t, append([]byte{29}, packZstd(data)...)) })
}
