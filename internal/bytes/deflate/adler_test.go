package deflate

import (
	"bytes"
	std "hash/adler32"
	"math/rand/v2"
	"testing"
)

func TestAdler32(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	random := make([]byte, 3*adlerPart+100)
	for i := range random {
		random[i] = byte(r.Uint32())
	}
	high := bytes.Repeat([]byte{0xff}, len(random)) // has the largest sums
	for _, data := range [][]byte{random, high} {
		for n := range len(data) {
			if n > 1000 && n%adlerPart > 20 && n%1001 != 0 {
				continue
			}
			for _, p := range [][]byte{data[:n], data[len(data)-n:]} {
				if got, want := Adler32(p), std.Checksum(p); got != want {
					t.Fatalf("%d bytes: %#08x, want %#08x", n, got, want)
				}
			}
		}
	}
}

func BenchmarkAdler32(b *testing.B) {
	data := make([]byte, 16<<10)
	for i := range data {
		data[i] = byte(i * i >> 3)
	}
	for name, sum := range map[string]func([]byte) uint32{"ours": Adler32, "hash": std.Checksum} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				sum(data)
			}
		})
	}
}
