package deflate

// maxStored is the maximum number of bytes in a stored block.
const maxStored = 1<<16 - 1

// stored writes uncompressed blocks, all but the last of maximum length.
func (e *encoder) stored() {
	for rest, last := e.src, false; !last; {
		n := min(maxStored, len(rest))
		last = n == len(rest)
		e.bits.stored(rest[:n], last)
		if !e.compare() {
			return
		}
		rest = rest[n:]
	}
}
