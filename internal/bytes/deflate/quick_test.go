package deflate

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// streams returns streams with all forms of blocks.
func streams() (all [][]byte) {
	r := rand.New(rand.NewPCG(1, 1))
	var repeats []byte // with matches of all lengths at many distances
	for n := 1; len(repeats) < 100<<10; n++ {
		if at := r.IntN(len(repeats) + 1); n%3 == 0 && at > 0 {
			for range r.IntN(300) {
				repeats = append(repeats, repeats[len(repeats)-at])
			}
			continue
		}
		repeats = append(repeats, byte(r.IntN(1+n%256)))
	}
	random := make([]byte, 70_000)
	for i := range random {
		random[i] = byte(r.Uint32())
	}
	skewed := make([]byte, 40_000) // has codes of all lengths
	for i := range skewed {
		skewed[i] = byte(r.ExpFloat64() * 8)
	}
	for _, data := range [][]byte{nil, {1}, []byte("fixed codes, fixed codes"), repeats, random, skewed, make([]byte, 300_000)} {
		for _, level := range []int{0, 1, 6, 9} {
			stream, _ := Compress(nil, data, level)
			all = append(all, stream)
		}
	}
	return all
}

// readBoth reads a stream as [Decompress] does, and with flate alone.
func readBoth(stream []byte, limit int64) (is, want string) {
	describe := func(read func(f *inflater) ([]byte, error)) string {
		var data []byte
		used, err := open(stream, limit, func(f *inflater) (n int, err error) {
			data, err = read(f)
			return len(data), err
		})
		return fmt.Sprintf("%d bytes of data, sum %08x, %d of the stream, %v", len(data), Adler32(data), used, err)
	}
	is = describe(func(f *inflater) ([]byte, error) { return f.read(nil, 512, limit) })
	want = describe(func(f *inflater) ([]byte, error) { return f.readSlowly(nil, limit) })
	return is, want
}

func TestQuick(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i, stream := range streams() {
		changed := [][]byte{stream, append(bytes.Clone(stream), "more"...)}
		for range 15 {
			s := bytes.Clone(stream)
			s[r.IntN(min(len(s), 1000))] ^= 1 << r.IntN(8)
			changed = append(changed, s, stream[:r.IntN(len(stream))])
		}
		for j, s := range changed {
			for _, limit := range []int64{1 << 20, 1000} {
				if is, want := readBoth(s, limit); is != want {
					t.Errorf("stream %d, change %d, limit %d: %s, want %s", i, j, limit, is, want)
				}
			}
		}
		q := new(quick)
		if _, used, ok := q.inflate(stream[headerLen:], make([]byte, 1<<20), nil); !ok || used != len(stream)-headerLen-sumLen {
			t.Errorf("stream %d: %d of %d bytes, %v: flate would have to read it", i, used, len(stream), ok)
		}
	}
}

// FuzzQuick tests that streams are read as by flate alone.
func FuzzQuick(f *testing.F) {
	for _, stream := range streams() {
		if len(stream) < 10_000 {
			f.Add(stream, 1<<19)
		}
	}
	f.Fuzz(func(t *testing.T, stream []byte, limit int) {
		if is, want := readBoth(stream, int64(min(limit, 1<<24))); is != want {
			t.Fatalf("%s, want %s", is, want)
		}
	})
}
