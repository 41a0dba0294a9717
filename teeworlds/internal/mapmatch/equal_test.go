package mapmatch

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestFree tests that the nearest of the numbers that are left is taken, the smaller one of two.
func TestFree(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		var left []int
		for n := range 30 {
			if r.IntN(2) == 0 {
				left = append(left, n)
			}
		}
		f := free{list: slices.Clone(left)}
		for range len(left) + 1 {
			n := r.IntN(36) - 3
			best := -1
			for i, v := range left {
				if best < 0 || max(v-n, n-v) < max(left[best]-n, n-left[best]) {
					best = i
				}
			}
			got, ok := f.take(n)
			if ok != (best >= 0) || ok && got != left[best] {
				t.Fatalf("the nearest to %d of %v is %d, %t", n, left, got, ok)
			}
			if ok {
				left = slices.Delete(left, best, best+1)
			}
		}
	}
}
