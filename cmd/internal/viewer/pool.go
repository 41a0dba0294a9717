package viewer

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"trowel.example/internal/limits/parallel"
)

// pool holds values that are opened on first use, shared by several requests, and closed when they are unused
// and newer values replace them.
type pool[T io.Closer] struct {
	max  int             // number of values kept while unused
	life context.Context // context of opening, which outlives the requests

	mu      sync.Mutex
	entries map[string]*entry[T]
	used    int64 // counts the uses, to find the oldest value
	closed  bool
	alive   int            // entries that have not ended
	open    sync.WaitGroup // entries that have not ended
}

// entry is in use while it has users: requests, and the function that opens it. It ends, once, when it is out
// of the pool and has no users.
type entry[T io.Closer] struct {
	ready chan struct{}
	value T
	err   error
	users int
	last  int64
	at    time.Time // of the last use
	gone  bool      // removed from the pool
}

// maxInUse is the maximum number of values of a pool in use at a time.
const maxInUse = 64

var errInUse = problem{http.StatusServiceUnavailable, "too many files are open at a time"}

// get returns the value of a key, opening it if needed, and a function that must be called when the value is no
// longer used.
func (p *pool[T]) get(ctx context.Context, key string, open func(context.Context) (T, error)) (T, func(), error) {
	var none T
	p.mu.Lock()
	e := p.entries[key]
	switch {
	case p.closed:
		p.mu.Unlock()
		return none, nil, context.Canceled
	case e == nil && len(p.entries) >= p.max+maxInUse:
		p.mu.Unlock()
		return none, nil, errInUse
	case e == nil:
		if p.entries == nil {
			p.entries = make(map[string]*entry[T])
		}
		e = &entry[T]{ready: make(chan struct{}), users: 1} // the function that opens it
		p.entries[key] = e
		p.alive++
		p.open.Add(1)
		go p.start(key, e, open)
	}
	e.users++
	p.used++
	e.last, e.at = p.used, time.Now()
	old := p.oldest()
	p.mu.Unlock()
	p.end(old...)
	select {
	case <-e.ready:
	case <-ctx.Done():
		p.release(e)
		return none, nil, ctx.Err()
	}
	if e.err != nil {
		p.release(e)
		return none, nil, e.err
	}
	return e.value, sync.OnceFunc(func() { p.release(e) }), nil
}

// start opens an entry. If opening fails, the entry is removed from the pool, so that it can be retried.
func (p *pool[T]) start(key string, e *entry[T], open func(context.Context) (T, error)) {
	if panicked := parallel.Catch(func() { e.value, e.err = open(p.life) }); panicked != nil {
		e.err = defect(panicked)
	}
	close(e.ready)
	p.mu.Lock()
	if e.err != nil && p.entries[key] == e {
		delete(p.entries, key)
		e.gone = true
	}
	p.mu.Unlock()
	p.release(e)
}

// oldest removes unused entries beyond the limit from the pool and returns them. The caller ends them.
func (p *pool[T]) oldest() (out []*entry[T]) {
	for len(p.entries) > p.max {
		var key string
		var found *entry[T]
		for k, e := range p.entries {
			if e.users == 0 && (found == nil || e.last < found.last) {
				key, found = k, e
			}
		}
		if found == nil {
			break
		}
		delete(p.entries, key)
		found.gone = true
		out = append(out, found)
	}
	return out
}

func (p *pool[T]) release(e *entry[T]) {
	p.mu.Lock()
	e.users--
	e.at = time.Now()
	var out []*entry[T]
	if e.users == 0 {
		if e.gone {
			out = append(out, e)
		} else {
			out = p.oldest()
		}
	}
	p.mu.Unlock()
	p.end(out...)
}

func (p *pool[T]) end(entries ...*entry[T]) {
	for _, e := range entries {
		if e.err == nil {
			_ = e.value.Close()
		}
		p.mu.Lock()
		p.alive--
		p.mu.Unlock()
		p.open.Done()
	}
}

// rest closes the entries whose keys match and that were not used for some time.
func (p *pool[T]) rest(idle time.Duration, fits func(key string) bool) {
	p.mu.Lock()
	var out []*entry[T]
	for key, e := range p.entries {
		if e.users == 0 && time.Since(e.at) > idle && fits(key) {
			delete(p.entries, key)
			e.gone = true
			out = append(out, e)
		}
	}
	p.mu.Unlock()
	p.end(out...)
}

// ended waits until nothing that was removed from the pool is in use, at most for some time, and reports that.
func (p *pool[T]) ended(patience time.Duration) bool {
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		p.mu.Lock()
		left := p.alive - len(p.entries)
		p.mu.Unlock()
		if left <= 0 || time.Now().After(end) {
			return left <= 0
		}
	}
}

// drop removes all entries whose keys match.
func (p *pool[T]) drop(fits func(key string) bool) {
	p.mu.Lock()
	var out []*entry[T]
	for key, e := range p.entries {
		if fits(key) {
			delete(p.entries, key)
			e.gone = true
			if e.users == 0 {
				out = append(out, e)
			}
		}
	}
	p.mu.Unlock()
	p.end(out...)
}

// close removes all entries and waits until none is in use.
func (p *pool[T]) close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.drop(func(string) bool { return true })
	p.open.Wait()
}

// errGone means that the requested generation is no longer current.
var errGone = problem{http.StatusGone, "the file has changed"}

func isGone(err error) bool { return errors.Is(err, errGone) }
