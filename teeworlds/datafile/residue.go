package datafile

import (
	"bytes"
	"fmt"
	"hash/crc32"

	"trowel.example/internal/bytes/deflate"
)

// Residues are the details that a program must store in order to reproduce identical bytes when it stores the
// contents of a datafile in another form.

// ContainerResidue holds the residue of the container.
type ContainerResidue struct {
	Swapped    bool `json:"swapped,omitempty"`    // magic ATAD
	Version    int  `json:"version,omitempty"`    // 3; 0 means 4
	OldSize    bool `json:"oldSize,omitempty"`    // the size in the header excludes the table of data sizes
	OldSwaplen bool `json:"oldSwaplen,omitempty"` // the swaplen in the header excludes it, too
}

// Container returns the residue of the container of f.
func (f *File) Container() ContainerResidue {
	k := ContainerResidue{Swapped: f.Swapped}
	if f.version() != usualVersion {
		k.Version = f.Version
	}
	missing := -4 * int32(len(f.Data))
	k.OldSize = missing != 0 && f.SizeError == missing
	k.OldSwaplen = missing != 0 && f.SwaplenError == missing
	return k
}

// SetContainer applies k to the container of f, whose data must be complete.
func (f *File) SetContainer(k ContainerResidue) {
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

// BlockResidue holds the residue of a data block whose contents are stored elsewhere.
type BlockResidue struct {
	Level  *int   `json:"level,omitempty"`  // its zlib level, if not 6
	Size   *int32 `json:"size,omitempty"`   // the size stated for Stream
	Stream []byte `json:"stream,omitempty"` // its compressed bytes, used if the contents match Was
	Was    string `json:"was,omitempty"`    // CRC-32 of the contents, "none" for no contents
}

// Residue returns what is needed to rebuild the block from the contents. It returns the
// zero value if the contents are enough.
func (b *Block) Residue(content Content) BlockResidue {
	if !content.None {
		if k, ok := b.residue(content.equals); ok {
			return k
		}
	}
	stream, size := b.Compressed()
	return BlockResidue{Size: &size, Stream: stream, Was: content.Mark()}
}

// ResidueOfSize is Residue for the contents of the block itself, if it has size bytes and its stream need not be
// stored; otherwise it returns false. It does not keep large contents.
func (b *Block) ResidueOfSize(size int) (BlockResidue, bool) {
	return b.residue(func(data []byte) bool { return len(data) == size })
}

// residue is Residue for contents that fit, and returns false if the stream must be stored.
func (b *Block) residue(fit func(data []byte) bool) (k BlockResidue, ok bool) {
	b.Look(func(data []byte, err error) {
		stream := b.Stream()
		if ok = err == nil && fit(data); !ok || stream == nil { // nil: of version 3
			return
		}
		var level int
		if level, ok = deflate.LevelOf(stream, data); ok && level != DefaultLevel {
			k.Level = &level
		}
	})
	return k, ok
}

// Compressed returns the zlib stream of the block and the stated size of its contents. A block of version 3 is
// compressed for that.
func (b *Block) Compressed() ([]byte, int32) {
	if b.stream != nil && !b.plain {
		return b.stream, b.size
	}
	if b.stored != nil {
		return b.stored, b.size
	}
	data, _ := b.Bytes()
	stream, err := deflate.Compress(nil, data, b.level)
	if err != nil {
		return nil, 0
	}
	return stream, b.size
}

// Block rebuilds the block from k and the contents. It returns nil if there are no contents and k holds no block for
// that case.
func (k BlockResidue) Block(content Content) *Block {
	switch {
	case k.Size != nil && k.Was == content.Mark():
		return NewBlockStream(k.Stream, *k.Size)
	case !content.None && k.Level != nil:
		return NewBlockLevel(content.bytes(), *k.Level)
	case !content.None:
		return NewBlock(content.bytes())
	}
	return nil
}

// IsZero reports whether nothing needs to be stored.
func (k BlockResidue) IsZero() bool { return k.Level == nil && k.Size == nil }

// Mark returns the value that identifies contents in residues: their CRC-32 in eight hexadecimal digits.
func Mark(content []byte) string { return Content{Bytes: content}.Mark() }

// Content is the contents of a data block: Bytes, followed by Zeros zero bytes. A layer that states a size and lacks
// its tiles consists of zeros only, which should not take memory before they are written.
type Content struct {
	Bytes []byte
	Zeros int
	None  bool // there are no contents, not even empty ones
}

var someZeros [64 << 10]byte

// Mark is the function Mark for these contents. It returns "none" for None.
func (c Content) Mark() string {
	if c.None {
		return "none"
	}
	sum := crc32.ChecksumIEEE(c.Bytes)
	for n := c.Zeros; n > 0; n -= len(someZeros) {
		sum = crc32.Update(sum, crc32.IEEETable, someZeros[:min(n, len(someZeros))])
	}
	return fmt.Sprintf("%08x", sum)
}

// equals reports whether data equals the contents.
func (c Content) equals(data []byte) bool {
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

// bytes returns the contents with their zeros.
func (c Content) bytes() []byte {
	if c.Zeros == 0 {
		return c.Bytes
	}
	return append(c.Bytes[:len(c.Bytes):len(c.Bytes)], make([]byte, c.Zeros)...)
}
