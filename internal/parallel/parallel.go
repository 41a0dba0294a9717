// Package parallel spreads work over all cores.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Each calls do with 0 to n-1, some at the same time, and returns when all
// calls have. Low numbers are called first.
func Each(n int, do func(i int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				do(int(i))
			}
		})
	}
	workers.Wait()
}
