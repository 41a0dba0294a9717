package deflate

import "encoding/binary"

const (
	adlerPrime = 65521
	adlerPart  = 1 << 14 // bytes summed before taking the remainder; far more would fit

	// Four bytes of a word, each in a lane of 16 bits.
	adlerLanes = 0x00ff00ff00ff00ff
	// The highest lane of a product with adlerOnes is the sum of the lanes.
	adlerOnes = 1 | 1<<16 | 1<<32 | 1<<48
)

// Adler32 returns the Adler-32 checksum of p. It is faster than hash/adler32, which takes a third of the time of
// inflating a block of a world, by processing sixteen bytes at once: a is the sum of the bytes, and b the sum of all
// values of a, so that b contains each byte once more for every byte after it.
func Adler32(p []byte) uint32 { return addAdler(1, p) }

// addAdler returns the checksum of data with the checksum sum, followed by p.
func addAdler(sum uint32, p []byte) uint32 {
	a, b := uint64(sum&0xffff), uint64(sum>>16)
	for len(p) > 0 {
		part := p[:min(len(p), adlerPart)]
		p = p[len(part):]
		for len(part) >= 16 {
			v, w := binary.LittleEndian.Uint64(part), binary.LittleEndian.Uint64(part[8:16])
			part = part[16:]
			if v|w == 0 { // as most bytes of layers of tiles
				b += 16 * a
				continue
			}
			v0, v1 := v&adlerLanes, v>>8&adlerLanes // the bytes at even and at odd places
			w0, w1 := w&adlerLanes, w>>8&adlerLanes
			weighted := v0*(16<<48|14<<32|12<<16|10) + v1*(15<<48|13<<32|11<<16|9) +
				w0*(8<<48|6<<32|4<<16|2) + w1*(7<<48|5<<32|3<<16|1)
			b += 16*a + weighted>>48
			a += (v0 + v1 + w0 + w1) * adlerOnes >> 48
		}
		for _, c := range part {
			a += uint64(c)
			b += a
		}
		a, b = a%adlerPrime, b%adlerPrime
	}
	return uint32(b<<16 | a)
}
