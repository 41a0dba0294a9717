package deflate_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/klauspost/compress/zlib"

	"trowel.example/internal/bytes/deflate"
)

// FuzzCompress tests that other readers restore compressed data, and that LevelOf finds the level.
func FuzzCompress(f *testing.F) {
	for _, in := range inputs() {
		if len(in.data) <= 4096 {
			f.Add(in.data, 6)
		}
	}
	for level := range 10 {
		f.Add(mixed(newRNG(uint64(level)), 40_000), level)
	}
	f.Fuzz(func(t *testing.T, src []byte, level int) {
		stream, err := deflate.Compress(nil, src, level)
		if level < -1 || level > 9 {
			if !errors.Is(err, deflate.ErrLevel) {
				t.Fatal(err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		r, err := zlib.NewReader(bytes.NewReader(stream))
		if err != nil {
			t.Fatal(err)
		}
		if data, err := io.ReadAll(r); err != nil || !bytes.Equal(data, src) {
			t.Fatalf("other data: %v", err)
		}
		if data := unzip(t, stream); !bytes.Equal(data, src) {
			t.Fatal("other data from Go's own reader")
		}
		if !deflate.Matches(stream, src, level) {
			t.Fatal("no match")
		}
		got, ok := deflate.LevelOf(stream, src)
		if !ok {
			t.Fatal("no level")
		}
		if same, _ := deflate.Compress(nil, src, got); !bytes.Equal(same, stream) {
			t.Fatalf("level %d instead of %d", got, level)
		}
		if small, err := deflate.Smallest(nil, src); err != nil || !bytes.Equal(unzip(t, small), src) {
			t.Fatalf("other data in the smallest stream: %v", err)
		}
	})
}

// FuzzDecompress tests that no stream causes harm, that another reader agrees, and that all functions return the same
// data for valid streams.
func FuzzDecompress(f *testing.F) {
	for _, in := range inputs() {
		if len(in.data) <= 4096 {
			stream := compressed(f, in.data, 6)
			f.Add(stream, len(in.data))
			f.Add(stream[:len(stream)/2], len(in.data))
			f.Add(append(stream, "more"...), 1<<30)
		}
	}
	f.Fuzz(func(t *testing.T, stream []byte, size int) {
		data, n, err := deflate.Decompress(stream, size)
		if len(data) > max(size, 0) || n < 0 || n > len(stream) {
			t.Fatalf("%d bytes of data from %d of the stream", len(data), n)
		}
		used, verified := deflate.Verify(stream, size)
		var e1, e2 *deflate.Error
		if errors.As(err, &e1) != errors.As(verified, &e2) || e1 != nil &&
			(e1.Kind != e2.Kind || e1.Size != e2.Size || e1.Want != e2.Want) || err == nil && used != n {
			t.Fatalf("Verify: %d, %v, Decompress: %d, %v", used, verified, n, err)
		}
		// 2048 is about twice the maximum ratio of deflate.
		if cap(data) > 2048*len(stream)+4096 {
			t.Fatalf("room for %d bytes from a stream of %d", cap(data), len(stream))
		}
		var want []byte
		r, other := zlib.NewReader(bytes.NewReader(stream))
		if other == nil {
			want, other = io.ReadAll(r)
		}
		var e *deflate.Error
		if err != nil {
			if !errors.As(err, &e) || e.Consumed != n || e.Size != len(data) {
				t.Fatal(err)
			}
			if other == nil && (e.Kind == deflate.ErrCorrupt || e.Kind == deflate.ErrTruncated) {
				t.Fatalf("%v, but another reader reads it", err)
			}
			return
		}
		if other != nil || !bytes.Equal(data, want) {
			t.Fatalf("another reader reads other data, or none: %v", other)
		}
		if len(data) != size {
			t.Fatalf("%d bytes of data, not %d", len(data), size)
		}
		again, m, err := deflate.DecompressUpTo(stream[:n], int64(size))
		if err != nil || m != n || !bytes.Equal(again, data) {
			t.Fatal("another result without the surplus bytes:", err)
		}
		if level, ok := deflate.LevelOf(stream[:n], data); ok {
			if same := compressed(t, data, level); !bytes.Equal(same, stream[:n]) {
				t.Fatalf("level %d gives another stream", level)
			}
		}
	})
}
