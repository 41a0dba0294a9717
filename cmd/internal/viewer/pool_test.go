package viewer

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"trowel.example/internal/limits/parallel"
)

// leased fails if it is used after it was closed, closed while in use, or closed twice.
type leased struct {
	users, closed atomic.Int32
	open          *atomic.Int32
	fail          func(string)
}

func (l *leased) Close() error {
	if l.users.Load() != 0 {
		l.fail("closed while it is used")
	}
	if l.closed.Add(1) != 1 {
		l.fail("closed twice")
	}
	l.open.Add(-1)
	return nil
}

// TestPoolLeases tests with many concurrent users that nothing is closed while in use, and that everything is
// closed once at the end.
func TestPoolLeases(t *testing.T) {
	for seed := range uint64(20) {
		p := &pool[*leased]{max: 3, life: t.Context()}
		var open atomic.Int32
		var most atomic.Int32
		parallel := sync.WaitGroup{}
		for worker := range uint64(8) {
			parallel.Go(func() {
				r := rand.New(rand.NewPCG(seed, worker))
				for range 200 {
					key := fmt.Sprint(r.IntN(10))
					ctx, cancel := context.WithCancel(t.Context())
					if r.IntN(5) == 0 {
						cancel() // the browser cancels the request
					}
					v, release, err := p.get(ctx, key, func(context.Context) (*leased, error) {
						if r := rand.IntN(10); r == 0 {
							return nil, errors.New("not today")
						} else if r == 1 {
							panic("a defect")
						}
						for n := open.Add(1); ; {
							if old := most.Load(); n <= old || most.CompareAndSwap(old, n) {
								break
							}
						}
						return &leased{open: &open, fail: func(s string) { t.Error(s) }}, nil
					})
					cancel()
					if err != nil {
						continue
					}
					v.users.Add(1)
					if v.closed.Load() != 0 {
						t.Error("used after it was closed")
					}
					if r.IntN(20) == 0 {
						p.drop(func(k string) bool { return k == key })
					}
					v.users.Add(-1)
					release()
					release() // a second call has no effect
				}
			})
		}
		parallel.Wait()
		p.close()
		if n := open.Load(); n != 0 {
			t.Errorf("%d are open in the end", n)
		}
		if _, _, err := p.get(t.Context(), "0", nil); !errors.Is(err, context.Canceled) {
			t.Errorf("after the end: %v", err)
		}
	}
}

// TestPoolBounds tests that unused values are closed except for the last few, and that values in use are
// limited.
func TestPoolBounds(t *testing.T) {
	p := &pool[*leased]{max: 3, life: t.Context()}
	var open atomic.Int32
	var releases []func()
	for i := range p.max + maxInUse + 5 {
		_, release, err := p.get(t.Context(), fmt.Sprint(i), func(context.Context) (*leased, error) {
			open.Add(1)
			return &leased{open: &open, fail: func(s string) { t.Error(s) }}, nil
		})
		if full := i >= p.max+maxInUse; full != errors.Is(err, errInUse) {
			t.Fatalf("%d: %v", i, err)
		}
		if err == nil {
			releases = append(releases, release)
		}
	}
	for _, release := range releases {
		release()
	}
	if n := open.Load(); int(n) != p.max {
		t.Errorf("%d are kept, want %d", n, p.max)
	}
	p.close()
	if n := open.Load(); n != 0 {
		t.Errorf("%d are open in the end", n)
	}
}

// TestPoolDefect tests that a panic of the open function is reported as a defect.
func TestPoolDefect(t *testing.T) {
	p := &pool[*leased]{max: 1, life: t.Context()}
	_, _, err := p.get(t.Context(), "", func(context.Context) (*leased, error) { panic("oh") })
	var status problem
	if !errors.As(err, &status) || status.status != 500 {
		t.Errorf("%v", err)
	}
	if parallel.Catch(p.close) != nil {
		t.Error("it cannot be closed")
	}
}

// TestPoolRest tests that values are closed that were not used for some time, but not those in use or of other keys, and that
// ended waits for the values in use.
func TestPoolRest(t *testing.T) {
	p := &pool[*leased]{max: 3, life: t.Context()}
	var open atomic.Int32
	get := func(key string) func() {
		_, release, err := p.get(t.Context(), key, func(context.Context) (*leased, error) {
			open.Add(1)
			return &leased{open: &open, fail: func(text string) { t.Error(text) }}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return release
	}
	get("old")()
	get("other")()
	used := get("old and used")
	old := func(key string) bool { return key != "other" }
	if p.rest(time.Hour, old); open.Load() != 3 {
		t.Errorf("%d are open", open.Load())
	}
	time.Sleep(2 * time.Millisecond)
	if p.rest(time.Millisecond, old); open.Load() != 2 {
		t.Errorf("%d are open", open.Load())
	}
	p.drop(func(string) bool { return true })
	if p.ended(time.Millisecond) || open.Load() != 1 {
		t.Errorf("a value in use has ended, or %d are open", open.Load())
	}
	time.AfterFunc(10*time.Millisecond, used)
	if !p.ended(10*time.Second) || open.Load() != 0 {
		t.Errorf("%d are open", open.Load())
	}
	p.close()
}
