package extsort

import (
	"iter"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

func TestSorted(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 99, 100, 101, 5000} {
		for _, size := range []int{1, 100, 0} {
			if size == 1 && n > 101 {
				continue
			}
			dir := t.TempDir()
			s := &Sorter{Folder: dir, Run: size}
			var want []Pair
			for i := range n {
				p := Pair{r.Int64N(1<<20) - 1<<19, r.Uint64()}
				if i > 0 && i%3 == 0 {
					p.Key = want[r.IntN(i)].Key
				}
				want = append(want, p)
				if err := s.Add(p); err != nil {
					t.Fatal(err)
				}
			}
			slices.SortFunc(want, Pair.compare)
			firsts := slices.CompactFunc(slices.Clone(want), func(a, b Pair) bool { return a.Key == b.Key })
			for range 2 { // iterating again gives the same result
				if got := list(t, s.Sorted()); !slices.Equal(got, want) {
					t.Errorf("%d pairs in runs of %d come as %d", n, size, len(got))
				}
				if got := list(t, s.Distinct()); !slices.Equal(got, firsts) {
					t.Errorf("%d keys in runs of %d come as %d", len(firsts), size, len(got))
				}
			}
			for range 2 {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
			if left, _ := os.ReadDir(dir); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		}
	}
}

func list(t *testing.T, pairs iter.Seq2[Pair, error]) (all []Pair) {
	t.Helper()
	for p, err := range pairs {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}
