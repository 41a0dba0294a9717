// Package parallel distributes work over all cores, and limits the memory that it uses at a time ([Budget]). A panic of a
// goroutine that it starts is raised again in the calling goroutine, as a [Panic]: code that recovers there, for one file of
// many, recovers from all panics.
package parallel

import (
	"cmp"
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Each calls do with 0 to n-1, some concurrently, and returns when all calls have returned. Low numbers are called
// first.
func Each(n int, do func(i int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	var panicked atomic.Pointer[Panic]
	for range min(runtime.GOMAXPROCS(0), n) {
		workers.Go(func() {
			if p := Catch(func() {
				for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
					do(int(i))
				}
			}); p != nil {
				next.Add(int64(n)) // skip the remaining calls
				panicked.CompareAndSwap(nil, p)
			}
		})
	}
	workers.Wait()
	panicked.Load().Throw()
}

// Ordered runs work on all items of produce, on all cores, and calls emit with the results in the order of the items.
// At most twice the number of cores plus two items are in memory. The first error stops everything. When Ordered
// returns, all calls have returned.
func Ordered[T, R any](ctx context.Context, produce func(yield func(T) error) error, work func(T) R, emit func(R) error) error {
	ctx, cancel := context.WithCancel(ctx)
	type result struct {
		value    R
		panicked *Panic
	}
	type job struct {
		item   T
		result chan result
	}
	workers := max(2, runtime.GOMAXPROCS(0))
	jobs := make(chan job, workers)
	queue := make(chan chan result, 2*workers)
	defer func() {
		cancel()
		for range queue { // it is closed once all have ended
		}
	}()
	var produced error
	var panicked *Panic
	go func() {
		defer close(queue)
		var running sync.WaitGroup
		for range workers {
			running.Go(func() {
				for j := range jobs {
					var r result
					r.panicked = Catch(func() { r.value = work(j.item) })
					j.result <- r
				}
			})
		}
		panicked = Catch(func() {
			produced = produce(func(item T) error {
				j := job{item, make(chan result, 1)}
				select {
				case queue <- j.result:
				case <-ctx.Done():
					return ctx.Err()
				}
				jobs <- j // a worker always closes done
				return nil
			})
		})
		close(jobs)
		running.Wait()
	}()
	var failed error
	for next := range queue {
		if r := <-next; failed == nil {
			r.panicked.Throw()
			if failed = emit(r.value); failed != nil {
				cancel()
			}
		}
	}
	panicked.Throw()
	return cmp.Or(failed, produced)
}
