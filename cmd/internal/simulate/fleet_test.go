package simulate

import (
	"math"
	"testing"
)

// plain is a fleet without any failures.
var plain = Fleet{Workers: 10, Shards: 100, Work: 10, Limit: 1000, Tries: 3}

func run(t *testing.T, f Fleet) Outcome {
	t.Helper()
	o, err := f.Run()
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestByHand tests results that can be computed manually.
func TestByHand(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Fleet)
		total  float64
	}{
		{"equal shards", func(*Fleet) {}, 100},
		{"one more shard is a round more", func(f *Fleet) { f.Shards++ }, 110},
		{"a second between parts", func(f *Fleet) { f.Fetch = 1 }, 109}, // not after the last part
		{"merge", func(f *Fleet) { f.Merge = 0.5 }, 150},
		{"a source for five", func(f *Fleet) { f.Source = 5 }, 200},
		{"a source for more than there are", func(f *Fleet) { f.Source = 50 }, 100},
		{"one worker", func(f *Fleet) { f.Workers = 1 }, 1000},
		{"more workers than shards", func(f *Fleet) { f.Workers = 500 }, 10},
		{"a queue for two a second", func(f *Fleet) { f.Queue = 0.5 }, 104.5},
		{"a slow queue", func(f *Fleet) { f.Queue = 5 }, 99*5 + 10},
		{"splitting", func(f *Fleet) { f.Split = 7 }, 107},
		{"measured sizes", func(f *Fleet) { f.Sizes, f.Shards, f.Workers = []float64{3, 4, 5}, 0, 2 }, 8},
		{"dealt", func(f *Fleet) { f.Sizes, f.Workers, f.Shares = []float64{9, 1, 9, 1}, 2, 2 }, 18},
		{"a queue instead", func(f *Fleet) { f.Sizes, f.Workers = []float64{9, 1, 9, 1}, 2 }, 10},
		{"dealt to two workers of two", func(f *Fleet) { f.Sizes, f.Workers, f.Shares = []float64{9, 1, 9, 1}, 4, 2 }, 9},
		{"all are slow", func(f *Fleet) { f.Slow, f.Factor = 1, 3 }, 300},
	} {
		f := plain
		c.change(&f)
		if o := run(t, f); math.Abs(o.Total-c.total) > 1e-6 || o.Deaths+o.GivenUp+o.Overtime != 0 || o.Lost != 0 {
			t.Errorf("%s: %+v, expected %v s", c.name, o, c.total)
		}
	}
}

// TestStragglers tests that a slow worker that takes one of the last parts delays the end by at most its part.
func TestStragglers(t *testing.T) {
	f := plain
	f.Slow, f.Factor = 0.1, 5 // one worker takes 50 s per part
	o := run(t, f)
	// Nine workers do 9 parts each in 90 s while one does 2 in 100 s.
	if o.Total < 100 || o.Total > 110+50 {
		t.Errorf("%+v", o)
	}
}

// TestGivenUp tests that a part that always exceeds its limit is given up, and that workers that always die do
// not cause an endless loop.
func TestGivenUp(t *testing.T) {
	f := plain
	f.Limit = 9
	o := run(t, f)
	if o.GivenUp != f.Shards || o.Overtime != f.Shards*f.Tries || math.Abs(o.Lost-9*float64(o.Overtime)) > 1e-6 {
		t.Errorf("%+v", o)
	}
	f = plain
	f.MTBF, f.Back = 0.001, 1
	if o := run(t, f); o.GivenUp != f.Shards || o.Deaths != f.Shards*f.Tries {
		t.Errorf("%+v", o)
	}
}

// TestDeaths tests that deaths cost time, that lost work is counted, and that the same seed gives the same run.
func TestDeaths(t *testing.T) {
	f := plain
	f.MTBF, f.Back, f.Limit, f.Rescue, f.Tries = 200, 5, 3000, 8, 50
	o := run(t, f)
	if o.Deaths == 0 || o.Lost <= 0 || o.GivenUp > 0 || o.Total < 100 {
		t.Errorf("%+v", o)
	}
	// The part of a dead worker is soon given to another one, whatever its limit.
	if o.Total > o.Ideal+o.Lost+float64(o.Deaths)*(f.Rescue+f.Back+2*f.Work) {
		t.Errorf("a part was found too late: %+v", o)
	}
	if again := run(t, f); again != o {
		t.Errorf("%+v and %+v", o, again)
	}
	f.Shares = 5 // each worker does the parts of its share when it is back
	if dealt := run(t, f); dealt.GivenUp > 0 || dealt.Deaths == 0 || dealt.Total < o.Total {
		t.Errorf("%+v", dealt)
	}
	f.Shares = 0
	f.Seed = 7
	if other := run(t, f); other == o {
		t.Error("the seed does not count")
	}
}

func TestUnfit(t *testing.T) {
	for _, change := range []func(*Fleet){
		func(f *Fleet) { f.Workers = 0 }, func(f *Fleet) { f.Shards = -1 }, func(f *Fleet) { f.Work = math.NaN() },
		func(f *Fleet) { f.Shares = 11 }, func(f *Fleet) { f.Sizes = []float64{} },
		func(f *Fleet) { f.Limit = 0 }, func(f *Fleet) { f.Tries = 0 }, func(f *Fleet) { f.Slow = 0.5 },
	} {
		f := plain
		change(&f)
		if _, err := f.Run(); err == nil {
			t.Errorf("%+v was run", f)
		}
	}
}
