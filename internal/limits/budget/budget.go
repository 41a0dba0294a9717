// Package budget limits the memory in use at a time, over all files that a run processes.
package budget

import "sync"

// Budget is an amount of memory. It may be used concurrently, but a goroutine must not take from it twice at a time:
// it could wait for itself forever.
type Budget struct {
	size int64

	mu    sync.Mutex
	freed sync.Cond
	lent  int64
}

// New returns a budget of size bytes.
func New(size int64) *Budget {
	b := &Budget{size: size}
	b.freed.L = &b.mu
	return b
}

// Take waits until n bytes are available, and returns a function that releases them. A request larger than the whole
// budget is granted when nothing else is taken.
func (b *Budget) Take(n int64) (give func()) {
	n = max(0, min(n, b.size))
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.lent+n > b.size {
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
