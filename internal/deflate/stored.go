package deflate

// maxStored is the most bytes that a stored block can have.
const maxStored = 1<<16 - 1

// stored compresses nothing: each block but the last is as long as can be.
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
