package mapblock

import (
	"bytes"
	"fmt"

	"trowel.example/fault"
)

// Encode gives the bytes of the block. What has not been changed since it was
// decoded keeps its bytes; with no change at all, these are the bytes that were
// decoded. It fails where a field has a value for which its version has no room.
func (b *Block) Encode() ([]byte, error) { return b.encode(keepLevel) }

// EncodeFresh gives the bytes of the block as a game would write them that had
// just made it: everything is compressed again, at [Level]. Up to version 28 these
// are the bytes of C zlib; those of version 29 are not those of any game.
func (b *Block) EncodeFresh() ([]byte, error) { return b.encode(Level) }

// EncodeLevel is EncodeFresh for a server that has set another level of zlib, 0 to 9;
// version 29 has no zlib, and no levels.
func (b *Block) EncodeLevel(level int) ([]byte, error) { return b.encode(level) }

func (b *Block) encode(level int) ([]byte, error) {
	if b.Version < 0 || b.Version > Newest {
		return nil, &fault.Error{Path: "version", Offset: -1, Want: fmt.Sprintf("version 0 to %d", Newest), Got: fmt.Sprint(b.Version), Err: fault.ErrVersion}
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

// unchanged reports whether content is that of the frame that was read.
func (b *Block) unchanged(content []byte) (same bool) {
	if b.source.body != nil {
		withFrame(b.source.body, func(old []byte, _ int, err error) {
			same = err == nil && bytes.Equal(old, content)
		})
	}
	return same
}
