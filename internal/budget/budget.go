// Package budget limits what is in memory at a time, over all files that a run works on.
package budget

import "sync"

// Budget is an amount of memory that is lent. It may be used by many goroutines, but
// none may take from it twice at a time: it could wait for itself.
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

// Take waits until there are n bytes, and returns what gives them back. A caller that asks for more than
// the whole budget gets it once nobody else has any.
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
