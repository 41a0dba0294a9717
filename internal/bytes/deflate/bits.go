package deflate

import "encoding/binary"

// A bitWriter packs bits into bytes, from the lowest to the highest bit.
type bitWriter struct {
	out []byte
	acc uint64 // bits that do not fill a byte yet, the first one lowest
	n   uint   // number of these bits: less than 8 between two calls
}

func (w *bitWriter) reset(out []byte) { *w = bitWriter{out: out} }

// put writes the low n bits of v, at most 48. The other bits of v must be 0.
func (w *bitWriter) put(v uint64, n uint) {
	w.acc |= v << w.n
	w.n += n
	for ; w.n >= 8; w.n -= 8 {
		w.out = append(w.out, byte(w.acc))
		w.acc >>= 8
	}
}

// align fills the last byte with zeros.
func (w *bitWriter) align() {
	if w.n > 0 {
		w.out = append(w.out, byte(w.acc))
		w.acc, w.n = 0, 0
	}
}

// blockStart writes the header of a block.
func (w *bitWriter) blockStart(kind uint64, last bool) {
	v := kind << 1
	if last {
		v |= 1
	}
	w.put(v, 3)
}

// stored writes a block of uncompressed bytes.
func (w *bitWriter) stored(raw []byte, last bool) {
	w.blockStart(kindStored, last)
	w.align()
	w.out = binary.LittleEndian.AppendUint16(w.out, uint16(len(raw)))
	w.out = binary.LittleEndian.AppendUint16(w.out, ^uint16(len(raw)))
	w.out = append(w.out, raw...)
}
