package deflate

// A dynamic block starts with the code lengths of its two codes, which are themselves Huffman coded. Their alphabet is
// the lengths 0 to 15 and three symbols for runs.
const (
	repeat        = 16 // the length before, 3 to 6 times
	zeros         = 17 // 3 to 10 zeros
	manyZeros     = 18 // 11 to 138 zeros
	numLengths    = 19
	maxLengthBits = 7 // of a code for these
)

// runExtra is the number of extra bits for the run length after each symbol from repeat on, and runBase is the run
// length if these bits are 0.
var (
	runExtra = [...]uint8{2, 3, 7}
	runBase  = [...]int{3, 3, 11}
)

// lengthOrder is the order in which the lengths of the codes for lengths are written: those that are least likely come
// last.
var lengthOrder = [numLengths]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// A lengthCoder writes the code lengths.
type lengthCoder struct {
	tree
	items            []lengthItem
	litLen, distance int // number of lengths
	known            int // number of entries of lengthOrder that are written
}

type lengthItem struct{ symbol, extra uint8 }

// build prepares the lengths for writing.
func (c *lengthCoder) build(litLen, distance []uint8) {
	c.litLen, c.distance = len(litLen), len(distance)
	c.items = c.items[:0]
	c.addRuns(litLen)
	c.addRuns(distance)

	clear(c.freq[:numLengths])
	for _, it := range c.items {
		c.freq[it.symbol]++
	}
	c.tree.build(numLengths, maxLengthBits)
	c.known = numLengths
	for c.known > 4 && c.lens[lengthOrder[c.known-1]] == 0 {
		c.known--
	}
}

// addRuns splits lengths into items. The format allows runs that span both lists, but C zlib does not make them.
func (c *lengthCoder) addRuns(lens []uint8) {
	const none = 0xff
	prev := uint8(none)
	for i := 0; i < len(lens); {
		l := lens[i]
		least, most := 4, 7 // a length and its run
		switch l {
		case 0:
			least, most = 3, 138
		case prev:
			least, most = 3, 6
		}
		n := 1
		for n < most && i+n < len(lens) && lens[i+n] == l {
			n++
		}
		i += n
		switch {
		case n < least:
			for range n {
				c.items = append(c.items, lengthItem{symbol: l})
			}
		case l != 0:
			if l != prev {
				c.items = append(c.items, lengthItem{symbol: l})
				n--
			}
			c.addRun(repeat, n)
		case n <= 10:
			c.addRun(zeros, n)
		default:
			c.addRun(manyZeros, n)
		}
		prev = l
	}
}

func (c *lengthCoder) addRun(symbol uint8, n int) {
	c.items = append(c.items, lengthItem{symbol, uint8(n - runBase[symbol-repeat])})
}

// size returns the number of bits that write writes.
func (c *lengthCoder) size() int {
	return 5 + 5 + 4 + 3*c.known + c.tree.size(&c.lens) + c.extraSize(runExtra[:], repeat)
}

func (c *lengthCoder) write(w *bitWriter) {
	w.put(uint64(c.litLen-(endOfBlock+1)), 5)
	w.put(uint64(c.distance-1), 5)
	w.put(uint64(c.known-4), 4)
	for _, s := range lengthOrder[:c.known] {
		w.put(uint64(c.lens[s]), 3)
	}
	c.assign()
	for _, it := range c.items {
		code := c.codes[it.symbol]
		w.put(code.bits(), code.len())
		if it.symbol >= repeat {
			w.put(uint64(it.extra), uint(runExtra[it.symbol-repeat]))
		}
	}
}
