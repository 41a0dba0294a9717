package deflate_test

import (
	"fmt"
	"math/bits"
)

// A rng is xorshift64*, so that its numbers do not depend on the Go version.
type rng uint64

func newRNG(seed uint64) *rng {
	r := rng(seed*0x9e3779b97f4a7c15 | 1)
	for range 8 {
		r.next()
	}
	return &r
}

func (r *rng) next() uint64 {
	*r ^= *r >> 12
	*r ^= *r << 25
	*r ^= *r >> 27
	return uint64(*r) * 0x2545f4914f6cdd1d
}

func (r *rng) below(n int) int {
	hi, _ := bits.Mul64(r.next(), uint64(n))
	return int(hi)
}

func (r *rng) between(lo, hi int) int { return lo + r.below(hi-lo+1) }

// size returns a random size up to limit, small ones as likely as large ones.
func (r *rng) size(limit int) int {
	n := 1 << r.below(bits.Len(uint(limit)))
	return min(r.below(n+1)+r.below(n+1), limit)
}

// fill appends n random bytes with the given number of different values.
func (r *rng) fill(b []byte, n, values int) []byte {
	for range n {
		b = append(b, byte(r.below(values)))
	}
	return b
}

func random(seed uint64, n int) []byte { return newRNG(seed).fill(nil, n, 256) }

func repeated(unit string, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = unit[i%len(unit)]
	}
	return b
}

// text returns words of an invented language, in which common words are short.
func text(seed uint64, n int) []byte {
	r := newRNG(seed)
	words := make([]string, 600)
	for i := range words {
		for range 1 + r.below(2+i/80) {
			words[i] += string("bcdfghklmnprstvw"[r.below(16)]) + string("aeiou"[r.below(5)])
		}
	}
	var b []byte
	for len(b) < n {
		b = append(b, words[r.below(1+r.below(len(words)))]...)
		switch r.below(12) {
		case 0:
			b = append(b, ".\r\n"...)
		case 1:
			b = append(b, ", "...)
		default:
			b = append(b, ' ')
		}
	}
	return b[:n]
}

// picture returns RGBA pixels with soft colours, noise, and transparent areas.
func picture(seed uint64, width, height int) []byte {
	r := newRNG(seed)
	var b []byte
	for y := range height {
		for x := range width {
			if (x/24+y/24)%3 == 0 {
				b = append(b, 0, 0, 0, 0)
				continue
			}
			noise := byte(r.below(4))
			b = append(b, byte(x*255/width)+noise, byte(y*255/height)+noise, byte((x+y)/2), 255)
		}
	}
	return b
}

// tiles returns a layer of a map, four bytes per tile.
func tiles(seed uint64, width, height int) []byte {
	r := newRNG(seed)
	b := make([]byte, 0, 4*width*height)
	for i := 0; i < width*height; {
		tile, flags := byte(0), byte(0)
		if r.below(3) == 0 {
			tile, flags = byte(r.below(40)), byte(r.below(9))
		}
		for range min(1+r.below(60), width*height-i) {
			b = append(b, tile, flags, 0, 0)
			i++
		}
	}
	return b
}

// far returns bytes without matches, except for a piece of length bytes that occurs twice at the given distance.
func far(distance, length int) []byte {
	b := unique(distance + length + 300)
	copy(b[150+distance:], b[150:150+length])
	return b
}

// unique returns bytes in which hardly any three-byte sequence occurs twice. Their low bits are a counter; random
// bytes would have too many matches at this size.
func unique(n int) []byte {
	b := make([]byte, 0, n+3)
	for i := uint32(0); len(b) < n; i++ {
		v := i * 0x9e3779b1 >> 8
		b = append(b, byte(v), byte(v>>8), byte(v>>16))
	}
	return b[:n]
}

// mixed returns bytes with structures that random bytes lack: runs, copies from all distances, near misses of these,
// and alphabets of all sizes.
func mixed(r *rng, n int) []byte {
	b := make([]byte, 0, n+1)
	values := 1 + r.below(256)
	style := r.below(8)
	for len(b) < n {
		switch k := r.below(10); {
		case k < 2 || style == 0 || len(b) == 0:
			if r.below(6) == 0 {
				values = 1 + r.below(1+r.below(256))
			}
			b = r.fill(b, 1+r.size(40+400*(style&1)), values)
		case k < 4 || style == 1:
			c := byte(r.below(values))
			for range 1 + r.size(1200) {
				b = append(b, c)
			}
		case k == 4:
			unit := r.fill(nil, 1+r.below(9), values)
			for range 1 + r.size(300) {
				b = append(b, unit...)
			}
		default:
			d := min(1+r.size(40000), len(b))
			switch r.below(8) {
			case 0:
				d = min(r.between(32500, 32510), len(b))
			case 1:
				d = min(r.between(4090, 4100), len(b))
			}
			length := 3 + r.size(16)
			if r.below(8) == 0 {
				length = r.between(250, 270)
			}
			for range length {
				b = append(b, b[len(b)-d])
			}
			if r.below(3) == 0 {
				b[len(b)-1] ^= 1
			}
		}
	}
	return b[:n]
}

// nineBits returns bytes without equal ones, many of which have fixed codes of nine bits.
func nineBits(high int) []byte {
	var b []byte
	for i := range 60 {
		b = append(b, byte(i*7%144))
		if i < high {
			b = append(b, byte(144+i*5))
		}
	}
	return b
}

// edges returns an input with repeated pieces at about the maximum distance, which ends about where C zlib moves its
// buffer.
func edges(r *rng) []byte {
	n := 65274 + 32768*r.below(3) + r.between(-10, 300)
	b := repeated("0123456789"[:r.between(1, 10)], n)
	for range r.between(1, 20) {
		from := r.below(n - 32600)
		if r.below(2) == 0 {
			from = 32768*r.below(n/32768+1) + r.between(-2, 2)
		}
		from = min(max(from, 0), n)
		to := min(from+r.between(32503, 32509), n)
		piece := r.fill(nil, r.between(3, 60), 256)
		copy(b[from:], piece)
		copy(b[to:], piece)
	}
	return b
}

// An input is a named input of the golden files.
type input struct {
	name string
	data []byte
}

// inputs returns all inputs of the golden files.
func inputs() []input {
	var all []input
	add := func(data []byte, format string, args ...any) {
		all = append(all, input{fmt.Sprintf(format, args...), data})
	}
	for _, n := range []int{
		0, 1, 2, 3, 4, 257, 258, 259, 260, 16382, 16383, 16384, 16385,
		32505, 32506, 32507, 32767, 32768, 32769, 65273, 65274, 65275,
		65534, 65535, 65536, 65537, 98304, 131069, 131070, 131071, 131072, 131073,
	} {
		add(random(uint64(n), n), "random/%d", n)
		add(text(uint64(n), n), "text/%d", n)
		add(repeated("a", n), "run/%d", n)
		add(mixed(newRNG(uint64(n)), n), "mixed/%d", n)
	}
	for _, n := range []int{1, 2, 10, 126, 127, 128, 254, 255} {
		for d := -2; d <= 2; d++ {
			add(repeated("\x00", 258*n+d), "run/258*%d%+d", n, d)
		}
	}
	add(repeated("\xff", 1<<20), "run/1Mi")
	for _, unit := range []string{"ab", "abc", "abcd", "abcdefghijklmnopq"} {
		add(repeated(unit, 1000), "period/%d/1000", len(unit))
		add(repeated(unit, 200_003), "period/%d/200003", len(unit))
	}
	for _, d := range []int{4095, 4096, 4097, 16384, 32505, 32506, 32507, 32508, 32767, 32768, 32769} {
		for _, length := range []int{3, 4, 258} {
			add(far(d, length), "far/%d/%d", d, length)
		}
	}
	// C zlib moves its buffer at 65274 if the input ends soon, otherwise a byte later, and again a window later. The
	// byte then at the start of the buffer cannot match.
	for _, move := range []int{65274, 65274 + 32768} {
		for p := move - 1; p <= move+1; p++ {
			for _, n := range []int{move + 200, move + 262, move + 5000} {
				b := repeated("0123456789", n)
				copy(b[move-32506:], "A piece of text that comes once more.")
				copy(b[p:], "A piece of text that comes once more.")
				add(b, "move/%d/%d", p, n)
			}
		}
	}
	for high := 13; high <= 24; high++ {
		add(nineBits(high), "stored-or-fixed/%d", high)
	}
	for n := 56; n < 80; n++ {
		add(text(77, n), "fixed-or-dynamic/%d", n)
	}
	add(picture(1, 200, 150), "picture/200x150")
	add(picture(2, 640, 256), "picture/640x256")
	add(tiles(1, 50, 50), "tiles/50x50")
	add(tiles(2, 500, 300), "tiles/500x300")
	add(text(5, 1_000_000), "text/1000000")
	add(random(5, 400_000), "random/400000")
	add(fibonacci(), "fibonacci")
	for seed := range uint64(20) {
		r := newRNG(1000 + seed)
		add(mixed(r, 1+r.size(300_000)), "mixed/seed%d", seed)
	}
	return all
}

// fibonacci returns bytes with frequencies so uneven that their codes would exceed 15 bits, in an order without
// matches.
func fibonacci() []byte {
	var b []byte
	a, c := 1, 1
	for v := range 19 {
		for range a {
			b = append(b, byte(v))
		}
		a, c = c, a+c
	}
	r := newRNG(7)
	for i := range b {
		j := r.below(i + 1)
		b[i], b[j] = b[j], b[i]
	}
	return b
}
