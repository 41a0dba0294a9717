package parallel_test

import (
	"sync/atomic"
	"testing"

	"trowel/internal/parallel"
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
