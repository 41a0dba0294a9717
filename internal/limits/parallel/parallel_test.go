package parallel_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"trowel.example/internal/limits/parallel"
)

func TestEach(t *testing.T) {
	for _, n := range []int{0, 1, 2, 1000} {
		calls := make([]atomic.Int32, n)
		parallel.Each(n, func(i int) { calls[i].Add(1) })
		for i := range calls {
			if c := calls[i].Load(); c != 1 {
				t.Errorf("of %d: %d was called %d times", n, i, c)
			}
		}
	}
}

func TestOrdered(t *testing.T) {
	numbers := func(yield func(int) error) error {
		for i := range 1000 {
			if err := yield(i); err != nil {
				return err
			}
		}
		return nil
	}
	double := func(i int) int {
		time.Sleep(time.Duration(i%7) * 10 * time.Microsecond)
		return 2 * i
	}
	next := 0
	err := parallel.Ordered(t.Context(), numbers, double, func(i int) error {
		if i != 2*next {
			t.Fatalf("got %d, want %d", i, 2*next)
		}
		next++
		return nil
	})
	if err != nil || next != 1000 {
		t.Errorf("%d results, %v", next, err)
	}
	enough := errors.New("enough")
	err = parallel.Ordered(t.Context(), numbers, double, func(i int) error {
		if i > 100 {
			return enough
		}
		return nil
	})
	if err != enough {
		t.Errorf("error = %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := parallel.Ordered(ctx, numbers, double, func(int) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestPanic tests that a panic of any goroutine can be caught by the caller, with the place where it began, and that
// no goroutine keeps running.
func TestPanic(t *testing.T) {
	before := runtime.NumGoroutine()
	numbers := func(yield func(int) error) error {
		for i := range 1000 {
			if err := yield(i); err != nil {
				return err
			}
		}
		return nil
	}
	same := func(i int) int { return i }
	boom := func(at int) func(int) int {
		return func(i int) int {
			if i == at {
				var none []int
				_ = none[i]
			}
			return i
		}
	}
	nothing := func(int) error { return nil }
	for name, do := range map[string]func(){
		"each":   func() { parallel.Each(1000, func(i int) { boom(500)(i) }) },
		"nested": func() { parallel.Each(3, func(int) { parallel.Each(1000, func(i int) { boom(500)(i) }) }) },
		"work":   func() { _ = parallel.Ordered(t.Context(), numbers, boom(500), nothing) },
		"emit": func() {
			_ = parallel.Ordered(t.Context(), numbers, same, func(i int) error { boom(500)(i); return nil })
		},
		"produce": func() {
			_ = parallel.Ordered(t.Context(), func(yield func(int) error) error { boom(7)(7); return nil }, same, nothing)
		},
	} {
		p := parallel.Catch(do)
		if p == nil || !strings.Contains(fmt.Sprint(p.Value), "index out of range") || len(p.Where) == 0 ||
			!strings.HasPrefix(p.Where[0], "parallel_test.go:") {
			t.Errorf("%s: caught %v", name, p)
		}
	}
	if p := parallel.Catch(func() { parallel.Each(10, func(int) {}) }); p != nil {
		t.Errorf("caught %v of nothing", p)
	}
	for runtime.NumGoroutine() > before { // the test would hang if goroutines were left
		time.Sleep(time.Millisecond)
	}
}

func TestGroup(t *testing.T) {
	var running, ended atomic.Int64
	var once sync.Once
	g := parallel.NewGroup(t.Context(), 3)
	full := make(chan struct{}) // closed when three run at the same time
	for range 20 {
		if err := g.Go(func(context.Context) error {
			if n := running.Add(1); n == 3 {
				once.Do(func() { close(full) })
			} else if n > 3 {
				t.Errorf("%d at once", n)
			}
			<-full
			running.Add(-1)
			ended.Add(1)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.Wait(); err != nil || ended.Load() != 20 {
		t.Errorf("%d ended, %v", ended.Load(), err)
	}

	g = parallel.NewGroup(t.Context(), 2)
	first := errors.New("the first")
	fail := make(chan struct{})
	_ = g.Go(func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
	_ = g.Go(func(context.Context) error { <-fail; return first })
	close(fail)
	if err := g.Go(func(context.Context) error { t.Error("it runs after an error"); return nil }); err != first {
		t.Error(err)
	}
	if err := g.Wait(); err != first {
		t.Error(err)
	}

	defer func() {
		if p, ok := recover().(*parallel.Panic); !ok || !strings.Contains(p.Error(), "boom") {
			t.Error(p)
		}
	}()
	g = parallel.NewGroup(t.Context(), 1)
	_ = g.Go(func(context.Context) error { panic("boom") })
	t.Error(g.Wait())
}
