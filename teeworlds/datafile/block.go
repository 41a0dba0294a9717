package datafile

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"trowel.example/fault"
	"trowel.example/internal/bytes/deflate"
	"trowel.example/internal/limits/budget"
	"trowel.example/internal/text/words"
)

// DefaultLevel is the zlib level that all writers use except map_optimize, which uses 9.
const DefaultLevel = 6

// Block is a data block: compressed bytes and contents. Either is made from the other when it is first needed.
// Goroutines may share a block.
type Block struct {
	stream []byte // as in the file; nil for a new block
	stored []byte // the stream of a new block whose contents are not kept
	size   int32  // stated size of the contents
	plain  bool   // stream is the contents themselves (version 3)
	offset int64  // of the stream in its file, -1 if none
	lost   bool   // the block is outside of the file
	cut    bool   // the file ends inside the block
	level  int

	keeper     *keeper     // limits the contents that the blocks of the file keep
	unreadable func(error) // called once if the contents cannot be read

	mu      sync.Mutex
	read    bool // the contents are in memory
	judged  bool // surplus and err are known
	content []byte
	surplus int // bytes of stream after the end of the zlib stream
	err     error
}

// NewBlock returns a block with the given contents, to be compressed at the default level when it is written. The
// contents must not be changed afterwards.
func NewBlock(content []byte) *Block { return NewBlockLevel(content, DefaultLevel) }

// NewBlockLevel is NewBlock for another zlib level, 0 to 9.
func NewBlockLevel(content []byte, level int) *Block {
	b := &Block{size: int32(len(content)), offset: -1, level: level, content: content}
	b.read, b.judged = true, true
	return b
}

// NewBlockStream returns a block from a zlib stream, which is written unchanged, and the stated size of its contents.
func NewBlockStream(stream []byte, size int32) *Block {
	if stream == nil {
		stream = []byte{} // a block of no bytes; nil would mean a new block
	}
	return &Block{stream: stream, size: size, offset: -1, level: DefaultLevel}
}

// NewLostBlock returns a block whose contents cannot be read because of err.
func NewLostBlock(err error) *Block { return &Block{offset: -1, read: true, judged: true, err: err} }

// ErrUnreadable is wrapped by the errors of blocks whose contents cannot be read. The file also reports these blocks:
// see [File.Losses] and [File.OnUnreadable]. It wraps [fault.ErrLost].
var ErrUnreadable = fmt.Errorf("%w: the data block cannot be read", fault.ErrLost)

// Store compresses the contents of a new block, as Encode would, and releases the contents until they are needed. A
// program that makes many large blocks then holds the contents of one at a time.
func (b *Block) Store() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stream != nil || b.content == nil || len(b.content) > MaxContent {
		return
	}
	if stream, err := deflate.Compress(nil, b.content, b.level); err == nil { // otherwise Encode returns the error
		b.stored, b.content, b.read = stream, nil, false
	}
}

// Size returns the stated size of the contents in bytes, without inflating them.
func (b *Block) Size() int32 { return b.size }

// Offset returns the offset of the block in its file, or -1 for a new block.
func (b *Block) Offset() int64 { return b.offset }

// StoredSize returns the number of bytes that the block takes in its file, or 0 for a block that was not read from a
// file.
func (b *Block) StoredSize() int { return len(b.stream) }

// Stream returns the zlib stream that the block was read from, or nil.
func (b *Block) Stream() []byte {
	if b.plain {
		return nil
	}
	return b.stream
}

// Plausible reports, without inflating it, whether the stream is long enough for the stated size: deflate expands a
// byte to at most 1032 bytes.
func (b *Block) Plausible() bool {
	return b.stream == nil || b.plain || int64(b.size) <= maxRatio*int64(len(b.stream))
}

// maxRatio is the largest compression ratio of deflate.
const maxRatio = 1032

// Bytes returns the contents, which must not be changed. On an error it also returns the contents that could be read.
// A block that was read from a file keeps its contents until those of other blocks are needed, and then inflates them
// again.
func (b *Block) Bytes() ([]byte, error) {
	b.mu.Lock()
	content, err, fresh := b.content, b.err, !b.read
	if fresh {
		content = b.inflate(nil)
		b.content, b.read, err = content, true, b.err
	}
	b.mu.Unlock()
	if fresh && b.keeper != nil {
		b.keeper.keep(b, len(content))
	}
	return content, err
}

// BytesUpTo is Bytes for contents that are useful only up to limit bytes, such as a text. A larger block becomes
// unreadable.
func (b *Block) BytesUpTo(limit int) ([]byte, error) {
	b.mu.Lock()
	if int(b.size) > limit && !b.judged {
		b.fail(fmt.Sprintf("at most %d bytes", limit), fmt.Sprint(b.size), fault.ErrLimit)
		b.read = true
	}
	b.mu.Unlock()
	return b.Bytes()
}

// keeper limits the contents that the blocks of a file keep in memory: the most recently inflated ones, at most
// maxKept bytes together, but at least one.
type keeper struct {
	mu     sync.Mutex
	blocks []kept
	size   int
}

type kept struct {
	*Block
	size int
}

const maxKept = 32 << 20

func (k *keeper) keep(b *Block, size int) {
	k.mu.Lock()
	k.blocks = append(k.blocks, kept{b, size})
	k.size += size
	n := 0
	for ; k.size > maxKept && n < len(k.blocks)-1; n++ {
		k.size -= k.blocks[n].size
	}
	gone := slices.Clone(k.blocks[:n])
	k.blocks = slices.Delete(k.blocks, 0, n)
	k.mu.Unlock()
	for _, b := range gone { // which another goroutine may have locked for inflating
		b.mu.Lock()
		b.content, b.read = nil, false
		b.mu.Unlock()
	}
}

// Look calls do with the results of Bytes, for a single use: a large block does not keep its contents, which are
// released when do returns. The memory that all concurrent calls use is limited, so do must not call Look for another
// block.
func (b *Block) Look(do func(content []byte, err error)) {
	if b.atMost() <= maxSmall {
		do(b.Bytes())
		return
	}
	defer looks.Take(b.atMost())()
	pooled := buffers.Get().(*[]byte)
	defer buffers.Put(pooled)
	content, err := b.lookInto(pooled)
	do(content, err)
}

// maxSmall is the size of the largest contents that a block keeps in a call of Look, in bytes: a small file is
// inflated once, in whatever order its parts are read.
const maxSmall = 1 << 20

// maxLooks is the memory for the contents that concurrent calls of Look use, in bytes; maxBuffer is the size of the
// largest buffer that is reused.
const (
	maxLooks  = 96 << 20
	maxBuffer = 32 << 20
)

var (
	looks   = budget.New(maxLooks)
	buffers = sync.Pool{New: func() any { return new([]byte) }}
)

// atMost returns the largest possible size of the contents in bytes.
func (b *Block) atMost() int64 {
	return min(int64(b.size), maxRatio*int64(len(b.stream)+len(b.stored)))
}

// lookInto returns the contents, which may be in the memory of buf.
func (b *Block) lookInto(buf *[]byte) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.read {
		return b.content, b.err
	}
	content := b.inflate((*buf)[:0])
	if !b.plain && cap(content) <= maxBuffer {
		*buf = content
	}
	return content, b.err
}

// Verify returns the error of Bytes. It does not inflate a block again and keeps nothing, so its memory use does not
// depend on the size.
func (b *Block) Verify() error {
	_, err := b.verify()
	return err
}

// verify returns the error of the stream, and the number of bytes that follow it.
func (b *Block) verify() (surplus int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.judged:
	case b.size < 0 || b.size > MaxContent || b.plain:
		b.inflate(nil) // inflates nothing, or what cannot be a block
	default:
		used, err := deflate.Verify(b.stream, int(b.size))
		b.judge(used, err)
	}
	return b.surplus, b.err
}

// MaxContent limits the size of the contents of a block, in bytes: those of a layer of 4,096 x 4,096 tiles, or of an
// image of as many pixels. The game's own files need less than a fifth. A larger block cannot be read: the error
// wraps [fault.ErrLimit]; its file keeps it unchanged.
const MaxContent = 64 << 20

// inflate returns the contents, in the memory of buf if there is room, and judges the stream.
func (b *Block) inflate(buf []byte) (content []byte) {
	switch {
	case b.judged && errors.Is(b.err, fault.ErrLimit):
		return nil
	case b.size < 0:
		b.fail("a size of 0 or more", fmt.Sprint(b.size), fault.ErrFormat)
	case b.plain:
		content = b.stream
		b.judged = true
	case b.stored != nil:
		content, _, _ = deflate.Decompress(b.stored, int(b.size))
	default:
		var used int
		var err error
		content, used, err = deflate.DecompressInto(buf, b.stream, int(min(b.size, MaxContent)))
		if b.size > MaxContent {
			switch {
			case errors.Is(err, deflate.ErrTooLong):
				b.fail(fmt.Sprintf("a content of at most %d bytes", MaxContent), words.Count(b.size, "byte"), fault.ErrLimit)
				return nil
			case err == nil, errors.Is(err, deflate.ErrTooShort): // then Want states MaxContent
				err = &deflate.Error{Kind: deflate.ErrTooShort, Consumed: used, Size: len(content), Want: int64(b.size)}
			}
		}
		b.judge(used, err)
	}
	return content
}

// judge records how many bytes of the stream were used, and its error.
func (b *Block) judge(used int, err error) {
	b.surplus = len(b.stream) - used
	if err != nil {
		b.fail(fmt.Sprintf("a zlib stream of %s", words.Count(b.size, "byte")), err.Error(), err)
	}
	b.judged = true
}

// fail marks the block as unreadable and reports that the first time.
func (b *Block) fail(want, got string, cause error) {
	b.err = &fault.Error{Offset: b.offset, Want: want, Got: got, Err: b.markUnreadable(cause)}
	if b.unreadable != nil && !b.judged {
		b.unreadable(b.err)
	}
	b.judged = true
}

// markUnreadable marks an error as one that the file reports itself.
func (b *Block) markUnreadable(err error) error {
	if b.size == 0 { // the block had no contents
		return err
	}
	return errors.Join(ErrUnreadable, err)
}

// Equal reports whether both blocks have the same contents. A block that cannot be read equals one with the same
// compressed bytes.
func (b *Block) Equal(other *Block) bool {
	if b == other || b == nil || other == nil {
		return b == other
	}
	if b.Size() != other.Size() {
		return false
	}
	if b.Stream() != nil && bytes.Equal(b.Stream(), other.Stream()) {
		return true
	}
	x, errX := b.Bytes()
	y, errY := other.Bytes()
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// encode returns the bytes of the block in a file of the given version.
func (b *Block) encode(version int) ([]byte, error) {
	if b == nil {
		return nil, &fault.Error{Offset: -1, Want: "a block", Got: "nil", Err: fault.ErrFormat}
	}
	if b.stream == nil && len(b.content) > math.MaxInt32 {
		return nil, &fault.Error{Offset: -1, Want: "a content of less than 2 GiB",
			Got: words.Count(len(b.content), "byte"), Err: fault.ErrLimit}
	}
	if b.stream != nil && b.plain == (version == 3) {
		return b.stream, nil
	}
	if b.stored != nil && version != 3 {
		return b.stored, nil
	}
	content, err := b.Bytes()
	if err != nil {
		return nil, err
	}
	if version == 3 {
		return content, nil
	}
	return deflate.Compress(nil, content, b.level)
}
