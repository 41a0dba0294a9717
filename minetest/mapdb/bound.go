package mapdb

import (
	"errors"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"

	"trowel.example/fault"
	"trowel.example/internal/bytes/zframe"
	"trowel.example/internal/limits/effort"
)

// Bound bounds the work of inflating blocks. Four bytes of a block of version 29 can be 128 KiB of content, so a small world could
// keep programs busy for hours. Older versions need no bound: each byte of zlib is at most 1,032 bytes of content.
//
// Several goroutines may use it. The zero value has spent nothing.
type Bound struct {
	spent atomic.Int64
	seen  sync.Map // the positions of blocks that spent something
}

// The content of a block that is not counted: nearly all blocks have less.
const (
	usualContent = 256 << 10
	usualRatio   = 1024 // bytes of content for each byte
)

// Spend counts the content of a block that is going to be inflated, once for each position. Its only error is that the budget of work
// is met.
func (b *Bound) Spend(p Pos, data []byte) error {
	n := unusual(data)
	if n == 0 {
		return nil
	}
	if _, again := b.seen.LoadOrStore(p, struct{}{}); again {
		n = 0
	}
	return b.spend("blocks", n) // which block it is depends on the order
}

func (b *Bound) spend(path string, n int64) error {
	met, ok := errors.AsType[*fault.Error](effort.WorldContents.Resume(&b.spent, 0).Spend(n))
	if !ok {
		return nil
	}
	met.Path = path
	return met
}

// unusual returns how many bytes the content of a block may have that are counted.
func unusual(data []byte) int64 {
	if len(data) == 0 || data[0] < 29 {
		return 0
	}
	return max(0, zframe.Most(data[1:])-usualContent-usualRatio*int64(len(data)))
}

// Bounded yields the blocks of the input, for callers that inflate them, up to that which meets the budget of a new [Bound]: its
// error is the last one.
func Bounded(in iter.Seq2[Block, error]) iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) {
		var bound Bound
		for b, err := range in {
			if n := unusual(b.Data); err == nil && n > 0 {
				if err := bound.spend(fmt.Sprintf("blocks[%d,%d,%d]", b.Pos.X, b.Pos.Y, b.Pos.Z), n); err != nil {
					yield(Block{Pos: b.Pos}, err)
					return
				}
			}
			if !yield(b, err) {
				return
			}
		}
	}
}
