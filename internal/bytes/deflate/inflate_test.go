package deflate_test

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"testing"

	"trowel.example/internal/bytes/deflate"
)

func compressed(t testing.TB, src []byte, level int) []byte {
	t.Helper()
	stream, err := deflate.Compress(nil, src, level)
	if err != nil {
		t.Fatal(err)
	}
	return stream
}

func TestDecompress(t *testing.T) {
	for _, in := range inputs() {
		for _, level := range []int{0, 1, 6} {
			stream := compressed(t, in.data, level)
			surplus := append(bytes.Clone(stream), "surplus bytes"...)

			data, n, err := deflate.Decompress(surplus, len(in.data))
			if err != nil || n != len(stream) || !bytes.Equal(data, in.data) {
				t.Errorf("%s, level %d: %d of %d bytes read, %v", in.name, level, n, len(stream), err)
			}
			data, n, err = deflate.DecompressUpTo(surplus, int64(len(in.data)))
			if err != nil || n != len(stream) || !bytes.Equal(data, in.data) {
				t.Errorf("%s, level %d, size unknown: %d of %d bytes read, %v", in.name, level, n, len(stream), err)
			}
		}
	}
}

func TestDecompressErrors(t *testing.T) {
	src := text(1, 5000)
	stream := compressed(t, src, 6)
	change := func(i int) []byte {
		s := bytes.Clone(stream)
		s[i] ^= 0xff
		return s
	}
	tests := []struct {
		name   string
		stream []byte
		size   int
		want   error
		data   int // number of bytes read anyway, -1 for some
	}{
		{"empty", nil, 5000, deflate.ErrTruncated, 0},
		{"one byte", stream[:1], 5000, deflate.ErrTruncated, 0},
		{"header only", stream[:2], 5000, deflate.ErrTruncated, 0},
		{"half", stream[:len(stream)/2], 5000, deflate.ErrTruncated, -1},
		{"no checksum", stream[:len(stream)-4], 5000, deflate.ErrTruncated, 5000},
		{"half a checksum", stream[:len(stream)-2], 5000, deflate.ErrTruncated, 5000},
		{"wrong method", change(0), 5000, deflate.ErrCorrupt, 0},
		{"wrong block", change(2), 5000, deflate.ErrCorrupt, 0},
		{"wrong checksum", change(len(stream) - 1), 5000, deflate.ErrCorrupt, 5000},
		{"dictionary", []byte("\x78\xbb\x00\x00\x00\x02\x03\x00\x00\x00\x00\x01"), 0, deflate.ErrCorrupt, 0},
		{"too short", stream, 5001, deflate.ErrTooShort, 5000},
		{"far too short", stream, 1 << 30, deflate.ErrTooShort, 5000},
		{"too long", stream, 4999, deflate.ErrTooLong, 4999},
		{"none wanted", stream, 0, deflate.ErrTooLong, 0},
		{"less than none wanted", stream, -1, deflate.ErrTooLong, 0},
		{"less than none there", compressed(t, nil, 6), -8, deflate.ErrTooLong, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			data, n, err := deflate.Decompress(tt.stream, tt.size)
			if !errors.Is(err, tt.want) {
				t.Fatalf("got %v, want %v", err, tt.want)
			}
			var e *deflate.Error
			if !errors.As(err, &e) {
				t.Fatalf("got a %T", err)
			}
			if e.Consumed != n || e.Size != len(data) || e.Error() == "" {
				t.Errorf("%d bytes read, %d bytes of data, but %#v", n, len(data), e)
			}
			if n > len(tt.stream) || !bytes.HasPrefix(src, data) {
				t.Errorf("%d bytes of data are wrong", len(data))
			}
			if tt.data >= 0 && len(data) != tt.data || tt.data < 0 && len(data) == 0 {
				t.Errorf("%d bytes of data", len(data))
			}
		})
	}
}

func TestTruncatedHasCause(t *testing.T) {
	_, _, err := deflate.DecompressUpTo([]byte("\x78\x9c\x03"), 10)
	if !errors.Is(err, deflate.ErrTruncated) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}

// TestDecompressMemory tests that a stated size which the stream does not have allocates no memory.
func TestDecompressMemory(t *testing.T) {
	zeros := compressed(t, make([]byte, 8<<20), 9)
	tests := []struct {
		name   string
		stream []byte
		limit  uint64
	}{
		{"corrupt", []byte("\x78\x9c\xff\xff\xff\xff"), 100 << 10},
		{"long and corrupt", append([]byte("\x78\x9c\xff"), make([]byte, 1<<20)...), 32 << 20},
		{"tiny", compressed(t, []byte("tiny"), 6), 100 << 10},
		{"zeros", zeros, 40 << 20},
		{"zeros, cut", zeros[:100], 2 << 20},
	}
	for _, tt := range tests {
		deflate.Decompress(tt.stream, 0) // puts a reader into the pool
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		deflate.Decompress(tt.stream, 1<<30)
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > tt.limit {
			t.Errorf("%s: %d KiB taken for a stream of %d bytes", tt.name, got>>10, len(tt.stream))
		}
	}
}

// TestDecompressBomb tests that only a little of a stream with a huge amount of data is read.
func TestDecompressBomb(t *testing.T) {
	bomb := compressed(t, make([]byte, 50<<20), 9)
	data, n, err := deflate.DecompressUpTo(bomb, 1000)
	if !errors.Is(err, deflate.ErrTooLong) || len(data) != 1000 || n > len(bomb)/2 {
		t.Errorf("%d bytes of data after %d of %d: %v", len(data), n, len(bomb), err)
	}
}
