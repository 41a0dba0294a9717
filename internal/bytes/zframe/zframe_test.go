package zframe_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/klauspost/compress/zstd"

	"trowel.example/internal/bytes/zframe"
	"trowel.example/internal/testing/judge"
	"trowel.example/internal/testing/tests"
)

const limit = 64 << 20

// contents returns contents of several kinds: equal bytes, random bytes, and a mixture.
var contents = map[string]func(n int) []byte{
	"equal": func(n int) []byte { return bytes.Repeat([]byte{'a'}, n) },
	"random": func(n int) []byte {
		b := make([]byte, n)
		_, _ = rand.NewChaCha8([32]byte{byte(n), byte(n >> 8), byte(n >> 16)}).Read(b)
		return b
	},
	"mixed": func(n int) []byte {
		b := make([]byte, 0, n)
		for rng := rand.New(rand.NewPCG(1, uint64(n))); len(b) < n; {
			some := make([]byte, 1+rng.IntN(5000))
			switch rng.IntN(3) {
			case 0:
				for i := range some {
					some[i] = byte(rng.Uint32())
				}
			case 1:
				for i := range some {
					some[i] = "default:dirt_with_grass 99"[(i*i>>9)%26]
				}
			}
			b = append(b, some[:min(len(some), n-len(b))]...)
		}
		return b
	},
}

// sizes calls f with all powers of two up to most, and the sizes next to them.
func sizes(most int, f func(n int)) {
	for p := 1; p <= most; p *= 2 {
		for _, n := range []int{p - 1, p, p + 1} {
			f(n)
		}
	}
}

// check decodes a frame followed by other data, into buffers of several sizes.
func check(t *testing.T, name string, frame, want []byte) {
	t.Helper()
	data := append(bytes.Clone(frame), "(\xb5/\xfd more"...)
	for _, room := range []int{0, 20 << 10, 1 << 20} {
		got, used, err := zframe.Decode(make([]byte, 0, room), data, max(len(want), 1))
		if err != nil || used != len(frame) || !bytes.Equal(got, want) {
			t.Fatalf("%s, room %d: %d bytes of %d, %d of %d, %v", name, room, len(got), len(want), used, len(frame), err)
		}
		if len(want) > 1<<20 && room > 0 {
			break
		}
	}
	if len(want) > 1 {
		if got, _, err := zframe.Decode(nil, data, len(want)-1); !errors.Is(err, zframe.ErrTooLong) {
			t.Fatalf("%s, with a limit below: %d bytes, %v", name, len(got), err)
		}
	}
}

// A czstd is C zstd in a separate process: testdata/gen/gen.c.
type czstd struct {
	in  io.Writer
	out *bufio.Reader
}

func startC(t *testing.T) *czstd {
	t.Helper()
	c := judge.StartC(t, "testdata/gen/gen.c", "zstd")
	return &czstd{c.In, c.Out}
}

func (c *czstd) compress(t *testing.T, level, piece, sum int, src []byte) []byte {
	t.Helper()
	var req []byte
	for _, v := range []int{level, piece, sum, len(src)} {
		req = binary.LittleEndian.AppendUint32(req, uint32(v))
	}
	if _, err := c.in.Write(append(req, src...)); err != nil {
		t.Fatal(err)
	}
	var size [4]byte
	if _, err := io.ReadFull(c.out, size[:]); err != nil {
		t.Fatal(err)
	}
	frame := make([]byte, binary.LittleEndian.Uint32(size[:]))
	if _, err := io.ReadFull(c.out, frame); err != nil {
		t.Fatal(err)
	}
	return frame
}

// TestC tests frames of C zstd with all sizes, levels and forms: compressed at once, which states the size, or as a
// stream, in blocks of any size.
func TestC(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	c := startC(t)
	most := 8 << 20
	if !tests.Long(t) {
		most = 256 << 10
	}
	i := 0
	for kind, make := range contents {
		sizes(most, func(n int) {
			src := make(n)
			levels := []int{i%19 + 1}
			if n == 1<<16 || n == 1<<17 {
				levels = levels[:0]
				for l := range 19 {
					levels = append(levels, l+1)
				}
			}
			i++
			for _, level := range levels {
				pieces := []int{0, 1 << 30, 1 + n/3, 1 + n/200}
				if n > 1<<20 {
					pieces = pieces[i%3:][:2]
				}
				for _, piece := range pieces {
					frame := c.compress(t, level, piece, i&1, src)
					check(t, fmt.Sprintf("%d %s bytes, level %d, pieces of %d", n, kind, level, piece), frame, src)
				}
			}
		})
	}
}

// TestGo tests frames of the Go implementation.
func TestGo(t *testing.T) {
	tests.NotRaced(t, "does many things, one after the other")
	for level := zstd.SpeedFastest; level <= zstd.SpeedBestCompression; level++ {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderConcurrency(1), zstd.WithSingleSegment(level%2 == 0))
		if err != nil {
			t.Fatal(err)
		}
		for kind, make := range contents {
			sizes(tests.Of(t, 128<<10, 1<<20), func(n int) {
				src := make(n)
				name := fmt.Sprintf("%d %s bytes, %v", n, kind, level)
				if n > 0 { // it writes nothing for empty input
					check(t, name, e.EncodeAll(src, nil), src)
				}
				var b bytes.Buffer
				e.Reset(&b)
				for rest := src; len(rest) > 0; {
					some := min(len(rest), 1+n/5)
					if _, err := e.Write(rest[:some]); err != nil {
						t.Fatal(err)
					}
					if err := e.Flush(); err != nil {
						t.Fatal(err)
					}
					rest = rest[some:]
				}
				if err := e.Close(); err != nil {
					t.Fatal(err)
				}
				if b.Len() > 0 {
					check(t, name+", as a stream", b.Bytes(), src)
				}
			})
		}
	}
}

// frame returns a frame of a header and blocks.
func frame(head []byte, blocks ...[]byte) []byte {
	return append(append([]byte("(\xb5/\xfd"), head...), bytes.Join(blocks, nil)...)
}

func block(kind, size int, last bool, data ...byte) []byte {
	v := size<<3 | kind<<1
	if last {
		v |= 1
	}
	return append([]byte{byte(v), byte(v >> 8), byte(v >> 16)}, data...)
}

// TestLies tests that a frame with a wrong size allocates no memory for data that does not exist.
func TestLies(t *testing.T) {
	run := block(1, 100, true, 'x')
	for _, c := range []struct {
		name string
		data []byte
		want string // content; unless it has 100 bytes, an error is expected
	}{
		{"window of 128 MiB", frame([]byte{0, 17 << 3}, run), string(bytes.Repeat([]byte{'x'}, 100))},
		{"window of 256 MiB", frame([]byte{0, 18 << 3}, run), ""},
		{"size of 48 MiB", frame([]byte{0xa0, 0, 0, 0, 3}, run), ""},
		{"size of 2^60", frame([]byte{0xe0, 0, 0, 0, 0, 0, 0, 0, 16}, run), ""},
		{"size of 99", frame([]byte{0x20, 99}, run), ""},
		{"size of 101", frame([]byte{0x20, 101}, run), ""},
		{"size of 200 KiB, blocks of which most are damaged",
			frame(append([]byte{0xa0}, 0, 32, 3, 0), bytes.Repeat(block(2, 4, false, 1, 2, 3, 4), 500), run), ""},
		{"cut off", frame([]byte{0, 0}, block(1, 50, false, 'x'), block(0, 100, true, 'y')), "xxxxx"},
		{"cut off in the header", frame([]byte{0xe0, 0, 0}), ""},
		{"reserved block", frame([]byte{0, 0}, block(1, 50, false, 'x'), block(3, 1, true, 'y')), "xxxxx"},
		{"nothing", nil, ""},
	} {
		var before, after runtime.MemStats
		_, _, _ = zframe.Decode(nil, run, limit) // allocates memory that is kept for later
		runtime.ReadMemStats(&before)
		got, _, err := zframe.Decode(nil, c.data, limit)
		runtime.ReadMemStats(&after)
		if !bytes.HasPrefix(got, []byte(c.want)) || (err == nil) != (len(c.want) == 100) {
			t.Errorf("%s: %d bytes, %v", c.name, len(got), err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 2<<20 {
			t.Errorf("%s: took %d bytes of memory", c.name, took)
		}
	}
}

// TestMemory tests that decoding takes memory for a few times the size of the data, but not more than the limit
// permits.
func TestMemory(t *testing.T) {
	bomb := frame([]byte{0, 17 << 3}, bytes.Repeat(block(1, 128<<10, false, 'x'), 8192), block(0, 0, true)) // 1 GiB
	for _, most := range []int{1, 1000, 1 << 20, 16 << 20} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, used, err := zframe.Decode(nil, bomb, most)
		runtime.ReadMemStats(&after)
		if !errors.Is(err, zframe.ErrTooLong) || len(got) != most || used != len(bomb) {
			t.Errorf("limit %d: %d bytes, %d used, %v", most, len(got), used, err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > uint64(4*most+2<<20) {
			t.Errorf("limit %d: took %d bytes of memory", most, took)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(frame([]byte{0, 17 << 3}, block(1, 100, true, 'x')))
	f.Add(frame([]byte{0xa0, 0, 0, 0, 3}, block(1, 1<<17, true, 'x')))
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(1<<30), zstd.WithDecoderMaxWindow(1<<27))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, used, err := zframe.Decode(nil, data, 1<<20)
		if used > len(data) || len(got) > 1<<20 {
			t.Fatalf("%d bytes of %d, %d of content", used, len(data), len(got))
		}
		if err != nil {
			return
		}
		if want, err := d.DecodeAll(data[:used], nil); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes, not %d, %v", len(got), len(want), err)
		}
	})
}
