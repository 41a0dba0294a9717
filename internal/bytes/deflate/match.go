package deflate

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

const (
	windowSize = 1 << 15
	windowMask = windowSize - 1

	hashBits  = 15
	hashMask  = 1<<hashBits - 1
	hashShift = 5 // after three shifts a byte has no effect on the hash

	minMatch = 3
	maxMatch = 258

	// minLookahead is the number of bytes that C zlib requires after the position: the longest match, the hash of the
	// byte after it, and one more. Its window is shorter by this number at the other end, which determines maxDist.
	minLookahead = maxMatch + minMatch + 1
	maxDist      = windowSize - minLookahead
)

// A window finds earlier occurrences of the bytes at a position.
//
// Positions with the same hash of three bytes form a chain from new to old: head has the newest position of each hash,
// back the distance from each position to the previous one. Position 0 ends a chain, so the first byte of the input is
// never found.
//
// C zlib has a buffer of two windows, which it fills with input and moves down by one window when the position nears
// its end. Here the whole input is in memory, but base and end follow the start and end of such a buffer, because one
// of its properties affects the output: positions in the chains count from base, and position 0 relative to base also
// ends a chain.
type window struct {
	src       []byte
	base, end int

	head [1 << hashBits]uint32
	back [windowSize]uint16 // by position modulo windowSize; greater distances are math.MaxUint16
}

func (w *window) reset(src []byte) {
	w.src, w.base, w.end = src, 0, 0
	clear(w.head[:]) // back need not be cleared: only entries made since are reachable
}

// fill moves the end of the buffer forward at position p.
func (w *window) fill(p int) {
	if p-w.base >= windowSize+maxDist {
		w.base += windowSize
	}
	w.end = min(w.base+2*windowSize, len(w.src))
}

// insert adds position p to its chain and returns the previous head of the chain. There must be three bytes at p.
func (w *window) insert(p int) int {
	return w.link(p, w.hash(p))
}

// link adds position p to the chain of a hash and returns the previous head of the chain.
func (w *window) link(p int, hash uint32) int {
	head := w.head[hash&hashMask]
	w.back[p&windowMask] = uint16(min(uint32(p)-head, math.MaxUint16))
	w.head[hash&hashMask] = uint32(p)
	return int(head)
}

// hash returns the hash of the three bytes at p.
func (w *window) hash(p int) uint32 {
	b := w.src[p : p+minMatch]
	return (uint32(b[0])<<(2*hashShift) ^ uint32(b[1])<<hashShift ^ uint32(b[2])) & hashMask
}

// insertRepeat is insertAll for a match at a small distance, which begins before p: its bytes repeat earlier ones. As all
// positions before p are in their chains, each position follows the one that is the distance before it, if the hashes
// of that many positions in a row differ. So the bytes need not be hashed.
func (w *window) insertRepeat(p, end, distance int) {
	same := min(end, len(w.src)) - minMatch + 1 // up to here the next three bytes are repeated
	if same-p < distance || p <= distance || !w.distinct(p-distance, distance) {
		w.insertAll(p, end)
		return
	}
	for q := p; q < same; {
		back := w.back[q&windowMask:]
		q += copy(back, repeats[distance-1][:min(same-q, maxMatch)])
	}
	for q := same - distance; q < same; q++ {
		w.head[w.hash(q)] = uint32(q)
	}
	w.insertAll(same, end)
}

// distinct reports whether the hashes of n positions differ.
func (w *window) distinct(p, n int) bool {
	var hashes [maxRepeat]uint32
	for i := range n {
		hashes[i] = w.hash(p + i)
		if slices.Contains(hashes[:i], hashes[i]) {
			return false
		}
	}
	return true
}

// maxRepeat is the largest distance for insertRepeat: the size of a tile and of a pixel.
const maxRepeat = 4

// repeats has the entries of back for each distance.
var repeats = func() (all [maxRepeat][maxMatch]uint16) {
	for i := range all {
		for j := range all[i] {
			all[i][j] = uint16(i + 1)
		}
	}
	return all
}()

// insertAll adds the positions from p up to, but not including, end, except those without three bytes.
func (w *window) insertAll(p, end int) {
	end = min(end, len(w.src)-minMatch+1)
	if p >= end {
		return
	}
	src := w.src[p : end+minMatch-1]
	h := uint32(src[0])<<hashShift ^ uint32(src[1])
	for _, c := range src[minMatch-1:] {
		h = (h<<hashShift ^ uint32(c)) & hashMask
		w.link(p, h)
		p++
	}
}

// near reports whether the head of a chain is close enough to p for a match. Only a head may be at the maximum
// distance; longest follows chains to smaller distances only. Just after the buffer has moved, base is at this
// distance and, like position 0, cannot match.
func (w *window) near(p, head int) bool {
	return head > w.base && p-head <= maxDist
}

// longest searches the chain that starts at head for a match at p that is longer than best, which is at least 2. It
// returns the length and position of the longest match, the nearest of several, or best and 0 if there is none.
func (e *encoder) longest(p, head, best int) (length, pos int) {
	src, q := e.src, head
	most := min(maxMatch, len(src)-p)
	if best >= most {
		return best, 0
	}
	nice, chain := min(e.nice, most), e.chain
	if best >= e.good {
		chain >>= 2
	}
	limit := min(max(p-maxDist, 0), head-1) // only the head may be at maxDist
	here := src[p : p+most]

	for q > limit && chain > 0 {
		if best >= minMatch {
			at := best + 1 - 4
			four := binary.LittleEndian.Uint32(src[p+at:])
			if q, chain = seek(src[at:], &e.back, four, q, limit, chain); q <= limit || chain == 0 {
				break
			}
		}
		if n := common(here, src[q:]); n > best {
			best, pos = n, q
			if n >= nice {
				break
			}
		}
		q -= int(e.back[q&windowMask])
		chain--
	}
	return best, pos
}

// seek follows the chain from q to a position with the given four bytes. Most positions lack the last bytes of a
// longer match, so few are compared completely. It ends with q <= limit or chain == 0 if there is none.
func seek(src []byte, back *[windowSize]uint16, four uint32, q, limit, chain int) (int, int) {
	for q > limit && chain > 0 && binary.LittleEndian.Uint32(src[q:]) != four {
		q -= int(back[q&windowMask])
		chain--
	}
	return q, chain
}

// common returns the length of the common prefix of a and b; b is not shorter.
func common(a, b []byte) int {
	b = b[:len(a)]
	n := 0
	for ; len(a)-n >= 8; n += 8 {
		diff := binary.LittleEndian.Uint64(a[n:]) ^ binary.LittleEndian.Uint64(b[n:])
		if diff != 0 {
			return n + bits.TrailingZeros64(diff)>>3
		}
	}
	for n < len(a) && a[n] == b[n] {
		n++
	}
	return n
}
