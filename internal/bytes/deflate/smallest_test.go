package deflate_test

import (
	"bytes"
	"testing"

	"trowel.example/internal/bytes/deflate"
	"trowel.example/internal/testing/tests"
)

// TestSmallest tests that no stream is larger than that of level 9, and that those of tiles, text and pictures are at least 3 % smaller.
func TestSmallest(t *testing.T) {
	long := bytes.Repeat(tiles(4, 500, 500), 6)
	all := []input{
		{"tiles", tiles(1, 120, 120)},
		{"text", text(1, 40_000)},
		{"picture", picture(1, 100, 90)},
		{"run", make([]byte, 1<<18)},
		{"far", far(32767, 200)},
		{"too far", far(32768, 200)},
		{"not to be compressed", random(1, 70_000)},
		{"codes above 15 bits", fibonacci()},
		{"mixed", mixed(newRNG(3), 30_000)},
		{"segments", append(long[:tests.Of(t, 0, len(long))], 1)},
	}
	for i, in := range all {
		stream, err := deflate.Smallest([]byte("before"), in.data)
		if err != nil {
			t.Fatal(err)
		}
		stream, ok := bytes.CutPrefix(stream, []byte("before"))
		if !ok || !bytes.Equal(unzip(t, stream), in.data) {
			t.Errorf("%s: other data", in.name)
		}
		nine, err := deflate.Compress(nil, in.data, 9)
		most := len(nine)
		if i < 3 {
			most -= most * 3 / 100
		}
		if err != nil || len(stream) > most {
			t.Errorf("%s: %d bytes, level 9 has %d: %v", in.name, len(stream), len(nine), err)
		}
	}
}
