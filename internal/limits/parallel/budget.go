package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// UsualMemory is the memory that a program may use by default, for which the sizes of budgets are stated: 1 GiB.
const UsualMemory = 1 << 30

var memory atomic.Int64

// SetMemory changes all budgets and shares in proportion to the memory that the program may use, in bytes; 0 means
// Usual. Only a program's main calls it, before it reads files.
func SetMemory(bytes int64) { memory.Store(bytes) }

// Share returns the size of a part of the memory of the program that is n bytes by default.
func Share(n int64) int64 {
	m := memory.Load()
	if m == 0 {
		return n
	}
	return int64(float64(n) / UsualMemory * float64(m))
}

// Budget is an amount of memory. It may be used concurrently, but a goroutine must not take from it twice at a time:
// it could wait for itself forever.
type Budget struct {
	size int64

	mu    sync.Mutex
	freed sync.Cond
	lent  int64
}

// NewBudget returns a budget of size bytes by default: see [SetMemory].
func NewBudget(size int64) *Budget {
	b := &Budget{size: size}
	b.freed.L = &b.mu
	return b
}

// large is an amount of memory that the collector frees before others take it, in bytes: otherwise as much again may be taken first.
const large = 64 << 20

// Take waits until n bytes are available, and returns a function that releases them. A request larger than the whole
// budget is granted when nothing else is taken.
func (b *Budget) Take(n int64) (give func()) {
	size := Share(b.size)
	n = max(0, min(n, size))
	if n >= large {
		defer runtime.GC() // of what was released
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.lent+n > size {
		b.freed.Wait()
	}
	b.lent += n
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.lent -= n
		b.freed.Broadcast()
	}
}
