package viewer

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"

	"trowel.example/internal/parallel"
)

// pool has things that are opened when they are first wanted, used by several requests at a
// time, and closed when nobody uses them and newer ones are wanted more.
type pool[T io.Closer] struct {
	max  int             // that are kept while nobody uses them
	life context.Context // of opening: who waits may leave

	mu      sync.Mutex
	entries map[string]*entry[T]
	used    int64 // counts the uses, to know the oldest
	closed  bool
	open    sync.WaitGroup // entries that have not ended
}

// entry is in use as long as it has users: whoever got it, and whoever opens it. It ends, once,
// when it is out of the pool and the last of them has left.
type entry[T io.Closer] struct {
	ready chan struct{}
	value T
	err   error
	users int
	last  int64
	gone  bool // from the pool
}

// maxInUse is how much of a pool can be in use at a time.
const maxInUse = 64

var errInUse = problem{http.StatusServiceUnavailable, "too much is open at a time"}

// get returns what key stands for, which open opens if it is not there, and a function that
// has to be called when it is no longer used.
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
		e = &entry[T]{ready: make(chan struct{}), users: 1} // the one that opens it
		p.entries[key] = e
		p.open.Add(1)
		go p.start(key, e, open)
	}
	e.users++
	p.used++
	e.last = p.used
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

// start opens an entry. What cannot be opened leaves the pool, to be tried again.
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

// oldest takes out of the pool what nobody uses and is too much, and returns it to be ended.
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
		p.open.Done()
	}
}

// drop takes all out of the pool whose keys fit.
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

// close ends all, and waits for those who still use something.
func (p *pool[T]) close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.drop(func(string) bool { return true })
	p.open.Wait()
}

// errGone says that something is no longer what it was when it was asked for.
var errGone = problem{http.StatusGone, "the file has changed"}

func isGone(err error) bool { return errors.Is(err, errGone) }
