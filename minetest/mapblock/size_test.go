package mapblock

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"trowel.example/internal/testing/tests"
)

// value returns n characters of a kind.
func value(kind string, n int) string {
	random := func(n int) string {
		b := make([]byte, n)
		_, _ = rand.NewChaCha8([32]byte{byte(n), byte(n >> 8)}).Read(b)
		return string(b)
	}
	switch kind {
	case "equal":
		return strings.Repeat("a", n)
	case "random":
		return random(n)
	}
	third := n / 3
	return strings.Repeat("x", third) + random(third) + strings.Repeat("return {", n)[:n-2*third]
}

// TestSizes tests that blocks with metadata of any size are readable, in every version that compresses metadata and
// at every compression level.
func TestSizes(t *testing.T) {
	most := 8 << 20
	if !tests.Long(t) {
		most = 256 << 10
	}
	i := 0
	for _, kind := range []string{"equal", "random", "mixed"} {
		for p := 1; p <= most; p *= 2 {
			for n := p - 1; n <= p+1; n++ {
				versions := []int{23, 28, 29}
				if p > 1<<20 {
					versions = versions[1+i%2:][:1]
				}
				for _, version := range versions {
					i++
					b := New(version)
					text := value(kind, n)
					b.Metadata = Metadata{Version: 1, List: []NodeMeta{{Pos: 7, Vars: []Var{{Key: "text", Value: text}}, Inventory: emptyInventory}}}
					name := fmt.Sprintf("version %d, %d %s characters", version, n, kind)
					for _, data := range packings(t, b, i) {
						again, err := Decode(data)
						if err != nil {
							t.Errorf("%s, %d bytes: %v", name, len(data), err)
							continue
						}
						if list := again.Metadata.List; len(list) != 1 || list[0].Var("text") != text {
							t.Errorf("%s: other metadata", name)
						}
						if out, err := again.Encode(); err != nil || !bytes.Equal(out, data) {
							t.Errorf("%s: other bytes, %v", name, err)
						}
					}
				}
			}
		}
	}
}

// packings returns a block as Encode writes it, and in a second form selected by i.
func packings(t *testing.T, b *Block, i int) [][]byte {
	t.Helper()
	data, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if b.Version < 29 {
		other, err := b.EncodeLevel(i % 10)
		if err != nil {
			t.Fatal(err)
		}
		return [][]byte{data, other}
	}
	var stream bytes.Buffer
	e, err := zstd.NewWriter(&stream, zstd.WithEncoderLevel(zstd.EncoderLevel(i%4+1)), zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	for piece := range slices.Chunk(content(b), 1+len(content(b))/(i%5+1)) {
		_, err1 := e.Write(piece)
		if err := cmp.Or(err1, e.Flush()); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	return [][]byte{data, append([]byte{29}, stream.Bytes()...)}
}
