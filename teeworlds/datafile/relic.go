package datafile

import (
	"bytes"
	"fmt"
	"hash/crc32"

	"trowel/internal/deflate"
)

// Whoever stores a datafile in another form needs to remember what that form
// does not say and what only matters for giving back the same bytes: relics.

// ContainerRelic is what remains of the container.
type ContainerRelic struct {
	Swapped    bool `json:"swapped,omitempty"`    // magic ATAD
	Version    int  `json:"version,omitempty"`    // 3; 0 stands for 4
	OldSize    bool `json:"oldSize,omitempty"`    // the header's size leaves out the table of data sizes
	OldSwaplen bool `json:"oldSwaplen,omitempty"` // so does its swaplen
}

// Container returns the relic of the container of f.
func (f *File) Container() ContainerRelic {
	k := ContainerRelic{Swapped: f.Swapped}
	if f.Version != 4 {
		k.Version = f.Version
	}
	missing := -4 * int32(len(f.Data))
	k.OldSize = missing != 0 && f.SizeError == missing
	k.OldSwaplen = missing != 0 && f.SwaplenError == missing
	return k
}

// SetContainer makes the container of f, whose data are complete, that of which
// k remained.
func (f *File) SetContainer(k ContainerRelic) {
	f.Swapped = k.Swapped
	if k.Version != 0 {
		f.Version = k.Version
	}
	missing := -4 * int32(len(f.Data))
	if k.OldSize {
		f.SizeError = missing
	}
	if k.OldSwaplen {
		f.SwaplenError = missing
	}
}

// BlockRelic is what remains of a data block whose content is stored elsewhere.
type BlockRelic struct {
	Level  *int   `json:"level,omitempty"`  // its zlib level, where that is not 6
	Size   *int32 `json:"size,omitempty"`   // the size stated for Stream
	Stream []byte `json:"stream,omitempty"` // its compressed bytes, in place of a content that has Was
	Was    string `json:"was,omitempty"`    // CRC-32 of a content, "none" for no content
}

// Relic returns what makes the block out of a content, or out of none, if ok is
// false. It is the zero value if the content is enough.
func (b *Block) Relic(content Content, ok bool) BlockRelic {
	if data, err := b.Bytes(); ok && err == nil && content.is(data) {
		stream := b.Stream()
		if stream == nil {
			return BlockRelic{} // of version 3
		}
		switch level, found := deflate.LevelOf(stream, data); {
		case found && level == DefaultLevel:
			return BlockRelic{}
		case found:
			return BlockRelic{Level: &level}
		}
	}
	stream, size := b.Compressed()
	return BlockRelic{Size: &size, Stream: stream, Was: content.Mark(ok)}
}

// Compressed returns the zlib stream of the block and the size stated for its
// content. The stream of a block of version 3 is made.
func (b *Block) Compressed() ([]byte, int32) {
	if b.stream != nil && !b.plain {
		return b.stream, b.size
	}
	data, _ := b.Bytes()
	stream, err := deflate.Compress(nil, data, b.level)
	if err != nil {
		return nil, 0
	}
	return stream, b.size
}

// Block returns the block of which k remained, nil if there is neither a
// content nor a block that stood in place of none.
func (k BlockRelic) Block(content Content, ok bool) *Block {
	switch {
	case k.Size != nil && k.Was == content.Mark(ok):
		return NewBlockStream(k.Stream, *k.Size)
	case ok && k.Level != nil:
		return NewBlockLevel(content.all(), *k.Level)
	case ok:
		return NewBlock(content.all())
	}
	return nil
}

// IsZero tells whether nothing needs to be remembered.
func (k BlockRelic) IsZero() bool { return k.Level == nil && k.Size == nil }

// Mark tells contents apart in relics.
func Mark(content []byte, ok bool) string { return Content{Bytes: content}.Mark(ok) }

// Content is what a data block holds, or is to hold: bytes, and as many zeros behind
// them as Zeros says. A layer that states a size and lacks its tiles has nothing else,
// and those zeros should not take memory before they are written.
type Content struct {
	Bytes []byte
	Zeros int
}

var someZeros [64 << 10]byte

// Mark is the function Mark for the content.
func (c Content) Mark(ok bool) string {
	if !ok {
		return "none"
	}
	sum := crc32.ChecksumIEEE(c.Bytes)
	for n := c.Zeros; n > 0; n -= len(someZeros) {
		sum = crc32.Update(sum, crc32.IEEETable, someZeros[:min(n, len(someZeros))])
	}
	return fmt.Sprintf("%08x", sum)
}

// is reports whether data is the content.
func (c Content) is(data []byte) bool {
	if len(data) != len(c.Bytes)+c.Zeros || !bytes.HasPrefix(data, c.Bytes) {
		return false
	}
	for rest := data[len(c.Bytes):]; len(rest) > 0; {
		n := min(len(rest), len(someZeros))
		if !bytes.Equal(rest[:n], someZeros[:n]) {
			return false
		}
		rest = rest[n:]
	}
	return true
}

// all returns the content with its zeros.
func (c Content) all() []byte {
	if c.Zeros == 0 {
		return c.Bytes
	}
	return append(c.Bytes[:len(c.Bytes):len(c.Bytes)], make([]byte, c.Zeros)...)
}
