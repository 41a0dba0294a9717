// Package mutate helps to test readers with many damaged files: it counts the outcomes, and compares the allocated
// memory with the memory that the contents justify.
package mutate

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"trowel.example/internal/limits/effort"
	"trowel.example/internal/limits/parallel"
)

// triesOr returns the number in TROWEL_MUTATIONS, or usual if it is not set.
func triesOr(t *testing.T, usual int) int {
	t.Helper()
	s := os.Getenv("TROWEL_MUTATIONS")
	if s == "" {
		return usual
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatalf("TROWEL_MUTATIONS: %v", err)
	}
	return n
}

// maxSpent is the part of a budget of work that a mutation may spend: the last step may exceed the budget.
const maxSpent = 1.25

// Run calls try for each mutation, on all cores: usual times, or as often as TROWEL_MUTATIONS states. Try returns
// names of the outcomes of the mutation; Run logs and returns how often each occurred. A panic of try fails the test, and
// so does work beyond its budget (package effort); a try that hangs blocks the test forever.
func Run(t *testing.T, usual int, try func(i int, rng *rand.Rand) (outcomes []string)) map[string]int {
	t.Helper()
	tries := triesOr(t, usual)
	var mu sync.Mutex
	counts := make(map[string]int)
	var slowest time.Duration
	parallel.Each(tries, func(i int) {
		start := time.Now()
		var outcomes []string
		failed := t.Failed()
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Errorf("mutation %d: panic: %v", i, p)
				}
			}()
			outcomes = try(i, rand.New(rand.NewPCG(uint64(i), 7)))
		}()
		mu.Lock()
		defer mu.Unlock()
		if t.Failed() && !failed {
			t.Logf("the first to fail is near mutation %d", i)
		}
		slowest = max(slowest, time.Since(start))
		for _, o := range outcomes {
			counts[o]++
		}
	})
	var reported []string
	for _, o := range slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Compare(counts[b], counts[a]) }) {
		reported = append(reported, fmt.Sprintf("%d %s", counts[o], o))
	}
	t.Logf("%d mutations: %s; slowest %v", tries, strings.Join(reported, ", "), slowest)
	for _, k := range effort.Kinds() {
		switch near, _ := k.Nearest(); {
		case near > maxSpent:
			t.Errorf("%s: a mutation took %.1f times the budget", k.Unit, near)
		case near > 0:
			t.Logf("%s: at most %.1f%% of the budget", k.Unit, 100*near)
		}
	}
	return counts
}

// Memory calls try for n mutations, one after the other. Try returns the function to be measured, and the maximum
// number of bytes that it may allocate.
func Memory(t *testing.T, n int, try func(i int, rng *rand.Rand) (run func(), limit uint64)) {
	t.Helper()
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	allocated := func() uint64 {
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	worst := 0.0
	for i := range n {
		run, limit := try(i, rand.New(rand.NewPCG(uint64(i), 11)))
		before := allocated()
		run()
		got := allocated() - before
		if got > limit {
			t.Errorf("mutation %d: allocated %d, more than %d", i, got, limit)
		}
		worst = max(worst, float64(got)/float64(limit))
	}
	t.Logf("the hungriest of %d allocated %.0f%% of its limit", n, 100*worst)
}
