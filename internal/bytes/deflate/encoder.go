package deflate

import (
	"bytes"
	"sync"
)

// An encoder turns one input into the blocks of a stream. It holds the state that the parts of the package share, 0.3
// MB, so encoders are pooled.
type encoder struct {
	tuning
	window
	block
	bits bitWriter

	// If comparing is set, each written block is compared with the start of want and removed from it. A difference
	// sets differs.
	comparing bool
	differs   bool
	want      []byte
	scratch   []byte // the memory after bits.out while comparing
}

var encoders = sync.Pool{New: func() any { return &encoder{block: block{tokens: make([]token, maxTokens)}} }}

func newEncoder(src []byte, level int) *encoder {
	e := encoders.Get().(*encoder)
	e.tuning = levels[level]
	e.window.reset(src)
	e.block.reset()
	e.bits.reset(e.scratch[:0])
	return e
}

// free returns the encoder to the pool, without references to the caller's memory.
func (e *encoder) free() {
	if e.comparing {
		e.scratch = e.bits.out[:0]
	}
	e.src, e.want, e.bits.out = nil, nil, nil
	e.comparing, e.differs = false, false
	encoders.Put(e)
}

// endBlock writes the gathered tokens as a block that ends before position p. It returns false if the output differs
// from want, so that continuing is useless.
func (e *encoder) endBlock(p int, last bool) bool {
	raw := e.src[e.block.start:p]
	// Raw bytes can be written only while they are in the window. According to C zlib's authors, they always are if
	// storing them saves space.
	e.block.write(&e.bits, raw, e.block.start >= e.base, last)
	e.block.start = p
	return e.compare()
}

// compare removes the bytes written so far from want, and reports whether they are equal.
func (e *encoder) compare() bool {
	if !e.comparing {
		return true
	}
	rest, ok := bytes.CutPrefix(e.want, e.bits.out)
	e.want, e.differs = rest, !ok
	e.bits.out = e.bits.out[:0]
	return ok
}
