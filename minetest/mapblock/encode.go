package mapblock

import (
	"bytes"
	"fmt"

	"trowel.example/fault"
)

// Encode returns the bytes of the block. Sections that have not changed since decoding keep their bytes; an unchanged
// block is byte-identical to the decoded one. Encode fails if a value does not fit into a field of the version.
func (b *Block) Encode() ([]byte, error) { return b.encode(keepLevel) }

// EncodeFresh returns the bytes of the block as a game would write a new block: everything is compressed again, at
// [Level]. Up to version 28 the result is identical to that of C zlib; in version 29 it differs from that of any
// game.
func (b *Block) EncodeFresh() ([]byte, error) { return b.encode(Level) }

// EncodeLevel is EncodeFresh for a server with another zlib level, 0 to 9. The level has no effect in version 29,
// which does not use zlib.
func (b *Block) EncodeLevel(level int) ([]byte, error) { return b.encode(level) }

func (b *Block) encode(level int) ([]byte, error) {
	if b.Version < 0 || b.Version > Newest {
		return nil, &fault.Error{Path: "version", Offset: -1, Want: fmt.Sprintf("version 0 to %d", Newest),
			Got: fmt.Sprint(b.Version), Err: fault.ErrVersion}
	}
	out := []byte{byte(b.Version)}
	c := codec{level: level}
	if b.Version < 29 {
		c.w = out
	} else {
		c.w = make([]byte, 0, 17<<10)
	}
	for _, s := range layouts[b.Version] {
		if s.run(&c, b); c.stopped {
			break
		}
	}
	if b.Version < 29 {
		return append(c.w, b.Trailing...), c.err
	}
	c.w = append(c.w, b.Inner...)
	stream := b.source.body
	if level != keepLevel || !b.unchanged(c.w) {
		stream = packZstd(c.w)
	}
	return append(append(out, stream...), b.Trailing...), c.err
}

// unchanged reports whether content equals that of the frame that was read.
func (b *Block) unchanged(content []byte) (same bool) {
	if b.source.body != nil {
		withFrame(b.source.body, func(old []byte, _ int, err error) {
			same = err == nil && bytes.Equal(old, content)
		})
	}
	return same
}
