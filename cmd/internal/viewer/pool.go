package viewer

import (
	"context"
	"fmt"
	"io"
	"sync"

	"trowel.example/internal/parallel"
)

// pool has things that are opened when they are first wanted, used by several requests at a
// time, and closed when nobody uses them and newer ones are wanted more.
type pool[T io.Closer] struct {
	max  int
	life context.Context // of opening: who waits may leave

	mu      sync.Mutex
	entries map[string]*entry[T]
	used    int64 // counts the uses, to know the oldest
}

type entry[T io.Closer] struct {
	ready chan struct{}
	value T
	err   error
	users int
	last  int64
	gone  bool // from the pool: closed by the last user
}

// get returns what key stands for, which open opens if it is not there, and a function that
// has to be called once when it is no longer used.
func (p *pool[T]) get(ctx context.Context, key string, open func(context.Context) (T, error)) (T, func(), error) {
	p.mu.Lock()
	e := p.entries[key]
	if e == nil {
		if p.entries == nil {
			p.entries = make(map[string]*entry[T])
		}
		e = &entry[T]{ready: make(chan struct{}), users: 1} // the one that opens it
		p.entries[key] = e
		go func() {
			if panicked := parallel.Catch(func() { e.value, e.err = open(p.life) }); panicked != nil {
				e.err = fmt.Errorf("a defect of this program: %v", panicked)
			}
			close(e.ready)
			p.mu.Lock()
			if e.err != nil && p.entries[key] == e {
				delete(p.entries, key) // to be tried again
				e.gone = true
			}
			p.mu.Unlock()
			p.release(e)
		}()
	}
	e.users++
	p.used++
	e.last = p.used
	old := p.oldest()
	p.mu.Unlock()
	for _, e := range old {
		p.end(e)
	}
	select {
	case <-e.ready:
	case <-ctx.Done():
		p.release(e)
		var none T
		return none, nil, ctx.Err()
	}
	if e.err != nil {
		p.release(e)
		var none T
		return none, nil, e.err
	}
	return e.value, sync.OnceFunc(func() { p.release(e) }), nil
}

// oldest takes what is too much out of the pool.
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
	last := e.users == 0 && e.gone
	p.mu.Unlock()
	if last {
		p.end(e)
	}
}

func (p *pool[T]) end(e *entry[T]) {
	if <-e.ready; e.err == nil {
		_ = e.value.Close()
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
	for _, e := range out {
		p.end(e)
	}
}

func (p *pool[T]) close() { p.drop(func(string) bool { return true }) }
