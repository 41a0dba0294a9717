package extsort

import (
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
			want := map[int64]uint64{}
			var keys []int64
			for range n {
				key := r.Int64N(1<<20) - 1<<19
				if _, again := want[key]; !again {
					keys = append(keys, key)
					want[key] = r.Uint64()
				}
				if err := s.Add(Pair{key, want[key]}); err != nil {
					t.Fatal(err)
				}
			}
			slices.Sort(keys)
			var got []int64
			for p, err := range s.Sorted() {
				if err != nil {
					t.Fatal(err)
				}
				if want[p.Key] != p.Value {
					t.Errorf("%d comes with the value of another", p.Key)
				}
				got = append(got, p.Key)
			}
			if !slices.Equal(got, keys) {
				t.Errorf("%d pairs in runs of %d come as %d", n, size, len(got))
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if left, _ := os.ReadDir(dir); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		}
	}
}
