package deflate

import "math/bits"

// maxSymbols is the size of the largest alphabet: numLitLen and two symbols that are part of the fixed code but never
// used.
const maxSymbols = numLitLen + 2

// A code contains the bits of a symbol, in the order in which they are written, above five bits with their number.
type code uint32

func (c code) bits() uint64 { return uint64(c >> 5) }
func (c code) len() uint    { return uint(c & 31) }

// A tree is a Huffman code for an alphabet.
type tree struct {
	freq  [maxSymbols]uint32 // how often each symbol is used
	lens  [maxSymbols]uint8  // the length of its code, 0 for none
	codes [maxSymbols]code
	last  int // the greatest symbol that has a code

	heap  [maxSymbols + 1]node // from 1 on
	order [2 * maxSymbols]node // all nodes as they were merged, the root last
	dad   [2 * maxSymbols]uint16
	depth [2 * maxSymbols]uint8 // below the root, which is last in order
}

// fixedLitLen and fixedDistance are the codes of the fixed blocks.
var fixedLitLen, fixedDistance = func() (lit, dist *tree) {
	lit, dist = new(tree), new(tree)
	for s := range lit.lens {
		switch {
		case s < 144:
			lit.lens[s] = 8
		case s < 256:
			lit.lens[s] = 9
		case s < 280:
			lit.lens[s] = 7
		default:
			lit.lens[s] = 8
		}
	}
	for s := range numDistance {
		dist.lens[s] = 5
	}
	lit.last, dist.last = maxSymbols-1, numDistance-1
	lit.assign()
	dist.assign()
	return lit, dist
}()

// used returns the code lengths up to the last that is not 0.
func (t *tree) used() []uint8 { return t.lens[:t.last+1] }

// size returns the number of bits of all symbols with codes of the given lengths.
func (t *tree) size(lens *[maxSymbols]uint8) int {
	sum := 0
	for s, l := range lens {
		sum += int(t.freq[s]) * int(l)
	}
	return sum
}

// extraSize returns the number of extra bits of the symbols from first on.
func (t *tree) extraSize(extra []uint8, first int) int {
	sum := 0
	for i, bits := range extra {
		sum += int(t.freq[first+i]) * int(bits)
	}
	return sum
}

// A node is a leaf or an inner node of a tree during construction. It consists of, from high to low bits, its
// frequency, its height in 5 bits, and its number in 10 bits, so that nodes are ordered by frequency, then height. The
// number of a leaf is its symbol; the numbers of inner nodes start at the size of the alphabet.
//
// The frequencies of a block of C zlib add up to 2^14 at most, those of a block of Smallest to less than 2^17. The height of a
// Huffman tree with these sums is at most 21 and 25.
type node uint32

const (
	nodeNumberBits = 10
	nodeFreqShift  = nodeNumberBits + 5
	nodeHeightMask = 1<<nodeFreqShift - 1<<nodeNumberBits
	nodeNumberMask = 1<<nodeNumberBits - 1
)

func (n node) number() int { return int(n & nodeNumberMask) }

// merge returns the parent node of n and m with the given number.
func (n node) merge(m node, number int) node {
	freq := n>>nodeFreqShift + m>>nodeFreqShift
	height := max(n&nodeHeightMask, m&nodeHeightMask) + 1<<nodeNumberBits
	return freq<<nodeFreqShift | height | node(number)
}

// notAbove reports whether n may be over m in the heap. The order ignores the number: nodes that are otherwise equal
// may be in any order.
func (n node) notAbove(m node) bool { return n <= m|nodeNumberMask }

// build computes the code lengths, of at most limit bits, for the symbols below size from their frequencies.
//
// Huffman codes of the same data differ in how ties are broken, here by the heights and by the order in a binary heap.
// So the heap must perform exactly the sifts of C zlib; another priority queue would not do.
func (t *tree) build(size, limit int) {
	heap, n := &t.heap, 0
	t.last = -1
	clear(t.lens[:])
	for s, f := range t.freq[:size] {
		if f > 0 {
			n++
			heap[n] = node(f)<<nodeFreqShift | node(s)
			t.last = s
		}
	}
	// Readers require codes for at least two symbols, so unused symbols are added.
	for n < 2 {
		s := 0
		if t.last < 2 {
			t.last++
			s = t.last
		}
		n++
		heap[n] = 1<<nodeFreqShift | node(s)
	}
	for i := n / 2; i > 0; i-- {
		sift(heap, n, i)
	}

	order := t.order[:0]
	for next := size; n > 1; next++ {
		a := heap[1]
		heap[1] = heap[n]
		n--
		sift(heap, n, 1)
		b := heap[1]
		order = append(order, a, b)
		t.dad[a.number()], t.dad[b.number()] = uint16(next), uint16(next)
		heap[1] = a.merge(b, next)
		sift(heap, n, 1)
	}
	t.measure(append(order, heap[1]), size, limit)
}

// sift moves the node at i in the heap of n nodes down to its place.
func sift(heap *[maxSymbols + 1]node, n, i int) {
	v := heap[i]
	for child := 2 * i; child <= n; child = 2 * i {
		if child < n && heap[child+1].notAbove(heap[child]) {
			child++
		}
		if v.notAbove(heap[child]) {
			break
		}
		heap[i] = heap[child]
		i = child
	}
	heap[i] = v
}

// measure sets the code lengths from the depths of the leaves. If some exceed the limit, it cuts them to the limit
// and, to make room, moves leaves of less depth down; then it assigns the lengths again, the longest to the rarest
// symbols.
func (t *tree) measure(order []node, size, limit int) {
	var count [maxBits + 1]int // of the leaves, by length
	over := 0
	root := len(order) - 1
	t.depth[order[root].number()] = 0
	for i := root - 1; i >= 0; i-- {
		n := order[i].number()
		depth := int(t.depth[t.dad[n]]) + 1
		if depth > limit {
			depth = limit
			over++
		}
		t.depth[n] = uint8(depth)
		if n < size {
			t.lens[n] = uint8(depth)
			count[depth]++
		}
	}
	if over == 0 {
		return
	}
	for ; over > 0; over -= 2 {
		l := limit - 1
		for count[l] == 0 {
			l--
		}
		count[l]-- // becomes an inner node above itself and one from the limit
		count[l+1] += 2
		count[limit]--
	}
	i := 0
	for l := limit; l > 0; l-- {
		for left := count[l]; left > 0; i++ {
			if n := order[i].number(); n < size {
				t.lens[n] = uint8(l)
				left--
			}
		}
	}
}

// assign assigns the codes: shorter codes first, codes of equal length by symbol.
func (t *tree) assign() {
	var next [maxBits + 2]uint16
	for _, l := range t.used() {
		next[l+1]++
	}
	next[1] = 0 // symbols without a code are not counted
	for l := 1; l <= maxBits; l++ {
		next[l+1] += next[l]
		next[l+1] <<= 1
	}
	for s, l := range t.used() {
		if l > 0 {
			t.codes[s] = code(bits.Reverse16(next[l])>>(16-l))<<5 | code(l)
			next[l]++
		}
	}
}
