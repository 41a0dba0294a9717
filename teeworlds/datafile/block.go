package datafile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"

	"trowel.example/fault"
	"trowel.example/internal/bytes/deflate"
	"trowel.example/internal/limits/effort"
	"trowel.example/internal/limits/parallel"
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
	stated int64  // the largest size that the items which name the block state for its contents
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

// Smallest is the level above the zlib levels: see [deflate.Smallest].
const Smallest = 10

// Smaller returns a block with the same contents that takes fewer bytes in a file at a level from 0 to [Smallest], or b itself. A
// block that cannot be read, or with bytes after its stream, stays.
func (b *Block) Smaller(level int) *Block {
	if b == nil || b.plain {
		return b
	}
	content, err := b.Once()
	if err != nil || b.surplus > 0 {
		return b
	}
	old, err := b.encode(4)
	if err != nil {
		return b
	}
	var stream []byte
	if level == Smallest {
		stream, err = deflate.Smallest(nil, content)
	} else {
		stream, err = deflate.Compress(nil, content, level)
	}
	if err != nil || len(stream) >= len(old) {
		return b
	}
	return NewBlockStream(stream, b.size)
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
	if b.stream != nil || b.content == nil {
		return
	}
	if stream, err := deflate.Compress(nil, b.content, b.level); err == nil { // otherwise Encode returns the error
		b.stored, b.content, b.read = stream, nil, false
		if b.keeper == nil {
			b.keeper = &stored
		}
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
	if b.atMost() > int64(limit) && !b.judged {
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

// stored limits the contents that new blocks keep after Store.
var stored keeper

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

// Once is [Block.Bytes] for a single use: a large block does not keep the contents.
func (b *Block) Once() ([]byte, error) {
	if b.atMost() <= maxSmall {
		return b.Bytes()
	}
	return b.lookInto(new([]byte))
}

// Pieces returns a reader of the contents, which are in memory piece by piece. Where they cannot all be read, it ends with an
// error, and does not report that: see [Block.Verify]. It returns nil for contents that are in memory already, or that are not
// read at all.
func (b *Block) Pieces() io.Reader {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.read, b.plain, b.size < 0, b.err != nil:
	case b.stored != nil:
		return deflate.NewReader(b.stored)
	case !b.tooLarge():
		return deflate.NewReader(b.stream)
	}
	return nil
}

// maxSmall is the size of the largest contents that a block keeps in a call of Look, in bytes: a small file is
// inflated once, in whatever order its parts are read.
const maxSmall = 1 << 20

// maxLooks is the memory for the contents that concurrent calls of Look use, in bytes; maxBuffer is the size of the
// largest buffer that is reused: larger ones are collected before the next one is allocated, and a pool can keep several.
const (
	maxLooks  = 96 << 20
	maxBuffer = 32 << 20
)

var (
	looks   = parallel.NewBudget(maxLooks)
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
	case b.size < 0 || b.plain:
		b.inflate(nil) // inflates nothing
	case b.tooLarge():
	default:
		used, err := deflate.Verify(b.stream, int(b.size))
		b.judge(used, err)
	}
	return b.surplus, b.err
}

// NewDraft returns a new block of size bytes, compressed by [deflate.NewDraft], for contents that are read again before they are
// written.
func NewDraft(stream []byte, size int) *Block {
	return &Block{stored: stream, size: int32(size), offset: -1, level: DefaultLevel, judged: true, keeper: &stored}
}

// State allows contents of size bytes: an item that names the block states that a layer or an image has as many. Other
// contents have the budget of [effort.MapBlock]. A larger block cannot be read: the error wraps [fault.ErrLimit], which
// is no loss, and the file keeps the block unchanged. State must be called before goroutines share the block.
func (b *Block) State(size int64) {
	if size > b.stated { // goroutines may read the same value
		b.stated = size
	}
}

// tooLarge marks a block that is too large to be read, and reports whether it is. Shorter streams cannot have the contents.
func (b *Block) tooLarge() bool {
	size := b.atMost()
	if b.stream == nil || size <= b.stated {
		return false
	}
	over := effort.MapBlock.Over(size)
	if over == nil {
		return false
	}
	over.Offset = b.offset
	b.err, b.judged = over, true
	return true
}

// inflate returns the contents, in the memory of buf if there is room, and judges the stream.
func (b *Block) inflate(buf []byte) (content []byte) {
	switch {
	case b.size < 0:
		b.fail("a size of 0 or more", fmt.Sprint(b.size), fault.ErrFormat)
	case b.plain:
		content = b.stream
		b.judged = true
	case b.stored != nil:
		content, _, _ = deflate.Decompress(b.stored, int(b.size))
	case b.tooLarge():
	default:
		var used int
		var err error
		content, used, err = deflate.DecompressInto(buf, b.stream, int(b.size))
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
		return nil, &fault.Error{Offset: -1, Want: "less than 2 GiB of data",
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
