package merge3

import (
	"math/rand/v2"
	"testing"
)

func TestInOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		list := r.Perm(1 + r.IntN(9))
		if r.IntN(2) == 0 {
			list[r.IntN(len(list))] = -1
		}
		last, found := -1, 0
		for i, in := range InOrder(list) {
			if in {
				if list[i] <= last {
					t.Fatalf("%v: %v", list, InOrder(list))
				}
				last = list[i]
				found++
			}
		}
		most := 0
		for set := range 1 << len(list) { // all subsequences of the list
			last, n := -1, 0
			for i, v := range list {
				if set>>i&1 == 1 {
					if v <= last {
						n = -len(list)
						break
					}
					last = v
					n++
				}
			}
			most = max(most, n)
		}
		if found != most {
			t.Fatalf("%v: %d, and there are %d", list, found, most)
		}
	}
	if InOrder(nil) == nil {
		t.Error("of nothing")
	}
}
