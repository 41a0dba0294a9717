package deflate

import (
	"encoding/binary"
	"math/bits"
	"sync"
)

// quick inflates whole streams from memory to memory, which is faster than with flate, which passes all data through a
// window. It has no errors: a stream that it does not finish is read again by flate, whose error states the reason. It
// accepts no stream that flate rejects.
type quick struct {
	codes
	lengths [1 << lengthRoot]entry
	lens    [numLitLen + numDistance]uint8

	src []byte
	pos int    // in src, of the next byte for acc
	acc uint64 // bits, the next one lowest; those above n are 0, or those of the following bytes
	n   uint   // number of bits in acc

	out  []byte
	at   int                        // the end of the data in out
	more func(at int) ([]byte, int) // returns out with more room, and where the data in it ends now; nil: there is too much data
}

// codes are the tables of a block, with the number of bits that address them.
type codes struct {
	litLen       [1<<litLenRoot + longCodes<<(maxBits-litLenRoot)]entry
	distance     [1<<distanceRoot + numDistance/2<<(maxBits-distanceRoot)]entry
	litLenBits   uint
	distanceBits uint
}

// The tables of codes are addressed by at most this number of bits; longer codes continue in a second part of the table.
const (
	litLenRoot   = 10
	distanceRoot = 8
	lengthRoot   = 7
	longCodes    = numLitLen / 2 // each second part has two or more codes
)

// An entry is what a code means: a value above its kind, a number of extra bits, and the length of the code, each in
// four bits.
type entry uint32

const (
	kindLiteral = iota << 8
	kindMatch   // value and extra bits are a length or a distance
	kindEnd
	kindLonger // value is the position of a second part of the table, with this number of extra bits
	kindInvalid
	kindMask = 15 << 8
)

func (e entry) kind() entry   { return e & kindMask }
func (e entry) len() uint     { return uint(e & 15) }
func (e entry) extra() uint   { return uint(e >> 4 & 15) }
func (e entry) value() uint32 { return uint32(e >> 16) }

// Entries of all symbols, without the lengths of their codes.
var litLenEntries, distanceEntries, lengthEntries = func() (litLen, distance, lengths []entry) {
	for s := range endOfBlock {
		litLen = append(litLen, entry(s)<<16|kindLiteral)
	}
	litLen = append(litLen, kindEnd)
	for s, extra := range lengthExtra {
		litLen = append(litLen, entry(uint(lengthBase[s])+minMatch)<<16|kindMatch|entry(extra)<<4)
	}
	litLen = append(litLen, kindInvalid, kindInvalid) // in fixed codes
	base := 1
	for _, extra := range distanceExtra {
		distance = append(distance, entry(base)<<16|kindMatch|entry(extra)<<4)
		base += 1 << extra
	}
	distance = append(distance, kindInvalid, kindInvalid)
	for s := range numLengths {
		lengths = append(lengths, entry(s)<<16|kindLiteral)
	}
	return litLen, distance, lengths
}()

// inflate reads a stream without its header, from src into out and what more returns. It returns the data at the end
// and the number of bytes of src that it used, or false.
func (q *quick) inflate(src, out []byte, more func(at int) ([]byte, int)) (data []byte, used int, ok bool) {
	q.src, q.pos, q.acc, q.n = src, 0, 0, 0
	q.out, q.at, q.more = out, 0, more
	defer func() { q.src, q.out, q.more = nil, nil, nil }()
	for last := false; !last; {
		q.fill()
		last = q.take(1) != 0
		var valid bool
		switch q.take(2) {
		case kindStored:
			valid = q.stored()
		case kindFixed:
			valid = q.tokens(fixedCodes())
		case kindDynamic:
			valid = q.dynamic() && q.tokens(&q.codes)
		}
		if !valid {
			return nil, 0, false
		}
	}
	return q.out[:q.at], q.pos - int(q.n>>3), true
}

// fill reads 48 bits or more, or the rest of the stream.
func (q *quick) fill() {
	if q.pos+8 <= len(q.src) {
		q.acc |= binary.LittleEndian.Uint64(q.src[q.pos:]) << (q.n & 63)
		q.pos += int(63-q.n) >> 3
		q.n |= 56
		return
	}
	for ; q.n <= 56 && q.pos < len(q.src); q.pos++ {
		q.acc |= uint64(q.src[q.pos]) << (q.n & 63)
		q.n += 8
	}
}

// take returns the next n bits, at most 15. If the stream ends before them, all following reads fail.
func (q *quick) take(n uint) uint {
	v := uint(q.acc) & (1<<n - 1)
	q.drop(n)
	return v
}

// drop removes bits.
func (q *quick) drop(n uint) bool {
	if n > q.n {
		q.pos, q.n, q.acc = len(q.src)+1, 0, 0
		return false
	}
	q.acc >>= n & 63
	q.n -= n
	return true
}

// room makes room for a byte or more.
func (q *quick) room() bool {
	if q.at < len(q.out) {
		return true
	}
	q.out, q.at = q.more(q.at)
	return q.at < len(q.out)
}

func (q *quick) stored() bool {
	if q.pos > len(q.src) {
		return false
	}
	q.pos -= int(q.n >> 3) // the rest of a byte is dropped
	q.acc, q.n = 0, 0
	if q.pos+4 > len(q.src) {
		return false
	}
	size := binary.LittleEndian.Uint16(q.src[q.pos:])
	if size != ^binary.LittleEndian.Uint16(q.src[q.pos+2:]) {
		return false
	}
	q.pos += 4
	if len(q.src)-q.pos < int(size) {
		return false
	}
	for raw := q.src[q.pos:][:size]; len(raw) > 0; {
		if !q.room() {
			return false
		}
		n := copy(q.out[q.at:], raw)
		q.at, raw = q.at+n, raw[n:]
	}
	q.pos += int(size)
	return true
}

// fixedCodes are the tables of the fixed codes.
var fixedCodes = sync.OnceValue(func() *codes {
	var lens [numLitLen + 2]uint8
	for i := range lens {
		lens[i] = 8
	}
	for i := 144; i < 256; i++ {
		lens[i] = 9
	}
	for i := 256; i < 280; i++ {
		lens[i] = 7
	}
	var fives [numDistance + 2]uint8
	for i := range fives {
		fives[i] = 5
	}
	c := new(codes)
	c.assign(lens[:], fives[:])
	return c
})

// assign makes the tables for codes of these lengths. It returns false for lengths that are not those of complete codes.
func (c *codes) assign(litLen, distance []uint8) (ok bool) {
	if c.litLenBits, ok = assign(c.litLen[:], litLenRoot, litLen, litLenEntries); ok {
		c.distanceBits, ok = assign(c.distance[:], distanceRoot, distance, distanceEntries)
	}
	return ok
}

// dynamic reads the tables of codes.
func (q *quick) dynamic() bool {
	q.fill()
	literals, distances, lengths := int(q.take(5))+endOfBlock+1, int(q.take(5))+1, int(q.take(4))+4
	if literals > numLitLen || distances > numDistance {
		return false
	}
	var lens [numLengths]uint8
	for _, s := range lengthOrder[:lengths] {
		q.fill()
		lens[s] = uint8(q.take(3))
	}
	root, ok := assign(q.lengths[:], lengthRoot, lens[:], lengthEntries)
	if !ok {
		return false
	}
	all := q.lens[:literals+distances]
	for i := 0; i < len(all); {
		q.fill()
		e := q.lengths[q.acc&(1<<root-1)]
		if e.kind() != kindLiteral || !q.drop(e.len()) {
			return false
		}
		var value uint8
		n := 1
		switch s := e.value(); s {
		case 16:
			if n = 3 + int(q.take(2)); i == 0 {
				return false
			}
			value = all[i-1]
		case 17:
			n = 3 + int(q.take(3))
		case 18:
			n = 11 + int(q.take(7))
		default:
			value = uint8(s)
		}
		if i+n > len(all) {
			return false
		}
		for range n {
			all[i] = value
			i++
		}
	}
	return q.pos <= len(q.src) && q.assign(all[:literals], all[literals:])
}

// assign fills a table with codes of these lengths, and returns the number of bits that address it, at most root. It
// returns false for lengths that are not those of a complete code, except for one code of one bit and for no codes.
func assign(table []entry, root uint, lens []uint8, entries []entry) (uint, bool) {
	var count, first [maxBits + 1]int
	for _, n := range lens {
		count[n]++
	}
	used := len(lens) - count[0]
	count[0] = 0
	code, start, longest := 0, 0, uint(0)
	var next [maxBits + 1]int
	for n := 1; n <= maxBits; n++ {
		code <<= 1
		next[n], first[n] = code, start
		code, start = code+count[n], start+count[n]
		if count[n] > 0 {
			longest = uint(n)
		}
	}
	code >>= maxBits - longest
	root = min(root, longest)
	if used == 0 || code == 1 && longest == 1 {
		for i := range table[:1<<root] {
			table[i] = kindInvalid
		}
	} else if code != 1<<longest {
		return 0, false
	}
	var sorted [numLitLen + 2]uint16 // symbols by the lengths of their codes
	for s, n := range lens {
		if n > 0 {
			sorted[first[n]] = uint16(s)
			first[n]++
		}
	}
	end, second, prefix := 1<<root, 0, -1 // of the table; the last second part, and the bits that lead to it
	for _, s := range sorted[:used] {
		n := uint(lens[s])
		bitsOf := int(bits.Reverse16(uint16(next[n])) >> (16 - n))
		next[n]++
		e := entries[s] | entry(n)
		if n <= root {
			for i := bitsOf; i < 1<<root; i += 1 << n {
				table[i] = e
			}
			continue
		}
		if low := bitsOf & (1<<root - 1); low != prefix {
			prefix, second = low, end
			if end += 1 << (longest - root); end > len(table) {
				return 0, false
			}
			table[low] = entry(second)<<16 | kindLonger | entry(longest-root)<<4
		}
		for i := bitsOf >> root; i < 1<<(longest-root); i += 1 << (n - root) {
			table[second+i] = e
		}
	}
	return root, true
}

// tokens reads the literals and matches of a block.
func (q *quick) tokens(c *codes) bool {
	litLenMask, distanceMask := uint64(1)<<c.litLenBits-1, uint64(1)<<c.distanceBits-1
	src, pos, acc, n := q.src, q.pos, q.acc, q.n // in registers
	out, at := q.out, q.at
	for {
		if n < tokenBits {
			if pos+8 <= len(src) {
				acc |= binary.LittleEndian.Uint64(src[pos:]) << (n & 63)
				pos += int(63-n) >> 3
				n |= 56
			} else {
				for ; n <= 56 && pos < len(src); pos++ {
					acc |= uint64(src[pos]) << (n & 63)
					n += 8
				}
			}
		}
		e := c.litLen[acc&litLenMask]
		if e.kind() == kindLonger {
			e = c.litLen[uint64(e.value())+acc>>(c.litLenBits&63)&(1<<e.extra()-1)]
		}
		if e.len() > n {
			return false
		}
		acc >>= e.len()
		n -= e.len()
		if e.kind() == kindLiteral {
			if at == len(out) {
				if q.at = at; !q.room() {
					return false
				}
				out, at = q.out, q.at
			}
			out[at] = byte(e.value())
			at++
			continue
		}
		if e.kind() != kindMatch {
			q.pos, q.acc, q.n, q.at = pos, acc, n, at
			return e.kind() == kindEnd
		}
		length := int(e.value()) + int(acc&(1<<e.extra()-1))
		acc >>= e.extra()
		d := c.distance[acc&distanceMask]
		if d.kind() == kindLonger {
			d = c.distance[uint64(d.value())+acc>>(c.distanceBits&63)&(1<<d.extra()-1)]
		}
		acc >>= d.len()
		distance := int(d.value()) + int(acc&(1<<d.extra()-1))
		acc >>= d.extra()
		used := e.extra() + d.len() + d.extra()
		if d.kind() != kindMatch || used > n {
			return false
		}
		n -= used
		if len(out)-at < length {
			if q.at = at; !q.copy(distance, length) {
				return false
			}
			out, at = q.out, q.at
			continue
		}
		if distance > at {
			return false
		}
		from, end := at-distance, at+length
		if distance >= 8 && length <= shortMatch && end+8 <= len(out) {
			for ; at < end; at, from = at+8, from+8 { // the last word may exceed the match
				binary.LittleEndian.PutUint64(out[at:], binary.LittleEndian.Uint64(out[from:]))
			}
			at = end
			continue
		}
		for at < end {
			at += copy(out[at:end], out[from:at])
		}
	}
}

// shortMatch is the largest length of matches that are copied as words.
const shortMatch = 32

// tokenBits is the largest number of bits of a length and a distance.
const tokenBits = 2*maxBits + 5 + 13

// copy appends length bytes of those at a distance before the end.
func (q *quick) copy(distance, length int) bool {
	for length > 0 {
		if !q.room() || distance > q.at {
			return false
		}
		from, at := q.at-distance, q.at
		end := min(at+length, len(q.out))
		length -= end - at
		for at < end {
			at += copy(q.out[at:end], q.out[from:at])
		}
		q.at = at
	}
	return true
}
