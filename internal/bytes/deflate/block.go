package deflate

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// The kinds of block, as they are written.
const (
	kindStored  = 0
	kindFixed   = 1
	kindDynamic = 2
)

const (
	maxTokens = 1<<14 - 1 // capacity at memory level 8

	endOfBlock  = 256
	numLitLen   = 286
	numDistance = 30
	maxBits     = 15 // of a code for these two
)

// lengthExtra and distanceExtra are the numbers of extra bits after each symbol. The symbols of lengths follow
// endOfBlock.
var (
	lengthExtra   = [...]uint8{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}
	distanceExtra = [...]uint8{0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13}
)

// lengthSymbols maps a length to its symbol, less endOfBlock+1. lengthBase is the first of the lengths that share a
// symbol. Lengths are less minMatch in both.
var lengthSymbols, lengthBase = func() (symbols [256]uint8, base [len(lengthExtra)]uint8) {
	length := 0
	for s, extra := range lengthExtra[:len(lengthExtra)-1] {
		base[s] = uint8(length)
		for range 1 << extra {
			symbols[length] = uint8(s)
			length++
		}
	}
	// The greatest length would be the last of a group, but has a separate symbol.
	symbols[255], base[len(base)-1] = uint8(len(base)-1), 255
	return symbols, base
}()

// distanceSymbol returns the symbol of a distance less 1. Distances are grouped by their highest two bits.
func distanceSymbol(d uint32) uint32 {
	if d < 2 {
		return d
	}
	high := uint32(bits.Len32(d)) - 1
	return 2*high + d>>((high-1)&31)&1
}

// A token is a literal byte, or a match as its distance above eight bits of its
// length less minMatch.
type token uint32

func (t token) literal() bool    { return t < 1<<8 }
func (t token) byte() uint8      { return uint8(t) }
func (t token) length() uint8    { return uint8(t) }         // less minMatch
func (t token) distance() uint32 { return uint32(t)>>8 - 1 } // less 1

// A block gathers tokens until it is full, and writes them.
type block struct {
	start  int // the position of the first token in the input
	n      int
	tokens []token // room for maxTokens, or all tokens of a block of Smallest

	litLen   tree
	distance tree
	lengths  lengthCoder
}

func (b *block) reset() { b.start, b.n = 0, 0 }

// addLiteral adds a byte and reports whether the block is full now.
func (b *block) addLiteral(c byte) bool { return b.add(token(c)) }

// addMatch adds a match and reports whether the block is full now.
func (b *block) addMatch(distance, length int) bool {
	return b.add(token(distance)<<8 | token(length-minMatch))
}

func (b *block) add(t token) bool {
	b.tokens[b.n] = t
	b.n++
	return b.n == maxTokens
}

// write writes the tokens in the form that takes the fewest bytes, and empties the block. Raw is the data of the
// tokens; it is stored uncompressed only if canStore is true. C zlib compares whole bytes; if sizes are equal it
// prefers stored to fixed, and fixed to dynamic codes.
func (b *block) write(w *bitWriter, raw []byte, canStore, last bool) {
	dynamic, fixed := b.measure()
	switch {
	case canStore && len(raw)+4 <= min(dynamic, fixed):
		for ; len(raw) > math.MaxUint16; raw = raw[math.MaxUint16:] { // only Smallest has so long a block
			w.stored(raw[:math.MaxUint16], false)
		}
		w.stored(raw, last)
	case fixed <= dynamic:
		w.blockStart(kindFixed, last)
		b.writeTokens(w, fixedLitLen, fixedDistance, fixed)
	default:
		w.blockStart(kindDynamic, last)
		b.litLen.assign()
		b.distance.assign()
		b.lengths.write(w)
		b.writeTokens(w, &b.litLen, &b.distance, dynamic)
	}
	if last {
		w.align()
	}
	b.n = 0
}

// measure makes the codes for the tokens. It returns the sizes of the block with these and with the fixed codes, in bytes, each
// with the three bits before it.
func (b *block) measure() (dynamic, fixed int) {
	b.count()
	b.litLen.build(numLitLen, maxBits)
	b.distance.build(numDistance, maxBits)
	b.lengths.build(b.litLen.used(), b.distance.used())
	extra := b.litLen.extraSize(lengthExtra[:], endOfBlock+1) + b.distance.extraSize(distanceExtra[:], 0)
	dynamic = b.litLen.size(&b.litLen.lens) + b.distance.size(&b.distance.lens) + b.lengths.size()
	fixed = b.litLen.size(&fixedLitLen.lens) + b.distance.size(&fixedDistance.lens)
	return (dynamic + extra + 3 + 7) / 8, (fixed + extra + 3 + 7) / 8
}

// count counts how often each symbol is used.
func (b *block) count() {
	lit, dist := &b.litLen.freq, &b.distance.freq
	clear(lit[:])
	clear(dist[:])
	for _, t := range b.tokens[:b.n] {
		if t.literal() {
			lit[t.byte()]++
		} else {
			lit[endOfBlock+1+int(lengthSymbols[t.length()])]++
			dist[distanceSymbol(t.distance())]++
		}
	}
	lit[endOfBlock] = 1
}

// writeTokens writes all tokens and the end of the block, which take up to size
// bytes.
func (b *block) writeTokens(w *bitWriter, lit, dist *tree, size int) {
	const slack = 16 // for whole words, which overlap
	acc, n, at := w.acc, w.n, len(w.out)
	w.out = slices.Grow(w.out, size+slack)
	out := w.out[:cap(w.out)]

	// The masks do not change the shifts; they let the compiler omit checks for large shifts.
	for _, t := range b.tokens[:b.n] {
		if t.literal() {
			c := lit.codes[t.byte()]
			acc |= c.bits() << (n & 63)
			n += c.len()
		} else {
			length, d := t.length(), t.distance()
			s := lengthSymbols[length]
			c := lit.codes[endOfBlock+1+int(s)]
			acc |= c.bits() << (n & 63)
			n += c.len()
			acc |= uint64(length-lengthBase[s]) << (n & 63)
			n += uint(lengthExtra[s])

			ds := distanceSymbol(d)
			c = dist.codes[ds]
			acc |= c.bits() << (n & 63)
			n += c.len()
			if ds >= 4 {
				extra := uint(ds>>1 - 1)
				acc |= uint64(d&(1<<(extra&31)-1)) << (n & 63)
				n += extra
			}
		}
		// At most 7 + 15+5 + 15+13 bits are in acc.
		binary.LittleEndian.PutUint64(out[at:], acc)
		at += int(n >> 3)
		acc >>= n & 0x38
		n &= 7
	}
	w.out, w.acc, w.n = out[:at], acc, n
	end := lit.codes[endOfBlock]
	w.put(end.bits(), end.len())
}
