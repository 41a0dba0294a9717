package fleet

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"trowel.example/cmd/internal/simulate"
	"trowel.example/cmd/internal/wording"
)

const (
	// perWorker is the number of connections of a worker to the queue, and reserved is what PostgreSQL keeps for its owner.
	perWorker, reserved = 5, 3
	// between is the time in seconds between two parts of a worker: it asks the queue at most that often.
	between = 0.02
	// worth is the least gain of a change that is reported: a twentieth of the time.
	worth = 0.95
	// most is the largest number of parts times workers that is simulated.
	most = 5e8
)

// setup is how many workers do a work, and how.
type setup struct {
	figures
	workers int
	max     int  // parts that each worker does at once
	dealt   bool // without a queue: the parts are dealt out before
}

// usable returns the number of workers for which the queue has connections.
func (s *setup) usable() int {
	if s.dealt {
		return s.workers
	}
	return min(s.workers, int(s.connections-reserved)/perWorker)
}

// supply returns the number of parts at once for which the source and the processors suffice; 0: any.
func (s *setup) supply() (source, cores float64) {
	if s.source > 0 && s.read > 0 {
		source = s.source / (s.read / s.part)
	}
	if s.cpu > 0 {
		machines := s.machines
		if machines == 0 {
			machines = float64(s.usable())
		}
		cores = machines * s.cores / (s.cpu / s.part)
	}
	return source, cores
}

// fleet returns the workers and the work for the simulation.
func (s *setup) fleet() simulate.Fleet {
	n := s.usable()
	f := simulate.Fleet{Workers: n * s.max, Shards: int(s.parts), Sizes: s.sizes, Spread: s.spread,
		Work: s.part * math.Exp(-s.spread*s.spread/2), // the median of sizes with this mean
		Slow: math.Round(s.slow*float64(n)) / float64(n), Factor: s.factor, MTBF: s.mtbf, Back: s.back, Limit: s.limit, Rescue: s.rescue,
		Tries: int(s.attempts), Split: s.split, Merge: s.merge / s.parts, Queue: 1 / s.queue, Fetch: between}
	if s.dealt {
		f.Shares, f.Queue, f.Fetch, f.Rescue = n, 0, 0, s.back
	}
	source, cores := s.supply()
	if f.Source = source; source == 0 || cores > 0 && cores < source {
		f.Source = cores
	}
	return f
}

// runs is the number of simulated runs, of which the median counts, and runsOfChange that of a change.
const runs, runsOfChange = 21, 5

// run simulates the work n times; late is the time that one run of twenty exceeds.
func (s *setup) run(n int) (o simulate.Outcome, late float64, err error) {
	f := s.fleet()
	if float64(f.Workers)*s.parts > most {
		return o, 0, wording.Hint(errors.New("too many parts and workers to simulate"), "choose smaller numbers, or larger parts")
	}
	if s.mtbf == 0 && (s.sizes != nil || s.spread == 0) || float64(f.Workers)*s.parts > most/100 {
		n = 1 // all runs are the same, or long
	}
	all, err := f.Runs(n)
	if err != nil {
		return o, 0, err
	}
	return all[(n-1)/2], all[(n-1)*95/100].Total, nil
}

// change is a change of a setup, and the limit that it lifts.
type change struct {
	limit, name string
	apply       func(*setup) bool // reports whether the change is possible
}

var changes = []change{
	{"workers", "more workers", (*setup).double},
	{"connections", "more connections", func(s *setup) bool {
		was := s.usable()
		s.connections = float64(perWorker*s.workers + reserved)
		return was < s.workers
	}},
	{"source", "a faster source", func(s *setup) bool { s.source *= 2; return s.source > 0 }},
	{"processors", "more processors", func(s *setup) bool { s.cores *= 2; return s.cpu > 0 }},
	{"queue", "a faster queue", func(s *setup) bool { s.queue *= 2; return !s.dealt }},
	{"parts", "larger parts", (*setup).larger},
	{"parts", "smaller parts", (*setup).smaller},
	{"parts", "more workers and smaller parts", func(s *setup) bool {
		return s.parts <= float64(s.usable()*s.max) && s.double() && s.smaller()
	}},
	{"merge", "a faster merge", func(s *setup) bool { s.merge /= 2; return s.merge > 0 }},
	{"slow workers", "no slow workers", func(s *setup) bool { was := s.slow; s.slow = 0; return was > 0 }},
}

// double doubles the workers, with their connections.
func (s *setup) double() bool {
	if s.usable() < s.workers {
		return false // connections limit more
	}
	s.workers *= 2
	s.connections = max(s.connections, float64(perWorker*s.workers+reserved))
	return true
}

// larger joins pairs of parts, each pair in one process.
func (s *setup) larger() bool {
	start := min(s.start, s.part)
	s.part, s.cpu, s.read = 2*s.part-start, max(0, 2*s.cpu-start), 2*s.read
	if s.sizes == nil {
		s.parts = math.Ceil(s.parts / 2)
		return true
	}
	var joined []float64
	for pair := range slices.Chunk(s.sizes, 2) {
		size := pair[0]
		for _, more := range pair[1:] {
			size += max(0, more-start)
		}
		joined = append(joined, size)
	}
	s.sizes, s.parts = joined, float64(len(joined))
	return true
}

// smaller halves all parts.
func (s *setup) smaller() bool {
	start := min(s.start, s.part)
	half := func(size float64) float64 { return (size + min(start, size)) / 2 }
	s.parts, s.part, s.cpu, s.read = 2*s.parts, half(s.part), half(s.cpu), s.read/2
	var halves []float64
	for _, size := range s.sizes {
		halves = append(halves, half(size), half(size))
	}
	s.sizes = halves
	return true
}

// forecast is the time that a number of workers need. Times are in seconds.
type forecast struct {
	Workers int     `json:"workers"`
	Seconds float64 `json:"seconds"`
	Late    float64 `json:"late"`  // one run of twenty needs more
	Parts   float64 `json:"parts"` // from the first part to the end of the last one
	Merge   float64 `json:"merge"`
	Busy    float64 `json:"busy"`  // fraction of the time of the parts that the workers work
	Reads   float64 `json:"reads"` // bytes a second
	Lost    float64 `json:"lost"`  // work that deaths and limits waste
	GivenUp int     `json:"given_up"`
	Limit   string  `json:"limit"` // "" if no change would help
	Helps   []help  `json:"helps"` // the most useful change first
}

// help is a change that saves time.
type help struct {
	Change  string  `json:"change"`
	Seconds float64 `json:"seconds"`
}

// forecast simulates the work, and then each change of it.
func (s setup) forecast() (*forecast, error) {
	o, late, err := s.run(runs)
	if err != nil {
		return nil, err
	}
	f := &forecast{Workers: s.workers, Seconds: o.Total, Late: late, Parts: o.Parts, Merge: s.merge, Lost: o.Lost, GivenUp: o.GivenUp,
		Busy: o.Work / (o.Parts * float64(s.usable()*s.max)), Reads: s.read * s.parts / o.Parts, Helps: []help{}}
	limits := make(map[string]string)
	for _, c := range changes {
		other := s
		if !c.apply(&other) {
			continue
		}
		o, _, err := other.run(runsOfChange)
		if err != nil {
			continue // it is too large
		}
		if limits[c.name] = c.limit; o.Total < worth*f.Seconds {
			f.Helps = append(f.Helps, help{c.name, o.Total})
		}
	}
	slices.SortStableFunc(f.Helps, func(a, b help) int { return cmp.Compare(a.Seconds, b.Seconds) })
	if len(f.Helps) > 0 {
		f.Limit = limits[f.Helps[0].Change]
	}
	return f, nil
}
