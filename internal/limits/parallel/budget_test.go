package parallel_test

import (
	"sync/atomic"
	"testing"

	"trowel.example/internal/limits/parallel"
)

// TestBudget tests that no more than the budget is granted, except to a request for more than the budget, and that
// every request is granted in the end.
func TestBudget(t *testing.T) {
	const size = 100
	b := parallel.NewBudget(size)
	var lent, served atomic.Int64
	parallel.Each(2000, func(i int) {
		n := int64(i*37%150) + 1 // some requests exceed the budget
		give := b.Take(n)
		if have := lent.Add(min(n, size)); have > size {
			t.Errorf("%d are lent", have)
		}
		served.Add(1)
		lent.Add(-min(n, size))
		give()
	})
	if served.Load() != 2000 {
		t.Errorf("%d were served", served.Load())
	}
}
