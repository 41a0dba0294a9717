package worldmap

import (
	"iter"
	"runtime"
	"sync"

	"trowel/minetest/mapdb"
)

// How much goes to a core at once, about: enough that handing it over costs
// nothing beside the work, and little enough to be held in memory a few times for
// each core.
const (
	batchRows  = 64
	batchBytes = 1 << 20
)

// InOrder calls work for each block that comes in, or for what came in its place,
// on all cores, and gives the results in the order of the blocks. It holds a few
// hundred blocks in memory for each core. What it reads from is closed when it
// returns.
func InOrder[R any](in iter.Seq2[mapdb.Block, error], work func(mapdb.Block, error) R) iter.Seq[R] {
	return func(yield func(R) bool) {
		type batch struct {
			blocks  []mapdb.Block
			errs    []error
			results []R
			ready   chan struct{}
		}
		cores := runtime.GOMAXPROCS(0)
		jobs := make(chan *batch, cores)    // to the workers; one is ready for each
		order := make(chan *batch, 2*cores) // to the end, in order
		stop := make(chan struct{})
		var running sync.WaitGroup
		running.Go(func() {
			defer close(order)
			defer close(jobs)
			next, size := &batch{ready: make(chan struct{})}, 0
			send := func() bool {
				if len(next.blocks) == 0 {
					return true
				}
				full := next
				next, size = &batch{ready: make(chan struct{})}, 0
				select {
				case order <- full:
				case <-stop:
					return false
				}
				jobs <- full // some worker takes it: they end after this
				return true
			}
			for b, err := range in {
				next.blocks, next.errs = append(next.blocks, b), append(next.errs, err)
				if size += len(b.Data); len(next.blocks) < batchRows && size < batchBytes {
					continue
				}
				if !send() {
					return
				}
			}
			send()
		})
		for range cores {
			running.Go(func() {
				for b := range jobs {
					b.results = make([]R, len(b.blocks))
					for i := range b.blocks {
						b.results[i] = work(b.blocks[i], b.errs[i])
					}
					b.blocks, b.errs = nil, nil
					close(b.ready)
				}
			})
		}
		defer running.Wait()
		defer close(stop)
		for b := range order {
			<-b.ready
			for _, r := range b.results {
				if !yield(r) {
					return
				}
			}
		}
	}
}
