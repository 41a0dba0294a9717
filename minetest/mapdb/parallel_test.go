package mapdb_test

import (
	"errors"
	"iter"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"trowel.example/minetest/internal/worldtest"
	"trowel.example/minetest/mapdb"
)

var errRow = errors.New("a row")

// rows yields n blocks, with an error in place of every seventh.
func rows(n int, read *atomic.Int64) iter.Seq2[mapdb.Block, error] {
	return func(yield func(mapdb.Block, error) bool) {
		for i := range n {
			read.Add(1)
			b, err := mapdb.Block{Pos: worldtest.Pos(i), Data: []byte{byte(i)}}, error(nil)
			if i%7 == 3 {
				b, err = mapdb.Block{}, errRow
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

// TestParallel tests that results come in the order of the input, whichever is ready first.
func TestParallel(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 65, 5000} {
		var read atomic.Int64
		i := 0
		for p := range mapdb.Parallel(rows(n, &read), func(b mapdb.Block, err error) *mapdb.Pos {
			if b.Pos.X%5 == 0 {
				runtime.Gosched()
			}
			if err != nil {
				return nil
			}
			return &b.Pos
		}) {
			if i%7 == 3 {
				if p != nil {
					t.Fatalf("result %d of %d is %v", i, n, p)
				}
			} else if p == nil || *p != worldtest.Pos(i) {
				t.Fatalf("result %d of %d is %v", i, n, p)
			}
			i++
		}
		if i != n {
			t.Errorf("%d results of %d", i, n)
		}
	}
}

// TestParallelEndsEarly tests that ending the loop early stops all work, and that little is read unnecessarily.
func TestParallelEndsEarly(t *testing.T) {
	before := runtime.NumGoroutine()
	const n = 1 << 20
	var read atomic.Int64
	taken := 0
	for range mapdb.Parallel(rows(n, &read), func(mapdb.Block, error) int { return 0 }) {
		if taken++; taken == 100 {
			break
		}
	}
	if got := read.Load(); got > int64(1000*runtime.GOMAXPROCS(0)) {
		t.Errorf("%d rows were read for 100", got)
	}
	for runtime.NumGoroutine() > before { // leftover goroutines would keep the test from ending
		time.Sleep(time.Millisecond)
	}
}
