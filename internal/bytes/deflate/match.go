package deflate

import (
	"encoding/binary"
	"math"
	"math/bits"
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
	b := w.src[p : p+minMatch]
	h := hash(b[0], b[1], b[2])
	head := w.head[h]
	w.back[p&windowMask] = uint16(min(uint32(p)-head, math.MaxUint16))
	w.head[h] = uint32(p)
	return int(head)
}

func hash(a, b, c byte) uint32 {
	return (uint32(a)<<(2*hashShift) ^ uint32(b)<<hashShift ^ uint32(c)) & hashMask
}

// insertRun is insertAll for equal bytes, from the position before p, which is in its chain, up to end. Each position
// follows the previous one in a single chain, so the bytes need not be hashed.
func (w *window) insertRun(p, end int) {
	same := min(end, len(w.src)) - minMatch + 1 // up to here the next three bytes are equal
	if p < same {
		for q := p; q < same; q++ {
			w.back[q&windowMask] = 1
		}
		b := w.src[p]
		w.head[hash(b, b, b)] = uint32(same - 1)
		p = same
	}
	w.insertAll(p, end)
}

// insertAll adds the positions from p up to, but not including, end, except those without three bytes.
func (w *window) insertAll(p, end int) {
	end = min(end, len(w.src)-minMatch+1)
	for ; p < end; p++ {
		w.insert(p)
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
