package deflate

import (
	"bytes"
	"sync"
)

// An encoder turns one input into the blocks of a stream. It is the state that
// the parts of the package share, 0.3 MB of it, so encoders are pooled.
type encoder struct {
	tuning
	window
	block
	bits bitWriter

	// Where an encoder only compares, each block that it writes is taken off
	// want, and the first one that is not there sets differs.
	comparing bool
	differs   bool
	want      []byte
	scratch   []byte // the memory after bits.out while comparing
}

var encoders = sync.Pool{New: func() any { return new(encoder) }}

func newEncoder(src []byte, level int) *encoder {
	e := encoders.Get().(*encoder)
	e.tuning = levels[level]
	e.window.reset(src)
	e.block.reset()
	e.bits.reset(e.scratch[:0])
	return e
}

// free gives the encoder back, without the memory of its caller.
func (e *encoder) free() {
	if e.comparing {
		e.scratch = e.bits.out[:0]
	}
	e.src, e.want, e.bits.out = nil, nil, nil
	e.comparing, e.differs = false, false
	encoders.Put(e)
}

// endBlock writes the tokens gathered as a block that ends before position p.
// It returns false if there is no sense in going on, since the output differs
// from what was wanted.
func (e *encoder) endBlock(p int, last bool) bool {
	raw := e.src[e.block.start:p]
	// The bytes themselves can be written only while they are still in the
	// window. C zlib's authors say that they always are where it would pay.
	e.block.write(&e.bits, raw, e.block.start >= e.base, last)
	e.block.start = p
	return e.compare()
}

// compare takes the bytes written so far off the wanted ones, and reports whether they are
// the same.
func (e *encoder) compare() bool {
	if !e.comparing {
		return true
	}
	rest, ok := bytes.CutPrefix(e.want, e.bits.out)
	e.want, e.differs = rest, !ok
	e.bits.out = e.bits.out[:0]
	return ok
}
