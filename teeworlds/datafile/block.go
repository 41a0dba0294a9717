package datafile

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"trowel.example/fault"
	"trowel.example/internal/budget"
	"trowel.example/internal/deflate"
)

// DefaultLevel is the zlib level of every writer but map_optimize, which uses 9.
const DefaultLevel = 6

// Block is a data block: its compressed bytes and its content, each made from
// the other when it is first needed. It may be shared by goroutines.
type Block struct {
	stream []byte // as in the file; nil for a new block
	stored []byte // of a new block whose content is not kept: its stream
	size   int32  // stated size of the content
	plain  bool   // stream is the content itself (version 3)
	offset int64  // of the stream in the file it came from, -1 if none
	lost   bool   // it lies outside of the file
	cut    bool   // the file ends before it does
	level  int

	keeper     *keeper     // of the contents of its file
	unreadable func(error) // is told, once, that the content cannot be read

	mu      sync.Mutex
	read    bool // content is there
	judged  bool // surplus and err are known
	content []byte
	surplus int // bytes of stream behind the end of the zlib stream
	err     error
}

// NewBlock returns a block that holds content, to be compressed at the default
// level when it is written. The content must not be changed afterwards.
func NewBlock(content []byte) *Block { return NewBlockLevel(content, DefaultLevel) }

// NewBlockLevel is NewBlock for another zlib level, 0 to 9.
func NewBlockLevel(content []byte, level int) *Block {
	b := &Block{size: int32(len(content)), offset: -1, level: level, content: content}
	b.read, b.judged = true, true
	return b
}

// NewBlockStream returns a block from a zlib stream that is written as it is,
// with the stated size of its content.
func NewBlockStream(stream []byte, size int32) *Block {
	if stream == nil {
		stream = []byte{} // a block of no bytes, not one to be made
	}
	return &Block{stream: stream, size: size, offset: -1, level: DefaultLevel}
}

// NewLostBlock returns a block whose content cannot be read, with the error that says why.
func NewLostBlock(err error) *Block { return &Block{offset: -1, read: true, judged: true, err: err} }

// ErrUnreadable is in the errors of blocks whose content cannot be read, of which the file tells by
// itself: see [File.Losses] and [File.OnUnreadable]. It wraps [fault.ErrLost].
var ErrUnreadable = fmt.Errorf("%w: the data block cannot be read", fault.ErrLost)

// Store compresses the content of a new block, as Encode would, and forgets the content until
// somebody asks for it. A program that makes many large blocks has one content at a time.
func (b *Block) Store() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stream != nil || b.content == nil || len(b.content) > MaxContent {
		return
	}
	if stream, err := deflate.Compress(nil, b.content, b.level); err == nil { // else encode meets it again
		b.stored, b.content, b.read = stream, nil, false
	}
}

// Size returns the stated size of the content in bytes, without inflating it.
func (b *Block) Size() int32 { return b.size }

// Offset returns where in its file the block begins, -1 for a new one.
func (b *Block) Offset() int64 { return b.offset }

// StoredSize returns the number of bytes that the block takes in its file, 0
// for one that was not read from a file.
func (b *Block) StoredSize() int { return len(b.stream) }

// Stream returns the zlib stream that the block was read from, or nil.
func (b *Block) Stream() []byte {
	if b.plain {
		return nil
	}
	return b.stream
}

// Plausible reports whether the stream is long enough for the stated size, without
// inflating it: deflate makes at most 1032 bytes of one.
func (b *Block) Plausible() bool {
	return b.stream == nil || b.plain || int64(b.size) <= maxRatio*int64(len(b.stream))
}

// maxRatio is how many bytes deflate makes at most of one.
const maxRatio = 1032

// Bytes returns the content, which must not be changed. With an error it
// returns as much of the content as could be read. A block that was read from a file
// keeps its content until others of the file are asked for, and inflates it again then.
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

// BytesUpTo is Bytes for content that is of use only if it has at most limit bytes, such as
// a text. A larger block is from then on one that cannot be read.
func (b *Block) BytesUpTo(limit int) ([]byte, error) {
	b.mu.Lock()
	if int(b.size) > limit && !b.judged {
		b.fail(fmt.Sprintf("at most %d bytes", limit), fmt.Sprint(b.size), fault.ErrLimit)
		b.read = true
	}
	b.mu.Unlock()
	return b.Bytes()
}

// keeper has the blocks of a file that keep their contents: those that were inflated
// last, as many as take no more than maxKept bytes together, and one at least.
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
	for _, b := range gone { // which may be locked by who inflates them
		b.mu.Lock()
		b.content, b.read = nil, false
		b.mu.Unlock()
	}
}

// Look is Bytes for who looks at the content once: a large block does not keep it, and it is
// gone when do returns. What all such looks of a program have in memory at a time is
// limited, so do must not look at another block.
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

// maxSmall is how many bytes a content has at most that a block keeps when somebody looks at it: so a
// small file is inflated once, in whatever order its parts are asked for.
const maxSmall = 1 << 20

// maxLooks is how many bytes contents that somebody looks at take together, and
// maxBuffer how large the memory is that the next one uses again.
const (
	maxLooks  = 96 << 20
	maxBuffer = 32 << 20
)

var (
	looks   = budget.New(maxLooks)
	buffers = sync.Pool{New: func() any { return new([]byte) }}
)

// atMost is how many bytes the content can have.
func (b *Block) atMost() int64 {
	return min(int64(b.size), maxRatio*int64(len(b.stream)+len(b.stored)))
}

// lookInto returns the content, which may stand in the memory of buf.
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

// Verify returns the error of Bytes. It inflates nothing that was inflated before, and keeps
// nothing, so that its memory does not depend on the size.
func (b *Block) Verify() error {
	_, err := b.verify()
	return err
}

// verify returns what is wrong with the stream, and how many bytes follow it.
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

// MaxContent is how many bytes the content of a block may have to be read: those of a layer of
// 4,096 x 4,096 tiles, or of an image of as many pixels. What the game's own files have is below a fifth of
// it. A larger block cannot be read, with an error that wraps [fault.ErrLimit]; its file
// keeps it unchanged.
const MaxContent = 64 << 20

// inflate returns the content, in the memory of buf if there is room, and judges the
// stream.
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
				b.fail(fmt.Sprintf("a content of at most %d bytes", MaxContent), fmt.Sprintf("%d bytes", b.size), fault.ErrLimit)
				return nil
			case err == nil, errors.Is(err, deflate.ErrTooShort): // what Want says is MaxContent
				err = &deflate.Error{Kind: deflate.ErrTooShort, Consumed: used, Size: len(content), Want: int64(b.size)}
			}
		}
		b.judge(used, err)
	}
	return content
}

// judge keeps how many bytes of the stream were used, and what is wrong with it.
func (b *Block) judge(used int, err error) {
	b.surplus = len(b.stream) - used
	if err != nil {
		b.fail(fmt.Sprintf("a zlib stream of %d bytes", b.size), err.Error(), err)
	}
	b.judged = true
}

// fail makes it a block that cannot be read, and lets know of that the first time.
func (b *Block) fail(want, got string, cause error) {
	b.err = &fault.Error{Offset: b.offset, Want: want, Got: got, Err: b.told(cause)}
	if b.unreadable != nil && !b.judged {
		b.unreadable(b.err)
	}
	b.judged = true
}

// told marks an error as one of which the file tells by itself.
func (b *Block) told(err error) error {
	if b.size == 0 { // nothing was there
		return err
	}
	return errors.Join(ErrUnreadable, err)
}

// Equal reports whether both blocks hold the same. One that cannot be read equals one of
// the same compressed bytes.
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

// encode returns the bytes that stand for the block in a file of the given version.
func (b *Block) encode(version int) ([]byte, error) {
	if b == nil {
		return nil, &fault.Error{Offset: -1, Want: "a block", Got: "nil", Err: fault.ErrFormat}
	}
	if b.stream == nil && len(b.content) > math.MaxInt32 {
		return nil, &fault.Error{Offset: -1, Want: "a content of less than 2 GiB", Got: fmt.Sprintf("%d bytes", len(b.content)), Err: fault.ErrLimit}
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
