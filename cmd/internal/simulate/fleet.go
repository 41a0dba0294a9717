// Package simulate estimates how long a work takes on many workers, of which some are slow and some die.
package simulate

import (
	"cmp"
	"container/heap"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
)

// Fleet describes a simulated work: shards of unequal size that workers take from a queue, in order.
type Fleet struct {
	Workers int
	Shards  int
	Seed    uint64

	Sizes  []float64 // seconds of each shard on a worker of normal speed; nil: Shards sizes by Work and Spread
	Work   float64   // median seconds of a shard on a worker of normal speed
	Spread float64   // spread of the sizes of shards: the standard deviation of their logarithm; 0: none
	Slow   float64   // fraction of slow workers, 0 to 1
	Factor float64   // how many times longer a slow worker takes

	// Source is the work in seconds that all workers together can do per second, limited by the database or
	// disk they read from, or by processors they share; 0 is unlimited.
	Source float64

	Shares int     // shares into which the shards are dealt before, one for each Workers/Shares workers; 0: there is a queue
	Queue  float64 // seconds for which the queue hands out one part and no other
	Fetch  float64 // seconds between the end of a part and the start of the next one
	MTBF   float64 // mean seconds of work until a worker dies; 0 is never
	Back   float64 // seconds until a dead worker is restarted
	Limit  float64 // maximum seconds for a part
	Rescue float64 // seconds until the part of a dead worker is given to another one
	Tries  int     // attempts until a part is given up
	Split  float64 // seconds until the parts are known
	Merge  float64 // seconds that merging takes for each shard
}

// Outcome is the result of a simulated run. Times are in seconds.
type Outcome struct {
	Total    float64 // from the begin to the end of the merge
	Parts    float64 // from the first part to the end of the last one
	Work     float64 // sum of all parts on workers of normal speed
	Ideal    float64 // the same work on workers of normal speed, without losses
	Last     float64 // from the time when no part is waiting to the end of the last part
	Deaths   int     // deaths of working workers
	Overtime int     // parts that were ended at their limit
	Lost     float64 // wasted work
	GivenUp  int     // parts that failed too often
}

// worker is a worker, busy or idle.
type worker struct {
	speed float64 // work per second
	part  int     // -1: none
	since float64 // start of the part
	left  float64 // remaining work of the part
	dies  float64 // time of death
	ready float64 // when it can take the next part
}

// event is something that happens at a time.
type event struct {
	at   float64
	part int
}

type events []event

func (e events) Len() int           { return len(e) }
func (e events) Less(i, j int) bool { return e[i].at < e[j].at }
func (e events) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)        { *e = append(*e, x.(event)) }
func (e *events) Pop() any          { last := len(*e) - 1; x := (*e)[last]; *e = (*e)[:last]; return x }

// sizes returns the seconds of each shard.
func (f *Fleet) sizes(random *rand.Rand) []float64 {
	if f.Sizes != nil {
		return f.Sizes
	}
	size := make([]float64, f.Shards)
	for i := range size {
		size[i] = f.Work * math.Exp(f.Spread*random.NormFloat64())
	}
	return size
}

// pile is the parts that some workers take from.
type pile struct {
	next, step, end int   // the next new part, the distance to the one after it, and the number of all parts
	again           []int // parts to repeat, before all others
}

func (p *pile) empty() bool { return len(p.again) == 0 && p.next >= p.end }

func (p *pile) take() (part int) {
	if len(p.again) > 0 {
		part, p.again = p.again[0], p.again[1:]
		return part
	}
	part, p.next = p.next, p.next+p.step
	return part
}

// Run simulates a run, event by event.
func (f Fleet) Run() (o Outcome, err error) {
	if f.Sizes != nil {
		f.Shards, f.Work = len(f.Sizes), 1
	}
	if f.Workers < 1 || f.Shards < 1 || !(f.Work > 0) || !(f.Limit > 0) || f.Tries < 1 || f.Slow > 0 && !(f.Factor >= 1) ||
		f.Shares > f.Workers {
		return o, errors.New("workers, shards, work, limit and tries must be above 0, and stragglers slower than others")
	}
	random := rand.New(rand.NewPCG(f.Seed, 1))
	size := f.sizes(random)
	for _, s := range size {
		o.Work += s
	}
	o.Ideal = o.Work / float64(f.Workers)
	if f.Source > 0 {
		o.Ideal = max(o.Ideal, o.Work/f.Source)
	}
	dies := func(now float64) float64 {
		if f.MTBF <= 0 {
			return math.Inf(1)
		}
		return now + random.ExpFloat64()*f.MTBF
	}
	workers := make([]worker, f.Workers)
	for i := range workers {
		workers[i] = worker{speed: 1, part: -1}
		if float64(i) < f.Slow*float64(f.Workers) {
			workers[i].speed = 1 / f.Factor
		}
	}
	piles := make([]pile, max(1, f.Shares))
	for i := range piles {
		piles[i] = pile{next: i, step: len(piles), end: f.Shards}
	}
	of := func(worker int) *pile { return &piles[worker*len(piles)/f.Workers] }
	tries := make([]int, f.Shards)
	var orphans events // parts of dead workers, and when they are rescued
	open := f.Shards   // number of parts not done
	now, emptied, handed := 0.0, 0.0, 0.0
	for open > 0 {
		// Idle workers take the next part.
		demand := 0.0
		for i := range workers {
			w, pile := &workers[i], of(i)
			if w.part < 0 && w.ready <= now && handed <= now && !pile.empty() {
				w.part = pile.take()
				tries[w.part]++
				w.since, w.left, w.dies = now, size[w.part], dies(now)
				emptied, handed = now, now+f.Queue
			}
			if w.part >= 0 {
				demand += w.speed
			}
		}
		share := 1.0 // fraction of a worker's speed that the source allows
		if f.Source > 0 && demand > f.Source {
			share = f.Source / demand
		}
		// Find the time of the next event.
		then := math.Inf(1)
		for i := range workers {
			switch w := &workers[i]; {
			case w.part >= 0:
				then = min(then, now+w.left/(w.speed*share), w.dies, w.since+f.Limit)
			case !of(i).empty():
				then = min(then, max(w.ready, handed))
			}
		}
		if len(orphans) > 0 {
			then = min(then, orphans[0].at)
		}
		then = max(then, now)
		for i := range workers {
			if w := &workers[i]; w.part >= 0 {
				w.left -= (then - now) * w.speed * share
			}
		}
		now = then
		for i := range workers {
			w := &workers[i]
			if w.part < 0 {
				continue
			}
			part, did := w.part, size[w.part]-w.left
			switch tiny := 1e-9 * size[part]; {
			case w.left <= tiny:
				open--
				w.part, w.ready = -1, now+f.Fetch
			case w.dies <= now:
				o.Deaths++
				o.Lost += did
				w.part, w.ready = -1, now+f.Back
				heap.Push(&orphans, event{now + f.Rescue, part})
			case w.since+f.Limit <= now:
				o.Overtime++
				o.Lost += did
				w.part, w.ready = -1, now+f.Fetch
				heap.Push(&orphans, event{now, part})
			}
		}
		for len(orphans) > 0 && orphans[0].at <= now {
			part := heap.Pop(&orphans).(event).part
			if tries[part] >= f.Tries {
				o.GivenUp++
				open--
				continue
			}
			p := &piles[part%len(piles)]
			p.again = append(p.again, part)
		}
	}
	o.Last, o.Parts = now-emptied, now
	o.Total = f.Split + now + f.Merge*float64(f.Shards)
	return o, nil
}

// Runs simulates n runs with different seeds and returns them ordered by total time.
func (f Fleet) Runs(n int) ([]Outcome, error) {
	all := make([]Outcome, n)
	for i := range all {
		f.Seed++
		var err error
		if all[i], err = f.Run(); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(all, func(a, b Outcome) int { return cmp.Compare(a.Total, b.Total) })
	return all, nil
}
